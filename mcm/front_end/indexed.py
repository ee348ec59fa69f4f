"""How many elements the uses of a pointer need: by itself, through variables made of it, and in functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.constants import constant_integer
from mcm.program.resolve.spelling import LOAD_HALF, STORE_HALF
from mcm.syntax import ast
from mcm.syntax.walk import parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Callee = ast.Function | ast.Kernel
# The pointer stands last, and the index before it.
_OF_HALVES: Final = frozenset({LOAD_HALF, *STORE_HALF})
_RANGES: Final = frozenset({"ndrange_1D", "ndrange_2D", "ndrange_3D"})
# How often a call of a call is followed.
_DEEPEST: Final = 20


class Needed(Struct, frozen=True):
    """The elements up to one that is used: so many for each work-item, and so many more (or less, in the last one's).

    `4 * i + 1` needs (4, -2): of the last work-item's four, two.
    """

    each: int
    more: int

    def of(self, items: int) -> int:
        """The number of elements where there are so many work-items, of which each has all of its own."""
        return self.each * items + max(0, self.more) if self.each else self.more

    def or_else(self, other: Needed) -> Needed:
        """What either of two elements needs."""
        return Needed(max(self.each, other.each), max(self.more, other.more))

    def then(self, index: Needed) -> Needed:
        """What the element needs that stands so far behind this one."""
        if self.each and index.each:
            return self.or_else(index)
        return Needed(self.each + index.each, self.more + index.more - 1)


_FIRST: Final = Needed(0, 1)


def needed_by(name: str, body: ast.Block, functions: Mapping[str, Callee], least: int = 1) -> Iterator[Needed]:
    """What each use of a pointer needs; `*p` nothing, nor an argument `p` but of a function that indexes its parameter.

    `least`: how many elements each work-item has where an index is no constant.
    """
    return _Uses(functions, least, _DEEPEST).in_body({name: _FIRST}, body)


class _Uses(Struct, frozen=True):
    """What pointers are used for in a body; of each it is known what the element needs that it leads to."""

    functions: Mapping[str, Callee]
    least: int
    depth: int

    def in_body(self, pointers: Mapping[str, Needed], body: ast.Block) -> Iterator[Needed]:
        """What the uses in a body need that begins with these pointers."""
        return self._inside(body, self._with_others(pointers, body))

    def _with_others(self, pointers: Mapping[str, Needed], body: ast.Block) -> dict[str, Needed]:
        """These pointers, and the variables that are made of them: `float4* v = (float4*)p`, `q = p + 4`."""
        found = dict(pointers)
        for node in walk([body]):
            match node:
                case ast.Declarator(ast.Name(name), initializer=value) | ast.Assignment("=", ast.Name(name), value):
                    places = () if value is None else self._places(value, found)
                case (
                    ast.Assignment("+=" | "-=", ast.Name(name))
                    | ast.Prefix("++" | "--", ast.Name(name))
                    | ast.Postfix("++" | "--", ast.Name(name))
                ) if name in found:
                    places = (self._anywhere(found[name]),)
                case _:
                    continue
            for place in places:
                found[name] = found[name].or_else(place) if found.get(name, _FIRST) != _FIRST else place
        return found

    def _places(self, pointer: ast.Node, pointers: Mapping[str, Needed]) -> tuple[Needed, ...]:
        """What the elements need that a pointer may lead to; none where it is made of none of these pointers."""
        match pointer:
            case ast.Name(text) if text in pointers:
                return (pointers[text],)
            case ast.Cast(type_, operand) if type_.pointers:
                return self._places(operand, pointers)
            case ast.Prefix("&", ast.Index(base, index)):
                return tuple(place.then(self._index(index)) for place in self._places(base, pointers))
            case ast.Infix("+", left, right):
                on_the_left = tuple(place.then(self._index(right)) for place in self._places(left, pointers))
                return on_the_left or tuple(place.then(self._index(left)) for place in self._places(right, pointers))
            case ast.Infix("-", left, _):
                return tuple(self._anywhere(place) for place in self._places(left, pointers))
            case ast.Conditional(_, then, otherwise):
                return (*self._places(then, pointers), *self._places(otherwise, pointers))
        return ()

    def _anywhere(self, place: Needed) -> Needed:
        """What is needed where nothing is known of how far behind a place the elements are."""
        return Needed(max(place.each, self.least), max(place.more - 1, 0))

    def _inside(self, node: ast.Node, pointers: Mapping[str, Needed]) -> Iterator[Needed]:
        """What the uses in a node need."""
        match node:
            case ast.Call():
                yield from self._in_call(node, pointers)
            case ast.Index(base, index) if found := self._places(base, pointers):
                yield from (place.then(self._index(index)) for place in found)
                yield from self._in_indices(node, pointers)
            case ast.Prefix("*" | "!", operand) if found := self._places(operand, pointers):
                yield from (place for place in found if place != _FIRST)
                yield from self._in_indices(operand, pointers)
            case ast.Declarator(initializer=value) | ast.Assignment("=", ast.Name(), value) if (
                value is not None and self._places(value, pointers)
            ):
                yield from self._in_indices(value, pointers)
            case _ if found := self._places(node, pointers):
                yield from map(self._anywhere, found)
                yield from self._in_indices(node, pointers)
            case _:
                for part in _uses(node):
                    yield from self._inside(part, pointers)

    def _in_indices(self, pointer: ast.Node, pointers: Mapping[str, Needed]) -> Iterator[Needed]:
        """What is needed where an expression of a pointer computes how far behind another it leads."""
        match pointer:
            case ast.Prefix("&", ast.Index() as element):
                # The address of an element is that of an array's.
                yield _FIRST
                yield from self._in_indices(element, pointers)
            case _ if not isinstance(pointer, ast.Name):
                for part in parts_of(pointer):
                    inside = self._in_indices if self._places(part, pointers) else self._inside
                    yield from inside(part, pointers)

    def _in_call(self, call: ast.Call, pointers: Mapping[str, Needed]) -> Iterator[Needed]:
        """What a call needs, in the body of the function too."""
        callee = self.functions.get(call.function.text)
        arguments = call.arguments
        found = [self._places(argument, pointers) for argument in arguments]
        for argument, places in zip(arguments, found, strict=True):
            yield from (self._in_indices if places else self._inside)(argument, pointers)
        if call.function.text == "enqueue_kernel":
            yield from self._of_child(call, pointers)
        elif call.function.text in _OF_HALVES and len(arguments) > 1:
            yield from (place.then(self._index(arguments[-2])) for place in found[-1])
        elif call.function.text == "async_work_group_copy" and len(arguments) > 2:
            count = _constant(arguments[2])
            length = Needed(self.least, 0) if count is None else Needed(0, count)
            yield from (place.then(length) for places in found[:2] for place in places)
        elif callee is None or callee.body is None:
            yield from (place for places in found for place in places if place != _FIRST)
        elif self.depth:
            names = (parameter.name.text for parameter in callee.parameters)
            inner = {name: place for name, places in zip(names, found, strict=False) for place in places}
            yield from _Uses(self.functions, self.least, self.depth - 1).in_body(inner, callee.body)

    def _of_child(self, call: ast.Call, pointers: Mapping[str, Needed]) -> Iterator[Needed]:
        """What a kernel needs that is enqueued, whose parameters are bound by name; so many items as the call says."""
        names = (node.text for node in call.arguments if isinstance(node, ast.Name))
        child = next((self.functions[text] for text in names if text in self.functions), None)
        if child is None or child.body is None or not self.depth:
            return
        sizes = [one.arguments for one in call.arguments if isinstance(one, ast.Call) and one.function.text in _RANGES]
        numbers = [one for one in (*call.arguments, *(sizes[0] if sizes else ())) if isinstance(one, ast.NumberLiteral)]
        for needed in _Uses(self.functions, self.least, self.depth - 1).in_body(pointers, child.body):
            yield needed
            if needed.each and numbers:
                yield Needed(0, _constant(numbers[0]) or 1)

    def _index(self, index: ast.Expression) -> Needed:
        """What the element of an index needs: where it is no constant, each work-item has one, or four with `4 * i`."""
        match index:
            case ast.Infix("+", ast.Infix("*", left, right), ast.NumberLiteral() as last):
                place = _constant(last)
            case ast.Infix("*", left, right):
                place = 0
            case _:
                left, right, place = index, index, None
        sizes = [_constant(side) for side in (left, right) if isinstance(side, ast.NumberLiteral)]
        if place is not None and len(sizes) == 1 and sizes[0] is not None and place < sizes[0]:
            return Needed(sizes[0], place + 1 - sizes[0])
        number = _constant(index)
        return Needed(self.least, 0) if number is None else Needed(0, number + 1)


def _constant(index: ast.Expression) -> int | None:
    try:
        return max(0, constant_integer(index, Complaints(), "an index"))
    except UnresolvedError:
        return None


def _uses(node: ast.Node) -> list[ast.Node]:
    """The nodes directly inside a node; names that are declared are no uses."""
    return [part for part in parts_of(node) if not (isinstance(node, ast.Declarator) and part is node.name)]
