"""Symbolic values as bit-vectors of Z3: exact for all integer types.

Every integer is a signed number of `WIDTH` bits, wide enough for both `long` and `ulong`; an operation is done there or
in the bits of its type, whichever C's result is read from. An address is a number that no integer has (`addresses`).
What is read as an integer may be an address, and what is read as a pointer an integer that some type holds: conversions
between them change nothing. What is not exact raises `UndecidedEquationsError`: floats.

As in `execution.evaluate`, an expression that needs a read that is not executed has no value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, assert_never

import z3

from mcm.engine.equations.addresses import WIDTH, AddressNumbers
from mcm.engine.equations.errors import UndecidedEquationsError
from mcm.execution.evaluate import Evaluation
from mcm.execution.expression import (
    BinaryValue,
    Choice,
    Constant,
    GroupResult,
    ReadValue,
    Select,
    UnaryValue,
    unfilled,
)
from mcm.program.types import Location, PointerType, RegisterPointer, Scalar
from mcm.program.value_arithmetic import is_true
from mcm.program.value_order import rank_of_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Address
    from mcm.program.types import Type, Value

# Bits that hold any integer of any type, with its sign.
_NUMBER: Final = 66
# Bits of a pointer that was converted from an integer.
_POINTER: Final = 64

_COMPARISONS: Final = frozenset({"==", "!=", "<", ">", "<=", ">="})
_TRUTHS: Final = _COMPARISONS | {"&&", "||"}
_FLOATS: Final = "floats that depend on themselves"


class Terms:
    """The terms of one execution: `known` are reads whose value is a constant, `unknown` those with a variable.

    A read in neither is not executed; of those in `open_reads` it is not known whether they are. A choice may be None.
    `addresses` are those that an integer may hold, besides others in the same objects.
    """

    def __init__(
        self,
        context: z3.Context,
        known: Mapping[int, Value],
        unknown: Mapping[int, Type],
        open_reads: frozenset[int],
        choices: Sequence[bool | None],
        addresses: frozenset[Address],
    ) -> None:
        self._context = context
        self._known = known
        self._unknown = unknown
        self._open = open_reads
        self._evaluation = Evaluation(known, choices)
        self._addresses = addresses
        self.numbers: Final = AddressNumbers()
        self._values: dict[Expression, Any] = {}
        self._true: dict[Expression, Any] = {}
        self._zero: dict[Expression, Any] = {}
        self._defined: dict[Expression, Any] = {}
        self.yes, self.no = z3.BoolVal(True, context), z3.BoolVal(False, context)  # noqa: FBT003 - z3's own

    # --- reads --------------------------------------------------------------------------------------------------------

    def variable(self, read: int) -> Any:
        """The variable of what a read returns."""
        return z3.BitVec(f"r{read}", WIDTH, self._context)

    def in_range(self, read: int) -> Any:
        """That the value of a read is one of its type, or an address."""
        integer = self.is_integer(read)
        if self._addresses and self._unknown[read] is not Scalar.BOOL:
            return z3.Or(
                integer, *self.numbers.is_near(self.variable(read), sorted(self._addresses, key=rank_of_value))
            )
        return integer

    def is_integer(self, read: int) -> Any:
        """That the value of a read is an integer of its type; of a pointer, one that some type of its size holds."""
        value, type_ = self.variable(read), self._unknown[read]
        if not isinstance(type_, Scalar):
            return z3.And(value >= -(1 << _POINTER - 1), value < 1 << _POINTER)
        if type_.is_floating:
            raise UndecidedEquationsError(_FLOATS)
        low = -(1 << type_.bits - 1) if type_.signed else 0
        return z3.And(value >= low, value < low + (1 << type_.bits))

    # --- conditions ---------------------------------------------------------------------------------------------------

    def true(self, expression: Expression) -> Any:
        """That an expression has a value, and not zero."""
        found = self._true.get(expression)
        if found is None:
            found = self._true[expression] = self._find_truth(expression, holds=True)
        return found

    def zero(self, expression: Expression) -> Any:
        """That an expression has the value zero."""
        found = self._zero.get(expression)
        if found is None:
            found = self._zero[expression] = self._find_truth(expression, holds=False)
        return found

    def _find_truth(self, expression: Expression, *, holds: bool) -> Any:
        decided = self._evaluation.value(expression)
        if decided is not None:
            return self.yes if is_true(decided) is holds else self.no
        match expression:
            case BinaryValue("&&" | "||" as symbol, left, right, _):
                sides = [self._truth(side, holds=holds) for side in (left, right)]
                return z3.And(*sides) if (symbol == "&&") is holds else z3.Or(*sides)
            case UnaryValue("!", operand, _):
                return self._truth(operand, holds=not holds)
            case Select(condition, then, otherwise):
                return z3.Or(
                    z3.And(self.true(condition), self._truth(then, holds=holds)),
                    z3.And(self.zero(condition), self._truth(otherwise, holds=holds)),
                )
            case BinaryValue(symbol, left, right, _) if symbol in _COMPARISONS:
                compared = self.compare(symbol, left, right)
                return z3.And(self.defined(left), self.defined(right), compared if holds else z3.Not(compared))
            case _:
                is_zero = self.value(expression) == 0
                return z3.And(self.defined(expression), z3.Not(is_zero) if holds else is_zero)

    def _truth(self, expression: Expression, *, holds: bool) -> Any:
        return self.true(expression) if holds else self.zero(expression)

    def compare(self, symbol: str, left: Expression, right: Expression) -> Any:
        """A comparison of two expressions that have values."""
        one, other = self.value(left), self.value(right)
        if symbol == "==":
            return one == other
        if symbol == "!=":
            return one != other
        holds = {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[symbol]
        if not self._may_be_address(left, right):
            return holds
        return z3.If(self._is_address(one, other), self.numbers.combined(symbol, one, other) == 1, holds)

    def defined(self, expression: Expression) -> Any:
        """That an expression has a value."""
        found = self._defined.get(expression)
        if found is None:
            found = self._defined[expression] = self._find_definedness(expression)
        return found

    def _find_definedness(self, expression: Expression) -> Any:
        if self._evaluation.value(expression) is not None:
            return self.yes
        match expression:
            case Constant() | Choice():
                return self.yes
            case ReadValue(read):
                if read in self._open:
                    return z3.Bool(f"d{read}", self._context)
                return self.yes if read in self._unknown else self.no
            case UnaryValue(_, operand, _):
                return self.defined(operand)
            case BinaryValue("&&" | "||", _, _, _):
                return z3.Or(self.true(expression), self.zero(expression))
            case BinaryValue(_, left, right, _):
                return z3.And(self.defined(left), self.defined(right))
            case Select(condition, then, otherwise):
                return z3.Or(
                    z3.And(self.true(condition), self.defined(then)),
                    z3.And(self.zero(condition), self.defined(otherwise)),
                )
            case GroupResult():
                raise unfilled(expression)
            case _:
                assert_never(expression)

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, expression: Expression) -> Any:
        """The value of an expression, where it has one."""
        found = self._values.get(expression)
        if found is None:
            decided = self._evaluation.value(expression)
            found = self._find_value(expression) if decided is None else self.constant(decided)
            self._values[expression] = found
        return found

    def constant(self, value: Value) -> Any:
        """A value as a number."""
        match value:
            case Location() | RegisterPointer():
                number = self.numbers.number(value)
            case float() if not value.is_integer():
                raise UndecidedEquationsError(_FLOATS)
            case _:
                number = int(value)
        return z3.BitVecVal(number, WIDTH, self._context)

    def _find_value(self, expression: Expression) -> Any:
        match expression:
            case Constant(value):
                return self.constant(value)
            case ReadValue(read):
                return self.variable(read)
            case Choice(index):
                return self._number(z3.Bool(f"c{index}", self._context))
            case UnaryValue("!", _, _):
                return self._number(self.true(expression))
            case UnaryValue(symbol, operand, type_):
                return self._unary(symbol, operand, type_)
            case BinaryValue(symbol, _, _, _) if symbol in _TRUTHS:
                return self._number(self.true(expression))
            case BinaryValue(symbol, left, right, type_):
                return self._binary(symbol, left, right, type_)
            case Select(condition, then, otherwise):
                return z3.If(self.true(condition), self.value(then), self.value(otherwise))
            case GroupResult():
                raise unfilled(expression)
            case _:
                assert_never(expression)

    def _number(self, condition: Any) -> Any:
        return z3.If(condition, z3.BitVecVal(1, WIDTH, self._context), z3.BitVecVal(0, WIDTH, self._context))

    def _unary(self, symbol: str, operand: Expression, type_: Type) -> Any:
        if symbol not in {"convert", "-", "~"}:
            raise UndecidedEquationsError(_FLOATS)
        value = self.value(operand)
        if symbol == "convert":
            # Addresses stay addresses, whatever they are converted to.
            if type_ is Scalar.BOOL:
                return self._number(value != 0)
            if isinstance(type_, PointerType):
                return value
            wrapped = self.wrap(value, type_)
            return z3.If(self._is_address(value), value, wrapped) if self._may_be_address(operand) else wrapped
        result = self.wrap(-value if symbol == "-" else ~value, type_)
        return z3.If(self._is_address(value), 0, result) if self._may_be_address(operand) else result

    def shifted(self, value: Any, offset: int, type_: Type) -> Any:
        """A number plus a constant, in the arithmetic of a type."""
        wrapped = self.wrap(value + offset, type_)
        return z3.If(self._is_address(value), value + offset, wrapped) if self._addresses else wrapped

    def wrap(self, value: Any, type_: Type) -> Any:
        """A number converted to a type."""
        if type_.is_floating:
            raise UndecidedEquationsError(_FLOATS)
        if isinstance(type_, PointerType):
            return value
        if type_ is Scalar.BOOL:
            return self._number(value != 0)
        low = z3.Extract(type_.bits - 1, 0, value)
        extend = z3.SignExt if type_.signed else z3.ZeroExt
        return extend(WIDTH - type_.bits, low)

    def _binary(self, symbol: str, left: Expression, right: Expression, type_: Type) -> Any:
        if type_.is_floating:
            raise UndecidedEquationsError(_FLOATS)
        one, other = self.value(left), self.value(right)
        result = self._integral(symbol, one, other, type_)
        if not self._may_be_address(left, right):
            return result
        return z3.If(self._is_address(one, other), self.numbers.combined(symbol, one, other), result)

    def _integral(self, symbol: str, one: Any, other: Any, type_: Type) -> Any:
        """An operation on two integers."""
        match symbol:
            case "min":
                result = z3.If(one <= other, one, other)
            case "max":
                result = z3.If(one >= other, one, other)
            case "*":
                # Only the low bits of the operands count (of a bool all do), and fewer bits are multiplied faster.
                bits = type_.bits if isinstance(type_, Scalar) and type_ is not Scalar.BOOL else _NUMBER
                low = z3.Extract(bits - 1, 0, one) * z3.Extract(bits - 1, 0, other)
                result = z3.ZeroExt(WIDTH - bits, low)
            case "+":
                result = one + other
            case "-":
                result = one - other
            case "&":
                result = one & other
            case "|":
                result = one | other
            case "^":
                result = one ^ other
            case "<<" | ">>":
                bits = type_.bits if isinstance(type_, Scalar) else 64
                count = z3.ZeroExt(WIDTH - 8, z3.URem(z3.Extract(7, 0, other), z3.BitVecVal(bits, 8, self._context)))
                result = one << count if symbol == "<<" else one >> count
            case "/" | "%":
                # Operands were converted to the type, or promoted to `int`: with a sign, its bits hold the quotient.
                bits = max(type_.bits, Scalar.INT.bits) + 1 if isinstance(type_, Scalar) else _NUMBER
                top, bottom = z3.Extract(bits - 1, 0, one), z3.Extract(bits - 1, 0, other)
                divided = z3.SignExt(WIDTH - bits, top / bottom if symbol == "/" else z3.SRem(top, bottom))
                result = z3.If(other == 0, z3.BitVecVal(0, WIDTH, self._context), divided)
            case _:
                message = f"binary operator {symbol!r}"
                raise AssertionError(message)
        return self.wrap(result, type_)

    # --- addresses ----------------------------------------------------------------------------------------------------

    def reaches(self, address: Expression, location: Location) -> Any:
        """That an address is that of an element."""
        return z3.And(self.defined(address), self.value(address) == self.constant(location))

    def _is_address(self, *values: Any) -> Any:
        """That one of some numbers is that of an address."""
        return z3.Or(*map(self.numbers.is_address, values))

    def _may_be_address(self, *operands: Expression) -> bool:
        """Whether one of the operands may be an address, as far as the types tell."""
        waiting = list(operands)
        seen: set[Expression] = set()
        while waiting:
            part = waiting.pop()
            if part in seen:
                continue
            seen.add(part)
            match part:
                case Constant(value):
                    if isinstance(value, (Location, RegisterPointer)):
                        return True
                case ReadValue(read):
                    held = self._known.get(read)
                    is_open = read in self._unknown and self._unknown[read] is not Scalar.BOOL
                    if isinstance(held, (Location, RegisterPointer)) or (is_open and self._addresses):
                        return True
                case Choice() | UnaryValue("!" | "~" | "-", _, _):
                    pass
                case UnaryValue(_, operand, _):
                    waiting.append(operand)
                case BinaryValue(symbol, left, right, _):
                    if symbol in {"+", "-"}:
                        waiting += (left, right)
                case Select(_, then, otherwise):
                    waiting += (then, otherwise)
                case GroupResult():
                    raise unfilled(part)
                case _:
                    assert_never(part)
        return False
