"""`get_global_id` and the other work-item functions: constants of a placed thread."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mcm.program.instruction import Literal
from mcm.program.resolve.checks import check_available, check_count
from mcm.program.resolve.literals import constant_integer
from mcm.program.resolve.signatures import Where
from mcm.program.topology import WorkItem
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext
    from mcm.syntax import ast


def _same_instance(item: WorkItem, items: Collection[WorkItem]) -> list[WorkItem]:
    return [other for other in items if other.kernel_instance == item.kernel_instance]


def _num_groups(item: WorkItem, items: Collection[WorkItem]) -> int:
    return len({other.work_group for other in _same_instance(item, items)})


def _sub_group_size(item: WorkItem, items: Collection[WorkItem]) -> int:
    return sum(other.sub_group == item.sub_group for other in items)


def _max_sub_group_size(item: WorkItem, items: Collection[WorkItem]) -> int:
    return max(Counter(o.sub_group for o in items if o.work_group == item.work_group).values())


def _num_sub_groups(item: WorkItem, items: Collection[WorkItem]) -> int:
    return len({other.sub_group for other in items if other.work_group == item.work_group})


# Functions with a dimension: their value in dimension 0, and in every other dimension.
DIMENSIONED: Final[dict[str, tuple[Callable[[WorkItem, Collection[WorkItem]], int], int]]] = {
    "get_global_id": (lambda item, _: item.global_id, 0),
    "get_local_id": (lambda item, _: item.local_id, 0),
    "get_group_id": (lambda item, _: item.work_group.number, 0),
    "get_global_offset": (lambda _item, _items: 0, 0),
    "get_local_size": (lambda item, _: item.local_size, 1),
    "get_enqueued_local_size": (lambda item, _: item.local_size, 1),
    "get_global_size": (lambda item, _: item.global_size, 1),
    "get_num_groups": (_num_groups, 1),
}

# Functions without arguments.
PLAIN: Final[dict[str, tuple[Callable[[WorkItem, Collection[WorkItem]], int], Scalar]]] = {
    "get_work_dim": (lambda _item, _items: 1, Scalar.UINT),
    "get_global_linear_id": (lambda item, _: item.global_id, Scalar.ULONG),
    "get_local_linear_id": (lambda item, _: item.local_id, Scalar.ULONG),
    "get_sub_group_id": (lambda item, _: item.sub_group.number, Scalar.UINT),
    "get_sub_group_local_id": (lambda item, _: item.sub_group_local_id, Scalar.UINT),
    "get_sub_group_size": (_sub_group_size, Scalar.UINT),
    "get_max_sub_group_size": (_max_sub_group_size, Scalar.UINT),
    "get_num_sub_groups": (_num_sub_groups, Scalar.UINT),
    "get_enqueued_num_sub_groups": (_num_sub_groups, Scalar.UINT),
}


def work_item_function(node: ast.Call, context: ThreadContext) -> Expression:
    """The constant that a call is in this thread."""
    name = node.function.text
    check_available(name, Where.DEVICE, node, context)
    item = context.placement
    assert isinstance(item, WorkItem)
    if name in PLAIN:
        check_count(node, 0, "no argument", context)
        compute, scalar = PLAIN[name]
        return Literal(compute(item, context.work_items), scalar, span=node.span)
    check_count(node, 1, "1 argument, the dimension", context)
    compute, elsewhere = DIMENSIONED[name]
    dimension = constant_integer(node.arguments[0], context.complaints, f"the dimension of '{name}'")
    return Literal(compute(item, context.work_items) if dimension == 0 else elsewhere, Scalar.ULONG, span=node.span)
