"""Loops of host programs that enqueue commands or wait for them, and how often they go round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.constants import constant, constant_of
from mcm.sycl.data import DATA_COMMANDS
from mcm.sycl.early_ends import early_ends
from mcm.sycl.entities import Opaque
from mcm.sycl.host_events import EVENTS
from mcm.sycl.kernels import LAUNCHES
from mcm.syntax import ast
from mcm.syntax.walk import changed_variable, walk

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.syntax.ast import Expression, Node, Statement

_MOST: Final = 64
_COMPARISONS: Final = {
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
    "!=": int.__ne__,
}
_STEPS: Final = frozenset({"+=", "-=", "*=", "/=", "<<=", ">>="})


def unrolled(node: ast.For, context: Context) -> tuple[ast.Declarator, tuple[int, ...]] | None:
    """The variable of a loop that enqueues or waits, and the values that it has; None where these are not evident."""
    match node.initial:
        case ast.Declaration(_, (ast.Declarator(_, (), None, initial) as variable,)) if initial is not None:
            pass
        case _:
            return None
    is_asked = enqueues(node.body) or _names_listed(node.body, variable.name.text, context)
    if not is_asked or isinstance(initial, ast.InitializerList) or not _is_steady(node.body, variable):
        return None
    name, value = variable.name.text, constant(initial, context)
    found: list[int] = []
    while value is not None and len(found) <= _MOST:
        holds = _holds(node.condition, name, value, context)
        if holds is None:
            return None
        if not holds:
            return variable, tuple(found)
        found.append(value)
        value = _next(node.step, name, value, context)
    return None


def plain_loop(node: Node) -> Node:
    """A loop that enqueues commands, as far as it can be, without `continue`, and with a step of its variable alone."""
    if isinstance(node, ast.For | ast.While | ast.DoWhile) and isinstance(node.body, ast.Block) and enqueues(node.body):
        node = replace(node, body=replace(node.body, statements=_without_continue(node.body.statements)))
    return _with_one_step(node) if isinstance(node, ast.For) else node


def _without_continue(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements of a turn with `if (c) { … } else { … }` in place of `if (c) { …; continue; } …`."""
    for number, one in enumerate(statements):
        if not isinstance(one, ast.If) or one.otherwise is not None:
            continue
        then = one.then.statements if isinstance(one.then, ast.Block) else (one.then,)
        if not isinstance(then[-1] if then else None, ast.Continue):
            continue
        chosen = ast.Block(then[:-1], span=one.then.span)
        rest = ast.Block(_without_continue(statements[number + 1 :]), span=one.span)
        return (*statements[:number], replace(one, then=chosen, otherwise=rest))
    return statements


def _with_one_step(node: ast.For) -> ast.For:
    """A loop whose step changes its variable alone: what it does beside that is the end of the body.

    `for (int i = 0; i < 4; i++, n *= 2) { … }` is `for (int i = 0; i < 4; i++) { … n *= 2; }`.
    """
    match node.initial:
        case ast.Declaration(_, (ast.Declarator(name),)) if isinstance(node.step, ast.Infix):
            parts = in_sequence(node.step)
        case _:
            return node
    own = [part for part in parts if changed_variable(part) == name.text]
    others = [part for part in parts if part not in own]
    named = {one.text for one in walk(others) if isinstance(one, ast.Name)}
    leaves = any(isinstance(one, ast.Continue) for one in early_ends(node.body))
    if len(own) != 1 or not others or name.text in named or leaves:
        return node
    last = tuple(ast.ExpressionStatement(one, span=one.span) for one in others)
    body = node.body if isinstance(node.body, ast.Block) else ast.Block((node.body,), span=node.body.span)
    return replace(node, step=own[0], body=replace(body, statements=(*body.statements, *last)))


def in_sequence(node: Expression) -> list[Expression]:
    """What commas separate."""
    if isinstance(node, ast.Infix) and node.operator == ",":
        return [*in_sequence(node.left), *in_sequence(node.right)]
    return [node]


def enqueues(body: Node) -> bool:
    """Whether a statement enqueues commands, waits for them, or adds to a list of their events."""
    names = {*LAUNCHES, *DATA_COMMANDS, "submit", "wait", "wait_and_throw", "push_back", "emplace_back"}
    return any(isinstance(node, tree.MemberCall) and node.name.text in names for node in walk([body]))


def _names_listed(body: Node, counter: str, context: Context) -> bool:
    """Whether a loop goes through a list of events: `all[i]`."""

    def is_list(node: Node) -> bool:
        entity = context.scopes.find(node.text) if isinstance(node, ast.Name) else None
        return isinstance(entity, Opaque) and entity.class_ == EVENTS

    indexed = [node for node in walk([body]) if isinstance(node, ast.Index) and is_list(node.base)]
    return any(isinstance(one, ast.Name) and one.text == counter for node in indexed for one in walk([node.index]))


def _is_steady(body: Node, variable: ast.Declarator) -> bool:
    """Whether nothing but its step changes the variable, and nothing leaves the loop."""
    is_left = any(True for _ in early_ends(body))
    return not is_left and all(changed_variable(node) != variable.name.text for node in walk([body]))


def _holds(node: Node | None, name: str, value: int, context: Context) -> bool | None:
    match node:
        case ast.Infix(operator, ast.Name(text), right) if text == name and operator in _COMPARISONS:
            bound = constant(right, context)
            return None if bound is None else bool(_COMPARISONS[operator](value, bound))
        case _:
            return None


def _next(node: Node | None, name: str, value: int, context: Context) -> int | None:
    match node:
        case ast.Prefix("++" | "--" as operator, ast.Name(text)) | ast.Postfix("++" | "--" as operator, ast.Name(text)):
            return value + (1 if operator == "++" else -1) if text == name else None
        case ast.Assignment(operator, ast.Name(text), right) if text == name and operator in _STEPS:
            step = constant(right, context)
            if step is None:
                return None
            written = [ast.NumberLiteral(str(one), span=right.span) for one in (value, step)]
            return constant_of(ast.Infix(operator[:-1], *written, span=right.span), lambda _: None)
        case _:
            return None
