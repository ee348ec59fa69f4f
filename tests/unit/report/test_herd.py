from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm.answer.result import Observation
from mcm.program.condition import Quantifier
from mcm.report.herd import render_herd

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.answer.result import Judged, Problem, Undecided


def test_the_block_is_herds_byte_for_byte(make: Callable[..., Judged]) -> None:
    assert render_herd(make()) == (
        "Test SB Allowed\n"
        "States 2\n"
        "0:r0=0; 1:r0=0; [x]=1;\n"
        "0:r0=0; 1:r0=-12; [x]=1;\n"
        "Ok\n"
        "Witnesses\n"
        "Positive: 1 Negative: 1\n"
        "Counting states\n"
        "Condition exists (0:r0=0 /\\ 1:r0=0)\n"
        "Observation SB Sometimes 1 1\n"
        "Time SB 0.00\n"
        "Hash=cc919a9274bd3ae992b5bb7101dc3d9a\n"
        "\n"
    )


def test_executions_are_counted_when_all_states_have_a_number(make: Callable[..., Judged]) -> None:
    result = make()
    states = tuple(replace(state, executions=number) for state, number in zip(result.states, (3, 4), strict=True))

    block = render_herd(make(states=states))

    assert "Positive: 3 Negative: 4\nCondition" in block
    assert "Observation SB Sometimes 3 4\n" in block


def test_witnesses_of_a_negated_condition_are_those_of_its_negation(make: Callable[..., Judged]) -> None:
    result = make()
    assert result.condition is not None
    states = (result.states[0], *[result.states[1]] * 2)
    negated = replace(result.condition, quantifier=Quantifier.NOT_EXISTS)

    block = render_herd(make(condition=negated, states=states, holds=False))

    assert block.startswith("Test SB Forbidden\n")
    assert "\nNo\nWitnesses\nPositive: 2 Negative: 1\n" in block
    assert "Observation SB Sometimes 1 2\n" in block


@pytest.mark.parametrize(
    ("holds", "undefined", "cut", "line"),
    [
        (True, False, False, "Ok"),
        (False, False, False, "No"),
        (True, True, False, "Undef"),
        (True, False, True, "Loop Ok"),
        (False, True, True, "Loop Undef"),
    ],
)
def test_outcome_line(
    make: Callable[..., Judged], race: Problem, holds: bool, undefined: bool, cut: bool, line: str
) -> None:
    result = make(holds=holds, undefined=(race,) if undefined else (), bounded=(race.sites[0].span,) if cut else ())

    assert f"\n{line}\nWitnesses\n" in render_herd(result)


def test_flags_are_listed_once_each_in_order(make: Callable[..., Judged], race: Problem) -> None:
    other = replace(race, kind="barrier-divergence")

    block = render_herd(make(undefined=(race, race, other)))

    assert "Counting states\nFlag barrier_divergence\nFlag data_race\nCondition" in block


def test_a_test_without_condition_is_required_to_be_true(make: Callable[..., Judged]) -> None:
    result = make(condition=None, holds=None, reachable=None, observation=None)

    block = render_herd(result)

    assert block.startswith("Test SB Required\n")
    assert "\nOk\n" in block
    assert "Condition forall (true)\nObservation SB Always 2 0\n" in block


def test_no_block_without_an_answer(undecided: Undecided) -> None:
    assert render_herd(undecided) == ""


def test_never_over_no_states(make: Callable[..., Judged]) -> None:
    block = render_herd(make(states=(), observation=Observation.NEVER, holds=False))

    assert "States 0\nNo\nWitnesses\nPositive: 0 Negative: 0\n" in block
    assert "Observation SB Never 0 0\n" in block
