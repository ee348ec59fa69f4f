"""The locations of a program and which scopes include each other: what operational models of memory depend on."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.machine.code import Load, Store
from mcm.machine.groups import performers
from mcm.program.command import CommandKind
from mcm.program.topology import WorkItem
from mcm.program.types import AllocationKind, Flag, Location, Region, Scope

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mcm.machine.code import Access
    from mcm.program.program import MemoryObject, Program
    from mcm.program.topology import KernelInstance, Placement
    from mcm.program.types import Value

GLOBAL: Final = 0
LOCAL: Final = 1
BOTH: Final = 0b11
# Beside the regions of a barrier's entry: it has the flag of images.
IMAGES: Final = 0b100


class ScopeReach(Enum):
    """How far scopes reach on a location (SCOPE-7, SCOPE-8)."""

    EVERYWHERE = "C11 has no scopes"
    LOCAL = "local memory"
    BUFFER = "a buffer without SVM"
    SVM = "SVM without atomics"
    SVM_ATOMICS = "SVM with atomics"
    UNNAMED = "memory in no named region"


class LocationInfo(Struct, frozen=True):
    """A location: what it begins with, and whether that is no value but one of any; `region` is GLOBAL, LOCAL or None.

    `is_fine_grain`: it is in fine-grain SVM, which the host and all devices share byte by byte.
    `is_image`: it belongs to an image (IMG-1), `is_pipe`: to a pipe.
    """

    begins_with: Value
    is_indeterminate: bool
    region: int | None
    reach: ScopeReach
    atomic: bool
    is_fine_grain: bool = False
    is_image: bool = False
    is_pipe: bool = False


class MemoryLayout:
    """The locations of a program by number, and the inclusion of scopes.

    Where all memory is ordered by one happens-before (C11, SYCL), it is one region, which every fence concerns. C11 has
    no scopes either.
    """

    def __init__(self, program: Program) -> None:
        self._dialect = program.dialect
        self.names: tuple[Location, ...] = tuple(
            Location(i, k) for i, o in enumerate(program.objects) for k in range(len(o.initial))
        )
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.locations = tuple(self._place(program.object_at(name), name.offset) for name in self.names)
        performing = performers(program)
        copying = tuple(program.threads[thread].placement for thread in performing)
        self.placements = (*(thread.placement for thread in program.threads), *copying)
        # For each thread that performs copies, the one that their accesses are those of.
        self.copiers = {thread: len(program.threads) + number for number, thread in enumerate(performing)}
        self.performers = {copier: thread for thread, copier in self.copiers.items()}
        self._parents = _parents(program)
        maps = {unit for command in program.commands if command.kind is CommandKind.MAP for unit in command.units}
        self._maps = frozenset(place for place, thread in enumerate(program.threads) if thread.index in maps)
        # The number of each group, family of kernels or device that some scope covers.
        self._groups: dict[Hashable, int] = {}
        self.covered = lru_cache(maxsize=None)(self._covered)

    def _place(self, item: MemoryObject, offset: int) -> LocationInfo:
        begins = item.begins_with(offset), item.initial[offset] is None
        if not self._dialect.has_scopes:
            return LocationInfo(*begins, GLOBAL, ScopeReach.EVERYWHERE, item.atomic)
        region = {Region.GLOBAL: GLOBAL, Region.LOCAL: LOCAL}.get(item.region)
        region = GLOBAL if self._dialect.one_happens_before else region
        return LocationInfo(
            *begins,
            region,
            _reach(item),
            item.atomic,
            item.allocation in _FINE_GRAIN,
            item.allocation is AllocationKind.IMAGE,
            item.allocation is AllocationKind.PIPE,
        )

    def actor(self, thread: int, node: Access) -> int:
        """The thread that an access is one of: that of the copies that a thread performs is another one."""
        return self.copiers[thread] if isinstance(node, Load | Store) and node.is_copy else thread

    @property
    def has_maps(self) -> bool:
        """Whether some accesses are those of maps."""
        return bool(self._maps)

    def is_spared(self, one: int, other: int, *, one_writes: bool, other_writes: bool) -> bool:
        """Whether accesses of one location do not conflict because one is that of a map (MAP-2).

        A map conflicts with whoever else writes: not with readers, and not with other maps.
        """
        if one not in self._maps and other not in self._maps:
            return False
        return (one in self._maps or not one_writes) and (other in self._maps or not other_writes)

    def regions(self, flags: frozenset[Flag]) -> int:
        """The mask of the regions that a fence with these flags orders."""
        if self._dialect.one_happens_before:
            return BOTH
        return (Flag.GLOBAL in flags) << GLOBAL | (Flag.LOCAL in flags) << LOCAL

    def includes(self, one: int, one_scope: Scope, other: int, other_scope: Scope, reach: ScopeReach) -> bool:
        """Whether operations of two threads have inclusive scopes: equal after clipping, and both threads inside."""
        covered = self.covered(one, one_scope, reach)
        return covered != 0 and covered == self.covered(other, other_scope, reach)

    def _covered(self, thread: int, scope: Scope, reach: ScopeReach) -> int:
        """The number of what the scope of an operation covers, after clipping; 0 where that is one thread alone."""
        group = self._group(self.placements[thread], _effective(scope, reach), reach)
        return 0 if group is None else self._groups.setdefault(group, len(self._groups) + 1)

    def _group(self, place: Placement, scope: Scope, reach: ScopeReach) -> Hashable | None:
        """The group, family of kernels or device around a place that the scope covers; None for the place alone."""
        if reach is ScopeReach.EVERYWHERE:
            return reach
        if reach is ScopeReach.SVM_ATOMICS and scope is Scope.ALL_SVM_DEVICES:
            return scope
        if scope is Scope.WORK_ITEM or not isinstance(place, WorkItem):
            return None
        if scope >= Scope.DEVICE:
            shares = reach in {ScopeReach.SVM, ScopeReach.SVM_ATOMICS}
            return scope, place.device, None if shares else self.family_of(place)
        return scope, place.work_group if scope >= Scope.WORK_GROUP else place.sub_group

    def family_of(self, item: WorkItem) -> KernelInstance:
        """The kernel instance that a work-item's comes from, through those that enqueued it (SCOPE-3, CC-2)."""
        instance = item.kernel_instance
        while instance in self._parents:
            instance = self._parents[instance]
        return instance


# Allocations that are shared byte by byte.
_FINE_GRAIN: Final = frozenset(
    {
        AllocationKind.FINE_SVM,
        AllocationKind.FINE_SVM_ATOMICS,
        AllocationKind.SYSTEM_SVM,
        AllocationKind.SYSTEM_SVM_ATOMICS,
    }
)


def _parents(program: Program) -> dict[KernelInstance, KernelInstance]:
    """For each kernel instance that a work-item enqueues, that of the work-item."""
    found: dict[KernelInstance, KernelInstance] = {}
    placements = {thread.index: thread.placement for thread in program.threads}
    for command in program.commands:
        caller = None if command.caller is None else placements[command.caller]
        for place in (placements[unit] for unit in command.units):
            if isinstance(caller, WorkItem) and isinstance(place, WorkItem):
                found[place.kernel_instance] = caller.kernel_instance
    return found


def _effective(scope: Scope, reach: ScopeReach) -> Scope:
    """The scope, clipped to the widest that can reach the location."""
    match reach:
        case ScopeReach.LOCAL:
            return min(scope, Scope.WORK_GROUP)
        case ScopeReach.BUFFER | ScopeReach.SVM:
            return min(scope, Scope.DEVICE)
        case _:
            return scope


def _reach(item: MemoryObject) -> ScopeReach:
    if item.region is Region.LOCAL:
        return ScopeReach.LOCAL
    if item.region is not Region.GLOBAL:
        return ScopeReach.UNNAMED
    if item.allocation in {AllocationKind.BUFFER, AllocationKind.IMAGE, AllocationKind.PIPE}:
        return ScopeReach.BUFFER
    if item.allocation in {AllocationKind.FINE_SVM_ATOMICS, AllocationKind.SYSTEM_SVM_ATOMICS}:
        return ScopeReach.SVM_ATOMICS
    return ScopeReach.SVM
