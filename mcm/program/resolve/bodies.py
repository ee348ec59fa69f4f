"""Bodies of threads, each resolved for its thread, or for another work-item of the launch."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.alike import SharedBody, shared_body
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.statements import body
from mcm.program.topology import WorkItem
from mcm.program.types import Location, PointerType
from mcm.syntax.depth import levels

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from mcm.program.instruction import Block
    from mcm.program.program import MemoryObject, Register
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.resolve.placement import PlacedThread


class ThreadBody(Struct, frozen=True):
    """The body of a thread, and the registers of it.

    `is_example`: it is the first of the bodies that differ from it in nothing but numbers.
    """

    block: Block
    registers: tuple[Register, ...]
    has_copies: bool
    is_example: bool


class _Shared(Struct, frozen=True):
    """A body that serves several work-items, its registers, and whether it performs copies."""

    body: SharedBody
    parameters: tuple[Register, ...]
    declared: tuple[Register, ...]
    has_copies: bool


class Bodies:
    """The bodies of a program's threads; work-items of a launch share one where nothing but ids tells theirs apart."""

    def __init__(self, threads: Sequence[PlacedThread]) -> None:
        # How many work-items each launch has.
        self._numbers: Final[dict[Hashable, int]] = {}
        for launch in (_launch(thread) for thread in threads if thread.is_launched):
            self._numbers[launch] = self._numbers.get(launch, 0) + 1
        # What work-items of a launch share; None where others may differ in more than their ids.
        self._launches: Final[dict[Hashable, list[_Shared] | None]] = {}
        self._looked_at: Final[set[Hashable]] = set()

    def of(self, thread: PlacedThread, context: ThreadContext) -> ThreadBody:
        """The body of a thread, of which the parameters have been declared."""
        item, names = context.placement, context.names
        if not (thread.is_launched and isinstance(item, WorkItem)) or names.has_initial_values:
            return _alone(thread, context)
        if self._numbers[_launch(thread)] == 1:
            return _alone(thread, context)
        kinds = tuple((parameter.name, parameter.type) for parameter in names.parameters)
        launch = _launch(thread), kinds
        known = self._launches.setdefault(launch, [])
        if known is None:
            return _alone(thread, context)
        for shared in known:
            if shared.body.serves(item):
                return self._served(shared, item, context)
        found = _alone(thread, context)
        local_addresses = [address for address, _, _ in context.locals.values()]
        own = None if context.complaints.has_errors else shared_body(found.block, item, context.asked, local_addresses)
        if own is None:
            self._launches[launch] = None
            return found
        for shared in known:
            if shared.body.is_joined_by(found.block, item):
                return self._served(shared, item, context)
        count = len(names.parameters)
        known.append(_Shared(own, found.registers[:count], found.registers[count:], found.has_copies))
        return self._served(known[-1], item, context)

    def _served(self, shared: _Shared, item: WorkItem, context: ThreadContext) -> ThreadBody:
        parameters = context.names.parameters
        local_addresses = [address for address, _, _ in context.locals.values()]
        what = id(shared), tuple(local_addresses), tuple(parameter.initial for parameter in parameters)
        is_example = what not in self._looked_at
        self._looked_at.add(what)
        block = shared.body.of(item, local_addresses)
        if any(one.units for one in shared.parameters):
            pairs = zip(parameters, shared.parameters, strict=True)
            parameters = tuple(replace(one, units=known.units) for one, known in pairs)
        return ThreadBody(block, (*parameters, *shared.declared), shared.has_copies, is_example)


def _launch(thread: PlacedThread) -> Hashable:
    """What work-items of one launch have in common: their text, and the kernel instance."""
    item = thread.placement
    return id(thread.unit.body), item.kernel_instance if isinstance(item, WorkItem) else None


def _alone(thread: PlacedThread, context: ThreadContext) -> ThreadBody:
    """The body of a thread, resolved for it."""
    if context.functions:
        context.levels = levels(thread.unit.body)
    block = body(thread.unit.body, context)
    if context.pointed:
        # Imported here, as below: few programs have pointers to private variables.
        from mcm.program.resolve.lifetimes import with_ends  # noqa: PLC0415

        block = with_ends(block, context.pointed)
    registers, objects = context.names.registers(), context.memory.objects
    units = context.memory.units
    if context.has_views or units.known or any(_differs(one, objects) for one in registers):
        # Imported here: few programs see memory as what it is not.
        from mcm.program.resolve.views import as_declared  # noqa: PLC0415

        with suppress(UnresolvedError):
            viewed = as_declared(block, registers, objects, units, context.addresses, context.complaints)
            block, registers = viewed.block, viewed.registers
            context.asked.is_all &= not viewed.names_objects
    return ThreadBody(block, registers, context.has_copies, is_example=True)


def _differs(register: Register, objects: Sequence[MemoryObject]) -> bool:
    """Whether a pointer is there from the start, and what it points at has another type than its own says."""
    where, type_ = register.initial, register.type
    return where.__class__ is Location and isinstance(type_, PointerType) and objects[where.object].type != type_.target
