"""What conditions and constraints say of a compare-exchange: where it succeeds and fails, and what it reads then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.algebra import TRUE, binary, conjuncts, disjunction, held_bits, negation
from mcm.execution.expression import ReadValue
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import convert

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcm.execution.event import Event
    from mcm.execution.expression import Constant, Expression


def reads(symbol: str, event: Event, expected: Expression, type_: Scalar) -> Expression:
    """The constraint that an event reads what is expected (`==`), or does not (`!=`); `type_` is what is compared."""
    found, before = (held_bits(value, type_) for value in (ReadValue(event.identifier), expected))
    return disjunction(negation(event.guard), binary(symbol, found, before, Scalar.LONG))


def comparison(symbol: str, event: Event, expected: Constant, constraints: Collection[Expression]) -> Expression | None:
    """The one of some constraints by which an event reads this constant (`==`), or does not (`!=`), in some type."""
    types = (of for of in Scalar if convert(expected.value, of) == expected.value)
    asked = (reads(symbol, event, expected, of) for of in types)
    return next((constraint for constraint in asked if constraint in constraints), None)


def parts_of(condition: Expression) -> frozenset[Expression]:
    """What a condition is the conjunction of, in whatever order."""
    return frozenset(conjuncts(condition)) - {TRUE}
