"""Parts of buffers: sub-buffers, and accessors of a range that begins somewhere (SYCL 2020, 4.7.2, 4.7.6.8).

A sub-buffer is a buffer of some elements of another one, which follow each other: what commands access orders them
where these elements overlap (3.8.1). An accessor of a part limits what may be accessed and counts from its beginning,
but orders commands as one of the whole buffer does.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from mcm.program.resolve.buffer_order import Stretch
from mcm.sycl import tree
from mcm.sycl.constants import constant
from mcm.sycl.entities import Accessor, Opaque, Point, Variable
from mcm.sycl.ranges import parts_of_range, range_sizes
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcm.sycl.context import Context, Object
    from mcm.sycl.entities import Entity
    from mcm.syntax.ast import Node


def buffer_of(node: Node, outer: Mapping[str, Entity], memory: Mapping[str, Object]) -> Opaque | None:
    """The buffer that has a name, with its sizes; None for other names."""
    if not isinstance(node, ast.Name):
        return None
    entity = outer.get(node.text)
    if isinstance(entity, Opaque) and entity.class_ == "buffer":
        return entity if entity.sizes else Opaque("buffer", entity.name, sizes=(memory[entity.name].count,))
    is_one = node.text in memory and memory[node.text].kind == "buffer"
    return Opaque("buffer", node.text, sizes=(memory[node.text].count,)) if is_one else None


def required(buffer: Opaque) -> Stretch:
    """The elements of which an accessor of a buffer orders commands: all of the buffer, or of the sub-buffer."""
    return Stretch(buffer.name, buffer.start or 0, prod(buffer.sizes))


def sub_buffer(
    name: ast.Name, parent: Opaque, arguments: tuple[Node, ...], outer: Mapping[str, Entity], context: Context
) -> Opaque:
    """`buffer<int, 1> s(b, id<1>(4), range<1>(4));`: a buffer of elements of another one."""
    origin, written = arguments[0], arguments[1]
    sizes, begins = range_sizes(written, outer, context), _begins(origin, outer, context)
    if parent.is_sub_buffer:
        message = f"'{name.text}' is made of a sub-buffer, which throws an exception: a sub-buffer is one of a buffer"
        context.complaints.fail("E215", origin.span, message)
    _check_fits(sizes, begins, parent, written, context)
    runs = list(_runs(sizes, begins, parent.sizes))
    if len(runs) > 1:
        message = (
            f"the elements of '{name.text}' do not follow each other in '{parent.name}', which throws an exception: "
            "a sub-buffer has a part of one row, or whole rows"
        )
        context.complaints.fail("E215", written.span, message)
    start = (parent.start or 0) + runs[0].start
    return Opaque("buffer", parent.name, sizes=sizes, start=start, is_sub_buffer=True)


def accessor_of(
    buffer: Opaque, rest: tuple[Node, ...], type_: ast.TypeName, outer: Mapping[str, Entity], context: Context
) -> Accessor:
    """An accessor of a buffer, or of the part that some of its arguments say: a range, and where it begins."""
    places = [one for one in rest if _is_place(one, outer)][:2]
    sizes, begins = buffer.sizes, (0,) * len(buffer.sizes)
    if places:
        sizes = range_sizes(places[0], outer, context)
        begins = _begins(places[1], outer, context) if len(places) > 1 else (0,) * len(sizes)
        _check_fits(sizes, begins, buffer, places[0], context)
    if sizes == buffer.sizes and buffer.start is None:
        return Accessor(buffer.name, type_, sizes=sizes)
    return Accessor(buffer.name, type_, sizes=sizes, around=buffer.sizes, begins=begins, start=buffer.start or 0)


def stretches(accessor: Accessor) -> list[Stretch]:
    """The elements that an accessor may access, as few stretches."""
    sizes = accessor.sizes
    begins = accessor.begins or (0,) * len(sizes)
    return [
        Stretch(accessor.location, accessor.start + run.start, len(run))
        for run in _runs(sizes, begins, accessor.around or sizes)
    ]


def stretches_of(location: str, elements: Iterable[int]) -> list[Stretch]:
    """Some elements of memory, as few stretches."""
    return [Stretch(location, run.start, len(run)) for run in _joined(range(one, one + 1) for one in sorted(elements))]


def offsets(accessor: Accessor) -> frozenset[int]:
    """The numbers in memory of the elements that an accessor may access."""
    return frozenset(number for one in stretches(accessor) for number in one.elements)


def _runs(sizes: tuple[int, ...], begins: tuple[int, ...], around: tuple[int, ...]) -> Iterator[range]:
    """The elements of a box in an array, in the order of memory, those that follow each other together."""
    if len(sizes) == 1:
        yield range(begins[0], begins[0] + sizes[0])
        return
    inner = list(_runs(sizes[1:], begins[1:], around[1:]))
    row = prod(around[1:])
    yield from _joined(
        range(number * row + run.start, number * row + run.stop)
        for number in range(begins[0], begins[0] + sizes[0])
        for run in inner
    )


def _joined(runs: Iterable[range]) -> Iterator[range]:
    """Runs of numbers, those that follow each other as one."""
    last: range | None = None
    for run in runs:
        if last is not None and last.stop == run.start:
            last = range(last.start, run.stop)
            continue
        if last is not None:
            yield last
        last = run
    if last is not None:
        yield last


def _begins(node: Node, outer: Mapping[str, Entity], context: Context) -> tuple[int, ...]:
    """The numbers of an id, which are constants."""
    found: list[int] = []
    point = outer.get(node.text) if isinstance(node, ast.Name) else None
    for part in point.parts if isinstance(point, Point) else parts_of_range(node, outer)[1]:
        place = constant(part, context)
        if place is None or place < 0:
            context.complaints.fail("E212", part.span, f"expected a constant place, found '{part.span.text}'")
        found.append(place)
    return tuple(found)


def _check_fits(sizes: tuple[int, ...], begins: tuple[int, ...], buffer: Opaque, node: Node, context: Context) -> None:
    """Refuse a part that is not one of the buffer: its construction throws an exception."""
    if not len(sizes) == len(begins) == len(buffer.sizes):
        dimensions = len(buffer.sizes)
        message = (
            f"the buffer has {dimensions} dimension{'s' * (dimensions > 1)}: expected a range and an id of that many, "
            f"found '{node.span.text}'"
        )
        context.complaints.fail("E212", node.span, message)
    for size, begin, whole in zip(sizes, begins, buffer.sizes, strict=True):
        if begin + size > whole:
            message = (
                f"elements {begin} to {begin + size - 1} are no part of a buffer of {whole}, so that an exception is "
                "thrown (SYCL 2020, 4.7.2, 4.7.6)"
            )
            context.complaints.fail("E215", node.span, message)


def _is_place(node: Node, outer: Mapping[str, Entity]) -> bool:
    """Whether an argument of an accessor is a range, an id, or a number, or the name of one."""
    match node:
        case ast.Name(text):
            entity = outer.get(text)
            return isinstance(entity, Variable | Point) or (isinstance(entity, Opaque) and entity.class_ == "range")
        case tree.Construction(tree.ClassType(name)) | ast.Call(ast.Name(name)):
            return plain(name) in {"range", "id"}
        case tree.MemberCall() | ast.NumberLiteral() | ast.Infix():
            return True
        case ast.InitializerList(items):
            # What stands in braces may be properties.
            return all(_is_place(one, outer) for one in items)
        case _:
            return False
