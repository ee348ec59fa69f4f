"""Checks that threads agree about the address space and the type of a location, and may share it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.diagnostic import Note
from mcm.program.resolve.type_names import show_type
from mcm.program.topology import WorkItem
from mcm.program.types import Location, PointerType, Region, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.base.dialect import Dialect
    from mcm.program.program import MemoryObject
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.declarations import Draft, Use
    from mcm.program.resolve.type_names import ObjectType
    from mcm.program.types import Type


def check_agreement(draft: Draft, region: Region, dialect: Dialect, complaints: Complaints) -> None:
    """Report where the parameters for a location disagree, and threads that cannot share it."""
    _check_types(draft, complaints)
    if not dialect.has_address_spaces:
        return
    _check_regions(draft, region, complaints)
    _check_sharing(draft, region, complaints)


def _check_regions(draft: Draft, region: Region, complaints: Complaints) -> None:
    if {use.type.region for use in draft.uses} <= {region}:
        return
    is_declared = draft.region_entry is not None or (draft.declared_type is not None and draft.declared_type.region)
    named = [use for use in draft.uses if use.type.region is not Region.GENERIC]
    if draft.uses and not named and not is_declared:
        message = f"nothing says in which address space '{draft.name}' is: global is taken"
        complaints.warning("W111", draft.uses[0].span, message)
    for use in named:
        if use.type.region is None:
            if not is_declared and not use.is_host and complaints.is_new("W100", draft.name):
                _warn_unnamed(draft, use, complaints)
        elif use.type.region is not region and complaints.is_new("W101", draft.name):
            _warn_region(draft, use, region, complaints)


def _warn_unnamed(draft: Draft, use: Use, complaints: Complaints) -> None:
    written = use.parameter.span.text
    message = (
        f"parameter '{draft.name}' names no address space, so no happens-before orders its accesses; "
        f"did you mean 'global {written}'?"
    )
    complaints.warning("W100", use.span, message)


def _warn_region(draft: Draft, use: Use, region: Region, complaints: Complaints) -> None:
    assert use.type.region is not None
    first = next((u for u in draft.uses if u is not use and (u.type.region or Region.NONE) is region), None)
    notes = (Note("declared here", first.span if first is not None else draft.span),)
    taken = "no address space" if region is Region.NONE else f"'{region.value}'"
    message = f"'{draft.name}' is '{use.type.region.value}' here, but {taken} elsewhere; {taken} is taken"
    complaints.warning("W101", use.span, message, *notes)


def _check_sharing(draft: Draft, region: Region, complaints: Complaints) -> None:
    if region is Region.LOCAL:
        host = next((use for use in draft.uses if use.is_host), None)
        if host is not None:
            complaints.error("E134", host.span, f"the host cannot access local memory '{draft.name}'")
        message = f"local memory '{draft.name}' is used by different work-groups; local memory belongs to one group"
        _warn_shared(draft, "W103", message, complaints)
    if draft.declaration is not None and draft.declaration.allocation == "program_scope":
        message = f"program-scope '{draft.name}' is used on two devices; each device has its own copy"
        _warn_shared(draft, "W104", message, complaints)


def _warn_shared(draft: Draft, code: str, message: str, complaints: Complaints) -> None:
    first: tuple[Use, WorkItem] | None = None
    for use in draft.uses:
        if not isinstance(use.placement, WorkItem):
            continue
        if first is None:
            first = use, use.placement
            continue
        same_device = use.placement.device == first[1].device
        same_group = use.placement.work_group == first[1].work_group
        if not (same_group if code == "W103" else same_device):
            note = Note(f"P{first[0].thread} uses it here; it is still taken as one location", first[0].span)
            complaints.warning(code, use.span, message, note)
            return


def _check_types(draft: Draft, complaints: Complaints) -> None:
    if not draft.uses:
        return
    first = draft.uses[0]
    if draft.declared_type is not None and not _is_seen(draft.declared_type.type, first.type.type):
        found, declared = _show(first.type), _show(draft.declared_type)
        message = f"'{draft.name}' is '{found}' here, but '{declared}' in the initial state"
        _disagree(draft, first, message, Note("declared here", draft.span), complaints)
    for use in draft.uses[1:]:
        if _unnamed(use.type.type) == _unnamed(first.type.type) and use.type.atomic == first.type.atomic:
            continue
        found, taken = _show(use.type), _show(first.type)
        message = f"'{draft.name}' is '{found}' here, but '{taken}' in P{first.thread}"
        note = Note("declared here", first.span)
        stated = None if draft.declared_type is None else draft.declared_type.type
        if stated is not None and any(seen_as_bytes(stated, one.type.type) for one in (first, use)):
            is_right = _is_seen(stated, use.type.type)
        else:
            is_right = _is_same_size(use.type.type, first.type.type)
        if not is_right:
            _disagree(draft, use, message, note, complaints)
        elif found != taken and complaints.is_new("W102", draft.name):
            complaints.warning("W102", use.span, message, note)


def _unnamed(type_: Type) -> Type:
    """A type in which pointers to anywhere are those to what is in no named address space: programs have both."""
    if not isinstance(type_, PointerType):
        return type_
    region = Region.NONE if type_.region is Region.GENERIC else type_.region
    return PointerType(_unnamed(type_.target), region, type_.atomic)


def _disagree(draft: Draft, use: Use, message: str, note: Note, complaints: Complaints) -> None:
    """Report a type that is not that of the object: what follows from it needs no complaint of its own."""
    complaints.error("E129", use.span, message, note)
    complaints.is_new("E129", draft.name)


def check_addresses(drafts: Iterable[Draft], objects: Sequence[MemoryObject], complaints: Complaints) -> None:
    """Report where memory holds the address of what is declared as numbers of another type than its own type says."""
    typed = [draft.declared_type is not None or bool(draft.uses) for draft in drafts]
    for one in objects:
        if not isinstance(one.type, PointerType) or not isinstance(one.type.target, Scalar):
            continue
        for value in one.initial:
            held = objects[value.object] if isinstance(value, Location) and typed[value.object] else None
            if held is not None and isinstance(held.type, Scalar) and held.type is not one.type.target:
                message = f"'{one.name}' is '{show_type(one.type)}' and holds the address of '{held.name}', which is "
                complaints.error("E129", one.span, f"{message}'{show_type(held.type)}'")
                break


def _show(declared: ObjectType) -> str:
    shown = show_type(declared.type)
    return f"atomic_{shown}" if declared.atomic and isinstance(declared.type, Scalar) else shown


def seen_as_bytes(stated: Type, one: Type) -> bool:
    """Whether a thread that declares the second type sees the bytes of an object that was stated as the first one."""
    return isinstance(stated, Scalar) and stated.bits > Scalar.CHAR.bits and one in {Scalar.CHAR, Scalar.UCHAR}


def _is_seen(stated: Type, one: Type) -> bool:
    """Whether a thread may see an object that was stated as the first type as the other one."""
    return _is_same_size(stated, one) or seen_as_bytes(stated, one)


def _is_same_size(one: Type, other: Type) -> bool:
    """Whether two threads may see one object as these types: integers of one size, or pointers to the same."""
    match one, other:
        case (PointerType(Scalar() as first), PointerType(Scalar() as second)):
            return first is second
        case (PointerType(), PointerType()):
            return _is_same_size(one.target, other.target)
        case (Scalar(), Scalar()):
            return one is other or (one.bits == other.bits and not (one.is_floating or other.is_floating))
        case _:
            return False
