"""What is found about a program whose calls may come in more orders than are looked at one by one.

What holds in one order holds in the program. Without any order between the calls, all executions of all orders are
looked at, and more (`docs/search.md`, *Orders of calls*). Where both say the same, it is the answer.
"""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from mcm.answer.query import Sought
from mcm.answer.result import FIRST_PROBLEM
from mcm.asking import Looked, look_at_each
from mcm.catalogue.empty_parts import empty_in, without_empty
from mcm.catalogue.less_order import allows_more_with_less_order
from mcm.execution.call_orders import CallOrders
from mcm.explain.flag_names import undefined_flags
from mcm.explain.judgement import UNKNOWN, Reachability, reachability
from mcm.queries import teller

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from mcm.answer.answer import Answer
    from mcm.catalogue.library import ChosenModel
    from mcm.front_end.test import Test
    from mcm.program.header import Expectation
    from mcm.queries import Elaborate, Options

Each = TypeVar("Each", bound="Hashable")


def look_in_any_order(
    test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate, expected: Expectation | None
) -> Looked | None:
    """What is found in two orders, if all that is allowed without any order is among it, or what is undefined in one.

    None where more is allowed without any order, and for models of which it is not known that nothing is lost then.
    """
    if options.counts:
        return None
    # What is found is told of when it is known that there is an answer.
    silent = replace(options, on_state=None)
    sought = Sought(undefined_flags(chosen.model), frozenset(chosen.without))

    def look(calls: CallOrders) -> Looked:
        return look_at_each(test, chosen, silent, partial(elaborate, calls=calls), expected)

    found: Looked | None = None
    most: Looked | None = None
    for calls in (CallOrders.FORWARDS, CallOrders.BACKWARDS):
        looked = look(calls)
        if looked.query is None or sought.is_in(looked.answer):
            undecided = looked.answer.undecided or FIRST_PROBLEM
            return Looked(replace(looked.answer, undecided=undecided), UNKNOWN, looked.query)
        found = looked if found is None else _together(found, looked)
        if most is None:
            model = without_empty(chosen.model, empty_in(looked.query.skeletons) - {"po"})
            if not allows_more_with_less_order(model):
                return None
            if found.answer.undecided is None:
                most = look(CallOrders.NONE)
        if most is None or _says(found) == _says(most) or _is_interrupted(most.answer, sought):
            return _told(found, most, test, chosen, options)
    return None


def _is_interrupted(answer: Answer, sought: Sought) -> bool:
    """Whether a limit ended the search, and not a problem, which some order may exclude."""
    return answer.undecided is not None and not sought.is_in(answer)


def _told(found: Looked, most: Looked | None, test: Test, chosen: ChosenModel, options: Options) -> Looked:
    """What is found, which is all if nothing is left undecided; whoever asks more of the query, asks of any order."""
    if options.on_state is not None and options.wants_states:
        tell = teller(test, chosen, options)
        for state in found.answer.states:
            tell(state)
    if most is None:
        return found
    if most.answer.undecided is None:
        return replace(found, query=most.query)
    answer = replace(found.answer, undecided=most.answer.undecided)
    return Looked(answer, reachability(answer) if options.wants_states else UNKNOWN, found.query)


def _says(looked: Looked) -> tuple[Hashable, ...]:
    """All that an answer says, but for how it was found."""
    answer, reach = looked.answer, looked.reach
    return (
        frozenset(answer.states),
        frozenset(answer.flags),
        frozenset(answer.faults),
        frozenset(answer.bounded),
        frozenset(answer.waits),
        frozenset(answer.blocked),
        answer.complete_exists,
        answer.undecided,
        answer.states_left,
        (reach.satisfied, reach.failed),
    )


def _together(one: Looked, other: Looked) -> Looked:
    """What is found in either of two orders."""
    first, second = one.answer, other.answer
    states = {state.values: state for state in first.states}
    for state in second.states:
        known = states.get(state.values)
        if known is None or (known.thin_air and not state.thin_air):
            states[state.values] = state
    answer = replace(
        first,
        states=tuple(sorted(states.values(), key=attrgetter("rank"))),
        flags=_joined(first.flags, second.flags),
        faults=_joined(first.faults, second.faults),
        bounded=_joined(first.bounded, second.bounded),
        waits=_joined(first.waits, second.waits),
        blocked=_joined(first.blocked, second.blocked),
        reachable=_either(first.reachable, second.reachable),
        undecided=first.undecided or second.undecided,
        complete_exists=_either(first.complete_exists, second.complete_exists),
        states_left=first.states_left or second.states_left,
    )
    reach = Reachability(
        satisfied=_either(one.reach.satisfied, other.reach.satisfied),
        failed=_either(one.reach.failed, other.reach.failed),
    )
    return Looked(answer, reach, one.query)


def _joined(one: Iterable[Each], other: Iterable[Each]) -> tuple[Each, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def _either(one: bool | None, other: bool | None) -> bool | None:  # noqa: FBT001
    """Whether one of two holds; None where that is not known."""
    if one or other:
        return True
    return None if one is None or other is None else False
