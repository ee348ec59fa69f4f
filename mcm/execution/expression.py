"""Symbolic values: what an event's guard, address and written value are, as functions of what reads return.

Expressions are interned: `is` compares them.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final, dataclass_transform

from mcm.base.interned import Interned, Interning, derived
from mcm.program.float_arithmetic import in_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mcm.program.types import Type, Value

# An expression of more nodes, written out, is large. It may be deep, and written out it may be longer than any memory,
# because parts are shared: what is done to it is done once for each part, and without recursion.
LARGE: Final = 64


@dataclass_transform(eq_default=False, frozen_default=True)
class _InterningConstants(Interning):
    """The class of `Constant`: 1.0 is another constant than 1, and -0.0 another one than 0.0, though they are equal."""

    if not TYPE_CHECKING:

        def __call__(cls, value: Value) -> Constant:  # noqa: N805 - a metaclass
            """The constant of this value; a float is known by its digits."""
            if isinstance(value, float):
                return cls.enter((cls, repr(value)), (in_tables(value),))
            # Constants are looked up so often that `super` would be felt.
            return Interning.__call__(cls, value)


class Constant(Interned, metaclass=_InterningConstants):
    """A known value."""

    size: ClassVar[int] = 1
    newest: ClassVar[int] = -1

    value: Value


class ReadValue(Interned):
    """What event `event` (a READ or UPDATE) reads."""

    size: ClassVar[int] = 1

    event: int
    newest: int = derived(lambda value: value.event)


class Choice(Interned):
    """A free Boolean (0 or 1) that nothing determines, such as the spurious failure of a weak compare-exchange."""

    size: ClassVar[int] = 1
    newest: ClassVar[int] = -1

    index: int


class GroupResult(Interned):
    """What the group function call `number` of a program returns, while the operands of other members are not known.

    Skeletons hold none: when all threads have been executed, the operands that it combines take its place.
    """

    size: ClassVar[int] = 1
    newest: ClassVar[int] = -1

    number: int


class UnaryValue(Interned):
    """`- ~ !` or `convert` of an operand, in `type`."""

    operator: str
    operand: Expression
    type: Type
    size: int = derived(lambda value: 1 + size_of(value.operand))
    newest: int = derived(lambda value: value.operand.newest)


class BinaryValue(Interned):
    """An operator of `program.instruction.Binary`, or `min max && ||` (both operands evaluated), in `type`."""

    operator: str
    left: Expression
    right: Expression
    type: Type
    size: int = derived(lambda value: 1 + size_of(value.left) + size_of(value.right))
    newest: int = derived(lambda value: max(value.left.newest, value.right.newest))


class Select(Interned):
    """`then` if `condition` is not zero, else `otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression
    size: int = derived(lambda value: 1 + size_of(value.condition) + size_of(value.then) + size_of(value.otherwise))
    newest: int = derived(lambda value: max(value.condition.newest, value.then.newest, value.otherwise.newest))


Expression = Constant | ReadValue | Choice | GroupResult | UnaryValue | BinaryValue | Select
# `newest` is the highest number of an event whose value an expression depends on, -1 if there is none.
# What an expression is made of, but for constants.
Atom = Choice | GroupResult | ReadValue


def unfilled(result: GroupResult) -> AssertionError:
    """The error that a skeleton mentions the result of a group function that should have been filled in."""
    return AssertionError(f"the result of group function {result.number} has not been filled in")


def size_of(expression: Expression) -> int:
    """The number of nodes of an expression that is written out, as `size`: all that are large count the same."""
    return min(expression.size, LARGE + 1)


def is_large(expression: Expression) -> bool:
    """Whether an expression may be too deep for recursion, or too long to look at each part as often as it occurs."""
    return expression.size > LARGE


def operands(expression: Expression) -> tuple[Expression, ...]:
    """What an expression is made of directly."""
    # A table, not a `match`: this is asked for each part of each expression, and most have none.
    operands_of = _OPERANDS.get(expression.__class__)
    return () if operands_of is None else operands_of(expression)


_OPERANDS: Final[Mapping[type, Callable[[Any], tuple[Expression, ...]]]] = {
    UnaryValue: lambda unary: (unary.operand,),
    BinaryValue: attrgetter("left", "right"),
    Select: attrgetter("condition", "then", "otherwise"),
}


def parts(expression: Expression, opens: Callable[[Expression], bool] = lambda _: True) -> Iterator[Expression]:
    """The expression and everything inside it, each part once and after its own parts; `opens`: what is looked into."""
    seen: set[Expression] = set()
    waiting = [(expression, False)]
    while waiting:
        part, is_ready = waiting.pop()
        if is_ready:
            yield part
        elif part not in seen:
            seen.add(part)
            waiting.append((part, True))
            if opens(part):
                waiting += ((operand, False) for operand in reversed(operands(part)))
