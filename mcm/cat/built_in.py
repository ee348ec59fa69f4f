"""Functions that every model may apply: those of cat itself, and those of `cross.cat`, which order the writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic
from mcm.cat.errors import ExpansionError, RefusedError, wrong_count, wrong_kind
from mcm.cat.scope import Classes, Orders, OrdersByClass, TupleValue, UnitedOrders, Zero
from mcm.relation.term import (
    BaseSet,
    Domain,
    Empty,
    Nothing,
    Range,
    RelationTerm,
    SetTerm,
)
from mcm.relation.within import lies_within

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.cat import tree
    from mcm.cat.scope import Value

# Each with the number of its arguments.
BUILT_IN_FUNCTIONS: Final = {
    "domain": 1,
    "range": 1,
    "linearisations": 2,
    "partition": 1,
    "classes-loc": 1,
    "co_locs": 2,
    "cross": 1,
    "generate_orders": 2,
    "generate_cos": 1,
    "tag2events": 1,
    "tag2instrs": 1,
}


def apply(name: str, values: tuple[Value, ...], expression: tree.Apply) -> Value:
    """What a built-in function makes of its arguments; raises ExpansionError."""
    count = BUILT_IN_FUNCTIONS[name]
    if len(values) == 1 and count > 1 and isinstance(values[0], TupleValue):
        values = values[0].items
    if len(values) != count:
        if name == "linearisations":
            message = "'linearisations' takes a set of events and the relation to be contained"
            raise ExpansionError(Diagnostic("E306", message, expression.span))
        raise wrong_count(expression, count, None)
    spans = tuple(argument.span for argument in expression.arguments)
    spans = spans if len(spans) == count else (expression.span,) * count
    return _apply(name, values, spans, expression.span)


def _apply(name: str, values: tuple[Value, ...], spans: tuple[Span, ...], whole: Span) -> Value:
    by = f"'{name}'"
    match name:
        case "domain" | "range" if values[0] is Zero.ZERO:
            return Nothing()
        case "domain" | "range":
            body = as_relation(values[0], spans[0], by)
            return Domain(body) if name == "domain" else Range(body)
        case "partition" | "classes-loc":
            return Classes(as_set(values[0], spans[0], by))
        case "linearisations":
            return Orders(as_set(values[0], spans[0], by), as_relation(values[1], spans[1], by))
        case "co_locs" if isinstance(values[1], Classes):
            return OrdersByClass(values[1].events, as_relation(values[0], spans[0], by))
        case "cross" if isinstance(values[0], OrdersByClass):
            return UnitedOrders(values[0].events, values[0].order)
        case "generate_orders":
            return UnitedOrders(as_set(values[0], spans[0], by), as_relation(values[1], spans[1], by))
        case "generate_cos":
            return UnitedOrders(BaseSet("W"), as_relation(values[0], spans[0], by))
        case _:
            message = f"{by} is applied to what only an execution knows the members of, which mcm does not support"
            raise RefusedError(message, whole)


def as_set(value: Value, span: Span, wanted_by: str) -> SetTerm:
    """The value as a set of events."""
    if isinstance(value, SetTerm):
        return value
    if value is Zero.ZERO:
        return Nothing()
    raise wrong_kind(span, wanted_by, "a set of events", kind_of(value))


def as_relation(value: Value, span: Span, wanted_by: str) -> RelationTerm:
    """The value as a relation; the empty set is the empty relation too."""
    if isinstance(value, RelationTerm):
        return value
    if value is Zero.ZERO or is_nothing(value):
        return Empty()
    raise wrong_kind(span, wanted_by, "a relation", kind_of(value))


def is_nothing(value: Value) -> bool:
    """Whether a value is a set that is empty by what it says alone."""
    return isinstance(value, SetTerm) and lies_within(value, _is_empty)


def _is_empty(events: SetTerm) -> bool:
    return isinstance(events, Nothing) or (isinstance(events, Domain | Range) and isinstance(events.relation, Empty))


def kind_of(value: Value) -> str:
    """What a value is, in words."""
    if isinstance(value, SetTerm):
        return "a set of events"
    if isinstance(value, RelationTerm) or value is Zero.ZERO:
        return "a relation"
    if isinstance(value, TupleValue):
        return "a tuple"
    if isinstance(value, Classes | Orders | OrdersByClass | UnitedOrders):
        return "a set of sets or relations"
    return "a function"
