"""What a kernel with asynchronous copies and images does: every work-item that may perform each copy is tried, and
every write that each read may see.

All accesses are plain ones. So happens-before follows from who performs which copy, and nothing else is to be chosen.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, product

from oracle.copies_program import Barrier, Copy, Fence, GroupProgram, Kind, Place, Read, Wait, Write

Pairs = set[tuple[int, int]]
REGIONS = (Kind.GLOBAL, Kind.LOCAL)


@dataclass(frozen=True, slots=True)
class Event:
    """`regions` are those in which it is an action; images are global memory. `unit` is an item, or a copy's name."""

    number: int
    unit: int | str
    regions: frozenset[Kind]
    place: Place | None = None
    writes: bool = False
    value: int | None = None
    register: str | None = None
    is_image_fence: bool = False

    @property
    def reads(self) -> bool:
        return self.place is not None and not self.writes


@dataclass(slots=True)
class GroupAnswer:
    """The final values of the registers that are read into, sorted by name, and whether some execution races."""

    states: set[tuple[tuple[str, int], ...]] = field(default_factory=set)
    races: bool = False


class _Run:
    """The events of the program where each copy is performed by a given work-item."""

    def __init__(self, program: GroupProgram, performers: dict[str, int]) -> None:
        self.events: list[Event] = []
        self.sequenced: Pairs = set()
        self.synchronised: dict[Kind, Pairs] = {region: set() for region in REGIONS}
        self.met_for_images: Pairs = set()
        self.copied: dict[int, int] = {}
        """For the write of each copy, its read."""
        self._done: list[list[int]] = [[] for _ in range(program.items)]
        self._complete: dict[str, int] = {}
        self._program = program
        for kind in Kind:
            for index in range(2):
                self._add(f"initial {kind} {index}", [], place=(kind, index), writes=True, value=0)
        for step in program.steps:
            self._step(step, performers)
        self.hb = {region: self._happens_before(region) for region in REGIONS}
        # IMG-2: images are global memory that barriers with their flag order, too
        self.hb[Kind.IMAGE] = self._happens_before(Kind.GLOBAL, of_images=True)

    def _add(
        self,
        unit: int | str,
        before: list[int],
        place: Place | None = None,
        *,
        flags: frozenset[Kind] = frozenset(),
        writes: bool = False,
        value: int | None = None,
        register: str | None = None,
        is_image_fence: bool = False,
    ) -> int:
        regions = flags if place is None else frozenset({region_of(place)})
        number = len(self.events)
        self.events.append(Event(number, unit, regions, place, writes, value, register, is_image_fence))
        self.sequenced |= {(one, number) for one in before}
        return number

    def _by(self, item: int, **how: object) -> int:
        number = self._add(item, self._done[item], **how)  # type: ignore[arg-type] # the keywords of _add
        self._done[item].append(number)
        return number

    def _step(self, step: object, performers: dict[str, int]) -> None:
        items = range(self._program.items)
        match step:
            case Write(item, place, value):
                self._by(item, place=place, writes=True, value=value)
            case Read(item, place, register):
                self._by(item, place=place, register=register)
            case Fence(item, is_image):
                self._by(item, is_image_fence=is_image)
            case Barrier(flags):
                regions, is_image = flags & frozenset(REGIONS), Kind.IMAGE in flags
                entries = [self._by(item, flags=regions, is_image_fence=is_image) for item in items]
                exits = [self._by(item, flags=regions, is_image_fence=is_image) for item in items]
                met = {(a, b) for i, a in enumerate(entries) for j, b in enumerate(exits) if i != j}
                for region in regions:
                    self.synchronised[region] |= met
                if is_image:
                    self.met_for_images |= met
            case Copy(event, target, source):
                # ASYNC-1: performed by some work-item, after what comes before its call
                before = list(self._done[performers[event]])
                read = self._add(event, before, source)
                write = self._add(event, [*before, read], target, writes=True)
                self.copied[write] = read
                self._complete[event] = self._add(event, [*before, read, write], flags=frozenset(REGIONS))
            case Wait(event):
                # … and before what follows a wait for it, in each work-item and both regions
                for item in items:
                    returned = self._by(item, flags=frozenset(REGIONS))
                    for region in REGIONS:
                        self.synchronised[region].add((self._complete[event], returned))

    def _happens_before(self, region: Kind, *, of_images: bool = False) -> Pairs:
        barriers = {end for pair in self.met_for_images for end in pair} if of_images else set[int]()
        actions = {event.number for event in self.events if region in event.regions} | barriers
        initial = {event.number for event in self.events if self._is_initial(event)} & actions
        pairs = {(a, b) for a, b in self.sequenced if a in actions and b in actions} | self.synchronised[region]
        pairs |= self.met_for_images if of_images else set()
        pairs |= {(a, b) for a in initial for b in actions - initial}
        for middle in sorted(actions):
            # Warshall's closure
            ends = [b for a, b in pairs if a == middle]
            pairs |= {(a, b) for a, end in list(pairs) if end == middle for b in ends}
        return pairs

    def _is_initial(self, event: Event) -> bool:
        return isinstance(event.unit, str) and event.unit.startswith("initial")

    def before(self, a: Event, b: Event) -> bool:
        assert a.place is not None
        return (a.number, b.number) in self.hb[Kind.IMAGE if a.place[0] is Kind.IMAGE else region_of(a.place)]

    def unfenced(self, write: Event, read: Event) -> bool:
        """IMG-1: a read of an own earlier image write needs a fence with the image flag between them."""
        is_own = write.place == read.place and write.place is not None and write.place[0] is Kind.IMAGE
        return (
            is_own
            and write.unit == read.unit
            and not any(
                one.is_image_fence
                and (write.number, one.number) in self.sequenced
                and (one.number, read.number) in self.sequenced
                for one in self.events
            )
        )

    def visible(self, read: Event) -> list[Event]:
        # VIS-2; otherwise a stale value is allowed (IMG-1)
        writes = [one for one in self.events if one.writes and one.place == read.place]
        return [
            one
            for one in writes
            if self.before(one, read)
            and not any(
                self.before(one, other) and self.before(other, read) and not self.unfenced(other, read)
                for other in writes
            )
        ]

    def races(self) -> bool:
        # DR-1: plain accesses of different units, one of them writing, that nothing orders
        return any(
            a.place == b.place
            and a.place is not None
            and (a.writes or b.writes)
            and a.unit != b.unit
            and not (self.before(a, b) or self.before(b, a))
            for a, b in combinations(self.events, 2)
            if not self._is_initial(a)
        )

    def states(self) -> Iterator[tuple[tuple[str, int], ...]]:
        reads = [event for event in self.events if event.reads]
        for chosen in product(*(self.visible(read) for read in reads)):
            source = {read.number: write for read, write in zip(reads, chosen, strict=True)}
            named = (read for read in reads if read.register is not None)
            yield tuple(sorted((f"K[{read.unit}]:{read.register}", self._value(read, source)) for read in named))

    def _value(self, read: Event, source: dict[int, Event]) -> int:
        write = source[read.number]
        if write.value is not None:
            return write.value
        return self._value(self.events[self.copied[write.number]], source)


def region_of(place: Place) -> Kind:
    return Kind.LOCAL if place[0] is Kind.LOCAL else Kind.GLOBAL


def group_answer(program: GroupProgram, *, by_last: bool = False) -> GroupAnswer:
    """Try every execution, or those where the last work-item performs all copies."""
    found = GroupAnswer()
    events = [step.event for step in program.steps if isinstance(step, Copy)]
    items = range(program.items)[-1:] if by_last else range(program.items)
    for chosen in product(items, repeat=len(events)):
        run = _Run(program, dict(zip(events, chosen, strict=True)))
        found.races |= run.races()
        found.states.update(run.states())
    return found
