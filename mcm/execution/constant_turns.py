"""Loops of the text that go round as often as constants say, whatever data is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.algebra import FALSE, binary
from mcm.execution.expression import Constant
from mcm.program import instruction as hir
from mcm.program.types import Scalar
from mcm.program.walk import walk

if TYPE_CHECKING:
    from mcm.execution.expression import Expression
    from mcm.program.instruction import Statement

# Each turn is looked at by itself.
_MOST: Final = 16


def constant_turns(before: Statement | None, loop: hir.Loop) -> int | None:
    """How often `for (int k = 0; k < 2; k++)` goes round, unless it is left; `before`: the statement before the loop.

    None where that is not known from three constants, or more than 16 times.
    """
    match before, loop.condition, loop.step:
        case (
            hir.Declare(register=register, initializer=(hir.Literal(start),)),
            hir.Binary(relation, hir.Read(hir.RegisterPlace(tested)), hir.Literal(limit), operands),
            hir.Modify(operator, hir.RegisterPlace(stepped), hir.Literal(by), modified),
        ) if register == tested == stepped and operands == modified == Scalar.INT:
            pass
        case _:
            return None
    if not loop.tests_first or _is_written(register, loop.body):
        return None
    value: Expression = Constant(start)
    for turns in range(_MOST + 1):
        if binary(relation, value, Constant(limit), Scalar.INT) is FALSE:
            return turns
        value = binary(operator, value, Constant(by), Scalar.INT)
    return None


def _is_written(register: str, body: Statement) -> bool:
    """Whether a private variable is more than read."""
    nodes = walk(body)
    named = sum(isinstance(node, hir.RegisterPlace) and node.register == register for node in nodes)
    read = sum(
        isinstance(node, hir.Read) and isinstance(node.place, hir.RegisterPlace) and node.place.register == register
        for node in nodes
    )
    return named != read
