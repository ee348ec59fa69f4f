"""Written types to types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.record import record
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

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.types import Type
    from mcm.syntax.ast import TypeName


@record(frozen=True, slots=True)
class ObjectType:
    """The type of an object: what it holds, whether it was declared atomic, and its address space if one is named."""

    type: Type
    atomic: bool
    region: Region | None


def object_type(
    written: TypeName, stars: tuple[tuple[str, ...], ...], unnamed: Region, complaints: Complaints
) -> ObjectType:
    """The type that `written` with further `stars` gives to an object.

    `unnamed` is the address space that a pointer points into when none is named. In `global int** p` the pointers that
    `p` points at are global too: the one address space that is written holds for every level without its own.
    """
    scalar, atomic = _base(written, complaints)
    current = ObjectType(scalar, atomic, named_region(written, written.qualifiers, complaints))
    space = unnamed
    for qualifiers in (*written.pointers, *stars):
        space = current.region or space
        target = PointerType(current.type, space, current.atomic)
        current = ObjectType(
            target, atomic="_Atomic" in qualifiers, region=named_region(written, qualifiers, complaints)
        )
    return current


def named_region(written: TypeName, qualifiers: tuple[str, ...], complaints: Complaints) -> Region | None:
    """The address space among qualifiers, if any; a type has at most one (AS-4)."""
    if not qualifiers:
        return None
    named = list(dict.fromkeys(REGIONS[word] for word in qualifiers if word in REGIONS))
    if len(named) > 1:
        spaces = " and ".join(f"'{region.value}'" for region in named)
        complaints.error("E127", written.span, f"a type names one address space at most, found {spaces}")
    return named[0] if named else None


def _base(written: TypeName, complaints: Complaints) -> tuple[Scalar, bool]:
    name = scalar_name(written.qualifiers, written.base)
    if name in ATOMICS:
        return ATOMICS[name], True
    if name in SCALARS:
        return SCALARS[name], "_Atomic" in written.qualifiers
    shown = " ".join(type_words(written.qualifiers, written.base))
    if is_unsupported_type(shown):
        complaints.fail("E100", written.span, f"not yet supported: the type '{shown}'")
    hint = did_you_mean(name, (*SCALARS, *ATOMICS))
    return complaints.fail("E145", written.span, f"unknown type '{shown}'{hint}")


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
