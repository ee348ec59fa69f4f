"""Where a host names memory without an access to it, as the value that a pointer gets, and what pointers lead into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.sycl.entities import Reference
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.sycl.entities import Scopes
    from mcm.syntax.ast import Node


class Pointers(Struct, frozen=True):
    """The pointers of a body: `places` are those of names that are their values, `leads` says which each one gets."""

    places: frozenset[Span] = frozenset()
    leads: frozenset[tuple[str, str]] = frozenset()

    def accessed(self, node: Node, scopes: Scopes) -> list[str]:
        """The memory that may be accessed where something is named."""
        if not isinstance(node, ast.Name):
            return []
        if isinstance(scopes.find(node.text), Reference):
            return [node.text]
        return sorted(name for pointer, name in self.leads if pointer == node.text)


def pointers_of(body: Node) -> Pointers:
    """The pointers that get memory by its name, `int* p = x;` and `p = x;`, wherever that is."""
    declarators = [node for node in walk([body]) if isinstance(node, ast.Declarator)]
    pointers = {one.name.text for one in declarators if len(one.pointers) == 1 and one.length is None}
    pointers -= {one.name.text for one in declarators if not one.pointers or one.length is not None}
    given = [(one.name.text, one.initializer) for one in declarators]
    for node in walk([body]):
        match node:
            case ast.Assignment("=", ast.Name(text), value):
                given.append((text, value))
            case _:
                pass
    found = [(name, value) for name, value in given if name in pointers and isinstance(value, ast.Name)]
    places = frozenset(value.span for _, value in found)
    return Pointers(places, frozenset((name, value.text) for name, value in found))
