"""The members of structures and vectors that are named: `s.a`, `p->a`, `p[i].a`, `s.inner.a`."""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - the fields of a Struct

from msgspec import Struct

from mcm.program.resolve.complaints import Complaints  # noqa: TC001 - as above
from mcm.program.resolve.record_types import Shape, Slot, is_vector, member_of, member_path, slot_named
from mcm.program.resolve.record_views import RecordViews  # noqa: TC001 - as above
from mcm.program.resolve.vectors_in_memory import times
from mcm.syntax import ast


class RecordMembers(Struct, frozen=True):
    """Finds the variables that members are.

    `shape_of` is what is known of a variable that is a record; `value` takes apart what is no record. `views` knows
    structures in memory of numbers.
    """

    views: RecordViews
    shape_of: Callable[[str], Shape | None]
    value: Callable[[ast.Expression], ast.Expression]
    complaints: Complaints

    def named(self, node: ast.Member) -> ast.Expression:
        """`s.a`, `p->a`, `p[i].a`, `(*p).a`, `s.inner.a`, `s.array[i].a`."""
        base, wanted = member_path(node)
        index = None
        if isinstance(base, ast.Index) and isinstance(base.base, ast.Member):
            index = base.index
            base, array = member_path(base.base)
            wanted = f"{array}.{wanted}"
        if self._is_whole(base, wanted):
            message = f"not yet supported: '{node.span.text}' as a whole; name its members"
            self.complaints.fail("E100", node.span, message)
        if (viewed := self._viewed(base)) is not None:
            members, parts = viewed
            name = ast.Name(base.span.text, span=base.span)
            return parts[members.slots.index(slot_named(members, wanted, node, name, self.complaints, None))]
        match base:
            case (ast.Name() as name) | ast.Prefix("*", ast.Name() as name) | ast.Index(ast.Name() as name):
                is_pointer = None if isinstance(base, ast.Index) else isinstance(base, ast.Prefix)
                shape = self.shape_of(name.text)
                if shape is None:
                    # It may be no variable at all: what reads names complains.
                    return node
                slot = slot_named(shape, wanted, node, name, self.complaints, is_pointer)
                if (index is not None) is not bool(slot.array):
                    found = "an array" if slot.array else "no array"
                    message = f"'{node.span.text}' is a member of what is {found} of structures or vectors"
                    self.complaints.fail("E119", node.span, message)
                part = self.part(base, slot, node)
                return part if index is None else _in_array(part, slot, self.value(index), node)
            case _:
                message = "not yet supported: a member of anything but a variable, '*p' or 'p[i]'"
                return self.complaints.fail("E100", node.span, message)

    def _is_whole(self, base: ast.Expression, wanted: str) -> bool:
        """Whether a member that is named is a structure, a vector, or an array of such."""
        match base:
            case ast.Name(text) | ast.Prefix("*", ast.Name(text)) | ast.Index(ast.Name(text)):
                shape = self.shape_of(text)
                return shape is not None and any(slot.name.startswith(f"{wanted}.") for slot in shape.slots)
            case _:
                return False

    def _viewed(self, base: ast.Expression) -> tuple[Shape, list[ast.Expression]] | None:
        """The members of a structure in memory of numbers, and where they are; None for anything else."""
        parts = self.views.components(base)
        return None if parts is None else (Shape(self.views.slots_in(base), is_pointer=True, is_array=False), parts)

    def whole(self, node: ast.Member) -> list[ast.Expression] | None:
        """The members of a structure or vector that is a member; None of any other member."""
        base, slots = self.inner(node)
        if (viewed := self._viewed(base)) is not None:
            shape, parts = viewed
            return [parts[shape.slots.index(slot)] for slot in slots] or None
        return [self.part(base, slot, node) for slot in slots] or None

    def part(self, base: ast.Expression, slot: Slot, node: ast.Expression) -> ast.Expression:
        """A member of a variable, of `*p`, or of an element."""
        match base:
            case ast.Name():
                return member_of(base, slot)
            case ast.Prefix("*", ast.Name() as name):
                pointer = member_of(name, slot)
                return pointer if slot.length is not None else ast.Prefix("*", pointer, span=node.span)
            case ast.Index(ast.Name() as name, index):
                return member_of_element(name, slot, self.value(index), node)
            case _:
                raise AssertionError(base)

    def inner(self, node: ast.Member) -> tuple[ast.Expression, list[Slot]]:
        """What a structure is a member of, and its own members; none where it is no structure."""
        base, wanted = member_path(node)
        if (viewed := self._viewed(base)) is not None:
            return base, [slot for slot in viewed[0].slots if slot.name.startswith(f"{wanted}.")]
        match base:
            case ast.Name(text) | ast.Prefix("*", ast.Name(text)) | ast.Index(ast.Name(text)):
                shape = self.shape_of(text)
                slots = () if shape is None else shape.slots
                return base, [slot for slot in slots if slot.name.startswith(f"{wanted}.")]
            case _:
                return base, []

    def array(self, node: ast.Expression) -> tuple[ast.Expression, list[Slot]]:
        """What an array of structures or vectors is a member of, and the members of it; none of anything else."""
        if not isinstance(node, ast.Member):
            return node, []
        base, slots = self.inner(node)
        wanted = member_path(node)[1]
        return base, slots if slots and slots[0].array == wanted else []

    def is_vector(self, array: ast.Expression) -> bool:
        """Whether an expression is such an array, of vectors."""
        slots = tuple(slot.in_element() for slot in self.array(array)[1])
        return bool(slots) and is_vector(slots)

    def element(self, array: ast.Expression, index: ast.Expression, node: ast.Expression) -> list[ast.Expression]:
        """The members of an element of such an array."""
        base, slots = self.array(array)
        return [_in_array(self.part(base, slot, node), slot, index, node) for slot in slots]


def _in_array(part: ast.Expression, slot: Slot, index: ast.Expression, node: ast.Expression) -> ast.Expression:
    """A member of an element of an array in a structure, where `part` is the first one; of an array, its beginning."""
    start, offset = (part.left, part.right) if isinstance(part, ast.Infix) else (part, None)
    index = index if slot.inner is None else times(index, slot.inner)
    index = index if offset is None else ast.Infix("+", offset, index, span=node.span)
    if slot.inner is None:
        return ast.Index(start, index, span=node.span)
    return ast.Infix("+", start, index, span=node.span)


def member_of_element(base: ast.Name, slot: Slot, index: ast.Expression, node: ast.Expression) -> ast.Expression:
    """A member of an element; of one that is an array, its beginning."""
    name = member_of(base, slot)
    if slot.length is None:
        return ast.Index(name, index, span=node.span)
    return ast.Infix("+", name, times(index, slot.length), span=node.span)
