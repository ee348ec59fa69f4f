"""Many states are kept packed, and are the same states."""

from __future__ import annotations

import pickle
from itertools import product
from typing import TYPE_CHECKING

from mcm.answer.answer import State
from mcm.answer.many_states import ManyStates, PackedValues, many_states, satisfying
from mcm.answer.shown_states import ManyShownStates, are_counted, are_thin_air
from mcm.answer.shown_states import satisfying as satisfying_shown
from mcm.program.types import Location

if TYPE_CHECKING:
    from mcm.program.types import Value

VALUES: tuple[tuple[Value, ...], ...] = ((3, -1, 300), (Location(0, 1), 0, Location(0, 0)), (1.5, 0.25))


def packed(executions: int | None = None) -> ManyStates:
    values = PackedValues(3)
    # A value that was looked up and belongs to no state.
    values.pack((7, 0, 0.25))
    found = {values.pack(state): executions for state in product(*VALUES)}
    return many_states(values, found, lambda state: state[0] == -1)


def plain(executions: int | None = None) -> tuple[State, ...]:
    ordered = product((-1, 3, 300), (0, Location(0, 0), Location(0, 1)), (0.25, 1.5))
    return tuple(State(values, values[0] == -1, executions=executions) for values in ordered)


def test_packed_states_are_sorted_and_equal_to_those_that_are_not() -> None:
    assert packed() == plain()
    assert plain() == packed()
    assert hash(packed()) == hash(plain())
    assert packed(2) == plain(2) != packed()
    assert packed() != plain()[1:]
    assert (packed()[3], packed()[-2:]) == (plain()[3], plain()[-2:])


def test_packed_states_are_counted_and_sent() -> None:
    assert satisfying(packed()) == satisfying(plain()) == 6
    assert pickle.loads(pickle.dumps(packed(5))) == packed(5)  # noqa: S301 - our own


def test_more_values_than_fit_into_a_byte() -> None:
    values = PackedValues(1)
    found = {values.pack((number,)): None for number in range(70_000, 0, -1)}

    states = many_states(values, found, lambda _: True)

    assert [state.values for state in states[:3]] == [(1,), (2,), (3,)]
    assert states[-1].values == (70_000,)


def test_shown_states_have_names() -> None:
    shown = ManyShownStates(("0:r0", "p", "f"), ((-1, 3, 300), (0, "&x", "&y"), (0.25, 1.5)), packed(1))

    assert dict(shown[3].values) == {"0:r0": -1, "p": "&x", "f": 1.5}
    assert [state.satisfies for state in shown] == [True] * 6 + [False] * 12
    assert shown == tuple(shown)
    assert (satisfying_shown(shown), are_counted(shown), are_thin_air(shown)) == (6, True, False)
