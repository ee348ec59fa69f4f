"""`rand()` on the host: the numbers of one run, which a program is judged for, and told so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.sycl.context import Context
    from mcm.syntax.ast import Expression, Node

_RAND: Final = "rand"
_NEXT: Final = "rand#next"
_STATE: Final = "rand#state"
# Numbers below sixteen, as good as any for what depends on whether they are equal, less, or odd: of the state, which
# goes round through all numbers below 64, the upper bits.
_FACTOR, _TERM, _COUNT, _SEED = 13, 7, 64, 7
_LOWER = 4


def random_number(node: ast.Call, context: Context) -> Expression | None:
    """What a call of `rand` or `srand` on the host is; None for other calls."""
    name = plain(node.function.text)
    if not context.is_host:
        return None
    if name == "srand" and len(node.arguments) == 1:
        return ast.Cast(ast.TypeName((), "void", span=node.span), context.value(node.arguments[0]), span=node.span)
    if name != _RAND or node.arguments:
        return None
    message = (
        f"'{node.span.text}' is another number in each run, and here it is that of one run: where it decides what is "
        "done, the verdict for another one may differ"
    )
    if not any(one.name.text == _NEXT for one in context.functions.made):
        context.complaints.warning("W155", node.span, message)
        context.functions.made.append(_next(node.span))
    if not any(_declares(one) for one in context.first):
        context.first.append(_state(node.span))
    state = ast.Prefix("&", ast.Name(_STATE, span=node.span), span=node.span)
    return ast.Call(ast.Name(_NEXT, span=node.function.span), (state,), span=node.span)


def _declares(node: Node) -> bool:
    return isinstance(node, ast.Declaration) and node.declarators[0].name.text == _STATE


def _int(span: Span) -> ast.TypeName:
    return ast.TypeName((), "int", span=span)


def _state(span: Span) -> ast.Declaration:
    """What the next number follows from."""
    seed = ast.NumberLiteral(str(_SEED), span=span)
    declarator = ast.Declarator(ast.Name(_STATE, span=span), (), None, seed, span=span)
    return ast.Declaration(_int(span), (declarator,), span=span)


def _next(span: Span) -> ast.Function:
    """The function that makes a number of the one before it."""
    state = ast.Prefix("*", ast.Name("s", span=span), span=span)
    factor, term, count = (ast.NumberLiteral(str(one), span=span) for one in (_FACTOR, _TERM, _COUNT))
    product = ast.Infix("*", state, factor, span=span)
    value = ast.Infix("%", ast.Infix("+", product, term, span=span), count, span=span)
    assigned = ast.ExpressionStatement(ast.Assignment("=", state, value, span=span), span=span)
    upper = ast.Infix("/", state, ast.NumberLiteral(str(_LOWER), span=span), span=span)
    body = ast.Block((assigned, ast.Return(upper, span=span)), span=span)
    pointer = ast.TypeName((), "int", ((),), span=span)
    parameter = ast.Parameter(pointer, ast.Name("s", span=span), span=span)
    return ast.Function(ast.Name(_NEXT, span=span), (), _int(span), (parameter,), body, span=span)
