"""Members of structures and unions that have no name: their own members are named as if they were those around them.

`struct { union { float4 v; float a[4]; }; int n; } s;` has a member `s.v`, which is `s.anonymous_1.v` by the name that
the union was given where it was read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.spelling import ANONYMOUS, base_of
from mcm.program.resolve.typed_walk import TypedWalk
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator


def with_anonymous_members(tree: ast.Litmus) -> ast.Litmus:
    """The test in which each member is named by all that it is in."""
    structures = [unit for unit in tree.units if isinstance(unit, ast.Structure)]
    names = {one.name.text for unit in structures for each in unit.members for one in each.declarators}
    if not any(name.startswith(ANONYMOUS) for name in names):
        return tree
    return _Naming(tree).test(tree)


class _Naming(TypedWalk):
    """Writes the names of members between. What is wrong with the types of a test is for others to say."""

    def __init__(self, tree: ast.Litmus) -> None:
        super().__init__(tree, Complaints())
        self._paths: Final[dict[str, dict[str, tuple[str, ...]]]] = {}

    def node(self, node: ast.Node) -> Any:
        """A part of the test."""
        if isinstance(node, ast.Structure):
            # It is known as it is, and has no expressions with members.
            return node
        if isinstance(node, ast.FileVariables):
            return replace(node, declaration=self.node(node.declaration))
        node = super().node(node)
        return self._named(node) if isinstance(node, ast.Member) else node

    def _named(self, node: ast.Member) -> ast.Member:
        try:
            around = self.type_of(node.base)
        except UnresolvedError:
            return node
        between = self._found_in(base_of(around.type)).get(node.name.text, ())
        for name in between:
            inner = ast.Member(node.base, node.operator, ast.Name(name, span=node.name.span), span=node.base.span)
            node = replace(node, base=inner, operator=".")
        return node

    def _found_in(self, type_: str) -> dict[str, tuple[str, ...]]:
        """The members of what a structure has without a name, and what they are in."""
        if type_ not in self._paths:
            self._paths[type_] = {name: path for name, path in self._members_of(type_, ()) if path}
        return self._paths[type_]

    def _members_of(self, type_: str, path: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
        unit = self.structures.get(type_)
        for name, measured in () if unit is None else self.members(unit).items():
            yield name, path
            if name.startswith(ANONYMOUS):
                yield from self._members_of(base_of(measured.type), (*path, name))
