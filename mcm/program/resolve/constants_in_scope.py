"""Values for constants outside functions in a unit that has variables of their names too, in blocks of its own.

`int i = n; { int n = i * 2; }` with `constant int n = 5;`: a name is the constant as far as no declaration, loop,
parameter or block in the unit gives it another meaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from mcm.syntax import ast
from mcm.syntax.mapped import with_parts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def with_constants_in_scope(
    unit: ast.Thread | ast.Kernel | ast.Function | ast.Callback, constants: Mapping[str, ast.Expression]
) -> Any:
    """The unit with the values of those constants, each where its name has no other meaning."""
    return _Seen(constants).behind(unit.parameters).inside(unit)


class _Seen(Struct, frozen=True):
    """The constants that names mean at a place."""

    constants: Mapping[str, ast.Expression]

    def behind(self, hiding: Sequence[ast.Declarator | ast.Parameter]) -> _Seen:
        """What is seen behind these declarations."""
        names = {one.name.text for one in hiding}
        return _Seen({name: value for name, value in self.constants.items() if name not in names})

    def node(self, node: ast.Node) -> Any:
        """A part of the unit."""
        match node:
            case ast.Name(text):
                return replace(self.constants[text], span=node.span) if text in self.constants else node
            case ast.Block(statements):
                return replace(node, statements=self._in_turn(statements))
            case ast.Declaration(declarators=declarators):
                return replace(node, declarators=self._in_turn(declarators))
            case ast.For(ast.Declaration(declarators=declarators) as initial):
                rest = self.behind(declarators).node(replace(node, initial=None))
                return replace(rest, initial=self.node(initial))
            case ast.BlockLiteral(parameters) | ast.Function(parameters=parameters):
                return self.behind(parameters).inside(node)
            case ast.Member(base):
                return replace(node, base=self.node(base))
            case ast.Labelled(_, statement):
                return replace(node, statement=self.node(statement))
            case ast.Declarator(name, initializer=initializer):
                # A variable is one in its own initial value.
                value = None if initializer is None else self.behind((node,)).node(initializer)
                return replace(with_parts(replace(node, initializer=None), self.node), name=name, initializer=value)
            case ast.Parameter(name=name):
                return replace(with_parts(node, self.node), name=name)
            case ast.Goto():
                return node
            case _:
                return with_parts(node, self.node)

    def inside(self, unit: ast.Node) -> Any:
        """A function, a kernel or a block with the values in its body: names behind parameters mean what is there."""
        body = getattr(unit, "body", None)
        return unit if body is None else replace(unit, body=self.node(body))

    def _in_turn(self, parts: Sequence[ast.Node]) -> tuple[Any, ...]:
        """Statements or declarators, each behind those before it."""
        found, seen = [], self
        for part in parts:
            bare = part
            while isinstance(bare, ast.Case | ast.Labelled):
                bare = bare.statement
            own = bare.declarators if isinstance(bare, ast.Declaration) else (bare,)
            found.append(seen.node(part))
            seen = seen.behind([one for one in own if isinstance(one, ast.Declarator)])
        return tuple(found)
