"""Random host programs have the same answers where it is looked at what commands order, and where it is not.

`MCM_KERNEL_COUNT` and `MCM_KERNEL_SEED` choose how many are compared, and which.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from commands_generate import commands_program
from test_suppositions import said

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.confirm import undefined_behaviour
from mcm.engine.explicit.decide import decide
from mcm.execution.elaborate import elaborate
from mcm.execution.supposition import NOTHING_SUPPOSED
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.supposing import may_be_supposed, supposed_query
from mcm.syntax.read import read_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.execution.supposition import Suppositions
    from mcm.program.program import Program

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_KERNEL_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_KERNEL_COUNT", "13"))
MODELS: Final = ("opencl-3.0", "opencl-3.1", "opencl-2.0", "sycl-2020", "opencl-scoped")
LIMITS: Final = Limits(seconds=600, nodes=400)
# Larger ones take long to search where nothing is settled.
MOST_EVENTS: Final = 110
# More than any loop of these kernels is repeated.
BOUND: Final = 4
SHIPPED: Final = sorted((Path(__file__).resolve().parents[2] / "litmus" / "opencl" / "host").glob("*.litmus"))
# More events than there are: nothing is settled.
NEVER: Final = 1 << 60


def program_of(number: int, *, loops: bool = False) -> Program:
    return read_test(Source("program", commands_program(SEED, number, loops=loops))).program


def asker(program: Program, model: str) -> Callable[[Suppositions], Query]:
    def query_of(supposed: Suppositions) -> Query:
        skeletons = elaborate(program, BOUND, waiting=True, supposed=supposed)
        return Query(skeletons, registry.get(model), observed_by(program), limits=LIMITS, wants_witnesses=False)

    return query_of


def supposed_of(program: Program, model: str) -> Query | None:
    run = undefined_behaviour(program, registry.get(model), range(1)).last
    if run is None or not may_be_supposed(program):
        return None
    return supposed_query(program, run, asker(program, model))


@pytest.mark.parametrize("number", range(COUNT))
def test_answers_are_the_same(number: int) -> None:
    assert_same(program_of(number), MODELS[number % len(MODELS)])


@pytest.mark.parametrize("number", range(COUNT // 2))
def test_answers_are_the_same_where_the_host_goes_on(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcm.program.resolve.call_walk.WRITTEN_OUT", 2)

    assert_same(program_of(number, loops=True), MODELS[number % len(MODELS)])


def assert_same(program: Program, model: str) -> None:
    query = asker(program, model)(NOTHING_SUPPOSED)
    if any(len(skeleton.events) > MOST_EVENTS for skeleton in query.skeletons):
        pytest.skip("too many events")
    plain = decide(query, many_events=NEVER)
    if plain.undecided is not None:
        pytest.skip("too many executions")

    assert said(decide(query, many_events=1)) == said(plain), program.source.text
    supposed = supposed_of(program, model)
    if supposed is not None:  # the last test shows that this is so of many
        assert said(decide(supposed)) == said(plain), program.source.text


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_tests_have_the_same_answers(path: Path) -> None:
    """Those of single rules: with user events, callbacks, children, several host threads, and what fails."""
    program = read_test(read_source(path)).program
    query = asker(program, "opencl-3.0")(NOTHING_SUPPOSED)

    assert said(decide(query, many_events=1)) == said(decide(query, many_events=NEVER))


def test_what_commands_order_is_shown_of_many_programs() -> None:
    programs = [program_of(number) for number in range(12)]
    settled = sum(supposed_of(program, "opencl-3.0") is not None for program in programs)

    assert settled > len(programs) / 4
