"""What the initial state says of a whole structure, or of an array of structures: said of each member."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.constants import constant_integer
from mcm.program.resolve.mentions import is_record
from mcm.program.resolve.record_types import is_vector, named, places_of, typed
from mcm.program.resolve.sub_buffers import CREATES
from mcm.syntax import ast
from mcm.syntax.chains import items_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.record_types import Slot


def initial_items(
    initial: Sequence[ast.InitialItem],
    buffers: Mapping[str, tuple[Slot, ...] | None],
    slots_of: Callable[[ast.TypeName], tuple[Slot, ...] | None],
    memory: Mapping[str, ast.TypeName],
    complaints: Complaints,
) -> Iterator[ast.InitialItem]:
    """The items of the initial state; one that names a structure is one for each member.

    `buffers` have the members of what threads are given, None of numbers; `memory` are the types of structures in
    memory, by their names.
    """
    for item in initial:
        if isinstance(item, ast.InitialValue) and (parent := parent_of(item)) is not None and parent.text in memory:
            yield from _sub_buffers(item, slots_of(memory[parent.text]) or ())
            continue
        slots = buffers.get(item.name.text) if isinstance(item, ast.InitialValue) else None
        if isinstance(item, ast.InitialValue) and slots is None and item.type and _is_held(item, item.type):
            # Nobody uses it, unless as numbers, of which these would be others.
            slots = slots_of(item.type)
            if slots is not None and item.name.text in buffers and not is_vector(slots):
                message = f"'{item.name.text}' is stated as '{item.type.span.text}', but a kernel is given numbers"
                complaints.error("E129", item.span, f"{message}; state these, or give it a pointer to such a structure")
                continue
        if isinstance(item, ast.InitialValue) and slots is not None:
            yield from members_of(item, slots, complaints)
        else:
            yield item


def _is_held(item: ast.InitialValue, type_: ast.TypeName) -> bool:
    """Whether an object is of a type itself, and holds no pointers to such."""
    return bool(type_.base) and not (item.pointers or type_.pointers)


def parent_of(item: ast.InitialValue) -> ast.Name | None:
    """The buffer that a sub-buffer is a part of; None for other items."""
    match item.value:
        case ast.Call(ast.Name(function), (ast.Name() as parent, _, _)) if function == CREATES:
            return parent
        case _:
            return None


def _sub_buffers(item: ast.InitialValue, slots: Sequence[Slot]) -> Iterator[ast.InitialValue]:
    """`s = clCreateSubBuffer(p, 1, 2)` of structures: a part of each of their members."""
    assert isinstance(item.value, ast.Call)
    parent, *numbers = item.value.arguments
    assert isinstance(parent, ast.Name)
    for slot in slots:
        counted = (ast.Infix("*", one, _width(slot, one), span=one.span) for one in numbers)
        part = replace(item.value, arguments=(named(parent, slot), *counted))
        yield replace(item, name=named(item.name, slot), value=part)


def _width(slot: Slot, node: ast.Expression) -> ast.NumberLiteral:
    return ast.NumberLiteral(str(slot.length or 1), span=node.span)


def members_of(item: ast.InitialValue, slots: Sequence[Slot], complaints: Complaints) -> Iterator[ast.InitialValue]:
    """`p[2] = {{1, 2}, {3, 4}}` as `p.a[2] = {1, 3}` and `p.b[2] = {2, 4}`.

    Members that are arrays take several values.
    """
    widths = [slot.length or 1 for slot in slots]
    try:
        item = _with_lists(item, sum(widths), complaints)
        rows = _rows(item, sum(widths), complaints)
        written = None if item.length is None else constant_integer(item.length, complaints, "the length of an array")
    except UnresolvedError:
        return
    is_nested = isinstance(item.value, ast.InitializerList) and bool(item.value.rows)
    is_array = written is not None or is_nested or len(rows) > 1
    count = written or max(1, len(rows))
    if len(rows) > count:
        complaints.error(
            "E131", rows[count][0].span, f"{len(rows)} structures for the length {count} of '{item.name.text}'"
        )
    for slot, width, places in zip(slots, widths, places_of(tuple(slots)), strict=True):
        values = [value for row in rows for value in _padded(row, places, item)]
        length = ast.NumberLiteral(str(count * width), span=item.span) if is_array or slot.length else None
        yield replace(
            item,
            name=ast.Name(f"{item.name.text}.{slot.name}", span=item.name.span),
            type=None if item.type is None else typed(slot, replace(item.type, pointers=()), ()),
            length=length,
            value=_value(item, values[: count * width], is_array=length is not None),
        )


def _with_lists(item: ast.InitialValue, width: int, complaints: Complaints) -> ast.InitialValue:
    """The item with lists in place of vectors that are written as in C, `(float2)(1, 2)`."""
    match item.value:
        case ast.InitializerList(items, (), widths=widths) if widths:
            pairs = zip(items, widths, strict=True)
            found = [one for node, count in pairs for one in _numbers(node, count, complaints)]
            return replace(item, value=replace(item.value, items=tuple(found), widths=()))
        case ast.InitializerList(items, ()) if any(_is_vector(one) for one in items):
            rows = tuple(_list_of(one, width, complaints) for one in items)
            return replace(item, value=replace(item.value, items=(), rows=rows))
        case ast.Cast() if _is_vector(item.value):
            return replace(item, value=_list_of(item.value, width, complaints))
        case _:
            return item


def _is_vector(node: ast.Expression) -> bool:
    return isinstance(node, ast.Cast) and is_record(node.type.base) and not node.type.pointers


def _list_of(node: ast.Expression, width: int, complaints: Complaints) -> ast.InitializerList:
    """The components of a vector; one value is that of each."""
    if not isinstance(node, ast.Cast) or not _is_vector(node):
        complaints.fail("E131", node.span, f"found the value '{node.span.text}' among vectors")
    values = items_of(node.operand)
    if len(values) == 1:
        values = values * width
    if len(values) != width or any(_is_vector(one) for one in values):
        message = f"expected {width} numbers for '{node.type.span.text}' in an initial value, found {len(values)}"
        complaints.fail("E131", node.span, message)
    return ast.InitializerList(values, span=node.span)


def _numbers(node: ast.Expression, width: int, complaints: Complaints) -> tuple[ast.Expression, ...]:
    """The numbers that a value of a list stands for."""
    if isinstance(node, ast.CompoundLiteral):
        items = node.initializer.items
        return (*items, *[ast.NumberLiteral("0", span=node.span)] * (width - len(items)))
    return (node,) if width == 1 else _list_of(node, width, complaints).items


def _rows(item: ast.InitialValue, width: int, complaints: Complaints) -> list[tuple[ast.Expression, ...]]:
    """The values of each structure; as in C, inner braces may be left out."""
    if not isinstance(item.value, ast.InitializerList):
        if item.value is not None and item.value != ast.NumberLiteral("0", span=item.value.span):
            message = f"'{item.name.text}' is a structure: its initial value is '{{…}}' or 0"
            complaints.fail("E131", item.value.span, message)
        return []
    rows = [row.items for row in item.value.rows]
    rows = rows or [item.value.items[at : at + width] for at in range(0, len(item.value.items), width)]
    for row in rows:
        if len(row) > width:
            complaints.fail("E131", row[width].span, f"{len(row)} values for {width} members")
    return [row for row in rows if row]


def _padded(row: tuple[ast.Expression, ...], places: Sequence[int], item: ast.InitialValue) -> Iterator[ast.Expression]:
    """The values of one member in one structure, at these places; what is left out is 0."""
    for place in places:
        yield row[place] if place < len(row) else ast.NumberLiteral("0", span=item.span)


def _value(
    item: ast.InitialValue, values: list[ast.Expression], *, is_array: bool
) -> ast.Expression | ast.InitializerList | None:
    """The initial value of a member: a list for an array; as for the whole where that has none or 0."""
    if not isinstance(item.value, ast.InitializerList) or not values:
        return None if item.value is None else ast.NumberLiteral("0", span=item.value.span)
    return ast.InitializerList(tuple(values), span=item.value.span) if is_array else values[0]
