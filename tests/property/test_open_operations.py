"""Runs of random kernels are consistent, and raise flags, with and without the operations that are not open.

`MCM_KERNEL_COUNT` and `MCM_KERNEL_SEED` choose how many are compared, and which.
"""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, Final

import pytest
from kernels_generate import kernel_from_seed

from mcm.answer.places import place_of
from mcm.base.bits import listed
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.evaluate import evaluate_model
from mcm.confirm import execution_of, flags_of, open_operations
from mcm.front_end.read import read_test
from mcm.machine.build import build
from mcm.machine.recording import recorded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.machine.configuration import Configuration
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice

SEED: Final = os.environ.get("MCM_KERNEL_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_KERNEL_COUNT", "70"))
MODELS: Final = ("opencl-3.0", "opencl-3.1", "sycl-2020", "opencl-scoped", "c11", "c20", "sc")
LONGEST: Final = 500


class Anyhow:
    """A schedule in which anybody goes next, and any value is read that memory offers."""

    def __init__(self, number: int) -> None:
        self._random = Random(number)  # noqa: S311 - nothing secret

    def begin(self) -> None:
        """A new run."""

    def pick(self, machine: Machine[Any], now: Configuration[Any], ready: int) -> int:  # noqa: ARG002
        return self._random.choice(listed(ready))

    def choose(self, choices: Sequence[Choice]) -> Choice:
        return self._random.choice(choices)


def said(candidate: Candidate, model: Model) -> tuple[bool, set[object]]:
    events = candidate.skeleton.events
    flags = {(flag.name, frozenset(place_of(events[e]) for e in flag.events)) for flag in flags_of(candidate, model)}
    return evaluate_model(candidate, model).is_consistent, flags


@pytest.mark.slow
def test_what_is_not_open_decides_nothing() -> None:
    whole_size = open_size = inconsistent = flagged = 0
    for number in range(COUNT):
        text = kernel_from_seed(SEED, number)
        model = registry.get(MODELS[number % len(MODELS)])
        program = read_test(Source(f"kernel-{number}", text)).program
        recording = recorded(build(program, "views"), Anyhow(number), LONGEST, is_weak=True)
        every = range(len(recording.operations))
        left = open_operations(every, (), recording, program, model)
        whole = said(execution_of(recording, program, model, every), model)

        assert said(execution_of(recording, program, model, left), model) == whole, (number, text)
        whole_size += len(every)
        open_size += len(left)
        inconsistent += not whole[0]
        flagged += bool(whole[1])

    assert open_size < 0.7 * whole_size
    assert inconsistent
    assert flagged
