"""`get_global_id` and the other work-item functions: constants of a placed thread."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mcm.program.instruction import Conditional, Literal
from mcm.program.resolve.arithmetic import binary
from mcm.program.resolve.checks import check_available, check_count
from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.literals import constant_integer
from mcm.program.resolve.signatures import Where
from mcm.program.resolve.type_names import show_type
from mcm.program.topology import WorkItem
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.topology import Dimension
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

# What the functions with a dimension are in each dimension of a launch.
_IN_LAUNCH: Final[dict[str, Callable[[Dimension], int]]] = {
    "get_global_id": lambda where: where.global_id,
    "get_local_id": lambda where: where.local_id,
    "get_group_id": lambda where: where.group_id,
    "get_global_offset": lambda _: 0,
    "get_local_size": lambda where: where.local_size,
    "get_enqueued_local_size": lambda where: where.local_size,
    "get_global_size": lambda where: where.global_size,
    "get_num_groups": lambda where: where.global_size // where.local_size,
}

# Functions without arguments.
PLAIN: Final[dict[str, tuple[Callable[[WorkItem, Collection[WorkItem]], int], Scalar]]] = {
    "get_work_dim": (lambda item, _: max(1, len(item.dimensions)), Scalar.UINT),
    "get_global_linear_id": (lambda item, _: item.global_id, Scalar.ULONG),
    "get_local_linear_id": (lambda item, _: item.local_id, Scalar.ULONG),
    "get_sub_group_id": (lambda item, _: item.sub_group.number, Scalar.UINT),
    "get_sub_group_local_id": (lambda item, _: item.sub_group_local_id, Scalar.UINT),
    "get_sub_group_size": (_sub_group_size, Scalar.UINT),
    "get_max_sub_group_size": (_max_sub_group_size, Scalar.UINT),
    "get_num_sub_groups": (_num_sub_groups, Scalar.UINT),
    "get_enqueued_num_sub_groups": (_num_sub_groups, Scalar.UINT),
}


def work_item_function(
    node: ast.Call, evaluate: Callable[[ast.Expression], Expression], context: ThreadContext
) -> Expression:
    """What a call is in this thread: a constant, where `evaluate` is not needed to know the dimension."""
    name = node.function.text
    check_available(name, Where.DEVICE, node, context)
    item = context.placement
    assert isinstance(item, WorkItem)
    if name in PLAIN:
        check_count(node, 0, "no argument", context)
        compute, scalar = PLAIN[name]
        return Literal(compute(item, context.work_items), scalar, span=node.span)
    check_count(node, 1, "1 argument, the dimension", context)
    (argument,) = node.arguments
    in_each = [Literal(amount, Scalar.ULONG, span=node.span) for amount in _in_each_dimension(name, context, item)]
    elsewhere = Literal(DIMENSIONED[name][1], Scalar.ULONG, span=node.span)
    try:
        dimension = constant_integer(argument, Complaints(), "the dimension")
    except UnresolvedError:
        return _selected(evaluate(argument), in_each, elsewhere, context)
    return in_each[dimension] if 0 <= dimension < len(in_each) else elsewhere


def _in_each_dimension(name: str, context: ThreadContext, item: WorkItem) -> list[int]:
    """What a function is in the dimensions that the launch has."""
    if item.dimensions:
        return [_IN_LAUNCH[name](where) for where in item.dimensions]
    compute, _ = DIMENSIONED[name]
    return [compute(item, context.work_items)]


def _selected(dimension: Expression, in_each: list[Literal], elsewhere: Literal, context: ThreadContext) -> Expression:
    """The value in a dimension that is known when the program runs."""
    if not isinstance(dimension.type, Scalar) or dimension.type is Scalar.FLOAT:
        message = f"'{dimension.span.text}' has type '{show_type(dimension.type)}', expected a number of a dimension"
        context.complaints.fail("E119", dimension.span, message)
    found: Expression = elsewhere
    for number, amount in reversed(list(enumerate(in_each))):
        wanted = Literal(number, Scalar.INT, span=dimension.span)
        is_this = binary("==", dimension, wanted, dimension.span, context.complaints)
        found = Conditional(is_this, amount, found, Scalar.ULONG, span=elsewhere.span)
    return found
