"""Hierarchical kernels: `parallel_for_work_group` as a kernel on an nd_range.

What stands outside `parallel_for_work_item` is executed once for each work-group, and variables that are declared
there are in local memory (`mcm.sycl.work_group_scope`). Each iteration of `parallel_for_work_item` is a work-item of
its own: which of them one work-item executes, where there are more iterations than work-items, is left open, so that no
program may rely on an order between any two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.literals import integer_of
from mcm.sycl import tree
from mcm.sycl.entities import Opaque
from mcm.sycl.group_variables import is_inner
from mcm.sycl.host_lambdas import LAMBDA
from mcm.sycl.ranges import range_object, range_sizes
from mcm.sycl.words import plain
from mcm.sycl.work_group_scope import ITEM, WorkGroupScope, number
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.sycl.context import Context, Object
    from mcm.sycl.entities import Entity
    from mcm.syntax.ast import Node

HIERARCHICAL: Final = "parallel_for_work_group"
_RANGES: Final = frozenset({"range", "id"})
# What depends on how iterations are distributed to the work-items of a group.
_PHYSICAL: Final = ("get_global", "get_physical")


class Flat(Struct, frozen=True):
    """The launch of a kernel on an nd_range, and what of it is in local memory."""

    launch: tree.MemberCall
    shared: tuple[tree.ObjectDeclaration, ...]


def flat(node: tree.MemberCall, outer: dict[str, Entity], memory: Mapping[str, Object], context: Context) -> Flat:
    """What `h.parallel_for_work_group(groups, size, [=](group<1> g) { … })` launches; the size may be missing."""
    return _Flattening(node, outer, memory, context).result()


class _Flattening:
    """Reads one launch."""

    def __init__(
        self, node: tree.MemberCall, outer: dict[str, Entity], memory: Mapping[str, Object], context: Context
    ) -> None:
        self._node: Final = node
        self._memory: Final = memory
        self._context: Final = context
        self._function: Final = self._lambda(outer)
        self._outer: Final = outer | {
            one.name.text: range_object(each.type, one)
            for each in walk([self._function.body])
            if isinstance(each, tree.ObjectDeclaration) and plain(each.type.name) in _RANGES
            for one in each.declarators
            if one.form
        }

    def _fail(self, code: str, node: Node, message: str) -> NoReturn:
        self._context.complaints.fail(code, node.span, message)

    def _lambda(self, outer: dict[str, Entity]) -> tree.Lambda:
        function: Node | None = self._node.arguments[-1] if self._node.arguments else None
        held = outer.get(function.text) if isinstance(function, ast.Name) else None
        if isinstance(held, Opaque) and held.class_ == LAMBDA:
            function = held.node
        if not isinstance(function, tree.Lambda) or len(function.parameters) != 1:
            message = f"'{HIERARCHICAL}' takes a lambda of a group last, '[=](group<1> g) {{ … }}'"
            self._fail("E210", self._node.name, message)
        return function

    def result(self) -> Flat:
        """The launch."""
        function, node = self._function, self._node
        ranges = node.arguments[:-1]
        if not 1 <= len(ranges) <= 2:
            message = f"'{HIERARCHICAL}' takes the number of groups, and the size of each where it matters"
            self._fail("E210", node.name, message)
        groups = range_sizes(ranges[0], self._outer, self._context)
        size = range_sizes(ranges[1], self._outer, self._context) if len(ranges) == 2 else None
        inner = [one for one in walk([function.body]) if is_inner(one, function.parameters[0].name.text)]
        own = [
            range_sizes(one.arguments[0], self._outer, self._context)
            for one in inner
            if isinstance(one, tree.MemberCall) and len(one.arguments) == 2
        ]
        every = [groups, *own] if size is None else [groups, size, *own]
        if len({len(one) for one in every}) != 1:
            self._fail("E212", node.name, "the ranges of a hierarchical kernel have as many dimensions as one another")
        self._check_group(len(groups))
        total = self._total(size, own)
        if size is None or any(one > other for one, other in zip(total, size, strict=True)):
            self._check_open()
        scope = WorkGroupScope(function, total, size or total, self._outer, self._memory, self._context)
        body = replace(function.body, statements=scope.statements())
        item = tree.LambdaParameter(
            (),
            tree.ClassType("nd_item", (number(len(total), node),), span=node.span),
            is_reference=False,
            name=ast.Name(ITEM, span=function.parameters[0].span),
            span=function.parameters[0].span,
        )
        all_ = tuple(one * other for one, other in zip(groups, total, strict=True))
        sizes = self._class("nd_range", tuple(self._range(one) for one in (all_, total)))
        launched = replace(function, parameters=(item,), body=body)
        name = replace(node.name, text="parallel_for")
        return Flat(replace(node, name=name, arguments=(sizes, launched)), scope.shared())

    def _total(self, size: tuple[int, ...] | None, own: list[tuple[int, ...]]) -> tuple[int, ...]:
        """The number of iterations that there are at most, in each dimension."""
        known = [*own, size] if size is not None else own
        if not known:
            message = (
                "how many work-items a group has is left open here: say it, "
                f"'{HIERARCHICAL}(range<1>(2), range<1>(4), …)'"
            )
            self._fail("E212", self._node.name, message)
        return tuple(max(sizes) for sizes in zip(*known, strict=True))

    def _check_group(self, dimensions: int) -> None:
        """The parameter of the lambda is a group of the dimensions of the ranges."""
        match self._function.parameters[0].type:
            case tree.ClassType(name, (ast.NumberLiteral(text),)) if plain(name) == "group":
                if integer_of(text) != dimensions:
                    message = f"the group has {text} dimensions, but the range has {dimensions}"
                    self._fail("E212", self._function.parameters[0], message)
            case ast.TypeName(base="auto"):
                pass
            case _:
                message = f"the lambda of '{HIERARCHICAL}' takes 'group<{dimensions}>'"
                self._fail("E210", self._function.parameters[0], message)

    def _check_open(self) -> None:
        """Where iterations are more than work-items, nothing is said that depends on who executes which."""
        for node in self._of_work_items():
            message = (
                f"'{node.span.text}' depends on which iterations a work-item executes, and that is left open where "
                "they are more than the work-items of the group: give the group that size"
            )
            self._fail("E207", node, message)

    def _of_work_items(self) -> Iterator[Node]:
        for node in walk([self._function.body]):
            match node:
                case tree.MemberCall(_, _, ast.Name(name)) if name.startswith(_PHYSICAL):
                    yield node
                case tree.ObjectDeclaration(_, class_) if plain(class_.name) == "private_memory":
                    yield node
                case _:
                    pass

    def _range(self, sizes: tuple[int, ...]) -> Node:
        return self._class("range", tuple(number(one, self._node) for one in sizes))

    def _class(self, name: str, arguments: tuple[Node, ...]) -> Node:
        span = self._node.arguments[0].span
        return tree.Construction(tree.ClassType(name, span=span), "(", arguments, span=span)
