"""The locations whose accesses are settled: what their reads return, and their final values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.catalogue.dependencies import mentions_dependencies
from mcm.engine.explicit.settled.asked import asked_about
from mcm.engine.explicit.settled.bases import bases
from mcm.engine.explicit.settled.commuting import in_any_order
from mcm.engine.explicit.settled.conditions import Implied
from mcm.engine.explicit.settled.fixed_order import order_by
from mcm.engine.explicit.settled.footprint import OF_ANY_ORDER, PLAIN, RELAXED
from mcm.engine.explicit.settled.found import NOTHING, Settled, accesses_of
from mcm.engine.explicit.settled.inputs import values_of_inputs
from mcm.engine.explicit.settled.interleavings import allows_interleavings
from mcm.engine.explicit.settled.kinds import Kinds, empty_bases
from mcm.engine.explicit.settled.openings import decided_choices
from mcm.engine.explicit.settled.ordering import Layer, Ordering
from mcm.engine.explicit.settled.performed import come_after, left_out, place_of, reads_of_a_run
from mcm.engine.explicit.settled.reachable import leave_the_same
from mcm.engine.explicit.settled.rules import rules_for_all, settling_rules
from mcm.engine.explicit.settled.values import Values
from mcm.execution.algebra import FALSE, TRUE
from mcm.execution.event import EventKind
from mcm.execution.substitution import Substitution
from mcm.program.types import Order

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mcm.cat.model import Model
    from mcm.engine.explicit.settled.asked import Asked
    from mcm.engine.explicit.settled.clocks import Clocks, Phases
    from mcm.engine.explicit.settled.rules import SettlingRules
    from mcm.execution.event import Event
    from mcm.execution.expression import Atom, Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable
    from mcm.program.types import Location, Scalar

    Inputs = Mapping[Atom, Expression]

# The orders of accesses that may synchronise.
SYNCHRONISING: Final = frozenset({Order.ACQUIRE, Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST})
# Each round settles what is reached through addresses and guards that the round before made known.
_ROUNDS: Final = 8
# How often the conditions of events are simplified by what was found.
_LOOKS: Final = 3
# How often, where each look tells of one turn more of a loop, and at how many events in all.
_MOST_LOOKS: Final = 64
_MOST_LOOKED_AT: Final = 100_000
# Each attempt gives locations up; few attempts do so because of what an earlier one did.
_ATTEMPTS: Final = 8


def settled(
    skeleton: Skeleton,
    model: Model,
    watched: Collection[Observable],
    named: Collection[int] = (),
    *,
    counts: bool = True,
) -> Settled | None:
    """What is settled in all consistent executions; None if the model is not one that settles.

    Accesses of a location of which one is `named` are left open. Without `counts` it is not said what reads return
    whose location has updates that are left open.
    """
    looked = look_at(skeleton, model, watched, named, counts=counts)
    if looked is None:
        return None
    look, found = looked
    return replace(found, bases=look.bases(found), phases=look.phases)


def look_at(
    skeleton: Skeleton,
    model: Model,
    watched: Collection[Observable],
    named: Collection[int] = (),
    *,
    counts: bool = True,
) -> tuple[Look, Settled] | None:
    """The look by which something is settled in all consistent executions, and what that is: see `settled`."""
    rules = settling_rules(model, empty_bases(skeleton))
    if rules is None:
        return None
    inputs = _inputs(skeleton, model)
    asked = asked_about(skeleton, watched, named, counts=counts)
    return _looked(skeleton, rules, RELAXED if rules.atomics else PLAIN, asked, inputs)


def settled_of_any_order(skeleton: Skeleton, model: Model, watched: Collection[Observable]) -> Settled | None:
    """What is settled of accesses whatever their orders: their sources, their places in memory, and that none races.

    What they synchronise may order others. None if the model does not allow each interleaving.
    """
    looked = look_at_any_order(skeleton, model, watched, counts=False)
    return None if looked is None else looked[1]


def look_at_any_order(
    skeleton: Skeleton, model: Model, watched: Collection[Observable], *, counts: bool = True
) -> tuple[Look, Settled] | None:
    """The look by which something is settled whatever the orders of accesses: see `settled_of_any_order`."""
    empty = empty_bases(skeleton)
    rules = rules_for_all(model, empty)
    if rules is None or not allows_interleavings(model, empty):
        return None
    asked = asked_about(skeleton, watched, (), counts=counts)
    return _looked(skeleton, rules, OF_ANY_ORDER, asked, _inputs(skeleton, model))


def _inputs(skeleton: Skeleton, model: Model) -> Inputs:
    """What is read where nobody writes; nothing for models that ask what depends on such reads."""
    return {} if mentions_dependencies(model) else values_of_inputs(skeleton)


def _looked(
    skeleton: Skeleton,
    rules: SettlingRules,
    allowed: frozenset[str],
    asked: Asked,
    inputs: Inputs,
) -> tuple[Look, Settled] | None:
    """What is settled by some rules, of accesses in some base sets, and the look that has found it; None if nothing."""
    kinds = Kinds(skeleton, allowed)
    found = replace(NOTHING, substitution=Substitution(inputs))
    # Where it is known what is executed, more is ordered by barriers, and more known of values, and so on.
    choices: dict[Atom, Expression] = {}
    for number in range(_MOST_LOOKS):
        while opened := decided_choices(skeleton.constraints, found.substitution):
            found = replace(found, substitution=found.substitution.with_more(opened))
            choices.update(opened)
        ordered = order_by(skeleton, rules, kinds, found.substitution)
        if ordered is None:
            return None
        look = Look(skeleton, *ordered, asked, inputs, choices)
        before, found = found, look.repeated(found)
        goes_on = bool(found.begun) and number * len(skeleton.events) < _MOST_LOOKED_AT
        is_open = look.phases.conditions.are_open
        if not is_open or found.extent == before.extent or (number + 1 >= _LOOKS and not goes_on):
            break
    return look, look.confirmed(found)


class Look:
    """Looks at all accesses of a skeleton, with what is known of addresses, guards and values."""

    def __init__(
        self,
        skeleton: Skeleton,
        phases: Phases,
        ordering: Ordering,
        asked: Asked,
        inputs: Inputs,
        choices: Inputs,
    ) -> None:
        initial = (event for event in skeleton.events if event.kind is EventKind.INITIAL)
        self._skeleton: Final = skeleton
        self._performed: Final = (*initial, *phases.order)
        self._positions: Final = [0] * len(skeleton.events)
        for position, event in enumerate(self._performed):
            self._positions[event.identifier] = position
        self.phases: Final = phases
        self.ordering: Final = ordering
        self._implied: Final = Implied(phases)
        self._atomic: Final = skeleton.sets["AO"].locations
        self._asked: Final = asked
        self._inputs: Final = inputs
        self._choices: Final = choices
        # The writes that are executed or not, where such are looked at.
        self._maybe: Final[set[int]] = set()
        # For layers of such, whether one of these is executed in any case.
        self._covering: Final[dict[tuple[int, ...], bool]] = {}

    def repeated(self, before: Settled) -> Settled:
        """What is settled, with what was settled before, until nothing more is."""
        found = before
        for _ in range(_ROUNDS):
            last, found = found, self.again(found)
            if found.extent == last.extent:
                break
        return found

    def again(self, before: Settled) -> Settled:
        """What is settled, with what was settled before."""
        layers: dict[Location, tuple[Layer, ...]] = {}
        begun: dict[Location, tuple[Layer, ...]] = {}
        for location, events in self._by_location(before, before.substitution).items():
            its, are_all = self._layers(events, location, before.substitution)
            if its:
                (layers if are_all else begun)[location] = its
        counted = {location: its for location, its in layers.items() if self._are_used(its)}
        return self._with(
            before,
            {location: its for location, its in layers.items() if location not in counted},
            counted if self._asked.counts else {},
            begun if self._asked.counts else {},
        )

    def confirmed(self, before: Settled) -> Settled:
        """What is settled if what a run reads is what every execution reads, and that is so."""
        given_up: set[Location] = set()
        settled_before = before.looked_at
        for _ in range(_ATTEMPTS):
            read, locations = reads_of_a_run(self._performed, settled_before, before.substitution, given_up)
            found = self._by_location(before, read, given_up, maybe=False)
            if not found:
                break
            absent = left_out(self._performed, settled_before, before.substitution, read)
            layers = {
                location: its[0]
                for location, events in found.items()
                if (its := self._layers(events, location, before.substitution, absent.get(location, ())))[1]
                and not self._are_used(its[0])
            }
            if locations <= layers.keys():
                return self._with(before, layers)
            given_up |= locations - layers.keys()
        return before

    def bases(self, found: Settled) -> dict[int, int]:
        """The bases of updates that are not settled."""
        if not self.ordering.orders_writes:
            return {}
        taken_out = frozenset(found.accesses)
        left = (event for event in self._performed if event.identifier not in taken_out)
        return bases(left, self.ordering, found.substitution)

    def _with(
        self,
        before: Settled,
        more: Mapping[Location, tuple[Layer, ...]],
        counted: Mapping[Location, tuple[Layer, ...]] = {},
        begun: Mapping[Location, tuple[Layer, ...]] = {},
    ) -> Settled:
        """What was settled before, and some more locations."""
        layers, counted = {**before.layers, **more}, {**before.counted, **counted}
        every = {**layers, **counted, **begun}
        known, left = set(accesses_of(every)), {*accesses_of(counted), *accesses_of(begun)}
        ordered = tuple(event.identifier for event in self._performed if event.identifier in known)
        values = Values(self._skeleton, every, ordered, self._inputs, self._choices)
        return Settled(
            layers,
            {read: layer for read, layer in values.sources.items() if read not in left},
            tuple(access for access in ordered if access not in left),
            values.substitution,
            {location: value for location, value in values.finals.items() if location in layers},
            self.phases.are_regular,
            counted=counted,
            begun={**begun},
        )

    def _by_location(
        self, before: Settled, known: Substitution, given_up: Collection[Location] = (), *, maybe: bool = True
    ) -> dict[Location, list[Event]]:
        """For each location all accesses that may reach it, as units perform them, if all can be settled.

        `known` is what reads return; what is `given_up` cannot be settled, and what was settled before is left out.
        `maybe`: also plain writes that are executed or not, whose readers have to know that they are.
        """
        found: dict[Location, list[Event]] = {}
        self._maybe.clear()
        open_: set[Location] = {*before.layers, *before.counted, *given_up}
        settled_before = before.looked_at
        apply = known.apply
        for event in self._performed:
            if not event.kind.is_access or event.identifier in settled_before or event.address is None:
                continue
            guard = apply(event.guard)
            if guard is FALSE:
                continue
            place = place_of(event, known)
            if place is None:
                open_.update(event.locations)
            elif event.identifier in self._asked.named or not (
                guard is TRUE or event.kind is EventKind.READ or (maybe and self._is_plain_write(event, place))
            ):
                open_.add(place)
            else:
                found.setdefault(place, []).append(event)
                if guard is not TRUE and event.kind is EventKind.WRITE:
                    self._maybe.add(event.identifier)
        return {location: events for location, events in found.items() if location not in open_}

    def _layers(
        self, events: Sequence[Event], location: Location, known: Substitution, absent: Sequence[Event] = ()
    ) -> tuple[tuple[Layer, ...], bool]:
        """The accesses of one location in layers, and whether these are all.

        If not, they are the first ones, whose reads nothing else changes; none where nothing is known of any. Each
        write that is `absent` in a run has to come after all that the run performs before it. `known` is what reads
        return.
        """
        ordering = self.ordering
        kinds = {event.identifier: ordering.kinds.of(event, location) for event in events}
        possible = {ordering.kinds.of(event, location) for event in absent}
        every = sum({1 << kind for kind in (*kinds.values(), *possible)})
        reading = sum({1 << kinds[event.identifier] for event in events if event.kind is EventKind.READ})
        clocks = ordering.clocks(every)
        if clocks is None and not absent and self._is_only_initial(events, every):
            return (Layer([*events], []),), True
        needs_visible = reading & ~ordering.kinds.atomic_objects & ~ordering.visible
        if clocks is None or needs_visible or events[0].kind is not EventKind.INITIAL:
            return (), False
        layers = [Layer([events[0]], [])]
        for number, event in enumerate(events[1:], 1):
            if event.identifier not in self._skeleton.paired and not self._enters(event, layers, clocks, kinds):
                return self._begun(layers[:-1], events[number:], clocks, known), False
        pairs = [event for event in events if event.identifier in self._skeleton.paired]
        if not all(self._enters_with_update(event, layers, clocks) for event in pairs):
            return (), False
        if not come_after(absent, layers, self._positions, clocks, ordering.sequenced):
            return (), False
        if ordering.may_raise_alone(every):
            return (), False
        for layer in (layer for layer in layers if len(layer.writes) > 1 and not layer.excludes):
            several = (*layer.writes, *layer.paired)
            if ordering.may_race(several, sum({1 << kinds[event.identifier] for event in several})):
                return (), False
        if not ordering.are_bridged(layers, clocks, every):
            return (), False
        found = self._executed(layers, known)
        return found, len(found) == len(layers)

    def _is_only_initial(self, events: Sequence[Event], kinds: int) -> bool:
        """Whether nobody accesses what has an initial value: there is nothing to be ordered, in constant memory too."""
        ordering = self.ordering
        is_alone = len(events) == 1 and events[0].kind is EventKind.INITIAL
        return is_alone and not kinds & ~ordering.kinds.settleable and not ordering.may_raise_alone(kinds)

    def _begun(
        self, layers: Sequence[Layer], others: Sequence[Event], clocks: Clocks, known: Substitution
    ) -> tuple[Layer, ...]:
        """The first layers of a location, if all other writes of it come after them."""
        after = (self._follows_all(other, layers, clocks) for other in others if other.kind is not EventKind.READ)
        if not layers or not all(after):
            return ()
        return self._executed(layers, known)

    def _executed(self, layers: Sequence[Layer], known: Substitution) -> tuple[Layer, ...]:
        """The first layers of which it is known what is read behind them; none where the order of writes matters.

        Each write is executed whenever it is read, or choices say whether it is.
        """
        if not leave_the_same([layer.writes for layer in layers], known):
            return ()
        found: list[Layer] = []
        for layer, following in zip(layers, [*layers[1:], None], strict=True):
            maybe = [write for write in layer.writes if write.identifier in self._maybe]
            updates = () if following is None else (w for w in following.writes if w.kind.reads)
            readers = (*layer.reads, *updates)
            is_known = all(self._implied.is_implied(write, read) for write in maybe for read in readers)
            if layer.excludes or not is_known:
                if not all(map(self.phases.conditions.is_chosen, maybe)):
                    break
                found.append(replace(layer, chosen=True))
            else:
                found.append(layer)
        return tuple(found)

    def _are_used(self, layers: Sequence[Layer]) -> bool:
        """Whether anything uses what updates return that may come in any order: these cannot be taken out."""
        return any(
            event.identifier in self._asked.used for layer in layers if len(layer.writes) > 1 for event in layer.writes
        )

    def _enters(self, event: Event, layers: list[Layer], clocks: Clocks, kinds: Mapping[int, int]) -> bool:
        """Put an access into the last layer or a new one; false if it is not ordered as layers are."""
        last, recent = layers[-1], self._recent(event, layers)
        follows = all(self._follows(event, layer.writes, clocks) for layer in recent)
        sources = recent
        if event.kind is EventKind.READ and follows:
            last.reads.append(event)
        elif self._is_instead(event, layers, clocks):
            last.writes.append(event)
        elif (
            follows
            and event.kind is not EventKind.READ
            and all(self._follows(event, layer.reads, clocks) for layer in recent)
        ):
            layers.append(Layer([event], []))
        elif self._joins(event, layers, clocks):
            last, sources = layers[-1], layers[-2:]
            last.writes.append(event)
        else:
            return False
        is_flagged = self.ordering.is_flagged
        return not event.kind.reads or not any(is_flagged(kinds[w.identifier]) for of in sources for w in of.writes)

    def _enters_with_update(self, read: Event, layers: Sequence[Layer], clocks: Clocks) -> bool:
        """Put a read into the layer of the update that it is paired with; false if it is not ordered as that is."""
        update = self._skeleton.paired[read.identifier]
        for number, layer in enumerate(layers):
            if any(write.identifier == update for write in layer.writes):
                layer.paired.append(read)
                return self._follows_all(read, layers[:number], clocks)
        return False

    def _is_instead(self, event: Event, layers: Sequence[Layer], clocks: Clocks) -> bool:
        """Whether choices say that a write or one of the last layer is executed, and it comes after all before that."""
        last, conditions = layers[-1], self.phases.conditions
        return (
            not last.reads
            and all(one.identifier in self._maybe and conditions.is_chosen(one) for one in (event, last.writes[0]))
            and all(conditions.exclude_each_other(write, event) for write in last.writes)
            and self._follows_all(event, layers[:-1], clocks)
        )

    def _is_plain_write(self, event: Event, place: Location) -> bool:
        """Whether an access is a write of an object that is not atomic, so that nothing synchronises through it."""
        return event.kind is EventKind.WRITE and not event.atomic and place not in self._atomic

    def _recent(self, event: Event, layers: Sequence[Layer]) -> Sequence[Layer]:
        """The last layers, back to one that is executed whenever an event is, and that comes after all earlier ones."""
        first = len(layers) - 1
        while not self._is_executed(layers[first], event):
            first -= 1
        return layers[first:]

    def _is_executed(self, layer: Layer, event: Event) -> bool:
        """Whether a layer has a write that is executed whenever an event is."""
        write = layer.writes[0]
        if write.identifier not in self._maybe or self._implied.is_implied(write, event):
            return True
        key = tuple(one.identifier for one in layer.writes)
        if layer.excludes and key not in self._covering:
            self._covering[key] = self.phases.conditions.cover_all_cases(layer.writes)
        return layer.excludes and self._covering[key]

    def _follows(self, event: Event, others: Sequence[Event], clocks: Clocks) -> bool:
        return all(clocks.is_before(other, event, self.ordering.sequenced) for other in others)

    def _joins(self, event: Event, layers: list[Layer], clocks: Clocks) -> bool:
        """Whether a write may come in any order with those of the last layer.

        Writes that one unit makes in sequence are layers of their own, until others are made at the same time.
        """
        how = in_any_order(event)
        if how is None or not _is_of_such(layers[-1], how):
            return False
        while not self._follows_all(event, layers[:-1], clocks):
            if len(layers) < 3 or not _is_of_such(layers[-2], how):
                return False
            layers[-2:] = [Layer([*layers[-2].writes, *layers[-1].writes], [])]
        same_unit = (other for other in layers[-1].writes if other.thread == event.thread)
        return len(layers) > 1 and all(self._follows(event, [other], clocks) for other in same_unit)

    def _follows_all(self, event: Event, layers: Sequence[Layer], clocks: Clocks) -> bool:
        """Whether an access comes after all accesses of some layers, the first of which is the initial write."""
        recent = self._recent(event, layers) if layers else ()
        return all(self._follows(event, (*layer.writes, *layer.reads), clocks) for layer in recent)


def _is_of_such(layer: Layer, how: tuple[str, Scalar] | Expression | str) -> bool:
    """Whether a layer is nothing but writes of one class, which may come in any order where nothing orders them.

    Where there are several, they have joined the first one, as they are of its class.
    """
    return not layer.reads and in_any_order(layer.writes[0]) == how
