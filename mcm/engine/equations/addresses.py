"""Addresses as numbers that no integer has.

Each object has a block of numbers, in the middle of which is its first element; offsets are added to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import z3

from mcm.program.types import Location, RegisterPointer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.execution.skeleton import Address
    from mcm.program.types import Value

WIDTH: Final = 104
# The first block lies above all integers; a block has room for any offset.
_BLOCK: Final = 1 << 68
_FIRST_BLOCK: Final = 1 << 16
_LOWEST: Final = _FIRST_BLOCK * _BLOCK - _BLOCK // 2


class AddressNumbers:
    """The numbers of addresses, as Python's and as terms of Z3 with `WIDTH` bits."""

    def __init__(self) -> None:
        self._private: Final[dict[tuple[int, str], int]] = {}

    def number(self, address: Address) -> int:
        """The number of an address."""
        match address:
            case Location(which, offset):
                block = 2 * which
            case RegisterPointer(thread, register, offset):
                block = 2 * self._private.setdefault((thread, register), len(self._private)) + 1
        return (_FIRST_BLOCK + block) * _BLOCK + offset

    def value(self, number: int) -> Value:
        """The integer or address that has a number."""
        if number < _LOWEST:
            return number
        block = (number + _BLOCK // 2) // _BLOCK
        offset = number - block * _BLOCK
        which, is_private = divmod(block - _FIRST_BLOCK, 2)
        if not is_private:
            return Location(which, offset)
        thread, register = list(self._private)[which]
        return RegisterPointer(thread, register, offset)

    def is_address(self, term: Any) -> Any:
        """That a number is that of an address."""
        return term >= _LOWEST

    def is_near(self, term: Any, addresses: Iterable[Address]) -> list[Any]:
        """Alternatives: that a number is that of an address in the object of one of these."""
        blocks = sorted({(self.number(address) + _BLOCK // 2) // _BLOCK for address in addresses})
        return [z3.And(term >= block * _BLOCK - _BLOCK // 2, term < block * _BLOCK + _BLOCK // 2) for block in blocks]

    def combined(self, symbol: str, one: Any, other: Any) -> Any:
        """An operation, of which at least one operand is an address: as `execution.evaluate` has it.

        A comparison is 0 or 1, too.
        """
        zero, unit = z3.BitVecVal(0, WIDTH, one.ctx), z3.BitVecVal(1, WIDTH, one.ctx)
        both = z3.And(self.is_address(one), self.is_address(other))
        match symbol:
            case "+":
                return z3.If(both, zero, one + other)
            case "-":
                apart = z3.If(self._have_one_object(one, other), one - other, zero)
                return z3.If(both, apart, z3.If(self.is_address(one), one - other, zero))
            case "<" | ">" | "<=" | ">=":
                holds = {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[symbol]
                return z3.If(z3.And(both, self._have_one_object(one, other), holds), unit, zero)
            case _:
                return zero

    def _have_one_object(self, one: Any, other: Any) -> Any:
        half = z3.BitVecVal(_BLOCK // 2, WIDTH, one.ctx)
        return (one + half) / _BLOCK == (other + half) / _BLOCK
