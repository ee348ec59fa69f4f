"""Private variables of which parts are accessed through pointers: each is an array of its units (ADR 105)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program import instruction as hir
from mcm.program.program import Register
from mcm.program.resolve.unit_values import taken_apart
from mcm.program.resolve.wide_accesses import units_name
from mcm.program.types import Scalar
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcm.base.source import Span
    from mcm.program.resolve.wide_accesses import Wide


class PrivateUnits:
    """The private variables of a body that have units, by their names; `part` is what becomes of a part of the body."""

    def __init__(self, units: Mapping[str, Scalar], wide: Wide, part: Callable[[hir.Written], hir.Written]) -> None:
        self.units: Final = units
        self._wide: Final = wide
        self._part: Final = part
        self.registers: Final[list[Register]] = []
        self._declared: Final[set[str]] = set()

    def has(self, place: hir.Place) -> bool:
        """Whether a place is in a private variable that has units."""
        return bool(self.units) and not isinstance(place, hir.MemoryPlace) and _name_of(place) in self.units

    def places(self, place: hir.Place, before: list[hir.Expression]) -> list[hir.Place]:
        """The units of a place, of which the index is evaluated once."""
        assert not isinstance(place, hir.MemoryPlace)
        index = self._part(place.index) if isinstance(place, hir.ElementPlace) else None
        assert index is None or isinstance(index, hir.Expression)
        found = self._wide.in_private(place, index, before)
        self._note(_name_of(place), found[0])
        return found

    def address(self, node: hir.AddressOfRegister) -> hir.Expression:
        """The address of a variable: that of its first unit."""
        before: list[hir.Expression] = []
        first, *_ = self.places(node.place, before)
        assert isinstance(first, hir.ElementPlace)
        return self._wide.behind(before, replace(node, place=first))

    def declaration(self, node: hir.Declare) -> hir.Statement:
        """A variable, as the array that it is, with its initial values."""
        unit, type_ = self.units[node.register], node.type
        assert isinstance(type_, Scalar)
        before: list[hir.Expression] = []
        values: list[hir.Expression] = []
        for value in node.initializer or ():
            changed = self._part(value)
            assert isinstance(changed, hir.Expression)
            values += taken_apart(self._wide.held(changed, before), unit, value.span)
        length = (node.length or 1) * (type_.bits // unit.bits)
        name, initial = units_name(node.register), None if node.initializer is None else tuple(values)
        self._note(
            node.register,
            hir.ElementPlace(name, length, hir.Literal(0, Scalar.LONG, span=node.span), unit, span=node.span),
        )
        declared = hir.Declare(name, unit, length, initial, span=node.span)
        if not before:
            return declared
        first = [hir.Evaluate(one, span=one.span) for one in before]
        return hir.Block((*first, declared), span=node.span)

    def given_first(self, registers: Sequence[Register], span: Span) -> tuple[hir.Statement, ...]:
        """What gives units to the variables that have values from the start: parameters, and registers of that kind."""
        found: list[hir.Statement] = []
        for one in registers:
            if one.name in self.units and one.initial is not None:
                place = hir.RegisterPlace(one.name, one.type, span=span)
                read = hir.Read(place, one.type, span=span)
                unit = self.units[one.name]
                self.places(place, [])
                values = tuple(taken_apart(read, unit, span))
                found.append(hir.Declare(units_name(one.name), unit, len(values), values, span=span))
        return tuple(found)

    def _note(self, name: str, first: hir.Place) -> None:
        """Have the registers of a variable among those of the body."""
        if name not in self._declared:
            assert isinstance(first, hir.ElementPlace)
            self._declared.add(name)
            names = (f"{first.array}[{number}]" for number in range(first.length))
            self.registers.extend(Register(one, first.type, is_hidden=True) for one in names)


def _name_of(place: hir.RegisterPlace | hir.ElementPlace) -> str:
    return place.register if isinstance(place, hir.RegisterPlace) else place.array


def lengths_of(block: hir.Block) -> dict[str, int | None]:
    """How many elements the private variables have that a body mentions; None for one that is no array."""
    found: dict[str, int | None] = {}
    for node in walk(block):
        match node:
            case hir.Declare(name, _, length):
                found[name] = length
            case hir.RegisterPlace(name):
                found.setdefault(name, None)
            case hir.ElementPlace(name, length):
                found[name] = length
            case _:
                pass
    return found


def with_units(registers: Sequence[Register], units: Mapping[str, Scalar]) -> tuple[Register, ...]:
    """The registers of a body, where those of variables with units say which registers hold these."""
    return tuple(_with_units(one, units) for one in registers) if units else tuple(registers)


def _with_units(one: Register, units: Mapping[str, Scalar]) -> Register:
    base, _, index = one.name.partition("[")
    unit = units.get(base)
    if unit is None or not isinstance(one.type, Scalar):
        return one
    each = one.type.bits // unit.bits
    first = int(index.rstrip("]") or 0) * each
    return replace(one, units=tuple(f"{units_name(base)}[{first + number}]" for number in range(each)))
