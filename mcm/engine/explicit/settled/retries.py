"""Loops that try a compare-exchange until it succeeds, as updates: `do old = load(x); while (!cas(x, old, f(old)));`.

Who fails waits (`docs/adr/0018`), but not for ever: the loop reads again, and then succeeds unless another unit has in
between. So executions in which nobody fails show all that others do, and the update returns what was read before it.
Who need not try, by what was loaded (`while (old < v && !cas(x, old, v))`), is taken for one who writes back what was
there. Who begins with a guess (`o = 0; while (!cas(x, o, f(o)))`) is taken for one who loads first. `docs/search.md`
has the argument.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.catalogue.dependencies import mentions_dependencies
from mcm.engine.explicit.settled.attempts import parts_of, reads
from mcm.engine.explicit.settled.interleavings import allows_interleavings
from mcm.engine.explicit.settled.kinds import empty_bases
from mcm.engine.explicit.settled.operations import as_operation
from mcm.engine.explicit.settled.reduction import reduced
from mcm.execution.algebra import (
    FALSE,
    TRUE,
    conjunction,
    conjuncts,
    facts,
    held_bits,
    negation,
    select,
    under,
    value_held,
)
from mcm.execution.evaluate import choices_of, reads_of_all
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Choice, Constant, ReadValue
from mcm.execution.skeleton import StopKind
from mcm.execution.substitution import Substitution
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from mcm.cat.model import Model
    from mcm.execution.event import Event
    from mcm.execution.expression import Atom, Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable


class Guess(Struct, frozen=True):
    """The success of an exchange that is tried first, with a number in the place of what is loaded, and its choice.

    Its failure is the load of those behind, which are tried where the number is not `right`, in terms of that load.
    `stop` is the index of the stop at which the unit waits where it fails though the number is right.
    """

    success: Event
    choice: Choice
    number: Expression
    right: Expression
    stop: int


class Retry(Struct, frozen=True):
    """A compare-exchange that is tried until it succeeds: the load before it, success and failure, and its choice.

    It is tried where `test` holds behind the load. `stop` is the index of the stop at which the unit waits where it
    fails, and `type` that of what is compared. Who begins with a guess takes what it reads for loaded if that is wrong.
    """

    load: Event
    success: Event
    failure: Event
    test: Expression
    choice: Choice
    stop: int
    type: Scalar
    guess: Guess | None = None

    @property
    def guard(self) -> Expression:
        """Where the first of its exchanges is tried, or where there is the load."""
        if self.guess is None:
            return self.load.guard
        wrong = negation(self.guess.choice)
        return conjunction(*(part for part in conjuncts(self.load.guard) if part is not wrong))

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Whether its exchanges succeed."""
        return (self.choice,) if self.guess is None else (self.guess.choice, self.choice)

    @property
    def stops(self) -> tuple[int, ...]:
        """The stops of units that have failed."""
        return (self.stop,) if self.guess is None else (self.guess.stop, self.stop)

    @property
    def left_out(self) -> tuple[Event, ...]:
        """The events that are not there where all succeed."""
        return (self.failure,) if self.guess is None else (self.guess.success, self.failure)

    def substitute(self, atoms: dict[Atom, Expression]) -> None:
        """Note what takes the place of its choices, and of what was read before: it succeeds, and reads that itself."""
        own = ReadValue(self.success.identifier)
        atoms[ReadValue(self.load.identifier)] = own
        guard = self.guard
        wanted = conjunction(guard, self.test)
        if self.guess is not None:
            atoms[ReadValue(self.guess.success.identifier)] = own
            atoms[self.guess.choice] = Substitution(atoms).apply(conjunction(guard, self.guess.right))
            wanted = conjunction(guard, negation(self.guess.right), self.test)
        atoms[self.choice] = wanted if wanted is TRUE else Substitution(atoms).apply(wanted)

    def update(self, known: Substitution) -> Event:
        """The event that takes the place of success: it is executed wherever the load is. `known` is what all read."""
        assert self.success.value is not None, "an update writes a value"
        own = ReadValue(self.success.identifier)
        value = known.apply(select(self.test, self.success.value, own))
        if self.guess is not None:
            assert self.guess.success.value is not None, "an update writes a value"
            guessed = known.apply(self.guess.success.value)
            if Substitution({own: self.guess.number}).apply(value) is not guessed:
                value = select(known.apply(self.guess.right), guessed, value)
        return replace(self.success, guard=self.guard, value=as_operation(value, own))

    def constraints(self) -> tuple[Expression, ...]:
        """Those that say what success reads, and what was read where a guess is right or wrong."""
        expected = self.constraint("==", self.success)
        if self.guess is None:
            return (expected,)
        tried = (("==", self.guess.success), ("!=", self.load))
        return (expected, *(reads(symbol, event, self.guess.number, self.type) for symbol, event in tried))

    def constraint(self, symbol: str, event: Event) -> Expression:
        """The constraint that an event reads what was read before, or does not: success or failure."""
        return reads(symbol, event, ReadValue(self.load.identifier), self.type)


_OF_LOOPS: Final = frozenset({StopKind.WAIT, StopKind.BOUND})
# Of floats the bits are compared, and all else as it is.
_COMPARED: Final = (Scalar.LONG, Scalar.FLOAT, Scalar.DOUBLE, Scalar.HALF)


def is_tried(event: Event, events: Sequence[Event]) -> bool:
    """Whether an update may be the success of a compare-exchange with a load before it, by the events around it."""
    number = event.identifier
    if event.kind is not EventKind.UPDATE or not isinstance(event.address, Constant) or number + 1 == len(events):
        return False
    load, failure = events[number - 1], events[number + 1]
    # What fails is then in no flag either, if what is loaded is in none.
    return load.kind is EventKind.READ and load.is_like(failure)


def where_all_succeed(skeleton: Skeleton, model: Model, watched: Collection[Observable]) -> Skeleton | None:
    """The executions in which each compare-exchange that is tried until it succeeds does so at once.

    They end in the same states and raise the same flags and faults as all executions, if every location of such an
    exchange is settled in them, and who fails may go on after everything else (`going_on`). None where there is no such
    exchange, where the model asks for dependencies or does not allow each interleaving, where anything but the exchange
    itself depends on what was read where it failed, or where who fails is counted as one who does not come to a call.
    """
    events = skeleton.events
    if skeleton.supposed or skeleton.shown is not None or not any(is_tried(event, events) for event in events):
        return None
    if any(event.barrier is not None and event.barrier.of_active for event in events):
        return None
    if mentions_dependencies(model) or not allows_interleavings(model, empty_bases(skeleton)):
        return None
    retries = _retries(skeleton)
    known = _known(retries)
    if not retries or not _are_alone(skeleton, retries, known, watched):
        return None
    left_out = {event.identifier for retry in retries for event in retry.left_out}
    stops = {stop for retry in retries for stop in retry.stops}
    constraints = {each for retry in retries for each in retry.constraints()}
    others = {retry.success.identifier: retry.update(known) for retry in retries}
    others |= {retry.load.identifier: replace(retry.load, guard=retry.guard) for retry in retries}
    whole = replace(
        skeleton,
        events=tuple(others.get(event.identifier, event) for event in events),
        constraints=tuple(each for each in skeleton.constraints if each not in constraints),
        stops=tuple(stop for number, stop in enumerate(skeleton.stops) if number not in stops),
    )
    kept = [event for event in whole.events if event.identifier not in left_out]
    numbers = {event.identifier: number for number, event in enumerate(kept)}
    paired = {numbers[retry.load.identifier]: numbers[retry.success.identifier] for retry in retries}
    return replace(reduced(whole, known, kept, watched), paired=paired)


def _retries(skeleton: Skeleton) -> list[Retry]:
    events = skeleton.events
    waits = {
        (stop.thread, parts_of(stop.condition)): number
        for number, stop in enumerate(skeleton.stops)
        if stop.kind is StopKind.WAIT
    }
    constraints = {*skeleton.constraints}
    found: list[Retry] = []
    for update in events:
        if not is_tried(update, events):
            continue
        load, failure = events[update.identifier - 1], events[update.identifier + 1]
        before, failed = parts_of(load.guard), parts_of(failure.guard)
        stop = None if update.thread is None else waits.get((update.thread, failed))
        added = [part for part in conjuncts(update.guard) if part not in before]
        choice = next((part for part in added if isinstance(part, Choice) and negation(part) in failed), None)
        if stop is None or choice is None:
            continue
        test = conjunction(*(part for part in added if part is not choice))
        if choices_of(test):
            continue
        tied = (Retry(load, update, failure, test, choice, stop, type_) for type_ in _COMPARED)
        retry = next((one for one in tied if one.constraint("==", update) in constraints), None)
        # Else it may fail for ever, as it expects what was read once.
        reads_again = load.identifier in skeleton.stops[stop].reads
        tried = before | parts_of(test)
        if retry is not None and reads_again and failed == tried | {negation(choice)} and _ends_with(failure, events):
            found.append(_with_guess(retry, events, constraints, waits))
    return found


def _with_guess(
    retry: Retry,
    events: Sequence[Event],
    constraints: Collection[Expression],
    waits: Mapping[tuple[int, frozenset[Expression]], int],
) -> Retry:
    """The same exchange, or it and the one whose failure is its load, if that was tried with a guess."""
    load, number = retry.load, retry.load.identifier
    attempt = events[number - 1]
    if not attempt.is_like(retry.success) or load.thread is None:
        return retry
    wrong, tried = parts_of(load.guard), parts_of(attempt.guard)
    choice = next((part for part in tried - wrong if isinstance(part, Choice)), None)
    if choice is None or tried - {choice} != wrong - {negation(choice)}:
        return retry
    found = held_bits(ReadValue(number), retry.type)
    for part in conjuncts(retry.test):
        match part:
            case BinaryValue("!=", left, Constant() as bits) if left is found:
                guess = value_held(bits, retry.type)
                stop = waits.get((load.thread, wrong | {negation(part)}))
                if stop is not None and reads("==", attempt, guess, retry.type) in constraints:
                    test = conjunction(*(each for each in conjuncts(retry.test) if each is not part))
                    return replace(retry, test=test, guess=Guess(attempt, choice, guess, negation(part), stop))
            case _:
                pass
    return retry


def _ends_with(failure: Event, events: Sequence[Event]) -> bool:
    """Whether a unit executes nothing behind a failure: what it does when it goes on comes after all else, then."""
    known = facts(failure.guard)
    behind = takewhile(lambda event: event.thread == failure.thread, events[failure.identifier + 1 :])
    guards = dict.fromkeys(event.guard for event in behind)
    return all(under(guard, known) is FALSE for guard in guards)


def _known(retries: Iterable[Retry]) -> Substitution:
    """What takes the place of choices, and of what was read before: all succeed, and read that themselves."""
    atoms: dict[Atom, Expression] = {}
    for retry in retries:
        retry.substitute(atoms)
    return Substitution(atoms)


def _holds_where_some_fail(condition: Expression, retries: Sequence[Retry]) -> bool:
    """Whether a condition that speaks of success may hold where there is none."""
    mentioned = choices_of(condition)
    tried = (retry.choices for retry in retries if any(choice.index in mentioned for choice in retry.choices))
    return any(Substitution(dict.fromkeys(choices, FALSE)).apply(condition) is not FALSE for choices in tried)


def _are_alone(
    skeleton: Skeleton, retries: Sequence[Retry], known: Substitution, watched: Collection[Observable]
) -> bool:
    """Whether nothing speaks of what failed where all succeed, and faults and other stops of nothing before that."""
    own = {stop for retry in retries for stop in retry.stops}
    others = [stop for number, stop in enumerate(skeleton.stops) if number not in own]
    before = {event.identifier for retry in retries for event in (retry.load, *retry.left_out)}
    named = {read for stop in others for read in stop.reads} | {e for fault in skeleton.faults for e in fault.events}
    conditions = [fault.condition for fault in skeleton.faults]
    for stop in others:
        parts = (stop.condition, stop.persists)
        conditions += parts if stop.kind in _OF_LOOPS else map(known.apply, parts)
    if not before.isdisjoint(named | reads_of_all(conditions)):
        return False
    # Who waits at a barrier, or for a command, goes on when all have succeeded.
    loops = [stop.condition for stop in others if stop.kind in _OF_LOOPS]
    if any(_holds_where_some_fail(each, retries) for each in (*loops, *(fault.condition for fault in skeleton.faults))):
        return False
    failures = {retry.failure.identifier for retry in retries}
    differences = {retry.constraint("!=", retry.failure) for retry in retries}
    expressions = [part for event in skeleton.events if event.identifier not in failures for part in event.expressions]
    expressions += [each for each in skeleton.constraints if each not in differences]
    expressions += [value for register, value in skeleton.registers.items() if register in watched]
    return failures.isdisjoint(reads_of_all(map(known.apply, expressions)))
