"""Local memory of bytes that a kernel sees as larger numbers only: it is memory of these.

`local uchar* scratch` of which all that is done is `(local uint*)scratch` or `(local uint*)(scratch + 64)` is
`local uint* scratch`: so its words may be accessed atomically, which the bytes that it was declared with could not be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.spelling import SCALARS, base_of, scalar_name
from mcm.program.resolve.type_names import names_local
from mcm.program.resolve.typed_walk import VECTOR
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts
from mcm.syntax.walk import parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mcm.program.types import Scalar

_BYTE: Final = 8
_BYTES: Final = frozenset({"char", "uchar", "unsigned char", "signed char"})


def without_byte_scratch(tree: ast.Litmus) -> ast.Litmus:
    """The test with words in place of such bytes; what the initial state or a question names stays as it is."""
    asked = [*tree.initial, *tree.locations, *(one for one in (tree.filter, tree.condition) if one is not None)]
    named = {part.text for part in walk(asked) if isinstance(part, ast.Name)}
    return replace(
        tree, units=tuple(_of_kernel(unit, named) if isinstance(unit, ast.Kernel) else unit for unit in tree.units)
    )


def _of_kernel(kernel: ast.Kernel, named: Collection[str]) -> ast.Kernel:
    declared = [one.name.text for one in kernel.parameters if _is_bytes(one)]
    inside = [one for one in kernel.body.statements if isinstance(one, ast.Declaration)]
    declared += [name for one in inside for name in _arrays(one)]
    every = [part.name.text for part in walk([kernel]) if isinstance(part, ast.Parameter | ast.Declarator)]
    names = {name for name in declared if every.count(name) == 1 and name not in named}
    if not names:
        return kernel
    uses = _Uses({name: set() for name in names})
    uses.look(kernel.body)
    wider = {name: min(found, key=lambda one: one.bits) for name, found in uses.found.items() if found}
    wider = {name: one for name, one in wider.items() if one.bits > _BYTE}
    if not wider:
        return kernel
    found = _Words(wider).node(kernel)
    assert isinstance(found, ast.Kernel)
    return found


def _is_bytes(parameter: ast.Parameter) -> bool:
    """Whether a parameter is a pointer to bytes in local memory."""
    type_ = parameter.type
    is_pointer = len(type_.pointers) == 1 and parameter.length is None
    return is_pointer and names_local(type_.qualifiers) and base_of(type_) in _BYTES


def _arrays(node: ast.Declaration) -> list[str]:
    """The array of bytes in local memory that a declaration declares."""
    if not names_local(node.type.qualifiers) or base_of(node.type) not in _BYTES or len(node.declarators) > 1:
        return []
    return [one.name.text for one in node.declarators if one.length is not None and not (one.pointers or one.inner)]


class _Uses(Struct):
    """The types as which variables are seen; none of one that anything else is done with."""

    found: dict[str, set[Scalar]]

    def look(self, node: ast.Node) -> None:
        """Look at a part of a kernel."""
        match node:
            case ast.Cast(type_, operand) if (apart := _apart(operand)) is not None and apart[0].text in self.found:
                name, offsets = apart
                scalar = _seen(type_)
                if scalar is None:
                    del self.found[name.text]
                else:
                    self.found[name.text].add(scalar)
                for offset in offsets:
                    self.look(offset)
            case ast.Name(text):
                self.found.pop(text, None)
            case ast.Declarator(name):
                for part in parts_of(node):
                    if part is not name:
                        self.look(part)
            case _:
                for part in parts_of(node):
                    self.look(part)


def _apart(node: ast.Expression) -> tuple[ast.Name, list[ast.Expression]] | None:
    """The variable from which a pointer is some bytes away, and what says how many; None for other expressions."""
    match node:
        case ast.Name():
            return node, []
        case ast.Infix("+" | "-", base, offset) | ast.Prefix("&", ast.Index(base, offset)):
            found = _apart(base)
            return None if found is None else (found[0], [*found[1], offset])
        case _:
            return None


def _seen(type_: ast.TypeName) -> Scalar | None:
    """The numbers that a pointer leads to; None where it is no pointer to numbers or vectors."""
    if len(type_.pointers) != 1:
        return None
    vector = VECTOR.fullmatch(base_of(type_))
    return SCALARS.get(scalar_name((), base_of(type_)) if vector is None else vector["scalar"])


class _Words:
    """Puts memory of words in place of that of bytes."""

    def __init__(self, wider: Mapping[str, Scalar]) -> None:
        self._wider: Final = wider

    def node(self, node: Any) -> Any:
        """A part of a kernel."""
        match node:
            case ast.Parameter(type_, ast.Name(text)) if text in self._wider:
                return replace(node, type=replace(type_, base=self._wider[text].spelling))
            case ast.Declaration(type_, (ast.Declarator(ast.Name(text), length=length) as one,)) if (
                text in self._wider and length is not None
            ):
                each = self._wider[text].bits // _BYTE
                whole = ast.Infix("+", length, _number(each - 1, length), span=length.span)
                count = ast.Infix("/", whole, _number(each, length), span=length.span)
                words = replace(type_, base=self._wider[text].spelling)
                return replace(node, type=words, declarators=(replace(one, length=count),))
            case ast.Declarator(name):
                return replace(with_parts(node, self.node), name=name)
            case ast.Name(text) if text in self._wider:
                return ast.Cast(ast.TypeName(("local",), "uchar", ((),), span=node.span), node, span=node.span)
            case _:
                return with_parts(node, self.node)


def _number(number: int, node: ast.Node) -> ast.NumberLiteral:
    return ast.NumberLiteral(str(number), span=node.span)
