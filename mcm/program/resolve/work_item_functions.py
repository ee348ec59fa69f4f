"""`get_global_id` and the other work-item functions: constants of a placed thread."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mcm.program.instruction import Conditional, Literal
from mcm.program.resolve.arithmetic import binary
from mcm.program.resolve.checks import check_available, check_count
from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.constants import constant_integer
from mcm.program.resolve.signatures import Where
from mcm.program.resolve.type_names import show_type
from mcm.program.topology import WorkItem
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.topology import Dimension, KernelInstance, SubGroup, WorkGroup
    from mcm.syntax import ast


class WorkItems:
    """All work-items of a program: how many there are of what, counted once."""

    def __init__(self, items: Sequence[WorkItem] = ()) -> None:
        self._items: Final = items

    @cached_property
    def in_sub_group(self) -> Counter[SubGroup]:
        """How many work-items each sub-group has."""
        return Counter(item.sub_group for item in self._items)

    def most_in_sub_group(self, item: WorkItem) -> int:
        """How many work-items a sub-group has at most, of the launch of a work-item, or of its work-group."""
        return item.enqueued.sub_group_size if item.enqueued else self._largest_sub_group[item.work_group]

    def enqueued_sub_groups(self, item: WorkItem) -> int:
        """How many sub-groups a work-group has that is no smaller remainder."""
        return item.enqueued.sub_groups if item.enqueued else self.sub_groups[item.work_group]

    @cached_property
    def _largest_sub_group(self) -> dict[WorkGroup, int]:
        """How many work-items the largest sub-group of each work-group has."""
        found: dict[WorkGroup, int] = {}
        for sub_group, size in self.in_sub_group.items():
            found[sub_group.work_group] = max(size, found.get(sub_group.work_group, 0))
        return found

    @cached_property
    def sub_groups(self) -> Counter[WorkGroup]:
        """How many sub-groups each work-group has."""
        return Counter(sub_group.work_group for sub_group in self.in_sub_group)

    @cached_property
    def groups(self) -> Counter[KernelInstance]:
        """How many work-groups each kernel instance has."""
        return Counter(group.kernel_instance for group in self.sub_groups)


# Functions with a dimension: their value in dimension 0, and in every other dimension.
DIMENSIONED: Final[dict[str, tuple[Callable[[WorkItem, WorkItems], int], int]]] = {
    "get_global_id": (lambda item, _: item.global_id, 0),
    "get_local_id": (lambda item, _: item.local_id, 0),
    "get_group_id": (lambda item, _: item.work_group.number, 0),
    "get_global_offset": (lambda _item, _items: 0, 0),
    "get_local_size": (lambda item, _: item.local_size, 1),
    "get_enqueued_local_size": (lambda item, _: item.enqueued.local_size if item.enqueued else item.local_size, 1),
    "get_global_size": (lambda item, _: item.global_size, 1),
    "get_num_groups": (lambda item, items: items.groups[item.kernel_instance], 1),
}

# What the functions with a dimension are in each dimension of a launch.
_IN_LAUNCH: Final[dict[str, Callable[[Dimension], int]]] = {
    "get_global_id": lambda where: where.global_id,
    "get_local_id": lambda where: where.local_id,
    "get_group_id": lambda where: where.group_id,
    "get_global_offset": lambda _: 0,
    "get_local_size": lambda where: where.local_size,
    "get_enqueued_local_size": lambda where: where.enqueued_local_size,
    "get_global_size": lambda where: where.global_size,
    "get_num_groups": lambda where: where.groups,
}

# Functions without arguments.
PLAIN: Final[dict[str, tuple[Callable[[WorkItem, WorkItems], int], Scalar]]] = {
    "get_work_dim": (lambda item, _: max(1, len(item.dimensions)), Scalar.UINT),
    "get_global_linear_id": (lambda item, _: item.global_id, Scalar.ULONG),
    "get_local_linear_id": (lambda item, _: item.local_id, Scalar.ULONG),
    "get_sub_group_id": (lambda item, _: item.sub_group.number, Scalar.UINT),
    "get_sub_group_local_id": (lambda item, _: item.sub_group_local_id, Scalar.UINT),
    "get_sub_group_size": (lambda item, items: items.in_sub_group[item.sub_group], Scalar.UINT),
    "get_max_sub_group_size": (lambda item, items: items.most_in_sub_group(item), Scalar.UINT),
    "get_num_sub_groups": (lambda item, items: items.sub_groups[item.work_group], Scalar.UINT),
    "get_enqueued_num_sub_groups": (lambda item, items: items.enqueued_sub_groups(item), Scalar.UINT),
}


def work_item_function(
    node: ast.Call, evaluate: Callable[[ast.Expression], Expression], context: ThreadContext
) -> Expression:
    """What a call is in this thread: a constant, where `evaluate` is not needed to know the dimension."""
    name, items = node.function.text, context.work_items
    check_available(name, Where.DEVICE, node, context)
    item = context.placement
    assert isinstance(item, WorkItem)
    if name in PLAIN:
        check_count(node, 0, "no argument", context)
        compute, scalar = PLAIN[name]
        return context.asked.literal(item, lambda other: compute(other, items), scalar, node.span)
    check_count(node, 1, "1 argument, the dimension", context)
    (argument,) = node.arguments
    try:
        dimension = constant_integer(argument, Complaints(), "the dimension")
    except UnresolvedError:
        context.asked.is_all = False
        amounts = [in_dimension(name, number, item, items) for number in range(max(1, len(item.dimensions)))]
        in_each = [Literal(amount, Scalar.ULONG, span=node.span) for amount in amounts]
        elsewhere = Literal(DIMENSIONED[name][1], Scalar.ULONG, span=node.span)
        return _selected(evaluate(argument), in_each, elsewhere, context)
    return context.asked.literal(
        item, lambda other: in_dimension(name, dimension, other, items), Scalar.ULONG, node.span
    )


def in_dimension(name: str, dimension: int, item: WorkItem, items: WorkItems) -> int:
    """What a function is in a dimension, which the launch may not have."""
    compute, elsewhere = DIMENSIONED[name]
    if not 0 <= dimension < max(1, len(item.dimensions)):
        return elsewhere
    return _IN_LAUNCH[name](item.dimensions[dimension]) if item.dimensions else compute(item, items)


def _selected(dimension: Expression, in_each: list[Literal], elsewhere: Literal, context: ThreadContext) -> Expression:
    """The value in a dimension that is known when the program runs."""
    if not isinstance(dimension.type, Scalar) or dimension.type.is_floating:
        message = f"'{dimension.span.text}' has type '{show_type(dimension.type)}', expected a number of a dimension"
        context.complaints.fail("E119", dimension.span, message)
    found: Expression = elsewhere
    for number, amount in reversed(list(enumerate(in_each))):
        wanted = Literal(number, Scalar.INT, span=dimension.span)
        is_this = binary("==", dimension, wanted, dimension.span, context.complaints)
        found = Conditional(is_this, amount, found, Scalar.ULONG, span=elsewhere.span)
    return found
