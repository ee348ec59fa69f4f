"""How many elements the uses of a pointer need: by itself, through variables made of it, and in functions.

Inside it is bytes that are counted: a pointer may be cast to one to larger or smaller numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.constants import constant_integer
from mcm.program.resolve.spelling import ALIGNED, LOAD_HALF, SCALARS, STORE_HALF, base_of, scalar_name
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
_BYTE: Final = 8


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

    def times(self, count: int) -> Needed:
        """The same of elements that consist of so many."""
        return Needed(self.each * count, self.more * count)


class _Place(Struct, frozen=True):
    """An element that a pointer leads to: the bytes up to its end, and its size in bytes."""

    needed: Needed
    size: int

    def further(self, index: Needed) -> _Place:
        """The element that stands so far behind this one."""
        each, more = self.needed.each, self.needed.more
        behind = index.times(self.size)
        if each and behind.each:
            return _Place(self.needed.or_else(behind), self.size)
        return _Place(Needed(each + behind.each, more + behind.more - self.size), self.size)

    def seen(self, type_: ast.TypeName) -> _Place:
        """The element of the type of a pointer that begins where this one does."""
        size = bytes_of(type_)
        return self if size is None else _Place(Needed(self.needed.each, self.needed.more - self.size + size), size)

    def or_else(self, other: _Place) -> _Place:
        """What either of two elements needs."""
        return _Place(self.needed.or_else(other.needed), max(self.size, other.size))


def needed_by(
    pointer: ast.Parameter, body: ast.Block, functions: Mapping[str, Callee], least: int = 1
) -> Iterator[Needed]:
    """The bytes that each use of a pointer needs; `*p` none, nor an argument `p` but of a function that indexes it.

    `least`: how many elements each work-item has where an index is no constant.
    """
    first = _Place(Needed(0, element_size(pointer)), element_size(pointer))
    return _Uses(functions, first, least, _DEEPEST).in_body({pointer.name.text: first}, body)


def element_size(pointer: ast.Parameter) -> int:
    """The size of the elements that a parameter leads to, in bytes; 1 where they are no numbers."""
    return bytes_of(pointer.type) or 1


def bytes_of(type_: ast.TypeName) -> int | None:
    """The size of what a pointer leads to; None where that is no number."""
    scalar = SCALARS.get(scalar_name((), base_of(type_))) if len(type_.pointers) == 1 else None
    return None if scalar is None else max(1, scalar.bits // _BYTE)


class _Uses(Struct, frozen=True):
    """What pointers to one buffer are used for in a body; `first` is its first element."""

    functions: Mapping[str, Callee]
    first: _Place
    least: int
    depth: int

    def in_body(self, pointers: Mapping[str, _Place], body: ast.Block) -> Iterator[Needed]:
        """What the uses in a body need that begins with these pointers."""
        return self._inside(body, self._with_others(pointers, body))

    def _with_others(self, pointers: Mapping[str, _Place], body: ast.Block) -> dict[str, _Place]:
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
                found[name] = found[name].or_else(place) if found.get(name, self.first) != self.first else place
        return found

    def _places(self, pointer: ast.Node, pointers: Mapping[str, _Place]) -> tuple[_Place, ...]:
        """What the elements need that a pointer may lead to; none where it is made of none of these pointers."""
        match pointer:
            case ast.Name(text) if text in pointers:
                return (pointers[text],)
            case ast.Cast(type_, operand) if type_.pointers:
                return tuple(place.seen(type_) for place in self._places(operand, pointers))
            case ast.Call(ast.Name(name), (operand, _)) if name == ALIGNED:
                return self._places(operand, pointers)
            case ast.Prefix("&", ast.Index(base, index)):
                return tuple(place.further(self._index(index)) for place in self._places(base, pointers))
            case ast.Infix("+", left, right):
                on_the_left = tuple(place.further(self._index(right)) for place in self._places(left, pointers))
                return on_the_left or tuple(place.further(self._index(left)) for place in self._places(right, pointers))
            case ast.Infix("-", left, _):
                return tuple(self._anywhere(place) for place in self._places(left, pointers))
            case ast.Conditional(_, then, otherwise):
                return (*self._places(then, pointers), *self._places(otherwise, pointers))
        return ()

    def _anywhere(self, place: _Place) -> _Place:
        """What is needed where nothing is known of how far behind a place the elements are."""
        each, more = self.least * place.size, place.needed.more - place.size
        return _Place(Needed(max(place.needed.each, each), max(more, 0)), place.size)

    def _is_further(self, place: _Place) -> bool:
        """Whether a place is not in the first element."""
        return place.needed.each > 0 or place.needed.more > self.first.size

    def _inside(self, node: ast.Node, pointers: Mapping[str, _Place]) -> Iterator[Needed]:
        """What the uses in a node need."""
        match node:
            case ast.Call():
                yield from self._in_call(node, pointers)
            case ast.Index(base, index) if found := self._places(base, pointers):
                yield from (place.further(self._index(index)).needed for place in found)
                yield from self._in_indices(node, pointers)
            case ast.Prefix("*" | "!", operand) if found := self._places(operand, pointers):
                yield from (place.needed for place in found if self._is_further(place))
                yield from self._in_indices(operand, pointers)
            case ast.Declarator(initializer=value) | ast.Assignment("=", ast.Name(), value) if (
                value is not None and self._places(value, pointers)
            ):
                yield from self._in_indices(value, pointers)
            case _ if found := self._places(node, pointers):
                yield from (self._anywhere(place).needed for place in found)
                yield from self._in_indices(node, pointers)
            case _:
                for part in _uses(node):
                    yield from self._inside(part, pointers)

    def _in_indices(self, pointer: ast.Node, pointers: Mapping[str, _Place]) -> Iterator[Needed]:
        """What is needed where an expression of a pointer computes how far behind another it leads."""
        match pointer:
            case ast.Prefix("&", ast.Index() as element):
                # The address of an element is that of an array's.
                yield self.first.needed
                yield from self._in_indices(element, pointers)
            case _ if not isinstance(pointer, ast.Name):
                for part in parts_of(pointer):
                    inside = self._in_indices if self._places(part, pointers) else self._inside
                    yield from inside(part, pointers)

    def _in_call(self, call: ast.Call, pointers: Mapping[str, _Place]) -> Iterator[Needed]:
        """What a call needs, in the body of the function too."""
        callee = self.functions.get(call.function.text)
        arguments = call.arguments
        found = [self._places(argument, pointers) for argument in arguments]
        for argument, places in zip(arguments, found, strict=True):
            yield from (self._in_indices if places else self._inside)(argument, pointers)
        if call.function.text == "enqueue_kernel":
            yield from self._of_child(call, pointers)
        elif call.function.text in _OF_HALVES and len(arguments) > 1:
            yield from (place.further(self._index(arguments[-2])).needed for place in found[-1])
        elif call.function.text == "async_work_group_copy" and len(arguments) > 2:
            count = _constant(arguments[2])
            length = Needed(self.least, 0) if count is None else Needed(0, count)
            yield from (place.further(length).needed for places in found[:2] for place in places)
        elif callee is None or callee.body is None:
            yield from (place.needed for places in found for place in places if self._is_further(place))
        elif self.depth:
            names = (parameter.name.text for parameter in callee.parameters)
            inner = {name: place for name, places in zip(names, found, strict=False) for place in places}
            yield from replace(self, depth=self.depth - 1).in_body(inner, callee.body)

    def _of_child(self, call: ast.Call, pointers: Mapping[str, _Place]) -> Iterator[Needed]:
        """What a kernel needs that is enqueued, whose parameters are bound by name; so many items as the call says."""
        names = (node.text for node in call.arguments if isinstance(node, ast.Name))
        child = next((self.functions[text] for text in names if text in self.functions), None)
        if child is None or child.body is None or not self.depth:
            return
        sizes = [one.arguments for one in call.arguments if isinstance(one, ast.Call) and one.function.text in _RANGES]
        numbers = [one for one in (*call.arguments, *(sizes[0] if sizes else ())) if isinstance(one, ast.NumberLiteral)]
        for needed in replace(self, depth=self.depth - 1).in_body(pointers, child.body):
            yield needed
            if needed.each and numbers:
                yield Needed(0, _constant(numbers[0]) or 1).times(self.first.size)

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
