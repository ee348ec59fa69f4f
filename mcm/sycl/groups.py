"""Work-items and groups: ids and ranges, barriers and fences.

The dimensions of SYCL are those of OpenCL from the other end: there the last one varies fastest.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final

from mcm.base.suggest import did_you_mean
from mcm.program.operators import Level
from mcm.program.resolve.literals import written_integer
from mcm.sycl.context import call, counted, number, size
from mcm.sycl.entities import Group, Ids, Item, Point
from mcm.sycl.words import SCOPES, fence_flags, memory_order, memory_scope, order_word, plain, scope_word
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.sycl.entities import Entity
    from mcm.sycl.tree import MemberCall
    from mcm.syntax.ast import Expression, Node

# What a member returns in each dimension.
_GLOBAL: Final = "get_global_id"
_OF_ND_ITEM: Final = {
    "get_global_id": "get_global_id",
    "get_local_id": "get_local_id",
    "get_group": "get_group_id",
    "get_global_range": "get_global_size",
    "get_local_range": "get_local_size",
    "get_group_range": "get_num_groups",
}
_OF_ITEM: Final = {"get_id": "get_global_id", "get": "get_global_id", "get_range": "get_global_size"}
_OF_WORK_GROUP: Final = {
    "get_group_id": "get_group_id",
    "get_id": "get_group_id",
    "get": "get_group_id",
    "get_local_id": "get_local_id",
    "get_local_range": "get_local_size",
    "get_max_local_range": "get_local_size",
    "get_group_range": "get_num_groups",
}
_OF_SUB_GROUP: Final = {
    "get_local_id": "get_sub_group_local_id",
    "get_local_linear_id": "get_sub_group_local_id",
    "get_group_id": "get_sub_group_id",
    "get_group_linear_id": "get_sub_group_id",
    "get_local_range": "get_sub_group_size",
    "get_local_linear_range": "get_sub_group_size",
    "get_max_local_range": "get_max_sub_group_size",
    "get_group_range": "get_num_sub_groups",
    "get_group_linear_range": "get_num_sub_groups",
}
# Linear ids, by what they are in each dimension, and the number of these.
_LINEAR: Final = {
    "get_global_linear_id": ("get_global_linear_id", ""),
    "get_linear_id": ("get_global_linear_id", ""),
    "get_local_linear_id": ("get_local_linear_id", ""),
    "get_group_linear_id": ("get_group_id", "get_num_groups"),
}
_PRODUCTS: Final = {"get_local_linear_range": "get_local_size", "get_group_linear_range": "get_num_groups"}

# Members of older SYCL, and the nearest form.
_FENCE: Final = "'atomic_fence(memory_order::acq_rel, memory_scope::work_group)'"
_NEAREST: Final = {
    **dict.fromkeys(("mem_fence", "read_mem_fence", "write_mem_fence"), _FENCE),
    "ext_oneapi_get_root_group": "a kernel of its own for what stands behind the barrier of all work-groups",
    "shuffle": "'select_from_group(g, value, id)'",
    "shuffle_down": "'shift_group_left(g, value, delta)'",
    "shuffle_up": "'shift_group_right(g, value, delta)'",
    "shuffle_xor": "'permute_group_by_xor(g, value, mask)'",
}

LEVELS: Final = {Level.WORK_GROUP: "work_group", Level.SUB_GROUP: "sub_group"}

# Calls that are statements.
BARRIERS: Final = frozenset({"group_barrier", "atomic_fence", "atomic_thread_fence"})


# --- ids --------------------------------------------------------------------------------------------------------------


def entity_of(base: Item | Group | Ids, node: MemberCall) -> Entity | None:
    """The group, the id or the range that a member returns; None where it is a number."""
    name = node.name.text
    match base:
        case Item(dimensions, True) if name == "get_group" and not node.arguments:
            return Group(Level.WORK_GROUP, dimensions)
        case Item(dimensions, True) if name == "get_sub_group":
            return Group(Level.SUB_GROUP, dimensions)
        case Item(dimensions, has_groups) if not node.arguments:
            if name == "get_offset":
                return Point(tuple(number(one, node) for one in base.begins or (0,) * dimensions))
            known = (_OF_ND_ITEM if has_groups else _OF_ITEM).get(name)
            return None if known is None else _ids(known, base)
        case Group(Level.SUB_GROUP) if name in _OF_SUB_GROUP and "linear" not in name:
            return Ids(_OF_SUB_GROUP[name], 1)
        case Group(Level.WORK_GROUP, dimensions) if name in _OF_WORK_GROUP and not node.arguments:
            return Ids(_OF_WORK_GROUP[name], dimensions)
        case _:
            return None


def ids_of(item: Item) -> Ids:
    """The global id of a work-item."""
    return _ids(_GLOBAL, item)


def _ids(function: str, base: Item | Group) -> Ids:
    begins = base.begins if isinstance(base, Item) and function == _GLOBAL else ()
    return Ids(function, base.dimensions, begins)


def member(base: Item | Group | Ids, node: MemberCall, context: Context) -> Expression:
    """The value of a member of a work-item, a group, an id or a range."""
    name, arguments = node.name.text, node.arguments
    if isinstance(base, Ids):
        if name == "get" and len(arguments) == 1:
            return in_dimension(base, arguments[0], node, context)
        if name == "size" and not arguments:
            return _product(base.function, base.dimensions, node)
        return _refuse_member("an id or a range", name, ("get", "size"), node, context)
    if isinstance(base, Group) and name == "leader":
        return _leader(base, node)
    if isinstance(base, Group) and base.level is Level.SUB_GROUP and name in _OF_SUB_GROUP:
        return call(_OF_SUB_GROUP[name], (), node)
    known = _members(base)
    if isinstance(base, Group) and name == "get_linear_id":
        # As before SYCL 2020.
        name = "get_group_linear_id"
    if name in _LINEAR and name in known:
        function, count = _LINEAR[name]
        return _linear(function, count, base.dimensions, node) if count else call(function, (), node)
    if name in _PRODUCTS and name in known:
        return _product(_PRODUCTS[name], base.dimensions, node)
    functions = _functions(base)
    if name in functions and len(arguments) == 1:
        return in_dimension(_ids(functions[name], base), arguments[0], node, context)
    if (found := entity_of(base, node)) is not None:
        return as_number(found, node, context)
    what = "a group" if isinstance(base, Group) else "an nd_item" if base.has_groups else "an item"
    return _refuse_member(what, name, known, node, context)


def _functions(base: Item | Group) -> dict[str, str]:
    match base:
        case Item(has_groups=has_groups):
            return _OF_ND_ITEM if has_groups else _OF_ITEM
        case Group():
            return _OF_WORK_GROUP


def _members(base: Item | Group) -> tuple[str, ...]:
    match base:
        case Item(has_groups=True):
            linear = ("get_global_linear_id", "get_local_linear_id", "get_group_linear_id")
            return (*_OF_ND_ITEM, *linear, "get_sub_group", "barrier")
        case Item():
            return (*_OF_ITEM, "get_linear_id")
        case Group(Level.SUB_GROUP):
            return (*_OF_SUB_GROUP, "leader")
        case Group():
            return (*_OF_WORK_GROUP, "get_local_linear_id", "get_group_linear_id", *_PRODUCTS, "leader")


def _refuse_member(what: str, name: str, known: tuple[str, ...], node: MemberCall, context: Context) -> Expression:
    if name in _NEAREST:
        message = f"'{name}': this is SYCL, but not part of the litmus language; {_NEAREST[name]} is"
        return context.complaints.fail("E207", node.name.span, message)
    hint = did_you_mean(name, known) or f"; there are {', '.join(known)}"
    if name in known:
        hint = f" that is used like this: found {counted(len(node.arguments))}"
    return context.complaints.fail("E203", node.name.span, f"{what} has no member '{name}' here{hint}")


def as_number(entity: Entity, node: Node, context: Context) -> Expression:
    """An id of one dimension where a number is expected."""
    match entity:
        case Item(1, False):
            return in_dimension(ids_of(entity), number(0, node), node, context)
        case Ids(_, 1):
            return in_dimension(entity, number(0, node), node, context)
        case Ids(_, dimensions) | Item(dimensions, False):
            message = f"'{node.span.text}' has {dimensions} dimensions: name one, '{node.span.text}[0]'"
            return context.complaints.fail("E119", node.span, message)
        case _:
            message = f"'{node.span.text}' is an object, expected a value"
            return context.complaints.fail("E119", node.span, message)


def in_dimension(ids: Ids, dimension: Node, node: Node, context: Context) -> Expression:
    """An id or a range in one dimension."""
    if "sub_group" in ids.function:
        return call(ids.function, (), node)
    known = written_integer(dimension)
    last = ids.dimensions - 1
    if known is None:
        written = context.value(dimension)
        reversed_ = ast.Infix("-", number(last, dimension), written, span=dimension.span)
        found = call(ids.function, (reversed_ if last else written,), node)
        if len(set(ids.begins)) > 1:
            message = f"which dimension '{dimension.span.text}' is decides here, as they begin with several numbers"
            context.complaints.fail("E119", dimension.span, message)
        return _from(found, ids.begins[:1], node)
    if known > last:
        message = f"there is no dimension {known}: '{node.span.text}' has {ids.dimensions}"
        context.complaints.fail("E119", dimension.span, message)
    return _from(call(ids.function, (number(last - known, dimension),), node), ids.begins[known : known + 1], node)


def _from(found: Expression, begins: tuple[int, ...], node: Node) -> Expression:
    """An id that begins with a number; that is not added where it is 0."""
    return ast.Infix("+", found, size(begins[0], node), span=node.span) if any(begins) else found


def _linear(function: str, count: str, dimensions: int, node: Node) -> Expression:
    """The linear id of ids in several dimensions, of which the last one of SYCL varies fastest."""
    parts = [(call(function, (number(d, node),), node), d) for d in reversed(range(dimensions))]
    found: Expression = parts[0][0]
    for part, dimension in parts[1:]:
        scaled = ast.Infix("*", found, call(count, (number(dimension, node),), node), span=node.span)
        found = ast.Infix("+", scaled, part, span=node.span)
    return found


def _product(function: str, dimensions: int, node: Node) -> Expression:
    factors: list[Expression] = [call(function, (number(d, node),), node) for d in range(dimensions)]
    return reduce(lambda one, other: ast.Infix("*", one, other, span=node.span), factors)


def _leader(group: Group, node: Node) -> Expression:
    is_work_group = group.level is Level.WORK_GROUP
    local = call("get_local_linear_id" if is_work_group else "get_sub_group_local_id", (), node)
    return ast.Infix("==", local, number(0, node), span=node.span)


# --- barriers and fences ----------------------------------------------------------------------------------------------


def barrier(node: ast.Call, context: Context) -> Expression:
    """`group_barrier(g[, scope])`: over all memory (DPC-8), at the narrowest scope that covers the group."""
    if len(node.arguments) not in {1, 2}:
        message = f"'group_barrier' takes a group, and a scope, found {counted(len(node.arguments))}"
        context.complaints.fail("E104", node.span, message)
    group = group_of(node.arguments[0], context)
    scope = f"memory_scope::{LEVELS[group.level]}"
    if len(node.arguments) == 2:
        scope = memory_scope(node.arguments[1], context.complaints)
    if list(SCOPES).index(scope) < list(SCOPES).index(f"memory_scope::{LEVELS[group.level]}"):
        message = f"'{scope}' is narrower than the group: its barrier takes '{_narrowest(group)}' or a wider scope"
        context.complaints.fail("E111", node.arguments[1].span, message)
    flags = _flags(("CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE"), node)
    return call(f"{LEVELS[group.level]}_barrier", (flags, scope_word(scope, node)), node)


def _narrowest(group: Group) -> str:
    return f"memory_scope::{LEVELS[group.level]}"


def old_barrier(node: MemberCall, context: Context) -> Expression:
    """`it.barrier([access::fence_space::…])`."""
    names: tuple[str, ...] = ("CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE")
    if node.arguments:
        names = fence_flags(node.arguments[0], context.complaints)
    if len(node.arguments) > 1:
        message = f"'barrier' takes a fence space, found {counted(len(node.arguments))}"
        context.complaints.fail("E104", node.span, message)
    return call("work_group_barrier", (_flags(names, node),), node)


def fence(node: ast.Call, context: Context) -> Expression:
    """`atomic_fence(order, scope)`; in host code also `std::atomic_thread_fence(order)`."""
    is_host_fence = plain(node.function.text) == "atomic_thread_fence"
    if is_host_fence and not context.is_host:
        message = "'std::atomic_thread_fence' is for host code; in device code it is 'atomic_fence(order, scope)'"
        context.complaints.fail("E140", node.function.span, message)
    wanted = 1 if is_host_fence else 2
    if len(node.arguments) != wanted:
        what = "an order" if is_host_fence else "an order and a scope"
        message = f"'{node.function.text}' takes {what}, found {counted(len(node.arguments))}"
        context.complaints.fail("E104", node.span, message)
    order = memory_order(node.arguments[0], context.complaints)
    if not is_host_fence:
        scope = memory_scope(node.arguments[1], context.complaints)
    if context.is_host:
        return call("atomic_thread_fence", (order_word(order, node.arguments[0]),), node)
    flags = _flags(("CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE"), node)
    words = (order_word(order, node.arguments[0]), scope_word(scope, node.arguments[1]))
    return call("atomic_work_item_fence", (flags, *words), node)


def _flags(names: tuple[str, ...], node: Node) -> Expression:
    words: list[Expression] = [ast.Name(name, span=node.span) for name in names]
    return reduce(lambda one, other: ast.Infix("|", one, other, span=node.span), words)


def group_of(node: Node, context: Context) -> Group:
    """The group that an argument is."""
    found = context.entity(node)
    if not isinstance(found, Group):
        message = f"expected a group, 'it.get_group()' or 'it.get_sub_group()', found '{node.span.text}'"
        context.complaints.fail("E206", node.span, message)
    return found
