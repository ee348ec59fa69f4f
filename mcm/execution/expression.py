"""Symbolic values: what an event's guard, address and written value are, as functions of what reads return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcm.program.types import Type, Value


@dataclass(frozen=True, slots=True)
class Constant:
    """A known value."""

    value: Value


@dataclass(frozen=True, slots=True)
class ReadValue:
    """What event `event` (a READ or UPDATE) reads."""

    event: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A free Boolean (0 or 1) that nothing determines, such as the spurious failure of a weak compare-exchange."""

    index: int


@dataclass(frozen=True, slots=True)
class UnaryValue:
    """`- ~ !` or `convert` of an operand, in `type`."""

    operator: str
    operand: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class BinaryValue:
    """An operator of `program.instruction.Binary`, or `min max && ||` (both operands evaluated), in `type`."""

    operator: str
    left: Expression
    right: Expression
    type: Type


@dataclass(frozen=True, slots=True)
class Select:
    """`then` if `condition` is not zero, else `otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


Expression = Constant | ReadValue | Choice | UnaryValue | BinaryValue | Select
