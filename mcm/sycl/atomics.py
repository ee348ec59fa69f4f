"""`atomic_ref`: its construction, its members and operators, as atomic operations of the C family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.suggest import did_you_mean
from mcm.program.types import Order, Region
from mcm.sycl.accessors import check_written
from mcm.sycl.context import call, counted, number
from mcm.sycl.entities import AtomicReference
from mcm.sycl.types import region_of, scalar_of, show, type_of, written_type
from mcm.sycl.words import (
    address_space,
    is_order,
    is_scope,
    memory_order,
    memory_scope,
    order_name,
    order_word,
    plain,
    scope_word,
)
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.sycl.tree import ClassType, MemberCall
    from mcm.syntax.ast import Expression, Node

_DEFAULTS: Final = (Order.RELAXED, Order.ACQ_REL, Order.SEQ_CST)
_FOR_READS: Final = (Order.RELAXED, Order.ACQUIRE, Order.SEQ_CST)
_FOR_WRITES: Final = (Order.RELAXED, Order.RELEASE, Order.SEQ_CST)
_ALL: Final = tuple(Order)
_WORK_ITEM: Final = "memory_scope::work_item"
_WIDEST: Final = "memory_scope::system"


class _Member(Struct, frozen=True):
    """A member: the function of the C family, how many values it takes, and its orders."""

    function: str
    values: int
    orders: tuple[Order, ...]
    what: str


_UPDATES: Final = ("add", "sub", "and", "or", "xor", "min", "max")
_MEMBERS: Final[dict[str, _Member]] = {
    "load": _Member("atomic_load_explicit", 0, _FOR_READS, "a load"),
    "store": _Member("atomic_store_explicit", 1, _FOR_WRITES, "a store"),
    "exchange": _Member("atomic_exchange_explicit", 1, _ALL, "an exchange"),
    **{f"fetch_{word}": _Member(f"atomic_fetch_{word}_explicit", 1, _ALL, "an update") for word in _UPDATES},
    **{
        f"compare_exchange_{word}": _Member(f"atomic_compare_exchange_{word}_explicit", 2, _ALL, "a compare-exchange")
        for word in ("strong", "weak")
    },
}
_OF_DEVICES: Final = frozenset({"is_lock_free", "is_always_lock_free", "required_alignment"})
_OPERATORS: Final = {"+=": "add", "-=": "sub", "&=": "and", "|=": "or", "^=": "xor"}


def reference(class_: ClassType, arguments: tuple[Node, ...], node: Node, context: Context) -> AtomicReference:
    """The atomic reference that a construction makes."""
    complaints = context.complaints
    templates = class_.arguments or ()
    if not templates or not isinstance(templates[0], ast.TypeName):
        message = (
            "expected the type of the object first, 'atomic_ref<int, memory_order::relaxed, memory_scope::device>'"
        )
        complaints.fail("E204", class_.span, message)
    type_ = written_type(templates[0])
    is_host = class_.name.startswith("std::")
    order, scope, space = _settings(class_, templates[1:], context, is_host=is_host)
    if len(arguments) != 1:
        message = f"an atomic_ref refers to one object, found {counted(len(arguments))}"
        complaints.fail("E104", node.span, message)
    (target,) = arguments
    _check_object(type_, space, target, context)
    check_written(target, context)
    return AtomicReference(context.place(target), type_, order, scope, is_host)


def _settings(
    class_: ClassType,
    templates: tuple[Node, ...],
    context: Context,
    *,
    is_host: bool,
) -> tuple[Order, str, Region | None]:
    """The default order, the default scope and the address space of a type."""
    complaints = context.complaints
    if is_host:
        if templates or not context.is_host:
            message = "'std::atomic_ref<T>' is for host code; in device code it is 'sycl::atomic_ref'"
            complaints.fail(
                "E204", class_.span, message if not context.is_host else "'std::atomic_ref' takes a type only"
            )
        return Order.SEQ_CST, _WIDEST, None
    if len(templates) not in {2, 3}:
        message = (
            "expected a type, a default order and a default scope, "
            "'atomic_ref<int, memory_order::relaxed, memory_scope::device>'"
        )
        complaints.fail("E204", class_.span, message)
    order, scope = memory_order(templates[0], complaints), memory_scope(templates[1], complaints)
    if order not in _DEFAULTS:
        choices = ", ".join(f"'{order_name(one)}'" for one in _DEFAULTS)
        message = f"'{order_name(order)}' is no default order of an atomic_ref; it takes {choices}"
        complaints.fail("E200", templates[0].span, message)
    _warn_work_item(scope, templates[1], "members of an atomic_ref that name no other scope than", context)
    return order, scope, address_space(templates[2], complaints) if len(templates) == 3 else None


def _check_object(type_: ast.TypeName, space: Region | None, target: Node, context: Context) -> None:
    """Whether the object has the type, and lies in the address space, that the reference is declared with."""
    complaints = context.complaints
    found = type_of(target, context)
    is_other = found is not None and (len(found.pointers) != len(type_.pointers) or not _is_same(found, type_))
    if found is not None and is_other:
        message = f"'{target.span.text}' has type '{show(found)}', but the atomic_ref is of type '{show(type_)}'"
        hint = f"; did you mean '*{target.span.text}'?" if len(found.pointers) > len(type_.pointers) else ""
        complaints.fail("E204", target.span, message + hint)
    region = region_of(target, context)
    if space is Region.PRIVATE:
        complaints.fail("E201", target.span, "an atomic_ref cannot be of 'address_space::private_space'")
    if space is None or space is Region.GENERIC or region is None or region is space:
        return
    message = f"'{target.span.text}' is in {region.value}_space, but the atomic_ref is of {space.value}_space"
    complaints.fail("E201", target.span, message)


def _is_same(one: ast.TypeName, other: ast.TypeName) -> bool:
    """Whether two types are of the same numbers or structures, pointers to them aside."""
    scalars = [scalar_of(replace(each, pointers=())) for each in (one, other)]
    bases = [each.base.removeprefix("struct ") for each in (one, other)]
    return scalars[0] is scalars[1] if any(scalars) else bases[0] == bases[1]


def _warn_work_item(scope: str, node: Node, members: str, context: Context) -> None:
    if scope == _WORK_ITEM and context.complaints.is_new("W150", node.span.start):
        context.complaints.warning("W150", node.span, f"{members} '{_WORK_ITEM}' are undefined (SYCL-UB-2)")


# --- members ----------------------------------------------------------------------------------------------------------


def member(atomic: AtomicReference, node: MemberCall, context: Context) -> Expression:
    """What a call of a member of an atomic reference is."""
    name = node.name.text
    known = _MEMBERS.get(name)
    if name in _OF_DEVICES:
        message = f"'{name}' asks for a property of a device: not part of the litmus language"
        context.complaints.fail("E207", node.name.span, message)
    if known is None:
        hint = did_you_mean(name, _MEMBERS)
        context.complaints.fail("E203", node.name.span, f"an atomic_ref has no member '{name}'{hint}")
    values, orders, scope = _sorted(atomic, known, node, context)
    given = tuple(context.value(value) for value in values)
    if known.values == 2:
        expected = ast.Prefix("&", context.place(values[0]), span=values[0].span)
        return _exchange(atomic, known, (expected, given[1]), orders, scope, node)
    order = orders[0] if orders else _default(atomic.order, known)
    return _operation(atomic, known.function, given, order, scope, node)


def _sorted(
    atomic: AtomicReference, known: _Member, node: MemberCall, context: Context
) -> tuple[list[Node], list[Order], str]:
    """The arguments of a call: values, orders, and the scope."""
    values: list[Node] = []
    orders: list[Order] = []
    scope = atomic.scope
    for argument in node.arguments:
        if is_scope(argument):
            scope = memory_scope(argument, context.complaints)
            _warn_work_item(scope, argument, "members of an atomic_ref with", context)
        elif is_order(argument):
            orders.append(_order(known, argument, is_failure=bool(orders), context=context))
        else:
            values.append(argument)
    if len(values) != known.values or len(orders) > (2 if known.values == 2 else 1):
        taken = {0: "orders and a scope", 1: "a value", 2: "a variable with the expected value, and the desired one"}
        message = f"'{node.name.text}' takes {taken[known.values]}, found {counted(len(node.arguments))}"
        context.complaints.fail("E104", node.span, message)
    return values, orders, _scope(atomic, scope, node, context)


def _scope(atomic: AtomicReference, scope: str, node: MemberCall, context: Context) -> str:
    """The scope at which an operation acts: those of the host at system scope (SYCL-HOST-1)."""
    if not context.is_host or scope == _WIDEST:
        return scope
    if not atomic.is_host and context.complaints.is_new("W151", node.span.start):
        message = f"atomic operations of the host act at '{_WIDEST}', whatever is written (SYCL-HOST-1)"
        context.complaints.warning("W151", node.span, message)
    return _WIDEST


def _order(known: _Member, node: Node, *, is_failure: bool, context: Context) -> Order:
    order = memory_order(node, context.complaints)
    allowed = _FOR_READS if is_failure else known.orders
    if order not in allowed:
        what = "a failed compare-exchange is a load, which" if is_failure else known.what
        choices = ", ".join(f"'{order_name(one)}'" for one in allowed)
        message = f"{what} cannot have the order '{order_name(order)}'; it takes {choices}"
        context.complaints.fail("E108", node.span, message)
    return order


def _default(order: Order, known: _Member) -> Order:
    """DPC-3: acq_rel means acquire for a load, release for a store."""
    if order is not Order.ACQ_REL or known.orders is _ALL:
        return order
    return Order.ACQUIRE if known.orders is _FOR_READS else Order.RELEASE


def _on_failure(order: Order) -> Order:
    """DPC-2: the order of a compare-exchange that fails, where it is not written."""
    return {Order.ACQ_REL: Order.ACQUIRE, Order.RELEASE: Order.RELAXED}.get(order, order)


def _operation(
    atomic: AtomicReference, function: str, values: tuple[Expression, ...], order: Order, scope: str, node: Node
) -> Expression:
    arguments = (_address(atomic), *values, order_word(order, node), scope_word(scope, node))
    return call(function, arguments, node)


def _exchange(
    atomic: AtomicReference,
    known: _Member,
    values: tuple[Expression, ...],
    orders: list[Order],
    scope: str,
    node: Node,
) -> Expression:
    success = orders[0] if orders else atomic.order
    failure = orders[1] if len(orders) > 1 else _on_failure(success)
    words = (order_word(success, node), order_word(failure, node), scope_word(scope, node))
    return call(known.function, (_address(atomic), *values, *words), node)


def _address(atomic: AtomicReference) -> Expression:
    target = atomic.target
    if isinstance(target, ast.Prefix) and target.operator == "*":
        return target.operand
    return ast.Prefix("&", target, span=target.span)


# --- operators --------------------------------------------------------------------------------------------------------


def load(atomic: AtomicReference, node: Node, context: Context) -> Expression:
    """The conversion to the type of the object."""
    return _by_default(atomic, "load", (), node, context)


def assigned(atomic: AtomicReference, node: ast.Assignment, context: Context) -> Expression:
    """`a = 1`, `a += 1`."""
    value = context.value(node.value)
    if node.operator == "=":
        return _by_default(atomic, "store", (value,), node, context)
    if node.operator not in _OPERATORS:
        context.complaints.fail("E203", node.span, f"an atomic_ref has no operator '{node.operator}'")
    return _by_default(atomic, f"fetch_{_OPERATORS[node.operator]}", (value,), node, context)


def stepped(atomic: AtomicReference, node: ast.Prefix | ast.Postfix, context: Context) -> Expression:
    """`a++`, `--a`; the value of the form with the operator in front is the new one."""
    word = "add" if node.operator == "++" else "sub"
    old = _by_default(atomic, f"fetch_{word}", (number(1, node),), node, context)
    if isinstance(node, ast.Postfix):
        return old
    return ast.Infix(node.operator[0], old, number(1, node), span=node.span)


def _by_default(
    atomic: AtomicReference, name: str, values: tuple[Expression, ...], node: Node, context: Context
) -> Expression:
    """An operation with the default order and scope."""
    known = _MEMBERS[name]
    scope = _WIDEST if context.is_host else atomic.scope
    return _operation(atomic, known.function, values, _default(atomic.order, known), scope, node)


def is_atomic_class(class_: ClassType) -> bool:
    """Whether a type is that of atomic references."""
    return plain(class_.name) == "atomic_ref"
