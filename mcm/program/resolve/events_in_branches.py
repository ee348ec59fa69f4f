"""Event variables that one branch uses alone are declared in this branch.

`clk_event_t e; if (i == 0) { enqueue_kernel(…, &e, …); … }`: no command behind the branch can have to do with `e`.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mcm.program.resolve.spelling import EVENT_TYPES
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts
from mcm.syntax.walk import names_in, walk


def with_events_in_branches(node: Any) -> Any:
    """A part of a unit, in which an event is declared in the branches that use it, where nothing else does."""
    if isinstance(node, ast.Block):
        statements = list(node.statements)
        for place, one in enumerate(statements):
            if isinstance(one, ast.Declaration) and one.type.base in EVENT_TYPES:
                _move(place, one, statements)
        if any(one is not other for one, other in zip(statements, node.statements, strict=True)):
            node = replace(node, statements=tuple(statements))
    return with_parts(node, with_events_in_branches)


def _move(place: int, declaration: ast.Declaration, statements: list[ast.Statement]) -> None:
    """Move the variables of a declaration into the statement behind it that uses them, where only one does."""
    left = []
    for declarator in declaration.declarators:
        name = declarator.name.text
        users = [at for at in range(place + 1, len(statements)) if name in names_in(statements[at])]
        found = None
        if len(users) == 1 and declarator.initializer is None:
            found = _declared_in(statements[users[0]], replace(declaration, declarators=(declarator,)), name)
        if found is None:
            left.append(declarator)
        else:
            statements[users[0]] = found
    if len(left) < len(declaration.declarators):
        statements[place] = replace(declaration, declarators=tuple(left)) if left else ast.Empty(span=declaration.span)


def _declared_in(node: ast.Statement, declaration: ast.Declaration, name: str) -> ast.Statement | None:
    """A block or branches with the declaration inside; None where it cannot stand there."""
    if any(isinstance(part, ast.Declarator) and part.name.text == name for part in walk([node])):
        return None
    match node:
        case ast.Block(statements):
            return replace(node, statements=(declaration, *statements))
        case ast.If(condition, then, otherwise) if name not in names_in(condition):
            sides = [
                ast.Block((declaration, side), span=side.span) if side is not None and name in names_in(side) else side
                for side in (then, otherwise)
            ]
            assert sides[0] is not None
            return replace(node, then=sides[0], otherwise=sides[1])
        case _:
            return None
