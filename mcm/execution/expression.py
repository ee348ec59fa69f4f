"""Symbolic values: what an event's guard, address and written value are, as functions of what reads return.

Expressions are interned: `is` compares them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from mcm.base.interned import Interned
from mcm.base.record import record

if TYPE_CHECKING:
    from mcm.program.types import Type, Value


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Constant(Interned):
    """A known value."""

    value: Value

    def __new__(cls, value: Value) -> Self:
        """The constant of this value; 1.0 is another one than 1, and -0.0 another one than 0.0."""
        return Interned.__new__(cls, repr(value) if isinstance(value, float) else value)


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class ReadValue(Interned):
    """What event `event` (a READ or UPDATE) reads."""

    event: int


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Choice(Interned):
    """A free Boolean (0 or 1) that nothing determines, such as the spurious failure of a weak compare-exchange."""

    index: int


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class UnaryValue(Interned):
    """`- ~ !` or `convert` of an operand, in `type`."""

    operator: str
    operand: Expression
    type: Type


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class BinaryValue(Interned):
    """An operator of `program.instruction.Binary`, or `min max && ||` (both operands evaluated), in `type`."""

    operator: str
    left: Expression
    right: Expression
    type: Type


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Select(Interned):
    """`then` if `condition` is not zero, else `otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


Expression = Constant | ReadValue | Choice | UnaryValue | BinaryValue | Select
