"""What uses of buffers make undefined or implementation-defined, beside races: MAP-3, MAP-4, CC-1, CC-6.

Every rule is about two accesses that happen in either order, so that whichever comes second in a run finds it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.machine.fact import Fact, FactKind
from mcm.machine.mappings import mappings_of
from mcm.machine.memory import Misuse
from mcm.machine.memory_layout import GLOBAL
from mcm.machine.view import MappedAccess
from mcm.program.command import CommandKind, MapFlag
from mcm.program.operators import PipeEnd
from mcm.program.topology import HostThread, WorkItem
from mcm.program.types import AllocationKind, Region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from mcm.machine.access_records import Accesses, AccessRecord
    from mcm.machine.memory_layout import MemoryLayout
    from mcm.machine.view import ViewState
    from mcm.program.program import MemoryObject, Program
    from mcm.program.topology import KernelInstance
    from mcm.program.types import Location, Part

_ONLY_READS: Final = frozenset({MapFlag.READ})


class BufferUse:
    """The uses of the buffers of a program. `bit` is that of a fact among what happens before an access."""

    def __init__(self, program: Program, layout: MemoryLayout, bit: Callable[[Fact], int]) -> None:
        self._layout: Final = layout
        self._bit: Final = bit
        self._positions: Final = {thread.index: place for place, thread in enumerate(program.threads)}
        self._hosts: Final = {n for n, t in enumerate(program.threads) if isinstance(t.placement, HostThread)}
        self._maps: Final = {
            self._positions[unit]: command
            for command in program.commands
            if command.kind is CommandKind.MAP
            for unit in command.units
        }
        self._mappings: Final = mappings_of(program)
        self._parts: Final[dict[int, list[Part]]] = {}
        for index, part in program.used_parts:
            self._parts.setdefault(self._positions[index], []).append(part)
        for copier, thread in layout.performers.items():
            self._parts[copier] = self._parts.get(thread, [])
        families = _families(program, layout)
        # Asynchronous copies use what the threads use that perform them.
        self._families: Final = (*families, *(families[thread] for thread in layout.performers.values()))
        has_families = len(set(self._families) - {None}) > 1
        self._shared: Final = tuple(has_families and _is_buffer(program.object_at(name)) for name in layout.names)
        self._ends: Final = _ends(program)
        self._names: Final = tuple(item.name for item in program.objects)
        self._needs_map: Final = tuple(program.object_at(name).needs_map for name in layout.names)
        objects = {part.object for parts in self._parts.values() for part in parts}
        self._neighbours: Final = tuple(self._around(name, objects) for name in layout.names)

    @property
    def matters(self) -> bool:
        """Whether any of the rules is about this program at all."""
        return bool(self._maps or self._ends) or any((*self._needs_map, *self._shared, *self._neighbours))

    def _around(self, name: Location, objects: AbstractSet[int]) -> tuple[int, ...]:
        """The other elements of the object, where accesses of them matter: of `objects` that are used by parts."""
        if name.object not in objects and not self._shared[self._layout.numbers[name]]:
            return ()
        same = [other for other in self._layout.names if other.object == name.object and other != name]
        return tuple(self._layout.numbers[other] for other in same)

    def found(self, state: ViewState, access: AccessRecord, location: int, before: int) -> tuple[Misuse, ...]:
        """What an access makes wrong; `before` is what happens before it, `state` the one that it is made in."""
        if self._layout.locations[location].region != GLOBAL:
            return ()
        found: list[Misuse] = []
        if self._layout.locations[location].is_pipe:
            return tuple(self._of_pipe(state.accesses[location], access, location, before))
        if access.thread in self._hosts:
            if self._needs_map[location] and not self._maps_for(state, access, location, before):
                found.append(_unmapped(access.thread, access.site))
        elif self._maps:
            found += self._of_maps(state.accesses[location], access, before)
        if self._shared[location] or self._neighbours[location]:
            for other in (location, *self._neighbours[location]):
                found += self._of_sharing(state.accesses[other], other, access, location, before)
        return tuple(found)

    def _of_pipe(self, accesses: Accesses, access: AccessRecord, location: int, before: int) -> Iterator[Misuse]:
        """PIPE-1: two kernel instances at one end of a pipe, of which none has to wait for the other."""
        name = self._layout.names[location]
        for other in accesses:
            if name.offset or not (other.writes and access.writes) or other.event & before:
                continue
            one, two = (self._ends.get((name.object, thread)) for thread in (other.thread, access.thread))
            if one is not None and two is not None and one[0] is two[0] and one[1] != two[1]:
                does = f"{one[0].value} the pipe {self._names[name.object]}"
                why = f"two kernel instances {does}, and neither has to end before the other starts"
                yield Misuse("pipe-misuse", "PIPE-1", why, _both(other, access))

    # --- maps ---------------------------------------------------------------------------------------------------------

    def after(self, state: ViewState, access: AccessRecord, location: int, before: int) -> ViewState:
        """The state after an access, which is noted where an unmap may come too early for it (MAP-4)."""
        if access.thread not in self._hosts or not self._needs_map[location]:
            return state
        maps = self._maps_for(state, access, location, before)
        if not maps or not all(self._mappings.surely_end[number] for number in maps):
            return state
        noted = MappedAccess(access.event, access.thread, access.site, frozenset(maps))
        return state._replace(mapped=state.mapped | {noted})

    def unmapped(self, state: ViewState, command: int, before: int) -> tuple[ViewState, tuple[Misuse, ...]]:
        """The state after an unmap has been called, and the accesses that do not happen before the call (MAP-4)."""
        kept, found = set[MappedAccess](), list[Misuse]()
        for one in state.mapped:
            maps = frozenset(number for number in one.maps if command not in self._mappings.surely_end[number])
            if maps == one.maps or one.event & before:
                kept.add(one)
            elif maps:
                kept.add(one._replace(maps=maps))
            else:
                found.append(_unmapped(one.thread, one.site))
        called = state.called | self._bit(Fact(FactKind.CALLED, command))
        return state._replace(mapped=frozenset(kept), called=called), tuple(found)

    def _maps_for(self, state: ViewState, access: AccessRecord, location: int, before: int) -> list[int]:
        """MAP-4: the maps by which the host may make an access: they happen before it, and none has been ended."""
        found = []
        for other in state.accesses[location]:
            if other.thread not in self._maps or not other.writes or not other.event & before:
                continue
            number = self._maps[other.thread].number
            unmaps = self._mappings.surely_end[number]
            is_ended = any(state.called & self._bit(Fact(FactKind.CALLED, unmap)) for unmap in unmaps)
            if not is_ended and (self._is_for_writing(other) or not access.writes):
                found.append(number)
        return found

    def _of_maps(self, accesses: Accesses, access: AccessRecord, before: int) -> Iterator[Misuse]:
        for other in accesses:
            if other.thread != access.thread and other.thread not in self._hosts and self._clash(other, access, before):
                why = "it is used while it is mapped: nothing puts the use before the map or after an unmap"
                yield Misuse("map-misuse", "MAP-3", why, _both(other, access))

    def _clash(self, earlier: AccessRecord, later: AccessRecord, before: int) -> bool:
        """MAP-3: whether accesses of commands, one of them a map's, must not be at a time, and may be."""
        is_first, is_second = earlier.thread in self._maps, later.thread in self._maps
        if is_first and is_second:
            both_write = earlier.writes and later.writes
            clash = both_write and (self._is_for_writing(earlier) or self._is_for_writing(later))
            return clash and not self._is_ended(earlier, before, (FactKind.CALLED, FactKind.COMPLETED))
        if is_first:
            clash = earlier.writes and (self._is_for_writing(earlier) or later.writes)
            return clash and not self._is_ended(earlier, before, (FactKind.COMPLETED,))
        if is_second:
            clash = later.writes and (self._is_for_writing(later) or earlier.writes)
            return clash and not earlier.event & before
        return False

    def _is_for_writing(self, access: AccessRecord) -> bool:
        return self._maps[access.thread].map_flags != _ONLY_READS

    def _is_ended(self, access: AccessRecord, before: int, kinds: tuple[FactKind, ...]) -> bool:
        """Whether an unmap that may end the map has come so far, as is known by then."""
        unmaps = self._mappings.may_end[self._maps[access.thread].number]
        return any(before & self._bit(Fact(kind, unmap)) for unmap in unmaps for kind in kinds)

    # --- buffers that are shared --------------------------------------------------------------------------------------

    def _of_sharing(
        self, accesses: Accesses, place: int, access: AccessRecord, location: int, before: int
    ) -> Iterator[Misuse]:
        for other in accesses:
            if other.thread == access.thread or other.event & before:
                continue
            if (other.writes or access.writes) and self._shared[location] and self._are_unrelated(other, access):
                why = "atomic accesses of one buffer by kernel instances that no synchronisation point separates"
                yield Misuse("implementation-defined", "CC-1", why, _both(other, access))
            changes = self._changes(other) or self._changes(access)
            if changes and self._overlap(other.thread, place, access.thread, location):
                why = "buffers that overlap, a sub-buffer and its parent or two sub-buffers, are used at a time"
                yield Misuse("overlapping-use", "CC-6", why, _both(other, access))

    def _are_unrelated(self, one: AccessRecord, other: AccessRecord) -> bool:
        """CC-1, CC-2: whether both accesses are atomic, and by kernels that are of no one family."""
        families = self._families[one.thread], self._families[other.thread]
        return None not in families and families[0] != families[1] and one.scope is not None and other.scope is not None

    def _changes(self, access: AccessRecord) -> bool:
        """Whether an access may change its location, which a map for reading does not."""
        return access.writes and (access.thread not in self._maps or self._is_for_writing(access))

    def _overlap(self, one: int, place: int, other: int, other_place: int) -> bool:
        """CC-6: whether threads may reach two locations by way of two buffers that overlap."""
        names = self._layout.names
        first = [part for part in self._parts.get(one, ()) if part.has(names[place])]
        second = [part for part in self._parts.get(other, ()) if part.has(names[other_place])]
        return any(a.name != b.name and a.overlaps(b) for a in first for b in second)


def _is_buffer(item: MemoryObject) -> bool:
    return item.region is Region.GLOBAL and item.allocation is AllocationKind.BUFFER


def _ends(program: Program) -> dict[tuple[int, int], tuple[PipeEnd, KernelInstance]]:
    """The end of each pipe that a thread is at, and the kernel instance of the thread, by its position."""
    found: dict[tuple[int, int], tuple[PipeEnd, KernelInstance]] = {}
    for number, item in enumerate(program.objects):
        for position, thread in enumerate(program.threads if item.capacity else ()):
            if isinstance(thread.placement, WorkItem) and thread.index in item.writers | item.readers:
                end = PipeEnd.WRITE if thread.index in item.writers else PipeEnd.READ
                found[number, position] = end, thread.placement.kernel_instance
    return found


def _unmapped(thread: int, site: int) -> Misuse:
    return Misuse("unmapped-access", "MAP-4", "the host accesses what is not mapped for that here", ((thread, site),))


def _families(program: Program, layout: MemoryLayout) -> list[object]:
    """For each thread the kernel instance that it comes from; None for what is no work-item."""
    places = [thread.placement for thread in program.threads]
    return [layout.family_of(place) if isinstance(place, WorkItem) else None for place in places]


def _both(one: AccessRecord, other: AccessRecord) -> tuple[tuple[int, int], ...]:
    return (one.thread, one.site), (other.thread, other.site)
