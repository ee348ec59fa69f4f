"""Iterations without effect, in which a thread only waits (`docs/adr/0018`)."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.execution.algebra import (
    FALSE,
    TRUE,
    binary,
    conjunction,
    conjuncts,
    facts,
    held_bits,
    is_never,
    is_never_by,
    leaves,
    negation,
    select,
    under,
)
from mcm.execution.evaluate import evaluate, reads_of, subexpressions
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Choice, Constant, GroupResult, ReadValue, Select, UnaryValue
from mcm.execution.mentions import Mentions
from mcm.execution.sequencing import mask
from mcm.execution.skeleton import StopKind
from mcm.execution.substitution import Substitution
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import apply_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mcm.execution.event import Event
    from mcm.execution.expression import Atom, Expression
    from mcm.execution.path import Path, VariableState
    from mcm.execution.skeleton import Stop
    from mcm.program.types import Location, Type, Value


def unchanged(old: VariableState, new: VariableState, type_: Type) -> Expression:
    """The condition that a variable is as it was."""
    if old.defined is not new.defined:
        return FALSE
    if old.value is new.value:
        return TRUE
    # Equal floats need not be the same: 0.0 and -0.0.
    if type_.is_floating:
        bits = held_bits(new.value, type_), held_bits(old.value, type_)
        return binary("==", *bits, Scalar.LONG) if isinstance(type_, Scalar) else FALSE
    return _is_same(new.value, old.value, type_, _DEEPEST)


# Choices within choices are compared one by one down to here.
_DEEPEST: Final = 8


def _is_same(new: Expression, old: Expression, type_: Type, depth: int) -> Expression:
    """The condition that two values are equal, where the new one may be a choice between the old one and sums of it."""
    match new:
        case _ if new is old:
            return TRUE
        case Select(condition, then, otherwise) if depth:
            sides = (_is_same(side, old, type_, depth - 1) for side in (then, otherwise))
            return select(condition, *sides)
        case BinaryValue("+" | "-", left, Constant(step), Scalar() as of) if left is old and of is type_:
            return FALSE if apply_binary("+", 0, step, of) else TRUE
        case _:
            return binary("==", new, old, type_)


_FEW: Final = 64


def decided(condition: Expression, path: Path, domain: Callable[[int], frozenset[Value] | None]) -> Expression:
    """The condition, or the constant that it is for all values that its reads can have on the path.

    `domain` gives the values that an event can read, None where they are not known.
    """
    parts = list(subexpressions(condition))
    reads = [part for part in parts if isinstance(part, ReadValue)]
    domains = [domain(read.event) for read in reads]
    if not reads or any(isinstance(part, Choice | GroupResult) for part in parts):
        return condition
    if None in domains or prod(len(values or ()) for values in domains) > _FEW:
        return condition
    facts = [part for part, value in path.known.facts.items() if value is TRUE and _compares(part, reads)]
    outcomes = set()
    for chosen in product(*(values or () for values in domains)):
        values = {read.event: value for read, value in zip(reads, chosen, strict=True)}
        if all(evaluate(fact, values, ()) for fact in facts):
            outcomes.add(bool(evaluate(condition, values, ())))
    return condition if len(outcomes) != 1 else TRUE if True in outcomes else FALSE


def _compares(condition: Expression, reads: Sequence[Expression]) -> bool:
    """Whether a condition compares one of some reads with a constant, or with another one of them."""
    return isinstance(condition, BinaryValue) and all(
        side in reads or isinstance(side, Constant) for side in (condition.left, condition.right)
    )


def may_be_executed(event: Event, path: Path, condition: Expression) -> bool:
    """Whether an event is not excluded by a path on which a condition holds."""
    guard = path.simplified(event.guard, condition)
    return guard is TRUE or not is_never(conjunction(path.guarded(condition), guard))


def places_of(read: Event, path: Path, condition: Expression) -> Iterable[Location]:
    """The locations that a read may reach, on the path and where a condition holds."""
    assert read.address is not None, "a read has an address"
    addresses = [address for _, address in leaves(path.simplified(read.address, condition))]
    known = {address.value for address in addresses if isinstance(address, Constant)}
    is_known = all(isinstance(address, Constant) for address in addresses)
    return [place for place in read.locations if place in known] if is_known else read.locations


class Renewal(Struct, frozen=True):
    """The last read before an iteration, where its own last event is that read again.

    `later` puts what that returns in the place of what `read` returned; the thread comes to the iteration so, too, if
    `holds`.
    """

    read: int
    later: Substitution
    holds: Expression


def renewal(
    events: Sequence[Event], failures: Mapping[int, Expression], begin: int, head: Path, path: Path
) -> Renewal | None:
    """The last read before an iteration, if its own last event is that read again.

    As where a compare-exchange that fails tells what it has found: `old = load(x); while (!cas(x, &old, f(old)));`.
    An iteration that begins with what the last one reads is one that begins with what the first one reads, later: both
    and all between them can be left out but the last. `begin` is the identifier of the iteration's first event, `head`
    the path that it begins on, and `path` the one behind it; `failures` says which reads must hold what.
    """
    if not 0 < begin < len(events):
        return None
    first, last = events[begin - 1], events[-1]
    if first.kind is not EventKind.READ or not first.is_like(last):
        return None
    if head.simplified(first.guard) is not TRUE or path.simplified(last.guard) is not TRUE:
        return None
    later = Substitution({ReadValue(first.identifier): ReadValue(last.identifier)})
    known = (*conjuncts(head.guard), failures.get(first.identifier, TRUE))
    depend = (path.simplified(later.apply(each)) for each in known if _mentions(each, first.identifier))
    return Renewal(first.identifier, later, conjunction(*depend))


def _mentions(condition: Expression, read: int) -> bool:
    # Most conditions are about what was read before.
    return condition.newest >= read and read in reads_of(condition)


def only_repeats(events: Sequence[Event], before: int, begin: int, path: Path) -> bool:
    """Whether the iteration before one whose last event is a read has executed no other reads than that one.

    They begin with the events `before` and `begin`, and `path` is the one behind the second. So where all is as it was
    before both, they are repeated, and what was read in them is read again before anything else.
    """
    reads = (event for event in events[before:begin] if event.kind.reads and may_be_executed(event, path, TRUE))
    return all(read.is_like(events[-1]) for read in reads)


def lasting(stops: Iterable[Stop], events: Sequence[Event], constraints: Iterable[Expression]) -> Iterator[Stop]:
    """The stops; of an iteration that cannot fail again while nothing changes it is said that it does not.

    A unit that waits for ever reads the last write of a location each time. So a compare-exchange that expects what was
    read there before does not fail again.
    """
    about: dict[int, list[Expression]] = {}
    # Constraints behind a loop share most of their parts.
    mentions = Mentions()
    for constraint in constraints:
        for atom in mentions.of(constraint):
            if isinstance(atom, ReadValue):
                about.setdefault(atom.event, []).append(constraint)
    for stop in stops:
        again = _read_again(stop, events)
        if not again or not stop.fails_again:
            yield stop
            continue
        # What it takes to stop there makes constraints smaller: of large conditions nothing is found out.
        reached, known = conjunction(stop.condition, stop.persists), facts(stop.condition)
        own = dict.fromkeys(constraint for read in stop.reads for constraint in about.get(read, ()))
        needed = map(Substitution(again).apply, (reached, *(under(constraint, known) for constraint in own)))
        is_over = any(is_never_by(condition, TRUE, _itself) for condition in needed)
        yield replace(stop, persists=FALSE) if is_over else stop


def _read_again(stop: Stop, events: Sequence[Event]) -> dict[Atom, Expression]:
    """For atomic reads of a location by one that waits, but the first of them, what that returns."""
    firsts: dict[Expression, Expression] = {}
    found: dict[Atom, Expression] = {}
    for read in (events[number] for number in stop.reads):
        if stop.kind is StopKind.WAIT and read.atomic and isinstance(read.address, Constant):
            value = ReadValue(read.identifier)
            first = firsts.setdefault(read.address, value)
            if first is not value:
                found[value] = first
    return found


def _itself(known: Constant, comparison: Expression, holds: bool) -> Constant | None:  # noqa: FBT001 - a finding
    """What is known where a comparison holds, or does not; None where a number would differ from itself."""
    match comparison:
        case BinaryValue("==" | "!=" as symbol, left, right, type_) if left is right and not type_.is_floating:
            return known if (symbol == "==") is holds else None
        case _:
            return known


def are_made_again(
    executed: Sequence[Event],
    events: Sequence[Event],
    head: Expression,
    others: Iterable[Expression],
    overtakers: Mapping[int, int],
    choice_reads: Mapping[int, AbstractSet[int]],
    renewed: Event | None = None,
) -> bool:
    """Whether each read `executed` where an iteration waits is made again where one does not, however that goes.

    `events` are those of the iteration, `head` is its guard, and `others` are the conditions, behind the head, of ways
    that have an effect or leave the loop. Then no race is lost where only these are executed. What comes of a write may
    come before what stands behind it: a read counts if nothing is written before it, in whatever order C lets calls
    come (`overtakers`). The failure of a compare-exchange is made again by its success or its failure. What is
    `renewed` is the read that each iteration begins behind: the last one that waits makes it for the one that does not.
    """
    if renewed is not None:
        executed = [e for e in executed if not (_is_fixed(e.address, events) and _stands_for(renewed, e))]
    if not executed:
        return True
    reads = [event for event in events if event.kind.reads]
    conditions = {event.identifier: _behind(head, event.guard) for event in events}
    pairs = {event: (Choice(choice), min(pair)) for choice, pair in choice_reads.items() for event in pair}
    for other in others:
        holds = _implied(other)
        written = mask(
            e.identifier for e in events if e.kind.writes and not _is_refuted(conditions[e.identifier], holds)
        )

        def comes_first(identifier: int, written: int = written) -> bool:
            sooner = (1 << identifier) - 1 | overtakers.get(identifier, 0)
            return not written & sooner

        certain = [e for e in reads if conditions[e.identifier] <= holds and comes_first(e.identifier)]
        for event in executed:
            choice, begins = pairs.get(event.identifier, (None, 0))
            if choice is not None and event.kind is EventKind.READ and _is_fixed(event.address, events):
                attempted = conditions[event.identifier] - {choice, negation(choice)}
                if attempted <= holds and comes_first(begins):
                    continue
            if not (_is_fixed(event.address, events) and any(_stands_for(again, event) for again in certain)):
                return False
    return True


def are_stored_anew(
    executed: Sequence[Event],
    events: Sequence[Event],
    head: Expression,
    others: Iterable[Expression],
    overtakers: Mapping[int, int],
) -> bool:
    """Whether what an iteration that waits writes is written anew by any other, before it could matter.

    `executed` are its events where it waits, and the rest is as in `are_made_again`. No access but plain writes of
    places that are always the same may write, and none may read such a place before it is written. What comes before
    such a write in the next iteration lets nobody know of the one before: it reads, or is a fence. Nothing that stands
    behind the write may come before it, in whatever order C lets calls come (`overtakers`).
    """
    stores = {event.address: event for event in executed if event.kind.writes}
    if not all(_is_store(event) for event in executed if event.kind not in _UNNOTICED):
        return False
    for holds in map(_implied, others):
        left = dict(stores)
        for event in events:
            if event.kind in _UNNOTICED:
                if any(store.locations[0] in event.locations for store in left.values()):
                    return False
            elif not _is_refuted(conditions := _behind(head, event.guard), holds):
                if not _is_store(event):
                    break
                if conditions <= holds and not overtakers.get(event.identifier):
                    left.pop(event.address, None)
        if left:
            return False
    return True


# Who makes these tells nobody what it has written before, unless it writes later.
_UNNOTICED: Final = frozenset({EventKind.READ, EventKind.FENCE})


def _is_store(event: Event) -> bool:
    """Whether an event is a plain write of a place that is always the same."""
    return event.kind is EventKind.WRITE and event.order is None and isinstance(event.address, Constant)


def _is_refuted(conditions: AbstractSet[Expression], facts: AbstractSet[Expression]) -> bool:
    """Whether one of some conditions is excluded by what holds."""
    return any(negation(condition) in facts for condition in conditions)


def _implied(condition: Expression) -> frozenset[Expression]:
    """What holds where a condition holds, as far as its conjunctions and disjunctions say."""
    found: set[Expression] = set()
    waiting = [condition]
    while waiting:
        part = waiting.pop()
        match part:
            case BinaryValue("&&", left, right, _):
                waiting += (left, right)
            case UnaryValue("!", BinaryValue("||", left, right, _), _):
                waiting += (negation(left), negation(right))
            case _:
                found.add(part)
    return frozenset(found)


def _behind(head: Expression, guard: Expression) -> frozenset[Expression]:
    """The conjuncts that a guard adds to that of the iteration."""
    added = []
    while guard is not head:
        if not (isinstance(guard, BinaryValue) and guard.operator == "&&"):
            added.append(guard)
            break
        added.append(guard.right)
        guard = guard.left
    return frozenset(added)


def _is_fixed(address: Expression | None, events: Sequence[Event]) -> bool:
    """Whether an address is the same in each iteration that has no effect: it depends on no read of this one."""
    return address is not None and address.newest < events[0].identifier


def _stands_for(access: Event, other: Event) -> bool:
    """Whether an access races with whatever another one races with."""
    return (
        access.address is other.address
        and access.kind in {other.kind, EventKind.UPDATE}
        and access.atomic is other.atomic
        and access.scope is other.scope
    )
