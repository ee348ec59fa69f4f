"""Questions about memory that is held in units: what is said of an element is said of its units (ADR 105)."""

from __future__ import annotations

from math import inf, isnan
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.condition import And, Comparison, Fixed, Not, Observed, Or, RegisterName, Truth
from mcm.program.float_arithmetic import bits_of
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.conditions import Question
from mcm.program.resolve.units import UNSIGNED, located, units_of_value
from mcm.program.types import Location, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.base.source import Span
    from mcm.program.condition import Observable, Operand, Proposition
    from mcm.program.program import MemoryObject, Thread
    from mcm.program.resolve.complaints import Complaints

_SWAPPED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
_TRUE: Final = Truth(value=True)
_FALSE: Final = Truth(value=False)


def question_in_units(question: Question, held: Held, where: Span, complaints: Complaints) -> Question:
    """The question about units; what has no such form is reported at the condition, or at the place `where`."""
    condition, filtered = question.condition, question.filter
    listed = [one for what in question.locations for one in held.units_of(what)]
    if condition is not None:
        about = _Units(held, condition.span, complaints)
        condition = replace(condition, proposition=about.proposition(condition.proposition))
    if filtered is not None:
        filtered = _Units(held, where, complaints).proposition(filtered)
    return Question(tuple(listed), filtered, condition)


class Held:
    """How memory and private variables are held: the objects, and the registers of threads that have units."""

    def __init__(self, objects: Sequence[MemoryObject], threads: Sequence[Thread]) -> None:
        self.objects: Final = objects
        self._registers: Final = {
            RegisterName(thread.index, one.name): one for thread in threads for one in thread.registers if one.units
        }

    def units_of(self, what: Observable) -> list[Observable]:
        """The units of an element, or a register, that was declared; what is held as it was declared is itself."""
        if isinstance(what, Location):
            each = self.objects[what.object].units
            return [Location(what.object, what.offset * each + number) for number in range(each)]
        one = self._registers.get(what)
        return [what] if one is None else [RegisterName(what.thread, unit) for unit in one.units]

    def whole(self, what: Observable) -> Scalar | None:
        """The type that something was declared with that is held in units; None of what is not."""
        if isinstance(what, Location):
            return self.objects[what.object].whole
        one = self._registers.get(what)
        return one.type if one is not None and isinstance(one.type, Scalar) else None


class _Units:
    """Says of units what a proposition says of elements."""

    def __init__(self, held: Held, span: Span, complaints: Complaints) -> None:
        self._held: Final = held
        self._objects: Final = held.objects
        self._span: Final = span
        self._complaints: Final = complaints

    def proposition(self, node: Proposition) -> Proposition:
        """The proposition."""
        match node:
            case Truth():
                return node
            case Not(body):
                return Not(self.proposition(body))
            case And(left, right) | Or(left, right):
                return type(node)(self.proposition(left), self.proposition(right))
            case Comparison():
                try:
                    return self._comparison(node)
                except UnresolvedError:
                    return _FALSE

    def _comparison(self, node: Comparison) -> Proposition:
        left, right = self._whole(node.left), self._whole(node.right)
        if left is None and right is None:
            return replace(node, left=self._moved(node.left), right=self._moved(node.right))
        if node.operator == "!=":
            return Not(self._comparison(replace(node, operator="=")))
        if left is None:
            return self._comparison(Comparison(_SWAPPED[node.operator], node.right, node.left))
        assert isinstance(node.left, Observed)
        units = self._held.units_of(node.left.what)
        if isinstance(node.right, Fixed) and isinstance(node.right.value, (int, float)):
            return _with_number(node.operator, units, left, node.right.value)
        if isinstance(node.right, Fixed):
            # An address equals no number.
            return _FALSE
        if left is not right or left.is_floating or node.operator != "=":
            self._refuse(node)
        others = self._held.units_of(node.right.what)
        pairs = zip(units, others, strict=True)
        return _all(Comparison("=", Observed(one), Observed(other)) for one, other in pairs)

    def _refuse(self, node: Comparison) -> None:
        held = [one.what for one in (node.left, node.right) if isinstance(one, Observed) and self._whole(one)]
        names = " and ".join(f"'{self._name(what)}'" for what in held)
        message = f"not yet supported: {names}, of which parts are accessed, compared with '{node.operator}'"
        self._complaints.fail("E100", self._span, f"{message}; expected a number to compare it with")

    def _name(self, what: Observable) -> str:
        return self._objects[what.object].declared_element(what.offset) if isinstance(what, Location) else what.register

    def _whole(self, operand: Operand) -> Scalar | None:
        """The type that an element was declared with that is held in units; None of what is not."""
        return self._held.whole(operand.what) if isinstance(operand, Observed) else None

    def _moved(self, operand: Operand) -> Operand:
        """An address, of units."""
        return Fixed(located(operand.value, self._objects)) if isinstance(operand, Fixed) else operand


def _with_number(operator: str, units: Sequence[Observable], type_: Scalar, value: float) -> Proposition:
    bits = type_.bits // len(units)
    if type_.is_floating:
        return _with_float(operator, units, type_, value)
    if operator == "=":
        fits = type_.low <= value <= type_.high
        return _equal(units, units_of_value(int(value), type_, bits)) if fits else _FALSE
    return _ordered(operator, units, type_, int(value))


def _with_float(operator: str, units: Sequence[Observable], type_: Scalar, value: float) -> Proposition:
    """A float is compared with a number: its bits are a sign, and a number that grows with the distance from zero."""
    if isnan(value):
        return _FALSE
    if operator == "=":
        # Both zeros are equal.
        values = [0.0, -0.0] if value == 0 else [float(value)]
        return _any(_equal(units, units_of_value(one, type_, type_.bits // len(units))) for one in values)
    if operator in {"<=", ">="}:
        return Or(_with_float(operator[0], units, type_, value), _with_float("=", units, type_, value))
    seen, sign = UNSIGNED[type_.bits], 1 << (type_.bits - 1)
    distance, most = bits_of(abs(value), type_.bits), bits_of(inf, type_.bits)

    def from_to(low: int, high: int) -> Proposition:
        return And(_ordered(">=", units, seen, low), _ordered("<=", units, seen, high))

    is_further = value == 0 or (value > 0) is (operator == ">")
    base, other = (0, sign) if operator == ">" else (sign, 0)
    if is_further:
        return from_to(base + distance + 1, base + most)
    return Or(from_to(base, base + most), from_to(other, other + distance - 1))


def _equal(units: Sequence[Observable], values: Sequence[object]) -> Proposition:
    """Each unit has its value."""
    pairs = zip(units, values, strict=True)
    return _all(Comparison("=", Observed(unit), Fixed(value)) for unit, value in pairs if isinstance(value, int))


def _ordered(operator: str, units: Sequence[Observable], type_: Scalar, value: int) -> Proposition:
    """An integer is less or greater than a number: the first unit from the top decides that is another one."""
    if operator in {"<=", ">="}:
        return Not(_ordered({"<=": ">", ">=": "<"}[operator], units, type_, value))
    if not type_.low <= value <= type_.high:
        return Truth(value=(value > type_.high) == (operator == "<"))
    bits = type_.bits // len(units)
    parts = units_of_value(value, type_, bits)
    found: Proposition = _FALSE
    for unit, part in zip(units, parts, strict=True):
        assert isinstance(part, int)
        seen, is_top = Observed(unit), unit == units[-1]
        first: Proposition = Comparison(operator, seen, Fixed(part))
        if is_top and type_.signed:
            # What has its highest bit is below all that do not.
            half, is_below = 1 << (bits - 1), part >= 1 << (bits - 1)
            negative: Proposition = Comparison(">=", seen, Fixed(half))
            if operator == "<":
                first = And(negative, first) if is_below else Or(negative, first)
            else:
                first = Or(Not(negative), first) if is_below else And(Not(negative), first)
        found = Or(first, And(Comparison("=", seen, Fixed(part)), found))
    return found


def _all(parts: Iterable[Proposition]) -> Proposition:
    found: Proposition = _TRUE
    for part in parts:
        found = part if found is _TRUE else And(found, part)
    return found


def _any(parts: Iterable[Proposition]) -> Proposition:
    found: Proposition = _FALSE
    for part in parts:
        found = part if found is _FALSE else Or(found, part)
    return found
