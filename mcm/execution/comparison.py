"""Comparisons of what a compare-exchange has found with what it expected: they say whether it has failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.algebra import binary, disjuncts, negation
from mcm.execution.expression import BinaryValue, Choice, ReadValue, Select, UnaryValue

if TYPE_CHECKING:
    from mcm.execution.expression import Expression
    from mcm.execution.shared import Shared
    from mcm.program.types import Type


def compared(symbol: str, left: Expression, right: Expression, type_: Type, shared: Shared) -> Expression:
    """A binary operator on two expressions, of which one may be what a compare-exchange has found.

    `while ((seen = atomic_cmpxchg(p, old, new)) != old)` goes on where the exchange fails, as a loop does that asks for
    the result of the C11 form: where it fails it has read something else, and where it succeeds what it expects.
    """
    if symbol in {"==", "!="} and not type_.is_floating:
        for found, expected in ((left, right), (right, left)):
            succeeds = _success(found, expected, shared)
            if succeeds is not None:
                return succeeds if symbol == "==" else negation(succeeds)
    return binary(symbol, left, right, type_)


def _success(found: Expression, expected: Expression, shared: Shared) -> Choice | None:
    """Whether an exchange succeeds that expects one value and has found the other; None if they are none of these."""
    match found:
        case Select(Choice() as succeeds, then, ReadValue() as read) if then is expected:
            pass
        case Select(UnaryValue("!", Choice() as succeeds, _), ReadValue() as read, otherwise) if otherwise is expected:
            pass
        case _:
            return None
    differs = shared.failures.get(read.event)
    if differs is None or read.event not in shared.choice_reads.get(succeeds.index, ()):
        return None
    is_known = any(
        isinstance(part, BinaryValue) and (part.operator, part.left, part.right) == ("!=", read, expected)
        for part in disjuncts(differs)
    )
    return succeeds if is_known else None
