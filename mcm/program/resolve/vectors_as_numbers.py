"""Vectors that are also arrays of numbers, `float* p = (float*)&v`, `v[i]`; and structures, `(uint*)&s`.

Such a variable or buffer is made an array of numbers, and what sees it as vectors sees it through a pointer that is
cast, `*(float4*)v`: these are taken apart with other vectors (`record_views`). All other vectors stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.program.resolve.numbers_seen import Seen, seen_in
from mcm.program.resolve.parameters_seen import root_of
from mcm.program.resolve.parted_unions import is_zero
from mcm.program.resolve.record_buffers import members_of
from mcm.program.resolve.record_types import Slot
from mcm.program.resolve.spelling import scalar_name
from mcm.program.resolve.typed_walk import VECTOR
from mcm.program.resolve.vectors_in_memory import times
from mcm.syntax import ast, question
from mcm.syntax.mapped import with_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.program.resolve.complaints import Complaints

_COMPONENTS: Final = "xyzw"


def without_vectors_as_numbers(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with arrays in place of vectors that it sees as arrays."""
    shared, own = seen_in(tree)
    if not shared and not any(own.values()):
        return tree
    units = tuple(_Arrays(own[unit.span]).node(unit) if own.get(unit.span) else unit for unit in tree.units)
    initial = tuple(one for item in tree.initial for one in _initial(item, shared, complaints))
    asked = _Asked(shared, complaints)
    return replace(
        tree,
        units=units,
        initial=initial,
        locations=tuple(map(asked.node, tree.locations)),
        filter=None if tree.filter is None else asked.node(tree.filter),
        condition=None if tree.condition is None else asked.node(tree.condition),
    )


def _initial(item: ast.InitialItem, shared: Mapping[str, Seen], complaints: Complaints) -> Iterator[ast.InitialItem]:
    """`float4 p[2] = {{1, 2}}` as `float p[8] = {1, 2}`; what is told of numbers stays."""
    seen = shared.get(item.name.text) if isinstance(item, ast.InitialValue) else None
    if seen is None or not isinstance(item, ast.InitialValue) or (item.type and item.type.base == seen.scalar):
        yield item
        return
    if not seen.is_all and isinstance(item.value, ast.InitializerList) and not is_zero(item.value):
        message = f"values of '{item.name.text}', whose members are of several types, and which is seen as numbers"
        hint = f"state these, '{seen.scalar} {item.name.text}[{seen.width}] = …'"
        complaints.error("E100", item.value.span, f"not yet supported: {message}; {hint}")
        item = replace(item, value=ast.NumberLiteral("0", span=item.value.span))
    slot = Slot("all", ast.TypeName((), seen.scalar, span=item.span), seen.width)
    for found in members_of(item, (slot,), complaints):
        yield replace(found, name=item.name)


class _Asked:
    """Questions about components of vectors in memory that are elements of arrays now."""

    def __init__(self, shared: Mapping[str, Seen], complaints: Complaints) -> None:
        self._shared: Final = shared
        self._complaints: Final = complaints

    def node(self, node: Any) -> Any:
        """A part of a question: `p.y[1]` is `p[5]`."""
        match node:
            case question.LocationReference(ast.Name(text), index, inner=()) if "." in text:
                name, _, component = text.partition(".")
                seen = self._shared.get(name)
                place = None if seen is None else _place(component, seen, index or 0)
                if seen is not None and place is None and (seen.members or not seen.is_all):
                    message = f"'{text}', as '{name}' is seen as numbers, too; name the number that it is, '{name}[…]'"
                    self._complaints.error("E100", node.span, f"not yet supported: {message}")
                    place = 0
                return node if place is None else replace(node, name=replace(node.name, text=name), index=place)
            case _:
                return with_parts(node, self.node)


def _place(component: str, seen: Seen, index: int) -> int | None:
    """The number of a component, `y`, `s5`, or a member, where an index follows it: of an array, the flat one."""
    for member in seen.members:
        if member.name == component:
            which, inside = divmod(index, member.length or 1)
            return which * seen.width + member.place + inside
    if seen.members or not seen.is_all:
        return None
    if len(component) == 1 and component in _COMPONENTS:
        found = _COMPONENTS.index(component)
    elif len(component) == 2 and component[0] in "sS":
        found = int(component[1], 16)
    else:
        return None
    return index * seen.width + found if found < seen.width else None


class _Arrays:
    """Puts arrays in place of the vectors of one kernel, thread or function."""

    def __init__(self, seen: Mapping[str, Seen]) -> None:
        self._seen: Final = seen

    def node(self, node: Any) -> Any:
        """A part of the unit."""
        match node:
            case ast.Parameter(_, ast.Name(text)) if (seen := self._seen.get(text)) is not None:
                return self._parameter(node, seen)
            case ast.Block(statements):
                return replace(node, statements=tuple(one for part in statements for one in self._statements(part)))
            case ast.Declarator():
                return replace(with_parts(node, self.node), name=node.name)
            case ast.Cast() if (found := self._numbers(node)) is not None:
                name, index = found
                pointer = name if index is None else ast.Infix("+", name, index, span=node.span)
                is_same = bool(node.type.pointers) and _scalar(node.type.base) == _scalar(self._seen[name.text].scalar)
                return pointer if is_same else replace(node, operand=pointer)
            case ast.Member(ast.Name(text), operator, name) if (seen := self._seen.get(text)) is not None:
                base = self.node(ast.Prefix("*", node.base, span=node.span) if operator == "->" else node.base)
                return replace(node, base=base, operator=".")
            case ast.Index(ast.Name(text) as name, index) if text in self._seen and self._seen[text].is_one:
                # A vector that is indexed as an array is.
                return replace(node, base=name, index=self.node(index))
            case ast.Member(_, _, name):
                return replace(node, base=self.node(node.base), name=name)
            case ast.Call(function):
                return replace(with_parts(node, self.node), function=function)
            case ast.Name(text) if (seen := self._seen.get(text)) is not None:
                return self._whole(node, seen)
            case _:
                return with_parts(node, self.node)

    def _parameter(self, node: ast.Parameter, seen: Seen) -> ast.Parameter:
        """A pointer to vectors as one to numbers; an array has as many elements as all of these."""
        length = None if node.length is None else times(node.length, seen.width)
        return replace(node, type=replace(node.type, base=seen.scalar), length=length, step=seen.width)

    def _numbers(self, cast: ast.Cast) -> tuple[ast.Name, ast.Expression | None] | None:
        """The array that a pointer to numbers leads to, and the element; None for any other cast."""
        found = root_of(cast)
        if found is None or found[0].text not in self._seen:
            return None
        name, index = found
        seen = self._seen[name.text]
        return name, None if index is None else times(self.node(index), seen.width)

    def _whole(self, name: ast.Name, seen: Seen) -> ast.Expression:
        """A vector, or a pointer to some, as seen through a pointer to numbers."""
        type_ = ast.TypeName(seen.space, seen.vector, pointers=((),), span=name.span)
        pointer = ast.Cast(type_, name, span=name.span)
        return ast.Prefix("*", pointer, span=name.span) if seen.is_one else pointer

    def _statements(self, node: ast.Statement) -> Iterator[ast.Statement]:
        """A statement; what a vector is declared with is assigned behind its declaration."""
        if not isinstance(node, ast.Declaration):
            yield self.node(node)
            return
        for one in node.declarators:
            seen = self._seen.get(one.name.text)
            if seen is None:
                yield replace(node, declarators=(self.node(one),))
                continue
            count = ast.NumberLiteral(str(seen.width), span=one.span)
            length = count if one.length is None else times(self.node(one.length), seen.width)
            value = one.initializer
            if isinstance(value, ast.InitializerList) and VECTOR.fullmatch(seen.vector) is None and not is_zero(value):
                # The values are those of members: a structure has them.
                name = ast.Name(f"{one.name.text}#begun", span=one.span)
                begun = replace(one, name=name, initializer=self.node(value))
                yield ast.Declaration(ast.TypeName((), seen.vector, span=one.span), (begun,), span=node.span)
                value = name
            kept = self.node(value) if isinstance(value, ast.InitializerList) else None
            type_ = replace(node.type, base=seen.scalar)
            yield ast.Declaration(type_, (replace(one, length=length, initializer=kept),), span=node.span)
            if value is not None and kept is None:
                assigned = ast.Assignment("=", self._whole(one.name, seen), self.node(value), span=one.span)
                yield ast.ExpressionStatement(assigned, span=one.span)


def _scalar(base: str) -> str:
    """A type of numbers by its one name."""
    return scalar_name((), " ".join(base.split()))
