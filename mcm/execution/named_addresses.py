"""The objects whose addresses a program has as values, and not only to access them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mcm.execution.algebra import is_truth
from mcm.execution.expression import BinaryValue, Constant, Select, operands
from mcm.program import instruction as hir
from mcm.program.types import Location, PointerType
from mcm.program.walk import walk

if TYPE_CHECKING:
    from mcm.execution.expression import Expression
    from mcm.program.program import Program


_ACCESSES: Final = (
    *(hir.MemoryPlace, hir.AtomicLoad, hir.AtomicStore, hir.AtomicInit, hir.AtomicUpdate),
    *(hir.CompareExchange, hir.LegacyCompareExchange),
)


def objects_named(program: Program) -> frozenset[int]:
    """The numbers of objects whose addresses are written down in bodies where they are not followed at once."""
    left: Counter[int] = Counter()
    for body in {id(thread.body): thread.body for thread in program.threads}.values():
        for node in walk(body):
            match node:
                case hir.Literal(Location(number)):
                    left[number] += 1
                case _ if isinstance(node, _ACCESSES):
                    left.subtract(_followed(node.address))
                case _:
                    pass
    return frozenset(number for number, count in left.items() if count > 0)


def _followed(address: hir.Expression) -> tuple[int, ...]:
    """The object that an access starts from, if it is known where it is: `x`, `a + i`, a cast of these."""
    while True:
        match address:
            case hir.Literal(Location(number)):
                return (number,)
            case hir.Convert(operand, PointerType()):
                address = operand
            case hir.Binary("+" | "-", left, right, PointerType()):
                address = left if isinstance(left.type, PointerType) else right
            case _:
                return ()


def objects_in(value: Expression) -> frozenset[int]:
    """The numbers of objects whose addresses an expression may be, or may be computed from."""
    found: set[int] = set()
    waiting, seen = [value], {value}
    while waiting:
        part = waiting.pop()
        further: tuple[Expression, ...]
        match part:
            case Constant(Location(number)):
                found.add(number)
                further = ()
            case Select(_, then, otherwise):
                further = (then, otherwise)
            case BinaryValue() if is_truth(part):
                # It is no address, whatever it compares.
                further = ()
            case _:
                further = operands(part)
        left = [each for each in further if each not in seen]
        seen.update(left)
        waiting += left
    return frozenset(found)
