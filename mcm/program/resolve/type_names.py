"""From written types to types."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NoReturn

from msgspec import Struct

from mcm.base.suggest import did_you_mean
from mcm.program.resolve.spelling import (
    ATOMICS,
    REGIONS,
    SCALARS,
    is_unsupported_type,
    scalar_name,
    type_words,
)
from mcm.program.types import PointerType, Region, Scalar
from mcm.syntax.limits import MAX_DEPTH

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.types import Type
    from mcm.syntax.ast import Parameter, TypeName


class ObjectType(Struct, frozen=True):
    """The type of an object: what it holds, whether it was declared atomic, and its address space if one is named."""

    type: Type
    atomic: bool
    region: Region | None


def object_type(
    written: TypeName,
    stars: tuple[tuple[str, ...], ...],
    unnamed: Region,
    complaints: Complaints,
    *,
    is_memory: bool = False,
) -> ObjectType:
    """The type that `written` with further `stars` gives to an object.

    `unnamed` is the address space that a pointer points into when none is named: in `global int** p` the `int` is
    global, and the pointers that `p` points at are anywhere. Where what is named `is_memory`, they are global too: the
    one address space that is written holds for every level without its own.
    """
    levels = (written.qualifiers, *written.pointers, *stars)
    if len(levels) > MAX_DEPTH:
        message = f"a pointer to a pointer is nested deeper than the limit of {MAX_DEPTH} levels"
        complaints.fail("E032", written.span, message)
    found = _object_type(levels, written.base, unnamed, is_memory)
    if found is None:
        _refuse(written, complaints)
    if _has_several_regions(levels):
        for qualifiers in levels:
            named_region(written, qualifiers, complaints)
    return found


@lru_cache(maxsize=1024)
def _has_several_regions(levels: tuple[tuple[str, ...], ...]) -> bool:
    """Whether the qualifiers of some level name more than one address space."""
    return any(len({REGIONS[word] for word in qualifiers if word in REGIONS}) > 1 for qualifiers in levels)


@lru_cache(maxsize=1024)
def _object_type(
    levels: tuple[tuple[str, ...], ...],
    base: str,
    unnamed: Region,
    is_memory: bool,  # noqa: FBT001 - of a cache
) -> ObjectType | None:
    """The type that the qualifiers of each level and the base word mean; None if there is no such type."""
    name = scalar_name(levels[0], base)
    scalar = ATOMICS.get(name) or SCALARS.get(name)
    if scalar is None:
        return None
    current = ObjectType(scalar, name in ATOMICS or "_Atomic" in levels[0], _first_region(levels[0]))
    space = unnamed
    for qualifiers in levels[1:]:
        space = current.region or (space if is_memory else unnamed)
        target = PointerType(current.type, space, current.atomic)
        current = ObjectType(target, "_Atomic" in qualifiers, _first_region(qualifiers))
    return current


def _first_region(qualifiers: tuple[str, ...]) -> Region | None:
    for word in qualifiers:
        if word in REGIONS:
            return REGIONS[word]
    return None


def is_local(written: TypeName) -> bool:
    """Whether an object of this type lives in local memory."""
    return names_local((written.pointers or (written.qualifiers,))[-1])


def space_of_memory(parameter: Parameter) -> Region | None:
    """The address space of the memory that a parameter is, or points to, as far as it is named."""
    levels = (parameter.type.qualifiers, *parameter.type.pointers)
    memory = levels if parameter.length is not None else levels[:-1]
    return next((space for level in reversed(memory) if (space := _first_region(level)) is not None), None)


def names_local(qualifiers: tuple[str, ...]) -> bool:
    """Whether local memory is named among qualifiers."""
    return Region.LOCAL in map(REGIONS.get, qualifiers)


def is_by_value(parameter: Parameter) -> bool:
    """Whether a parameter is a value, no pointer to a location."""
    return not parameter.type.pointers and parameter.length is None


def named_region(written: TypeName, qualifiers: tuple[str, ...], complaints: Complaints) -> Region | None:
    """The address space among qualifiers, if any; a type has at most one (AS-4)."""
    if len(qualifiers) < 2:
        return _first_region(qualifiers)
    named = list(dict.fromkeys(REGIONS[word] for word in qualifiers if word in REGIONS))
    if len(named) > 1:
        spaces = " and ".join(f"'{region.value}'" for region in named)
        complaints.error("E127", written.span, f"a type names one address space at most, found {spaces}")
    return named[0] if named else None


def _refuse(written: TypeName, complaints: Complaints) -> NoReturn:
    shown = " ".join(type_words(written.qualifiers, written.base))
    # Imported here: it is for a message.
    from mcm.program.resolve.typed_walk import VECTOR  # noqa: PLC0415

    if VECTOR.fullmatch(shown):
        hint = "of a vector, name a component, as in 'v.x'"
        complaints.fail("E100", written.span, f"expected a number, found the vector type '{shown}'; {hint}")
    if is_unsupported_type(shown):
        complaints.fail("E100", written.span, f"not yet supported: the type '{shown}'")
    hint = did_you_mean(scalar_name(written.qualifiers, written.base), (*SCALARS, *ATOMICS))
    complaints.fail("E145", written.span, f"unknown type '{shown}'{hint}")


def show_type(type_: Type) -> str:
    """A type as it would be written.

    >>> show_type(PointerType(Scalar.INT, Region.GLOBAL, atomic=True))
    'global atomic_int*'
    """
    match type_:
        case Scalar():
            return type_.spelling
        case PointerType(target, region, atomic):
            space = "" if region is Region.NONE else f"{region.value} "
            inner = show_type(target)
            if isinstance(target, PointerType):
                return f"{inner} {space}*"
            return f"{space}{'atomic_' if atomic else ''}{inner}*"
