"""Symbolic values: what an event's guard, address and written value are, as functions of what reads return.

Expressions are interned: `is` compares them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.interned import Interned, Interning

if TYPE_CHECKING:
    from mcm.program.types import Type, Value


class _InterningConstants(Interning):
    """The class of `Constant`: 1.0 is another constant than 1, and -0.0 another one than 0.0, though they are equal."""

    if not TYPE_CHECKING:

        def __call__(cls, value: Value) -> Constant:  # noqa: N805 - a metaclass
            """The constant of this value; a float is known by its digits."""
            return cls.enter((cls, repr(value)), (value,)) if isinstance(value, float) else super().__call__(value)


class Constant(Interned, frozen=True, metaclass=_InterningConstants):
    """A known value."""

    value: Value


class ReadValue(Interned, frozen=True):
    """What event `event` (a READ or UPDATE) reads."""

    event: int


class Choice(Interned, frozen=True):
    """A free Boolean (0 or 1) that nothing determines, such as the spurious failure of a weak compare-exchange."""

    index: int


class GroupResult(Interned, frozen=True):
    """What the group function call `number` of a program returns, while the operands of other members are not known.

    Skeletons hold none: when all threads have been executed, the operands that it combines take its place.
    """

    number: int


class UnaryValue(Interned, frozen=True):
    """`- ~ !` or `convert` of an operand, in `type`."""

    operator: str
    operand: Expression
    type: Type


class BinaryValue(Interned, frozen=True):
    """An operator of `program.instruction.Binary`, or `min max && ||` (both operands evaluated), in `type`."""

    operator: str
    left: Expression
    right: Expression
    type: Type


class Select(Interned, frozen=True):
    """`then` if `condition` is not zero, else `otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


Expression = Constant | ReadValue | Choice | GroupResult | UnaryValue | BinaryValue | Select


def unfilled(result: GroupResult) -> AssertionError:
    """The error that a skeleton mentions the result of a group function that should have been filled in."""
    return AssertionError(f"the result of group function {result.number} has not been filled in")
