"""`p[n++] = v` with vectors or structures: the index stands before the statement.

Each member is accessed by itself, and all of them at one index.
"""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - the field of a Struct
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.record_types import Shape  # noqa: TC001 - as above
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

_STEPS: Final = frozenset({"++", "--"})


class SteppedIndices(Struct):
    """Such indices in the statements of a test; `shape_of` is what is known of a variable that is a record."""

    shape_of: Callable[[str], Shape | None]
    _count: int = 0

    def before(self, node: ast.Statement) -> tuple[list[ast.Statement], ast.Statement]:
        """The variables for such indices of a statement, and the statement with them.

        Only a step of a variable that stands nowhere else in the statement is made before: then no order can be seen.
        """
        found: list[ast.Statement] = []
        changed = node
        for place in _places(node):
            match place:
                case ast.Index(ast.Name(record), ast.Postfix() | ast.Prefix() as index):
                    stepped = index.operand
                case _:
                    continue
            uses = sum(isinstance(part, ast.Name) and part == stepped for part in walk([node]))
            if index.operator in _STEPS and isinstance(stepped, ast.Name) and uses == 1 and self.shape_of(record):
                self._count += 1
                name = ast.Name(f"#index{self._count}", span=index.span)
                variable = ast.Declarator(name, initializer=index, span=index.span)
                type_ = ast.TypeName((), "long", span=index.span)
                found.append(ast.Declaration(type_, (variable,), span=index.span))
                changed = _replaced(changed, place, replace(place, index=name))
        return found, changed


def _places(node: ast.Statement) -> Iterator[ast.Expression]:
    """The place that a statement assigns to, and the value that it takes: both are accessed for sure, and once."""
    match node:
        case ast.ExpressionStatement(ast.Assignment(_, target, value)):
            yield target
            yield value
        case ast.Declaration(_, (ast.Declarator(initializer=ast.Index() as value),)):
            yield value
        case _:
            return


def _replaced(node: ast.Statement, place: ast.Index, now: ast.Index) -> ast.Statement:
    match node:
        case ast.ExpressionStatement(ast.Assignment(_, target, value) as one):
            one = replace(one, target=now) if target is place else replace(one, value=now if value is place else value)
            return replace(node, expression=one)
        case ast.Declaration(_, (one,)):
            return replace(node, declarators=(replace(one, initializer=now),))
        case _:
            return node
