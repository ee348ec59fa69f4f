"""Arrays of pointers to structures or vectors: an element is a pointer variable, which an index chooses.

`global struct ball* of[2] = {p, q};` is an array of pointers for each member, as a pointer is a pointer to each. So
`of[k]` may stand wherever a variable that is such a pointer may.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcm.program.resolve.computing import acts
from mcm.program.resolve.record_types import PointerElement, element_of
from mcm.program.resolve.spelling import base_of
from mcm.program.resolve.typed_walk import VECTOR, TypedWalk
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints

_TAGS: Final = ("struct ", "union ")


def with_chosen_pointers(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test in which elements of such arrays are told from other elements."""
    declarations = (node for node in walk(tree.units) if isinstance(node, ast.Declaration))
    if not any(_is_array(node.type, one) for node in declarations for one in node.declarators):
        return tree
    return _Choosing(tree, complaints).test(tree)


def _is_array(type_: ast.TypeName, node: ast.Declarator) -> bool:
    """Whether a declarator declares an array of pointers to structures or vectors."""
    return node.length is not None and bool(node.pointers) and _is_record(type_)


def _is_record(type_: ast.TypeName) -> bool:
    base = base_of(type_)
    return base.startswith(_TAGS) or VECTOR.fullmatch(base) is not None


class _Choosing(TypedWalk):
    """Finds elements of such arrays."""

    def node(self, node: ast.Node) -> Any:
        """A part of the test."""
        match node:
            case ast.Index(ast.Name(text), index) if self._is_known(text):
                self._check(index)
                return PointerElement(element_of(text), index=self.node(index), span=node.span)
            case _:
                return super().node(node)

    def _is_known(self, name: str) -> bool:
        """Whether a variable in scope is such an array."""
        found = next((scope[name] for scope in reversed(self._scopes) if name in scope), None)
        return found is not None and bool(found.lengths) and len(found.type.pointers) == 1 and _is_record(found.type)

    def _check(self, index: ast.Expression) -> None:
        """Refuse an index that is not the same wherever it is written down: each member has its own."""
        if acts(index) or any(isinstance(part, ast.Member | ast.Index) for part in walk([index])):
            message = f"not yet supported: the index '{index.span.text}' of pointers to structures or vectors"
            self.complaints.fail("E100", index.span, f"{message}; keep it in a variable")
