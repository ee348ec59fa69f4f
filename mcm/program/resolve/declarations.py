"""Gathering memory objects: everything that the initial state, parameters and conditions name."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from mcm.base.diagnostic import Note
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.spelling import REGIONS
from mcm.program.resolve.type_names import ObjectType, is_by_value, named_region, object_type, space_of_memory
from mcm.program.topology import HostThread, Placement, WorkGroup, WorkItem
from mcm.program.types import PointerType, Region
from mcm.syntax import ast, question
from mcm.syntax.terms import terms_of_question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.dialect import Dialect
    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.parts import InitialState
    from mcm.program.resolve.placement import PlacedThread
    from mcm.program.resolve.sub_buffers import SubBuffer
    from mcm.syntax.places import RegionEntry


class Use(Struct, frozen=True):
    """A parameter that names an object, or (`is_part`) a sub-buffer; `type` is its type as this thread declares it."""

    thread: int
    placement: Placement
    parameter: ast.Parameter
    type: ObjectType
    is_part: bool = False

    @property
    def span(self) -> Span:
        """The whole parameter."""
        return self.parameter.span

    @property
    def is_host(self) -> bool:
        """Whether a host thread names the object."""
        return type(self.placement) is HostThread


class Draft(Struct):
    """What is known of a memory object so far; `group` is the work-group whose copy of a local parameter it is."""

    name: str
    span: Span
    declaration: ast.InitialValue | None = None
    declared_type: ObjectType | None = None
    region_entry: Region | None = None
    uses: list[Use] = field(default_factory=list)
    group: WorkGroup | None = None

    @property
    def key(self) -> Key:
        """The key of the object."""
        return self.name, self.group


# Of a location that a thread names in a wrong way: it has been told, and the location is used.
MISUSED: Final = "misused"

# The name of a location, and the work-group whose copy of it is meant; None where there is one for all.
Key = tuple[str, WorkGroup | None]


def gather(
    tree: ast.Litmus, initial: InitialState, threads: tuple[PlacedThread, ...], complaints: Complaints
) -> dict[Key, Draft]:
    """All objects: those of the initial state first, then parameters, then names that only conditions use.

    Where a local parameter of a kernel has a copy for each work-group, only the copies are objects.
    """
    drafts: dict[Key, Draft] = {}
    dialect = tree.dialect
    by_value = {parameter.name.text for thread in threads for parameter in values_of(thread)}
    for item in initial.locations:
        if item.name.text not in by_value:
            _declare(item, dialect, drafts, complaints)
    for thread in threads:
        values = values_of(thread)
        for parameter in thread.unit.parameters:
            if parameter not in values:
                part = initial.sub_buffers.get(parameter.name.text)
                draft = _named(parameter, thread, drafts) if part is None else _parent(part, drafts)
                _use(thread, parameter, dialect, draft, complaints)
        for variable in thread.locals:
            _declare_local(thread, variable, drafts, complaints)
    for name in (*initial.addressed, *_mentioned(tree)):
        if name.text in initial.sub_buffers:
            continue
        drafts.setdefault((name.text, None), Draft(name.text, name.span))
    for entry in tree.regions:
        _enter_region(entry, drafts, complaints)
    copied = {draft.name for draft in drafts.values() if draft.group is not None}
    if not copied:
        return drafts
    copied -= {name.text for name in initial.addressed}
    return {key: draft for key, draft in drafts.items() if draft.group or draft.name not in copied or draft.uses}


def values_of(thread: PlacedThread) -> tuple[ast.Parameter, ...]:
    """The parameters of a kernel that are values: what the initial state gives them is no location."""
    if not thread.is_launched:
        return ()
    return tuple(
        parameter
        for parameter in thread.unit.parameters
        if is_by_value(parameter)
        and all(REGIONS.get(word, Region.PRIVATE) is Region.PRIVATE for word in parameter.type.qualifiers)
    )


def _parent(part: SubBuffer, drafts: dict[Key, Draft]) -> Draft:
    """The buffer that a sub-buffer is a part of."""
    return drafts.setdefault((part.parent, None), Draft(part.parent, part.span))


def _declare_local(
    thread: PlacedThread, variable: ast.Parameter, drafts: dict[Key, Draft], complaints: Complaints
) -> None:
    """A variable of a kernel in local memory: each work-group has one."""
    draft = _named(variable, thread, drafts)
    with suppress(UnresolvedError):
        declared = object_type(variable.type, (), Region.GENERIC, complaints)
        local = ObjectType(declared.type, declared.atomic, Region.LOCAL)
        draft.uses.append(Use(thread.number, thread.placement, variable, local))


def _named(parameter: ast.Parameter, thread: PlacedThread, drafts: dict[Key, Draft]) -> Draft:
    """The object that a parameter names: one for all, or that of the work-group for local memory of a kernel."""
    name, place = parameter.name.text, thread.placement
    base = drafts.get((name, None)) or Draft(name, parameter.name.span)
    if not (
        thread.is_launched
        and isinstance(place, WorkItem)
        and (space_of_memory(parameter) is Region.LOCAL or parameter in thread.locals)
    ):
        return drafts.setdefault(base.key, base)
    copy = Draft(name, base.span, base.declaration, base.declared_type, base.region_entry, group=place.work_group)
    return drafts.setdefault(copy.key, copy)


def _declare(item: ast.InitialValue, dialect: Dialect, drafts: dict[Key, Draft], complaints: Complaints) -> None:
    earlier = drafts.get((item.name.text, None))
    if earlier is not None:
        note = Note("first declared here", earlier.span)
        complaints.error("E130", item.name.span, f"location '{item.name.text}' is declared twice", note)
        return
    draft = Draft(item.name.text, item.name.span, item)
    drafts[draft.key] = draft
    if item.type is not None and not item.type.base:
        draft.region_entry = named_region(item.type, item.type.qualifiers, complaints)
    elif item.type is not None:
        unnamed = Region.GLOBAL if dialect.has_address_spaces else Region.NONE
        try:
            draft.declared_type = object_type(item.type, ((),) * item.pointers, unnamed, complaints, is_memory=True)
        except UnresolvedError:
            return


def _use(
    thread: PlacedThread, parameter: ast.Parameter, dialect: Dialect, draft: Draft, complaints: Complaints
) -> None:
    try:
        type_ = _pointee(parameter, dialect, complaints)
    except UnresolvedError:
        complaints.is_new(MISUSED, draft.name)
        return
    is_part = parameter.name.text != draft.name
    draft.uses.append(Use(thread.number, thread.placement, parameter, type_, is_part))


def _pointee(parameter: ast.Parameter, dialect: Dialect, complaints: Complaints) -> ObjectType:
    declared = object_type(parameter.type, (), Region.NONE, complaints, is_memory=True)
    if parameter.length is None:
        target = declared.type
        if not isinstance(target, PointerType):
            name = parameter.name.text
            message = f"parameter '{name}' must be a pointer to location '{name}', found '{parameter.type.span.text}'"
            complaints.fail("E128", parameter.span, f"{message}; did you mean '{parameter.type.span.text}* {name}'?")
        declared = ObjectType(target.target, target.atomic, None if target.region is Region.NONE else target.region)
    _check_space(parameter, declared.region, dialect, complaints)
    return declared if dialect.has_address_spaces else ObjectType(declared.type, declared.atomic, None)


def _check_space(parameter: ast.Parameter, region: Region | None, dialect: Dialect, complaints: Complaints) -> None:
    if region is None:
        return
    if not dialect.has_address_spaces:
        complaints.error("E127", parameter.span, f"{dialect.standard} has no address spaces, found '{region.value}'")
    elif region is Region.PRIVATE:
        message = f"parameter '{parameter.name.text}' cannot point into private memory: no location lives there"
        complaints.fail("E127", parameter.span, message)


def _enter_region(entry: RegionEntry, drafts: dict[Key, Draft], complaints: Complaints) -> None:
    region = REGIONS.get(entry.region)
    if region is None or region in {Region.PRIVATE, Region.GENERIC}:
        message = f"expected 'global', 'local' or 'constant' for '{entry.name.text}', found '{entry.region}'"
        complaints.error("E133", entry.span, message)
    elif (entry.name.text, None) not in drafts:
        complaints.warning("W116", entry.span, f"no thread uses location '{entry.name.text}'")
    else:
        drafts[entry.name.text, None].region_entry = region


# --- names that stand outside threads ---------------------------------------------------------------------------------


def _mentioned(tree: ast.Litmus) -> Iterator[ast.Name]:
    """Locations named by `locations`, `filter` and the condition."""
    for term in terms_of_question(tree):
        if isinstance(term, (question.LocationReference, question.AddressTerm)):
            yield term.name
