"""The members of structures and vectors that are named: `s.a`, `p->a`, `p[i].a`, `s.inner.a`."""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - the fields of a Struct

from msgspec import Struct

from mcm.program.resolve.complaints import Complaints  # noqa: TC001 - as above
from mcm.program.resolve.record_types import Shape, Slot, member_path, named, slot_named
from mcm.program.resolve.vectors_in_memory import times
from mcm.syntax import ast


class RecordMembers(Struct, frozen=True):
    """Finds the variables that members are.

    `shape_of` is what is known of a variable that is a record; `value` takes apart what is no record.
    """

    shape_of: Callable[[str], Shape | None]
    value: Callable[[ast.Expression], ast.Expression]
    complaints: Complaints

    def named(self, node: ast.Member) -> ast.Expression:
        """`s.a`, `p->a`, `p[i].a`, `(*p).a`, `s.inner.a`."""
        base, wanted = member_path(node)
        match base:
            case (ast.Name() as name) | ast.Prefix("*", ast.Name() as name) | ast.Index(ast.Name() as name):
                is_pointer = None if isinstance(base, ast.Index) else isinstance(base, ast.Prefix)
                shape = self.shape_of(name.text)
                if shape is None:
                    # It may be no variable at all: what reads names complains.
                    return node
                return self.part(base, slot_named(shape, wanted, node, name, self.complaints, is_pointer), node)
            case _:
                message = "not yet supported: a member of anything but a variable, '*p' or 'p[i]'"
                return self.complaints.fail("E100", node.span, message)

    def part(self, base: ast.Expression, slot: Slot, node: ast.Expression) -> ast.Expression:
        """A member of a variable, of `*p`, or of an element."""
        match base:
            case ast.Name():
                return named(base, slot)
            case ast.Prefix("*", ast.Name() as name):
                pointer = named(name, slot)
                return pointer if slot.length is not None else ast.Prefix("*", pointer, span=node.span)
            case ast.Index(ast.Name() as name, index):
                return member_of_element(name, slot, self.value(index), node)
            case _:
                raise AssertionError(base)

    def inner(self, node: ast.Member) -> tuple[ast.Expression, list[Slot]]:
        """What a structure is a member of, and its own members; none where it is no structure."""
        base, wanted = member_path(node)
        match base:
            case ast.Name(text) | ast.Prefix("*", ast.Name(text)) | ast.Index(ast.Name(text)):
                shape = self.shape_of(text)
                slots = () if shape is None else shape.slots
                return base, [slot for slot in slots if slot.name.startswith(f"{wanted}.")]
            case _:
                return base, []


def member_of_element(base: ast.Name, slot: Slot, index: ast.Expression, node: ast.Expression) -> ast.Expression:
    """A member of an element; of one that is an array, its beginning."""
    name = named(base, slot)
    if slot.length is None:
        return ast.Index(name, index, span=node.span)
    return ast.Infix("+", name, times(index, slot.length), span=node.span)
