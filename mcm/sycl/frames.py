"""The function that is being read: what it returns, and which objects end where it is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcm.sycl import members
from mcm.sycl.context import Returned
from mcm.sycl.entities import Instance, Members
from mcm.sycl.methods import Receiver
from mcm.sycl.types import type_of
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.sycl.context import Context
    from mcm.syntax.ast import Expression, Node, Statement, TypeName


class OfHost(Struct, eq=False, kw_only=True):
    """What ends with a block of the host and is no object of a class; while others end, it `is_over` already."""

    is_over: bool = False


class Frame(Struct):
    """A function that is being read.

    `result` is the type of what it returns, where it is written; `returned` is what it does return, None where nobody
    asks. One that `is_reference` returns an address. `instead` is what it returns whatever is written, if that.
    `alive` is what does something at its end, of each block, in the order of declaration; `breaks` and `continues`
    count the blocks around what `break` and `continue` leave.
    """

    result: TypeName | None = None
    returned: list[Returned] | None = None
    is_reference: bool = False
    instead: tuple[Expression | None] | None = None
    alive: list[list[Receiver | OfHost]] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    continues: list[int] = field(default_factory=list)

    def left_by(self, node: ast.Return | ast.Break | ast.Continue) -> list[Receiver | OfHost]:
        """What ends where a statement leaves their blocks, the last one first."""
        match node:
            case ast.Return():
                first = 0
            case ast.Break():
                first = self.breaks[-1] if self.breaks else 0
            case _:
                first = self.continues[-1] if self.continues else 0
        return [one for block in reversed(self.alive[first:]) for one in reversed(block)]


def ended(objects: Iterable[Receiver | OfHost], node: Node, context: Context) -> list[Statement]:
    """The calls of destructors of some objects."""
    return [found for one in objects if isinstance(one, Receiver) for found in _end(one, node, context)]


def ends(class_: Members, context: Context) -> bool:
    """Whether the end of an object of a class does something."""
    if class_.destructor is not None:
        return True
    return any(_has_end(inner, context) for inner in _inner_classes(class_, context))


def _has_end(class_: Members, context: Context) -> bool:
    return ends(class_, context)


def _inner_classes(class_: Members, context: Context) -> Iterator[Members]:
    for one in class_.data:
        if one.is_reference or not isinstance(one.type, ast.TypeName):
            continue
        inner = members.class_of(one.type, context)
        if inner is not None:
            yield inner


def _end(one: Receiver, node: Node, context: Context) -> Iterator[Statement]:
    """The destructor of an object, and those of its members, the last one first."""
    function = one.class_.destructor
    if function is not None:
        called = members.only_called(members.Meant(function, one, ()), node, context)
        yield ast.ExpressionStatement(called, span=node.span)
    for member in reversed(one.class_.data):
        if member.is_reference or not isinstance(member.type, ast.TypeName):
            continue
        inner = members.class_of(member.type, context)
        if inner is not None and ends(inner, context):
            if member.is_array:
                message = f"'{member.name}' is an array of objects that end with '~{inner.name}()': not supported"
                context.complaints.fail("E207", member.node.span, message)
            name = ast.Name(member.name, span=node.span)
            path = None if one.path is None else f"{one.path}#{member.name}"
            is_parted = path is not None and isinstance(context.scopes.find(path), Instance)
            if path is not None and not is_parted:
                yield from _end(Receiver(inner, None, ast.Name(path, span=node.span)), node, context)
            elif path is not None:
                yield from _end(Receiver(inner, path, name), node, context)
            else:
                part = ast.Member(one.node, ".", name, span=node.span)  # type: ignore[arg-type]  # see `mcm.sycl.tree`
                yield from _end(Receiver(inner, None, part), node, context)


def returned(node: ast.Return, frame: Frame, context: Context) -> Expression | None:
    """What a statement returns, in terms of the C family."""
    value = node.value
    if frame.returned is not None:
        frame.returned.append(Returned(value, None if value is None else type_of(value, context)))
    if frame.instead is not None:
        return frame.instead[0]
    if value is None:
        return None
    return members.address(value, context) if frame.is_reference else context.value(value)
