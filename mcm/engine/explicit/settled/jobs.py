"""Jobs that threads take from counters: where it does not matter who takes which, one distribution is enough.

A thread takes numbers from a counter until it gets one that says that there are no more, and what it does with a number
depends on nothing else. Then each number is taken once, and what is done with it is done, whoever takes it. Where none
of these things is in the way of another, all executions end alike, and none has a problem: `docs/search.md` has the
argument. So one is looked at: that in which the first thread takes all that there are.
"""

from __future__ import annotations

from collections import Counter as Multiset
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.base.bits import members
from mcm.catalogue.evaluate import is_consistent, structure_of
from mcm.catalogue.updates import reads_write_before
from mcm.engine.explicit.settled.counted import counters_of
from mcm.engine.explicit.settled.effects import are_apart, effects_of
from mcm.engine.explicit.settled.reduction import reduced
from mcm.engine.explicit.settled.standings import may_raise_flags
from mcm.execution.algebra import FALSE, TRUE
from mcm.execution.candidate import Candidate
from mcm.execution.evaluate import evaluate
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.substitution import Substitution
from mcm.program.condition import RegisterName
from mcm.program.types import Location
from mcm.relation.evaluate import Evaluator

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from mcm.cat.model import Model
    from mcm.engine.explicit.settled.counted import Counter
    from mcm.engine.explicit.settled.effects import Effect
    from mcm.execution.event import Event
    from mcm.execution.expression import Atom, Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable
    from mcm.program.types import Value

    # What reads return.
    Atoms = dict[Atom, Expression]


def one_distribution(skeleton: Skeleton, model: Model, watched: Collection[Observable]) -> Skeleton | None:
    """A skeleton without jobs that ends as one execution of the given one does; None where others may end otherwise.

    The final state of what is `watched` is that of all executions, and none of these has a flag, a fault or a stop.
    """
    if skeleton.constraints or skeleton.choices or not reads_write_before(model) or model.splits_updates:
        return None
    if not all(isinstance(each, Constant) for each in _final(skeleton, watched)):
        return None
    if any(event.command is not None or event.asynchronous is not None or event.pipe for event in skeleton.events):
        return None
    counters = counters_of(skeleton)
    if not counters:
        return None
    if not all(any(counter.is_never(problem) for counter in counters) for problem in skeleton.problems):
        return None
    effects = effects_of(skeleton, counters, frozenset(watched))
    if effects is None or not are_apart(effects, skeleton, counters):
        return None
    if may_raise_flags(skeleton, model, {counter.location.object for counter in counters} | _met(effects)):
        return None
    return _left(skeleton, model, counters, watched)


def _final(skeleton: Skeleton, watched: Collection[Observable]) -> Iterator[Expression]:
    """What is known of the final values of what is watched."""
    for what in watched:
        if isinstance(what, RegisterName):
            yield skeleton.registers[what]
        elif what in skeleton.finals:
            yield skeleton.finals[what]


def _met(effects: Iterable[Effect]) -> set[int]:
    """The objects of which some element is accessed more than once."""
    accessed = Multiset(effect.location for effect in effects)
    return {location.object for location, times in accessed.items() if times > 1}


# --- the distribution that is looked at -------------------------------------------------------------------------------


def _left(
    skeleton: Skeleton, model: Model, counters: Iterable[Counter], watched: Collection[Observable]
) -> Skeleton | None:
    """Nothing but the initial writes, and what one distribution leaves in memory; None if that is no execution."""
    known: Atoms = {
        ReadValue(update): Constant(value) for counter in counters for update, value in counter.distribution().items()
    }
    initial = {event.locations[0]: event for event in skeleton.events if event.kind is EventKind.INITIAL}
    apply = Substitution(known).apply
    executed: list[Event] = []
    for event in skeleton.events:
        guard = apply(event.guard)
        if guard is TRUE:
            executed.append(event)
            if event.kind is EventKind.READ and event.address is not None:
                place = apply(event.address)
                assert isinstance(place, Constant), "what is taken is known"
                assert isinstance(place.value, Location), "accesses are of locations"
                # Nobody writes where anything is read but by updates.
                value = initial[place.value].value
                assert value is not None, "a write writes a value"
                known[ReadValue(event.identifier)] = value
        elif guard is not FALSE:
            return None
    whole = replace(skeleton, faults=(), stops=())
    run = reduced(whole, Substitution(known), executed, watched)
    candidate = _performed(run)
    structure = structure_of(candidate)
    orders = {order.name: tuple(members(Evaluator(structure).set(order.events))) for order in model.linearisations}
    candidate = replace(candidate, linearisations=orders)
    if not is_consistent(candidate, model, Evaluator(structure_of(candidate))):
        return None
    finals = {
        location: Constant(candidate.written_values[order[-1]])
        for location, order in candidate.modification_orders.items()
        if len(order) > 1
    }
    return replace(
        reduced(whole, Substitution({}), tuple(initial.values()), watched), finals={**skeleton.finals, **finals}
    )


def _performed(run: Skeleton) -> Candidate:
    """The execution in which all events of a skeleton are executed, one after the other as they are listed.

    Addresses are known, and what is written but for what the update reads itself.
    """
    memory: dict[Location, list[int]] = {}
    sources: dict[int, int] = {}
    locations: dict[int, Location] = {}
    read: dict[int, Value] = {}
    written: dict[int, Value] = {}
    for event in run.events:
        if not event.kind.is_access:
            continue
        number = event.identifier
        (location,) = event.locations
        locations[number] = location
        before = memory.setdefault(location, [])
        if event.kind.reads:
            sources[number] = before[-1]
            read[number] = written[before[-1]]
        if event.value is not None:
            value = evaluate(event.value, read, ())
            assert value is not None, "what is taken is known"
            written[number] = value
            before.append(number)
    orders = {location: tuple(order) for location, order in memory.items()}
    executed = frozenset(range(len(run.events)))
    return Candidate(run, executed, sources, orders, locations, read, written, (), {})
