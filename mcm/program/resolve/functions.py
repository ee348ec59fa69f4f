"""Calls of functions that the program defines: the body is put in place of the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Note
from mcm.program.instruction import (
    AddressOfRegister,
    Assign,
    Declare,
    Evaluate,
    If,
    Inlined,
    Literal,
    Read,
    RegisterPlace,
    Unary,
)
from mcm.program.instruction import Block as Body
from mcm.program.lacking_value import RETURNED
from mcm.program.resolve.checks import refuse_count
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.conversions import coerced
from mcm.program.resolve.hoisting import Hoisted, HoistedCall, does, first_open_order
from mcm.program.resolve.order_words import TYPES, given_words
from mcm.program.resolve.spelling import written_name
from mcm.program.resolve.type_names import object_type
from mcm.program.types import Scalar
from mcm.syntax.depth import levels
from mcm.syntax.limits import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.base.source import Span
    from mcm.program.instruction import Expression, Statement
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.resolve.names import Binding
    from mcm.program.types import Type
    from mcm.syntax import ast

# A thread may make at most so many calls, each of which has its own copy of the body.
MOST_CALLS: Final = 2_000


def is_void(function: ast.Function) -> bool:
    """Whether a function returns nothing."""
    return function.type.base == "void" and not function.type.pointers


def call(
    function: ast.Function,
    node: ast.Call,
    value: Callable[[ast.Expression, ThreadContext], Expression],
    body: Callable[[ast.Block, ThreadContext], Body],
    context: ThreadContext,
    seen: list[dict[str, Binding]] | None = None,
) -> Expression:
    """The value of a call, which stands before the expression now; 0 for a function that returns nothing.

    `seen` are the scopes around a function that is defined in a body.
    """
    _check_call(function, node, context)
    if any(parameter.type.base in TYPES for parameter in function.parameters):
        function, node = given_words(function, node)
    if function.body is None:
        # Reported where it is declared.
        raise UnresolvedError
    deeper = _levels(function.body, node, context)
    around, context.hoisted = context.hoisted, Hoisted()
    arguments = [value(argument, context) for argument in node.arguments]
    # The address of a variable is the same, whatever another argument does.
    context.hoisted.settle([one for one in arguments if not _is_address(one)], context.pointers, context.complaints)
    settle_arguments(arguments, context)
    statements, context.hoisted = context.hoisted.statements, around
    result = None if is_void(function) else _result(function, context)
    scopes = context.names.enter(function.name.text, seen)
    outer = context.enter(function.name.text, result, deeper)
    try:
        statements += _parameters(function, arguments, context)
        if result is not None:
            statements.append(Declare(result.register, result.type, span=node.span))
        statements.append(Inlined(body(function.body, context), span=node.span))
    finally:
        context.leave(outer)
        context.names.leave(scopes)
    around.statements += statements
    around.calls.append(HoistedCall(node.span, does(statements), None if result is None else result.register))
    if result is None:
        return Literal(0, Scalar.INT, span=node.span)
    return Read(RegisterPlace(result.register, result.type, span=node.span), result.type, span=node.span)


def _is_address(node: Expression) -> bool:
    return isinstance(node, AddressOfRegister) and isinstance(node.place, RegisterPlace)


def _check_call(function: ast.Function, node: ast.Call, context: ThreadContext) -> None:
    name = function.name.text
    if len(node.arguments) != len(function.parameters):
        count = len(function.parameters)
        refuse_count(node, f"{count} argument{'s' if count != 1 else ''}", context)
    if name in context.calls:
        chain = " calls ".join(f"'{written_name(one)}'" for one in (*context.calls[context.calls.index(name) :], name))
        note = Note("defined here", function.name.span)
        context.complaints.fail("E155", node.span, f"recursion is not allowed: {chain}", note)
    context.call_count += 1
    if context.call_count <= MOST_CALLS:
        return
    if context.call_count == MOST_CALLS + 1:
        message = f"a thread makes more than {MOST_CALLS} calls of functions, of which each has its own copy"
        context.complaints.error("E156", node.span, message)
    raise UnresolvedError


def _levels(body: ast.Block, node: ast.Call, context: ThreadContext) -> int:
    """The levels of the body of a function, which add to those around the call: all of them are walked over at once."""
    found = levels(body)
    if context.levels + found > MAX_DEPTH:
        message = (
            f"'{node.function.text}' is called in {len(context.calls)} functions, one in another, which is deeper than"
            f" the limit of {MAX_DEPTH} levels"
        )
        context.complaints.fail("E032", node.span, message)
    return found


def settle_arguments(arguments: list[Expression], context: ThreadContext) -> None:
    """Refuse arguments of which one changes what another one depends on: they are not sequenced."""
    found = first_open_order(arguments, context.pointers)
    if found is not None:
        one, other = found
        message = "it is open in C which of these arguments is evaluated first, and it matters"
        context.complaints.fail("E154", other.span, message, Note("the other one", one.span))


def _result(function: ast.Function, context: ThreadContext) -> RegisterPlace:
    """The register for the value of a call, a new one for each call."""
    type_ = object_type(function.type, (), context.unnamed_region, context.complaints).type
    return temporary(f"{function.name.text}{RETURNED}", type_, function.name.span, context)


def temporary(name: str, type_: Type, span: Span, context: ThreadContext) -> RegisterPlace:
    """A new register that the program does not name."""
    register = context.names.declare_hidden(name, type_, span).register
    return RegisterPlace(register, type_, span=span)


def _parameters(function: ast.Function, arguments: list[Expression], context: ThreadContext) -> list[Statement]:
    """The parameters, each with its argument."""
    found: list[Statement] = []
    for parameter, argument in zip(function.parameters, arguments, strict=True):
        stars = ((),) if parameter.length is not None else ()
        type_ = object_type(parameter.type, stars, context.unnamed_region, context.complaints).type
        variable = context.names.declare(parameter.name.text, type_, None, parameter.name.span)
        context.note_const(variable.register, parameter.type, stars)
        converted = coerced(argument, type_, context.complaints)
        found.append(Declare(variable.register, type_, None, (converted,), span=parameter.span))
    return found


# --- operators with a sequence point ----------------------------------------------------------------------------------


def truth_of(expression: Expression) -> Expression:
    """0 or 1."""
    inverse = Unary("!", expression, Scalar.INT, span=expression.span)
    return Unary("!", inverse, Scalar.INT, span=expression.span)


def logical(
    operator: str,
    left: tuple[Hoisted, Expression],
    right: tuple[Hoisted, Expression],
    span: Span,
    context: ThreadContext,
) -> Expression:
    """`left && right` or `left || right` with calls: the right side as a statement, where it is evaluated."""
    place = temporary("condition", Scalar.INT, span, context)
    read = Read(place, Scalar.INT, span=span)
    goes_on = read if operator == "&&" else Unary("!", read, Scalar.INT, span=span)
    before, first = left
    inner, second = right
    again = Evaluate(Assign(place, truth_of(second), Scalar.INT, span=span), span=span)
    then = Body((*inner.statements, again), span=span)
    statements: list[Statement] = [
        *before.statements,
        Declare(place.register, Scalar.INT, None, (truth_of(first),), span=span),
        If(goes_on, then, Body((), span=span), span=span),
    ]
    return hoist(statements, place, span, context)


def choice(
    condition: tuple[Hoisted, Expression],
    then: tuple[Hoisted, Expression],
    otherwise: tuple[Hoisted, Expression],
    type_: Type,
    span: Span,
    context: ThreadContext,
) -> Expression:
    """`condition ? then : otherwise` with calls, as a statement."""
    place = temporary("choice", type_, span, context)
    bodies = [
        Body((*before.statements, Evaluate(Assign(place, chosen, type_, span=span), span=span)), span=span)
        for before, chosen in (then, otherwise)
    ]
    before, test = condition
    statements: list[Statement] = [
        *before.statements,
        Declare(place.register, type_, span=span),
        If(test, bodies[0], bodies[1], span=span),
    ]
    return hoist(statements, place, span, context)


def in_sequence(
    left: tuple[Hoisted, Expression], right: tuple[Hoisted, Expression], span: Span, context: ThreadContext
) -> Expression:
    """`left, right` with calls, as statements."""
    (before, first), (between, second) = left, right
    place = temporary("last", second.type, span, context)
    statements: list[Statement] = [
        *before.statements,
        Evaluate(first, span=first.span),
        *between.statements,
        Declare(place.register, second.type, None, (second,), span=span),
    ]
    return hoist(statements, place, span, context)


def hoist(statements: list[Statement], place: RegisterPlace, span: Span, context: ThreadContext) -> Expression:
    """Move statements before the expression that is being resolved; what is left is what they computed."""
    context.hoisted.statements += statements
    context.hoisted.calls.append(HoistedCall(span, does(statements), place.register))
    return Read(place, place.type, span=span)


def held(value: Expression, name: str, context: ThreadContext) -> Expression:
    """A value that can be asked for twice: what is more than a variable is evaluated once, before the expression."""
    if isinstance(value, Read) and isinstance(value.place, RegisterPlace):
        return value
    place = temporary(name, value.type, value.span, context)
    declared = Declare(place.register, value.type, None, (value,), span=value.span)
    return hoist([declared], place, value.span, context)
