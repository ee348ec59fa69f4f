"""Gathering memory objects: everything that the initial state, parameters and conditions name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcm.base.diagnostic import Note
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.launches import has_copies
from mcm.program.resolve.literals import NAMED_CONSTANTS
from mcm.program.resolve.spelling import REGIONS
from mcm.program.resolve.type_names import ObjectType, named_region, object_type
from mcm.program.topology import HostThread, Placement, WorkItem
from mcm.program.types import PointerType, Region
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.base.dialect import Dialect
    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints


class Use(Struct, frozen=True):
    """A parameter that names an object; `type` is the object's type as this thread declares it."""

    thread: int
    placement: Placement
    parameter: ast.Parameter
    type: ObjectType

    @property
    def span(self) -> Span:
        """The whole parameter."""
        return self.parameter.span

    @property
    def is_host(self) -> bool:
        """Whether a host thread names the object."""
        return isinstance(self.placement, HostThread)


class Draft(Struct):
    """A memory object in the making; `group` is set for the copy of a local parameter that a work-group has."""

    name: str
    span: Span
    declaration: ast.InitialValue | None = None
    declared_type: ObjectType | None = None
    region_entry: Region | None = None
    uses: list[Use] = field(default_factory=list)
    group: int | None = None


def gather(
    tree: ast.Litmus,
    threads: tuple[ast.Thread, ...],
    placements: Mapping[int, Placement],
    copies: Mapping[int, str],
    complaints: Complaints,
) -> dict[str, Draft]:
    """All objects by name: those of the initial state first, then parameters, then names that only conditions use.

    The copies of a local parameter of a kernel go by names of their own, and take the place of what is copied.
    """
    drafts: dict[str, Draft] = {}
    for item in tree.initial:
        if isinstance(item, ast.InitialValue):
            _declare(item, tree.dialect, drafts, complaints)
    for thread in threads:
        for parameter in thread.parameters:
            draft = _named(parameter, thread.number, placements[thread.number], copies, drafts)
            _use(thread.number, placements[thread.number], parameter, tree.dialect, draft, complaints)
    for name in _mentioned(tree):
        drafts.setdefault(name.text, Draft(name.text, name.span))
    for entry in tree.regions:
        _enter_region(entry, drafts, complaints)
    pointed_at = {name.text for name in _addressed_initially(tree)}
    copied = {draft.name for draft in drafts.values() if draft.group is not None} - pointed_at
    return {key: draft for key, draft in drafts.items() if key not in copied or draft.uses}


def _named(
    parameter: ast.Parameter,
    thread: int,
    placement: Placement,
    copies: Mapping[int, str],
    drafts: dict[str, Draft],
) -> Draft:
    """The object that a parameter names: one for all, or that of the work-group."""
    name = parameter.name.text
    if thread not in copies or not has_copies(parameter):
        return drafts.setdefault(name, Draft(name, parameter.name.span))
    key = f"{name}@{copies[thread]}"
    if key not in drafts:
        assert isinstance(placement, WorkItem)
        base = drafts.get(name, Draft(name, parameter.name.span))
        drafts[key] = Draft(
            name, base.span, base.declaration, base.declared_type, base.region_entry, group=placement.work_group
        )
    return drafts[key]


def _declare(item: ast.InitialValue, dialect: Dialect, drafts: dict[str, Draft], complaints: Complaints) -> None:
    earlier = drafts.get(item.name.text)
    if earlier is not None:
        note = Note("first declared here", earlier.span)
        complaints.error("E130", item.name.span, f"location '{item.name.text}' is declared twice", note)
        return
    draft = drafts[item.name.text] = Draft(item.name.text, item.name.span, item)
    if item.type is not None and not item.type.base:
        draft.region_entry = named_region(item.type, item.type.qualifiers, complaints)
    elif item.type is not None:
        unnamed = Region.GLOBAL if dialect.has_address_spaces else Region.NONE
        try:
            draft.declared_type = object_type(item.type, ((),) * item.pointers, unnamed, complaints)
        except UnresolvedError:
            return


def _use(
    number: int,
    placement: Placement,
    parameter: ast.Parameter,
    dialect: Dialect,
    draft: Draft,
    complaints: Complaints,
) -> None:
    try:
        draft.uses.append(Use(number, placement, parameter, _pointee(parameter, dialect, complaints)))
    except UnresolvedError:
        return


def _pointee(parameter: ast.Parameter, dialect: Dialect, complaints: Complaints) -> ObjectType:
    declared = object_type(parameter.type, (), Region.NONE, complaints)
    if parameter.length is None:
        target = declared.type
        if not isinstance(target, PointerType):
            name = parameter.name.text
            message = f"parameter '{name}' must be a pointer to location '{name}', found '{parameter.type.span.text}'"
            complaints.fail("E128", parameter.span, f"{message}; did you mean '{parameter.type.span.text}* {name}'?")
        declared = ObjectType(target.target, target.atomic, None if target.region is Region.NONE else target.region)
    _check_space(parameter, declared.region, dialect, complaints)
    return declared


def _check_space(parameter: ast.Parameter, region: Region | None, dialect: Dialect, complaints: Complaints) -> None:
    if region is None:
        return
    if not dialect.has_address_spaces:
        complaints.fail("E127", parameter.span, f"{dialect.standard} has no address spaces, found '{region.value}'")
    if region is Region.PRIVATE:
        message = f"parameter '{parameter.name.text}' cannot point into private memory: no location lives there"
        complaints.fail("E127", parameter.span, message)


def _enter_region(entry: ast.RegionEntry, drafts: dict[str, Draft], complaints: Complaints) -> None:
    region = REGIONS.get(entry.region)
    if region is None or region in {Region.PRIVATE, Region.GENERIC}:
        message = f"expected 'global', 'local' or 'constant' for '{entry.name.text}', found '{entry.region}'"
        complaints.error("E133", entry.span, message)
    elif entry.name.text not in drafts:
        complaints.warning("W116", entry.span, f"no thread uses location '{entry.name.text}'")
    else:
        drafts[entry.name.text].region_entry = region


# --- names that stand outside threads ---------------------------------------------------------------------------------


def _mentioned(tree: ast.Litmus) -> Iterator[ast.Name]:
    """Locations named by initial values, `locations`, `filter` and the condition."""
    yield from _addressed_initially(tree)
    for observed in tree.locations:
        yield from _of_term(observed)
    if tree.filter is not None:
        yield from _of_proposition(tree.filter)
    if tree.condition is not None:
        yield from _of_proposition(tree.condition.proposition)


def _addressed_initially(tree: ast.Litmus) -> Iterator[ast.Name]:
    for item in tree.initial:
        if isinstance(item, ast.InitialValue):
            values = item.value.items if isinstance(item.value, ast.InitializerList) else (item.value,)
            for value in values:
                yield from addressed(value)
        elif isinstance(item, ast.InitialRegister):
            yield from addressed(item.value)


def addressed(value: ast.Expression | None) -> Iterator[ast.Name]:
    """The location whose address an initial value is, if it is one: `&x`, `&a[1]`, `x`."""
    match value:
        case ast.Prefix("&", ast.Name() as name) | ast.Prefix("&", ast.Index(ast.Name() as name, _)):
            yield name
        case ast.Name(text) as name if text not in NAMED_CONSTANTS:
            yield name
        case ast.Cast(_, operand):
            yield from addressed(operand)
        case _:
            return


def _of_proposition(proposition: ast.Proposition) -> Iterator[ast.Name]:
    match proposition:
        case ast.Comparison(_, left, right):
            yield from _of_term(left)
            yield from _of_term(right)
        case ast.Negation(body):
            yield from _of_proposition(body)
        case ast.Connective(_, one, other):
            yield from _of_proposition(one)
            yield from _of_proposition(other)
        case ast.Truth():
            return


def _of_term(term: ast.ConditionTerm) -> Iterator[ast.Name]:
    match term:
        case ast.LocationReference(name) | ast.AddressTerm(name):
            yield name
        case ast.RegisterReference() | ast.NumberTerm():
            return
