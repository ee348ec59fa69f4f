"""What a listed state is an example of: how the values in the solutions of the equations vary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

import z3

from mcm.answer.answer import Varying
from mcm.execution.evaluate import reads_of
from mcm.execution.expression import BinaryValue, Choice, Constant, GroupResult, ReadValue, Select, UnaryValue
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.engine.equations.system import Equations
    from mcm.execution.expression import Expression
    from mcm.program.types import Type, Value


def family_of(equations: Equations, finals: Sequence[Expression]) -> tuple[Varying, ...]:
    """How the final values vary over all solutions of equations that have some; empty if they do not."""
    terms = equations.terms
    unknown = [index for index, final in enumerate(finals) if equations.depends_on_unknown(final)]
    if not unknown:
        return ()
    example = equations.least([finals[index] for index in unknown])
    assert example is not None, "the equations have a solution"
    values = {**equations.decided.known, **example}
    numbers = {index: _number(equations, finals[index], values) for index in unknown}
    varying = [i for i in unknown if equations.is_possible(terms.value(finals[i]) != numbers[i])]
    free: list[int] = []
    result: dict[int, Varying] = {}
    for index in reversed(varying):
        type_ = _type(equations, finals[index])
        for base in free:
            offset = numbers[index] - numbers[base]
            if type_ is not None:
                offset = _wrapped(offset, type_)
            if not equations.is_possible(
                terms.value(finals[index]) != _shifted(equations, finals[base], offset, type_)
            ):
                result[index] = Varying(index, base, offset)
                break
        else:
            free.insert(0, index)
    anything = _reads_that_may_be_anything(equations) if free else ()
    for index in free:
        type_ = _type(equations, finals[index])
        is_any = type_ is not None and any(
            equations.types[read] is type_ and _follows(equations, finals[index], numbers[index], read, values, type_)
            for read in anything
        )
        result[index] = Varying(index, type=type_ if is_any else None)
    return tuple(result[index] for index in varying)


def _number(equations: Equations, final: Expression, values: dict[int, Value]) -> int:
    model = z3.simplify(
        z3.substitute(
            equations.terms.value(final),
            *((equations.terms.variable(r), equations.terms.constant(values[r])) for r in equations.unknown),
        )
    )
    number: int = model.as_signed_long()
    return number


def _type(equations: Equations, final: Expression) -> Scalar | None:
    """The integer type of a value, None for an address or where no type is known."""
    match final:
        case ReadValue(read):
            return _scalar(equations.types[read])
        case UnaryValue(_, _, type_) | BinaryValue(_, _, _, type_):
            return _scalar(type_)
        case Constant() | Choice() | GroupResult() | Select():
            return None
        case _:
            assert_never(final)


def _scalar(type_: Type) -> Scalar | None:
    return type_ if isinstance(type_, Scalar) else None


def _wrapped(number: int, type_: Scalar) -> int:
    """An offset as a signed number of the type's width, so that -1 is shown as such."""
    half = 1 << type_.bits - 1
    return (number + half) % (2 * half) - half


def _shifted(equations: Equations, base: Expression, offset: int, type_: Scalar | None) -> Any:
    value = equations.terms.value(base) + offset
    if type_ is None or type_ is Scalar.BOOL:
        return value
    return equations.terms.shifted(equations.terms.value(base), offset, type_)


def _follows(
    equations: Equations, final: Expression, number: int, read: int, values: dict[int, Value], type_: Scalar
) -> bool:
    """Whether a value is always that of a read plus a constant: then it is anything where the read is."""
    if type_ is Scalar.BOOL:
        return final is ReadValue(read)
    start = values[read]
    if not isinstance(start, int):
        return False
    offset = _wrapped(number - start, type_)
    shifted = equations.terms.shifted(equations.terms.variable(read), offset, type_)
    return not equations.is_possible(equations.terms.value(final) != shifted)


def _reads_that_may_be_anything(equations: Equations) -> tuple[int, ...]:
    """Reads by whose values all others are determined, if each combination of their values is a solution; else none."""
    terms, sources = equations.terms, equations.decided.sources
    events = equations.decided.skeleton.events
    needs = {}
    for read in equations.unknown:
        written = events[sources[read]].value
        assert written is not None, "a write writes a value"
        needs[read] = reads_of(written) & frozenset(equations.unknown)
    cut, order = _cut(needs)
    by_cut: dict[int, Any] = {}
    for read in order:
        by_cut[read] = z3.substitute(
            equations.equalities[read], *((terms.variable(r), value) for r, value in by_cut.items())
        )
    replaced = [(terms.variable(r), value) for r, value in by_cut.items()]
    given = [terms.variable(r) == z3.substitute(equations.equalities[r], *replaced) for r in cut]
    given += [z3.substitute(condition, *replaced) for condition in equations.conditions]
    given += [z3.substitute(terms.in_range(r), *replaced) for r in order]
    return tuple(cut) if equations.always([terms.is_integer(r) for r in cut], given) else ()


def _cut(needs: dict[int, frozenset[int]]) -> tuple[list[int], list[int]]:
    """Reads without which no value depends on itself, and the others, each after those that it needs."""
    cut: list[int] = []
    order: list[int] = []
    left = dict(needs)
    while left:
        ready = [read for read, needed in left.items() if not needed & left.keys()]
        if ready:
            order += ready
            for read in ready:
                del left[read]
        else:
            read = min(read for read in left if _reaches_itself(read, left))
            cut.append(read)
            del left[read]
    return cut, order


def _reaches_itself(start: int, needs: dict[int, frozenset[int]]) -> bool:
    waiting, seen = list(needs[start]), set[int]()
    while waiting:
        read = waiting.pop()
        if read == start:
            return True
        if read not in seen and read in needs:
            seen.add(read)
            waiting += needs[read]
    return False
