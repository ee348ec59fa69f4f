"""What uses of buffers make undefined or implementation-defined, beside races: MAP-3, MAP-4, CC-1, CC-6.

Every rule is about two accesses that happen in either order, so that whichever comes second in a run finds it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.machine.fact import Fact, FactKind
from mcm.machine.mappings import mappings_of
from mcm.machine.memory import Misuse
from mcm.machine.memory_layout import GLOBAL
from mcm.program.command import CommandKind, MapFlag
from mcm.program.topology import HostThread, WorkItem
from mcm.program.types import AllocationKind, Region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcm.machine.memory_layout import MemoryLayout
    from mcm.machine.view import AccessRecord
    from mcm.program.program import Program
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
        self._callers: Final = {command.number: command.caller for command in program.commands}
        self._indices: Final = [thread.index for thread in program.threads]
        self._parts: Final[dict[int, list[Part]]] = {}
        for index, part in program.used_parts:
            self._parts.setdefault(self._positions[index], []).append(part)
        self._families: Final = _families(program, layout)
        self._shared: Final = tuple(self._is_shared(program, name) for name in layout.names)
        self._needs_map: Final = tuple(program.object_at(name).needs_map for name in layout.names)
        self._neighbours: Final = tuple(self._around(name) for name in layout.names)

    @property
    def matters(self) -> bool:
        """Whether any of the rules is about this program at all."""
        return bool(self._maps) or any((*self._needs_map, *self._shared, *self._neighbours))

    def _is_shared(self, program: Program, name: Location) -> bool:
        """Whether a location is of a buffer in a program with several families of kernels (CC-1, CC-2)."""
        item = program.object_at(name)
        is_buffer = item.region is Region.GLOBAL and item.allocation is AllocationKind.BUFFER
        return is_buffer and len(set(self._families) - {None}) > 1

    def _around(self, name: Location) -> tuple[int, ...]:
        """The other elements of the object, where accesses of them matter."""
        objects = {part.object for parts in self._parts.values() for part in parts}
        if name.object not in objects and not self._shared[self._layout.numbers[name]]:
            return ()
        same = [other for other in self._layout.names if other.object == name.object and other != name]
        return tuple(self._layout.numbers[other] for other in same)

    def found(
        self, accesses: Sequence[frozenset[AccessRecord]], access: AccessRecord, location: int, before: int
    ) -> tuple[Misuse, ...]:
        """What an access makes wrong; `before` is what happens before it, `accesses` what was done at each location."""
        if self._layout.locations[location].region != GLOBAL:
            return ()
        found: list[Misuse] = []
        if self._maps or self._needs_map[location]:
            found += self._of_maps(accesses[location], access, location, before)
        if self._shared[location] or self._neighbours[location]:
            for other in (location, *self._neighbours[location]):
                found += self._of_sharing(accesses[other], other, access, location, before)
        return tuple(found)

    # --- maps ---------------------------------------------------------------------------------------------------------

    def _of_maps(
        self, accesses: frozenset[AccessRecord], access: AccessRecord, location: int, before: int
    ) -> Iterator[Misuse]:
        is_host = access.thread in self._hosts
        if is_host and self._needs_map[location] and not self._is_mapped(accesses, access, before):
            why = "the host accesses what is not mapped for that here"
            yield Misuse("unmapped-access", "MAP-4", why, ((access.thread, access.site),))
        for other in accesses if not is_host else ():
            if other.thread != access.thread and other.thread not in self._hosts and self._clash(other, access, before):
                why = "it is used while it is mapped: nothing puts the use before or after"
                yield Misuse("map-misuse", "MAP-3", why, _both(other, access))

    def _is_mapped(self, accesses: frozenset[AccessRecord], access: AccessRecord, before: int) -> bool:
        """MAP-4: whether a map for this happens before an access of the host, and its thread has not ended it."""
        for other in accesses:
            if other.thread not in self._maps or not other.writes or not other.event & before:
                continue
            unmaps = self._mappings.surely_end[self._maps[other.thread].number]
            own = [unmap for unmap in unmaps if self._callers[unmap] == self._indices[access.thread]]
            is_ended = any(before & self._bit(Fact(FactKind.CALLED, unmap)) for unmap in own)
            if not is_ended and (self._is_for_writing(other) or not access.writes):
                return True
        return False

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
        self, accesses: frozenset[AccessRecord], place: int, access: AccessRecord, location: int, before: int
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


def _families(program: Program, layout: MemoryLayout) -> list[object]:
    """For each thread the kernel instance that it comes from; None for what is no work-item."""
    places = [thread.placement for thread in program.threads]
    return [layout.family_of(place) if isinstance(place, WorkItem) else None for place in places]


def _both(one: AccessRecord, other: AccessRecord) -> tuple[tuple[int, int], ...]:
    return (one.thread, one.site), (other.thread, other.site)
