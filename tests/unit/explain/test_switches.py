from __future__ import annotations

from pathlib import Path

import pytest

from mcm import Options, load_model, parse, rules
from mcm.answer.page import Effect
from mcm.answer.result import Judged, Undecided
from mcm.execution.elaborate import elaborate
from mcm.explain.reach import Reach
from mcm.explain.switches import is_same
from mcm.relation.term import SetTerm
from mcm.session import Session

LITMUS = Path(__file__).parents[3] / "litmus"

# Tests with fences, scopes, regions, SC, updates, races and units that wait.
TESTS = ["MP.fences", "ISA2.local", "SB.sc", "lock.exchange"]


@pytest.mark.slow
@pytest.mark.parametrize("name", TESTS)
def test_switches_say_what_the_model_without_the_rule_says(name: str) -> None:
    session = Session(200)
    path = LITMUS / "opencl" / "patterns" / f"{name}.litmus"
    (view,) = session.page(path, Options()).views
    whole = session.check(path)

    changing = 0
    for switch in view.switches:
        if switch.effect in {Effect.FIXED, Effect.UNKNOWN}:
            continue
        other = session.check(path, without=[switch.identifiers[0]])
        changing += switch.effect is Effect.CHANGES
        assert is_same(other, whole) == (switch.effect is not Effect.CHANGES), switch.identifiers
        assert switch.result is None or is_same(other, switch.result)
    assert changing


def test_every_rule_has_a_switch() -> None:
    (view,) = Session().page(LITMUS / "opencl" / "patterns" / "MP.dv.litmus", Options()).views
    stated = {entry.rule.identifier for entry in rules("opencl-3.0")}
    shown = {switch.identifiers[0] for switch in view.switches}

    assert shown <= stated
    # The program has no commands, copies and pipes, and so its model lacks their rules.
    assert all(name.startswith(("HOST-", "MAP-", "ASYNC-", "PIPE-")) for name in stated - shown)
    assert {switch.effect for switch in view.switches} == {Effect.IDLE, Effect.NONE, Effect.CHANGES, Effect.FIXED}


def test_a_fault_of_the_language_has_a_switch_where_it_occurs() -> None:
    (view,) = Session().page(LITMUS / "opencl" / "barriers" / "divergence.litmus", Options()).views
    (switch,) = [one for one in view.switches if one.identifiers == ("BAR-DIV",)]

    assert switch.effect is Effect.CHANGES


def test_large_programs_are_not_checked_for_each_rule() -> None:
    (view,) = Session().page(LITMUS / "opencl" / "kernels" / "reduction.litmus", Options()).views

    assert {switch.effect for switch in view.switches} == {Effect.UNKNOWN, Effect.FIXED}


@pytest.mark.parametrize("name", ["MP.fences", "ISA2.local", "counter", "sub-group.MP"])
def test_bounds_contain_every_value(name: str) -> None:
    """The values of all definitions, in all executions of the states, are within the bounds."""
    test = parse(LITMUS / "opencl" / "patterns" / f"{name}.litmus")
    model = load_model("opencl-3.0").model
    result = Session().check(test, executions=True)
    assert isinstance(result, Judged | Undecided)
    skeletons = {id(one): one for one in elaborate(test.program, 2, waiting=True)}
    for state in result.states:
        execution = state.execution
        assert execution is not None
        reaches = [Reach(skeleton, model.linearisations) for skeleton in skeletons.values()]
        inside = [all(_contains(reach, execution, definition) for definition in model.definitions) for reach in reaches]
        assert any(inside)


def _contains(reach: Reach, execution: object, definition: object) -> bool:
    evaluator = execution.evaluator  # type: ignore[attr-defined]
    term = definition.term  # type: ignore[attr-defined]
    if isinstance(term, SetTerm):
        low, high = reach.set(term)
        value = evaluator.set(term)
        return low & ~value == 0 and value & ~high == 0
    lows, highs = reach.relation(term)
    rows = evaluator.relation(term)
    return all(low & ~value == 0 and value & ~high == 0 for low, value, high in zip(lows, rows, highs, strict=True))
