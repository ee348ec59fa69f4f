"""Values that rest on themselves: the circle by which they do, what each of its writes makes of what is read, and the
equation that follows.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Final

from mcm.answer.explanation import Edge, Sentence
from mcm.catalogue.evaluate import structure_of
from mcm.execution.expression import BinaryValue, Constant, ReadValue, Select, UnaryValue, size_of
from mcm.execution.substitution import Substitution
from mcm.explain.paths import shortest_cycle
from mcm.explain.telling import Teller

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.execution.candidate import Candidate
    from mcm.execution.expression import Atom, Expression
    from mcm.explain.naming import Names

# Expressions of more nodes are not written out.
_SHORT: Final = 12


def thin_air(candidate: Candidate, names: Names) -> Iterator[Sentence]:
    """The circle of dependencies by which values depend on themselves, and its equation; nothing where none is."""
    relations = structure_of(candidate).relations
    named = [(name, relations[name]) for name in ("rf", "data", "addr", "ctrl")]
    rows = tuple(reduce(or_, each) for each in zip(*(rows for _, rows in named), strict=True))
    cycle = shortest_cycle(rows)
    if not cycle:
        return
    edges = [Edge(next(name for name, r in named if r[a] >> b & 1), a, b) for a, b in cycle]
    path = Teller(names, None).path(edges)
    yield Sentence("its values come out of thin air: each rests on itself", path=path)
    for edge in edges:
        yield from _step(edge, candidate, names)
    yield from _equation(edges, candidate, names)


def _step(edge: Edge, candidate: Candidate, names: Names) -> Iterator[Sentence]:
    """What a write makes of what is read before it, or that it depends on it."""
    if edge.name == "rf":
        return
    write = candidate.skeleton.events[edge.last]
    events = (edge.first, edge.last)
    if edge.name == "data" and write.value is not None and size_of(write.value) <= _SHORT:
        value = _shown(write.value, names)
        yield Sentence(f"{names.full(edge.last)} writes {value} to {names.location(edge.last)}", events=events)
    elif edge.name == "data":
        yield Sentence(f"{names.full(edge.last)} computes what it writes from what {names.full(edge.first)} reads")
    elif edge.name == "ctrl":
        value = names.value(edge.first, written=False)
        text = f"{names.full(edge.last)} is executed only because {names.full(edge.first)} reads {value}"
        yield Sentence(text, events=events)
    else:
        yield Sentence(f"{names.full(edge.last)} goes where {names.full(edge.first)} leads", events=events)


def _equation(edges: Sequence[Edge], candidate: Candidate, names: Names) -> Iterator[Sentence]:
    """What the value that goes round has to satisfy, where it goes round by data alone."""
    if any(edge.name not in {"rf", "data"} for edge in edges):
        yield Sentence("nothing outside of this circle makes these conditions true")
        return
    start = next(edge.last for edge in edges if edge.name == "rf")
    sources = {edge.last: edge.first for edge in edges if edge.name == "rf"}
    expression: Expression | None = candidate.skeleton.events[sources[start]].value
    for _ in edges:
        if expression is None or size_of(expression) > _SHORT:
            return
        replaced: dict[Atom, Expression] = {
            ReadValue(read): value
            for read, write in sources.items()
            if read != start and (value := candidate.skeleton.events[write].value) is not None
        }
        expression = Substitution(replaced).apply(expression)
    if expression is None or size_of(expression) > _SHORT:
        return
    taken = names.value(start, written=False)
    if expression is ReadValue(start):
        yield Sentence(f"so the value v that goes round only has to be v = v: every value is, {taken} among them")
    else:
        yield Sentence(
            f"so the value v that goes round has to be v = {_shown(expression, names, start)}: {taken} is such a value"
        )


def _shown(expression: Expression, names: Names, variable: int | None = None) -> str:
    """An expression in words and operators: what is read stands as `what line 12 reads`, or as v."""
    match expression:
        case Constant(value):
            return names.shown(value)
        case ReadValue(read):
            return "v" if read == variable else f"what {names.short(read)} reads"
        case UnaryValue("convert", operand, _):
            return _shown(operand, names, variable)
        case UnaryValue(name, operand, _) if name.isidentifier():
            return f"{name}({_shown(operand, names, variable)})"
        case UnaryValue(symbol, operand, _):
            return f"{symbol}{_inner(operand, names, variable)}"
        case BinaryValue(name, left, right, _) if name.isidentifier():
            return f"{name}({_shown(left, names, variable)}, {_shown(right, names, variable)})"
        case BinaryValue(symbol, left, right, _):
            return f"{_inner(left, names, variable)} {symbol} {_inner(right, names, variable)}"
        case Select(condition, then, otherwise):
            parts = [_inner(part, names, variable) for part in (condition, then, otherwise)]
            return f"{parts[0]} ? {parts[1]} : {parts[2]}"
        case _:
            return "a free choice"


def _inner(expression: Expression, names: Names, variable: int | None) -> str:
    text = _shown(expression, names, variable)
    return f"({text})" if isinstance(expression, BinaryValue | Select) or text.startswith("what") else text
