"""The memory objects of a program: one for each location, however many threads name it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.base.suggest import nearest
from mcm.program.program import MemoryObject
from mcm.program.resolve.agreement import check_addresses, check_agreement, seen_as_bytes
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.constants import constant
from mcm.program.resolve.declarations import MISUSED, gather
from mcm.program.resolve.initial_values import Reading, element_count, initial_values, location_value
from mcm.program.resolve.names import InitialRegister, type_of_initial
from mcm.program.resolve.parts import addressed, unsuffixed_type
from mcm.program.resolve.spelling import ALLOCATIONS
from mcm.program.resolve.sub_buffers import parts_of
from mcm.program.resolve.units import MemoryUnits
from mcm.program.types import AllocationKind, Location, Part, PointerType, Region, Scalar
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.declarations import Draft, Key
    from mcm.program.resolve.parts import InitialState, Units
    from mcm.program.resolve.placement import PlacedThread
    from mcm.program.types import Type


# The allocation kinds, where they are written, of memory that the host may access only while it is mapped (MAP-4).
NEEDS_MAP: Final = frozenset({AllocationKind.BUFFER.value, AllocationKind.COARSE_SVM.value})


class MemoryObjects(Struct, frozen=True):
    """All memory objects, and those that parameters point at, by thread and name.

    `numbers` are those of the objects by name and work-group, `parameters` are the types of parameters, `copies` the
    numbers of the work-group's copies that they point at, `unused` the names of objects that only a condition mentions,
    and `parts` the sub-buffers by name. `units` are those in which objects are held.
    """

    objects: tuple[MemoryObject, ...]
    numbers: Mapping[tuple[str, int | None], int]
    parameters: Mapping[tuple[int, str], PointerType]
    copies: Mapping[tuple[int, str], int]
    unused: frozenset[str]
    parts: Mapping[str, Part]
    units: MemoryUnits = field(default_factory=MemoryUnits)

    def find(self, name: str, group: int | None = None) -> int | None:
        """The number of the object with this name, or that a sub-buffer is part of, or of its copy in a work-group."""
        if name in self.parts:
            return self.parts[name].object
        return self.numbers.get((name, group))

    def bound_to(self, thread: int, parameter: str) -> int | None:
        """The number of the object that a parameter of a thread names."""
        copy = self.copies.get((thread, parameter))
        return self.find(parameter) if copy is None else copy

    def part(self, number: int, name: str) -> Part:
        """The elements of an object that a name means: all of them, or those of a sub-buffer."""
        item = self.objects[number]
        return self.parts.get(name) or Part(item.name, number, 0, len(item.initial))

    def first(self, name: str) -> int:
        """The number of the first element that a name means in its object."""
        part = self.parts.get(name)
        return 0 if part is None else part.first

    def pointer_to(self, index: int) -> PointerType:
        """The type of the address of an object."""
        target = self.objects[index]
        return PointerType(target.whole or target.type, target.region, target.atomic)

    def with_atomic(self, accessed: Collection[int]) -> tuple[MemoryObject, ...]:
        """The objects, where those with the numbers `accessed` are marked as atomic."""
        return tuple(
            replace(o, atomic=True) if i in accessed and not o.atomic else o for i, o in enumerate(self.objects)
        )


def resolve_memory(
    tree: ast.Litmus,
    units: Units,
    initial: InitialState,
    threads: tuple[PlacedThread, ...],
    complaints: Complaints,
) -> MemoryObjects:
    """The memory objects: each gathers all declarations and parameters that name it."""
    dialect = tree.dialect
    reading = Reading(complaints, unsuffixed_type(tree))
    drafts = gather(tree, initial, threads, complaints)
    _warn_misspelt(drafts.values(), complaints)
    unnamed = Region.GLOBAL if dialect.has_address_spaces else Region.NONE
    numbers = {key: index for index, key in enumerate(drafts)}
    shared = {name: index for (name, group), index in numbers.items() if group is None}
    lengths = {key: element_count(draft, complaints) for key, draft in drafts.items()}
    regions = {key: _region(draft, unnamed) for key, draft in drafts.items()}
    objects: list[MemoryObject] = []
    parameters: dict[tuple[int, str], PointerType] = {}
    copies: dict[tuple[int, str], int] = {}
    for key, draft in drafts.items():
        region, length, declared = regions[key], lengths[key], draft.declaration
        check_agreement(draft, region, dialect, complaints)
        type_ = _type(draft, drafts, regions)
        is_atomic = _is_atomic(draft)
        objects.append(
            MemoryObject(
                name=draft.name,
                type=type_,
                region=region,
                initial=initial_values(draft, type_, region, length, shared, reading),
                allocation=_allocation(draft, region, complaints),
                atomic=is_atomic,
                atomic_type=is_atomic,
                is_array=length is not None,
                span=draft.span,
                declared=declared is not None,
                is_guessed=declared is not None and declared.is_guessed,
                needs_map=dialect.has_maps and declared is not None and declared.allocation in NEEDS_MAP,
                group=None if draft.group is None else draft.group.number,
                shape=_shape(draft, complaints),
            )
        )
        for use in draft.uses:
            what = use.type
            space = what.region or draft.region_entry or _declared_region(draft) or Region.NONE
            parameters[use.thread, use.parameter.name.text] = PointerType(what.type, space, what.atomic)
            if draft.group is not None:
                copies[use.thread, draft.name] = numbers[key]
    named_alone = [draft.name for draft in drafts.values() if draft.declaration is None and not draft.uses]
    unused = frozenset(name for name in named_alone if not complaints.has_said(MISUSED, name))
    # Callbacks, and kernels that are not launched, may use any location; so might threads where there are none.
    if not threads or (unused and not {id(thread.unit.body) for thread in threads}.issuperset(map(id, units.bodies))):
        unused = frozenset()
    check_addresses(drafts.values(), objects, complaints)
    parts = parts_of(initial.sub_buffers, tuple(objects), complaints) if initial.sub_buffers else {}
    named = {(one.name, one.group): number for number, one in reversed([*enumerate(objects)])}
    return MemoryObjects(tuple(objects), named, parameters, copies, unused, parts)


def _warn_misspelt(drafts: Collection[Draft], complaints: Complaints) -> None:
    """Warn of a location of the initial state that no thread names where they name one like it that has no value."""
    undeclared = [draft.name for draft in drafts if draft.declaration is None and draft.uses]
    for draft in drafts:
        if not undeclared or draft.declaration is None or draft.uses:
            continue
        meant = nearest(draft.name, undeclared)
        if meant is not None:
            message = f"no thread uses location '{draft.name}', and '{meant}' has no initial value, so that it is 0"
            complaints.warning("W105", draft.span, f"{message}; did you mean '{meant}'?")


def _declared_region(draft: Draft) -> Region | None:
    return draft.declared_type.region if draft.declared_type is not None else None


def _region(draft: Draft, unnamed: Region) -> Region:
    """The address space of an object: as declared, else the first that a thread names.

    Generic pointers name none, and neither do pointers of the host without one.
    """
    declared = _declared_region(draft) or draft.region_entry
    if declared is not None:
        return declared
    for use in draft.uses:
        if use.type.region is Region.GENERIC or (use.is_host and use.type.region is None):
            continue
        return use.type.region or Region.NONE
    return unnamed


def _type(draft: Draft, drafts: Mapping[Key, Draft], regions: Mapping[Key, Region]) -> Type:
    """The type of an object: as its first thread declares it, else as the initial state says, else as its value.

    What a thread sees as bytes was stated as what these bytes are.
    """
    stated = None if draft.declared_type is None else draft.declared_type.type
    if draft.uses and not (stated is not None and seen_as_bytes(stated, draft.uses[0].type.type)):
        return draft.uses[0].type.type
    if draft.declared_type is not None:
        return draft.declared_type.type
    value = draft.declaration.value if draft.declaration is not None else None
    if isinstance(value, ast.InitializerList):
        value = value.items[0] if value.items else None
    for target in addressed(value):
        # Only one level: the pointee of a pointer that nothing declares does not matter.
        key = (target.text, None)
        uses = drafts[key].uses
        return PointerType(uses[0].type.type if uses else Scalar.INT, regions[key])
    if isinstance(value, ast.NumberLiteral) and "." in value.text:
        return Scalar.FLOAT
    return Scalar.INT


def _shape(draft: Draft, complaints: Complaints) -> tuple[int, ...]:
    """The lengths of an array of several dimensions behind the first, in which all that declare them agree."""
    found = () if draft.declaration is None else draft.declaration.shape
    for use in draft.uses:
        shape = use.parameter.shape
        if found and shape and shape != found:
            message = f"'{draft.name}' has rows of other lengths elsewhere"
            complaints.error("E132", use.parameter.span, message)
        found = found or shape
    return found


def _is_atomic(draft: Draft) -> bool:
    declared = draft.declared_type is not None and draft.declared_type.atomic
    return declared or any(use.type.atomic for use in draft.uses)


def _allocation(draft: Draft, region: Region, complaints: Complaints) -> AllocationKind:
    word = draft.declaration.allocation if draft.declaration is not None else None
    if word is None:
        return AllocationKind.BUFFER
    if region in {Region.LOCAL, Region.CONSTANT}:
        message = f"'{word}' allocates global memory, but '{draft.name}' is {region.value}"
        notes = (Note("declared here", draft.uses[0].span),) if draft.uses else ()
        complaints.error("E133", draft.span, message, *notes)
    return ALLOCATIONS[word]


# --- registers of the initial state -----------------------------------------------------------------------------------


def initial_registers(
    items: tuple[ast.InitialRegister, ...],
    memory: MemoryObjects,
    threads: tuple[PlacedThread, ...],
    complaints: Complaints,
) -> dict[int, dict[str, InitialRegister]]:
    """Registers given a value in the initial state, by thread."""
    found: dict[int, dict[str, InitialRegister]] = {thread.number: {} for thread in threads}
    for item in items:
        if item.thread not in found:
            complaints.error("E135", item.span, f"there is no thread P{item.thread}")
            continue
        registers = found[item.thread]
        if item.name.text in registers:
            note = Note("first here", registers[item.name.text].span)
            message = f"register {item.thread}:{item.name.text} gets two initial values"
            complaints.error("E130", item.span, message, note)
            continue
        try:
            registers[item.name.text] = _register(item, memory, complaints)
        except UnresolvedError:
            continue
    return found


def _register(item: ast.InitialRegister, memory: MemoryObjects, complaints: Complaints) -> InitialRegister:
    numbers = {o.name: index for index, o in enumerate(memory.objects)}
    lengths = {o.name: len(o.initial) for o in memory.objects}
    address = location_value(item.value, numbers, lengths, complaints)
    if isinstance(address, Location):
        return InitialRegister(address, memory.pointer_to(address.object), item.span)
    value = constant(item.value, complaints, "an initial value")
    return InitialRegister(value, type_of_initial(value), item.span)
