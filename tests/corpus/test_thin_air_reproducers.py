"""Programs on which the engines once differed, because they took other values for those that depend on themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide as decide_explicitly
from mcm.engine.smt.decide import decide as decide_with_solver
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import Answer

FOLDER: Final = Path(__file__).parent / "thin_air"


def answers(path: Path, *, counts: bool) -> tuple[Answer, Answer]:
    """What the two engines say of a test under the model of its dialect."""
    text = path.read_text(encoding="utf-8")
    program = read_test(Source(path.name, text)).program
    condition = program.condition
    assert condition is not None
    model = registry.get("opencl-3.0" if text.startswith("OPENCL") else "c11")
    query = Query(
        elaborate(program, 2, waiting=True),
        model,
        observed_by(program),
        condition.proposition,
        counts=counts,
        limits=Limits(seconds=600),
    )
    return decide_explicitly(query), decide_with_solver(query)


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.litmus")), ids=lambda path: path.stem)
def test_engines_say_the_same(path: Path, *, counts: bool) -> None:
    explicit, solver = answers(path, counts=counts)
    assert explicit.undecided is None
    assert explicit.reachable == solver.reachable
    told = [[(s.values, s.thin_air, s.varying, s.executions) for s in answer.states] for answer in (explicit, solver)]
    assert told[0] == told[1]


@pytest.mark.parametrize(("name", "value"), [("lb", 2), ("lb2", 2), ("lb_verdict", 3), ("pointers-of-integers", -7)])
def test_any_value_solves_the_equations(name: str, value: int) -> None:
    for answer in answers(FOLDER / f"{name}.litmus", counts=False):
        assert [state.values for state in answer.states if state.satisfies] == [(value,)]


@pytest.mark.parametrize("name", ["pointers", "pointers-followed"])
def test_a_pointer_may_be_an_address_that_the_condition_names(name: str) -> None:
    for answer in answers(FOLDER / f"{name}.litmus", counts=False):
        assert [state.thin_air for state in answer.states if state.satisfies] == [True]


def test_units_that_wait_are_told_with_the_least_value_that_blocks_them() -> None:
    for answer in answers(FOLDER / "blocked.litmus", counts=False):
        (blocked,) = answer.blocked
        (unit,) = blocked.units
        values = blocked.witness.read_values
        waiting = [value for read, value in values.items() if blocked.witness.skeleton.events[read].thread == 1]
        assert (unit.thread, waiting) == (1, [-6, -6])
