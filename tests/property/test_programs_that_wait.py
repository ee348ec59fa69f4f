"""Random programs with loops that wait, count and are left early: mcm, the oracle and the machine agree.

The oracle tries all executions of a few passes, finished or not. `MCM_RANDOM_COUNT` and `MCM_RANDOM_SEED` choose how
many programs are compared, and which; `python -m oracle.loops_comparison` compares more of them.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Final

import pytest

from mcm import EngineName
from oracle.loops import Meet, statements
from oracle.loops_comparison import bound_of, differences, machine_beyond_model
from oracle.loops_generate import loops_from_seed
from oracle.unfinished import TooManyError

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_RANDOM_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_RANDOM_COUNT", "33"))
CHUNK: Final = 25
ENGINES: Final = (EngineName.EXPLICIT, EngineName.SMT)
OTHER_MODELS: Final = ("opencl-3.1", "opencl-scoped", "rc11", "sc")
OTHER_EVERY: Final = 10
MACHINE_EVERY: Final = 4


def numbers(start: int, every: int = 1) -> Iterator[int]:
    yield from range(start, min(start + CHUNK, COUNT), every)


def meets(number: int) -> bool:
    """Tell whether a program has barriers, of which the oracle's rules for C and for interleaving say nothing."""
    units = loops_from_seed(SEED, number).units
    return any(isinstance(statement, Meet) for unit in units for statement in statements(unit.body))


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_engines_say_what_the_oracle_finds(start: int) -> None:
    told = Counter[str]()
    for number in numbers(start):
        try:
            found = next(differences(SEED, number, ("opencl-3.0",), ENGINES, bound_of(number)), None)
        except TooManyError:
            told["passed over"] += 1
            continue
        assert found is None, f"MCM_RANDOM_SEED={SEED}, program {number}\n{found}"
        told["compared"] += 1
    assert told["compared"] > 2 * told["passed over"]


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_engines_say_what_the_oracle_finds_under_other_models(start: int) -> None:
    for number in numbers(start, OTHER_EVERY):
        models = OTHER_MODELS[:2] if meets(number) else OTHER_MODELS
        try:
            found = next(differences(SEED, number, models, ENGINES[:1], bound_of(number)), None)
        except TooManyError:
            continue
        assert found is None, f"MCM_RANDOM_SEED={SEED}, program {number}\n{found}"


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_the_machine_does_what_the_models_allow(start: int) -> None:
    for number in numbers(start, MACHINE_EVERY):
        assert machine_beyond_model(SEED, number) == [], f"MCM_RANDOM_SEED={SEED}, program {number}"
