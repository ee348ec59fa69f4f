"""Values that depend on themselves by sums only, such as x = x + 1: whether anything solves that is seen at once.

Counters, tickets and locks have no other circles, so that their executions need no solver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.execution.evaluate import evaluate
from mcm.execution.expression import BinaryValue, ReadValue, Select, UnaryValue, is_large
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.engine.equations.decided import DecidedExecution
    from mcm.execution.expression import Expression
    from mcm.program.types import Type

# More than any integer has.
_MANY_BITS: Final = 128
_INTEGERS: Final = frozenset(one for one in Scalar if not one.is_floating and one is not Scalar.BOOL)


class _Step(Struct, frozen=True):
    """The low `bits` of a value are those of what `read` returns, plus (or exclusive or) a constant.

    `symbol` is `+` or `^`, or empty where the constant is 0 and was never another.
    """

    read: int
    symbol: str = ""
    constant: int = 0
    bits: int = _MANY_BITS


def has_no_solution(decided: DecidedExecution) -> bool:
    """Whether no values solve the equations of an execution, as a circle of sums tells.

    Each value on such a circle is that of the next read plus a constant, in so many bits: it is solved only if the
    constants add up to nothing. The same holds for exclusive or. False says nothing.
    """
    if decided.skeleton.addresses:
        # Sums of addresses are not those of integers.
        return False
    return any(map(_excludes, _circles(decided)))


def _excludes(circle: list[_Step]) -> bool:
    symbols = {step.symbol for step in circle} - {""}
    if len(symbols) != 1:
        return False
    mask = (1 << min(step.bits for step in circle)) - 1
    total = 0
    for step in circle:
        total = total + step.constant if symbols == {"+"} else total ^ step.constant
    return total & mask != 0


def _circles(decided: DecidedExecution) -> Iterator[list[_Step]]:
    """The circles of steps from read to read; none of a read whose value is known, or is no such sum."""
    done: set[int] = set()
    for start in decided.sources:
        path: dict[int, _Step] = {}
        read: int = start
        while read not in done and read not in path:
            step = _step(read, decided)
            if step is None:
                break
            path[read] = step
            read = step.read
        else:
            if read in path:
                reads = list(path)
                yield [path[each] for each in reads[reads.index(read) :]]
        done.update(path)
        done.add(start)


def _step(read: int, decided: DecidedExecution) -> _Step | None:
    """What a read returns, as a sum of what another one does."""
    source = decided.sources.get(read)
    if source is None or read in decided.known or not decided.executed >> read & 1:
        return None
    written = decided.skeleton.events[source].value
    return None if written is None or is_large(written) else _sum(written, decided)


def _sum(expression: Expression, decided: DecidedExecution) -> _Step | None:
    match expression:
        case ReadValue(read):
            return _Step(read)
        case UnaryValue("convert", operand, type_):
            return _cut(_sum(operand, decided), type_)
        case BinaryValue("+" | "-" | "^" as symbol, left, right, type_):
            return _cut(_combined(symbol, left, right, decided), type_)
        case Select(condition, then, otherwise):
            decides = decided.supposed.get(condition)
            if decides is None:
                decides = evaluate(condition, decided.known, decided.choices)
            return None if decides is None else _sum(then if is_true(decides) else otherwise, decided)
        case _:
            return None


def _combined(symbol: str, left: Expression, right: Expression, decided: DecidedExecution) -> _Step | None:
    """A sum of two parts, one of which is a known integer."""
    constant, rest = evaluate(right, decided.known, decided.choices), left
    if constant is None and symbol != "-":
        constant, rest = evaluate(left, decided.known, decided.choices), right
    step = _sum(rest, decided)
    if step is None or not isinstance(constant, int):
        return None
    kind = "^" if symbol == "^" else "+"
    if step.symbol not in {"", kind}:
        return None
    changed = step.constant ^ constant if kind == "^" else step.constant + (-constant if symbol == "-" else constant)
    return _Step(step.read, kind, changed, step.bits)


def _cut(step: _Step | None, type_: Type) -> _Step | None:
    """A sum in the arithmetic of a type."""
    if step is None or type_ not in _INTEGERS:
        return None
    return _Step(step.read, step.symbol, step.constant, min(step.bits, type_.bits))
