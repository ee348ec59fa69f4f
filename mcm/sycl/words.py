"""The words of SYCL for memory orders, scopes, address spaces and fence spaces, and what they are in the C family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.suggest import did_you_mean
from mcm.program.types import Order, Region
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints
    from mcm.syntax.ast import Node

_NAMESPACES: Final = ("sycl::", "std::", "access::", "ext::oneapi::", "experimental::")


def plain(name: str) -> str:
    """A name without the namespaces that may be left out.

    >>> plain("sycl::memory_order::acquire"), plain("std::memory_order_acquire"), plain("x")
    ('memory_order::acquire', 'memory_order_acquire', 'x')
    """
    name = name.removeprefix("::")
    while (namespace := next((one for one in _NAMESPACES if name.startswith(one)), None)) is not None:
        name = name.removeprefix(namespace)
    return name


# The group algorithms: those that say whether something holds, and those whose value has the type of what is passed.
QUESTIONS: Final = frozenset({"any_of_group", "all_of_group", "none_of_group"})
SHUFFLES: Final = frozenset({"select_from_group", "shift_group_left", "shift_group_right", "permute_group_by_xor"})
VALUES: Final = SHUFFLES | {
    *("reduce_over_group", "group_broadcast"),
    *("exclusive_scan_over_group", "inclusive_scan_over_group"),
}
# Functions of vectors that give a number, and those that give a vector.
NUMBERS_OF_VECTORS: Final = frozenset({"dot", "length", "distance", "fast_length", "fast_distance"})
VECTORS_OF_VECTORS: Final = frozenset({"cross", "normalize", "fast_normalize"})
ALGORITHMS: Final = QUESTIONS | VALUES
# Those over ranges of memory.
JOINT_QUESTIONS: Final = frozenset({"joint_any_of", "joint_all_of", "joint_none_of"})
JOINT: Final = JOINT_QUESTIONS | {"joint_reduce", "joint_inclusive_scan", "joint_exclusive_scan"}


def order_name(order: Order) -> str:
    """An order as SYCL spells it.

    >>> order_name(Order.ACQ_REL)
    'memory_order::acq_rel'
    """
    return f"memory_order::{order.value.removeprefix('memory_order_')}"


_ORDERS: Final[dict[str, Order]] = {
    **{order_name(order): order for order in Order},
    **{order.value: order for order in Order},
}

# Scopes, from the narrowest to the widest, and what they are in OpenCL.
SCOPES: Final[dict[str, str]] = {
    "memory_scope::work_item": "memory_scope_work_item",
    "memory_scope::sub_group": "memory_scope_sub_group",
    "memory_scope::work_group": "memory_scope_work_group",
    "memory_scope::device": "memory_scope_device",
    "memory_scope::system": "memory_scope_all_svm_devices",
}
_SCOPES: Final = {**SCOPES, **{name.replace("::", "_"): word for name, word in SCOPES.items()}}

SPACES: Final[dict[str, Region]] = {
    "address_space::global_space": Region.GLOBAL,
    "address_space::local_space": Region.LOCAL,
    "address_space::private_space": Region.PRIVATE,
    "address_space::generic_space": Region.GENERIC,
}

_FLAGS: Final[dict[str, tuple[str, ...]]] = {
    "fence_space::local_space": ("CLK_LOCAL_MEM_FENCE",),
    "fence_space::global_space": ("CLK_GLOBAL_MEM_FENCE",),
    "fence_space::global_and_local": ("CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE"),
}

# What an event says of its command: the answers of OpenCL.
EVENT_STATUS: Final[dict[str, str]] = {
    f"info::event_command_status::{word}": f"CL_{word.upper()}" for word in ("complete", "running", "submitted")
}


def meant(node: Node) -> str:
    """A name as it is meant, which may not be what stands in the text; other nodes as they are written."""
    return plain(node.text if isinstance(node, ast.Name) else node.span.text)


def is_order(node: Node) -> bool:
    """Whether an argument names a memory order, rightly or not."""
    return isinstance(node, ast.Name) and plain(node.text).startswith("memory_order")


def is_scope(node: Node) -> bool:
    """Whether an argument names a memory scope, rightly or not."""
    return isinstance(node, ast.Name) and plain(node.text).startswith("memory_scope")


def memory_order(node: Node, complaints: Complaints) -> Order:
    """The order that an argument names."""
    text = meant(node)
    if text in {"memory_order::consume", "memory_order_consume"}:
        message = "'memory_order::consume' is undefined in device code; did you mean 'memory_order::acquire'?"
        complaints.fail("E105", node.span, message)
    if text in _ORDERS:
        return _ORDERS[text]
    hint = _hint(text, "memory_order", _ORDERS)
    return complaints.fail("E105", node.span, f"expected a memory order, found '{node.span.text}'{hint}")


def memory_scope(node: Node, complaints: Complaints) -> str:
    """The scope that an argument names, as SYCL spells it in full."""
    text = meant(node)
    if text in _SCOPES:
        return f"memory_scope::{text.removeprefix('memory_scope')[1:].removeprefix(':')}"
    hint = _hint(text, "memory_scope", SCOPES)
    return complaints.fail("E106", node.span, f"expected a memory scope, found '{node.span.text}'{hint}")


def address_space(node: Node, complaints: Complaints) -> Region:
    """The address space that an argument of a template names."""
    text = meant(node)
    if text in SPACES:
        return SPACES[text]
    known = [f"access::{name}" for name in SPACES]
    hint = f"; did you mean 'access::address_space::{text}'?" if f"address_space::{text}" in SPACES else ""
    hint = hint or did_you_mean(f"access::{text}", known)
    return complaints.fail("E205", node.span, f"expected an address space, found '{node.span.text}'{hint}")


def fence_flags(node: Node, complaints: Complaints) -> tuple[str, ...]:
    """The flags of a fence space."""
    text = meant(node)
    if text in _FLAGS:
        return _FLAGS[text]
    hint = did_you_mean(f"access::{text}", [f"access::{name}" for name in _FLAGS])
    return complaints.fail("E107", node.span, f"expected a fence space, found '{node.span.text}'{hint}")


def order_word(order: Order, node: Node) -> ast.Name:
    """An order as an argument of an operation of the C family."""
    return ast.Name(order.value, span=node.span)


def scope_word(scope: str, node: Node) -> ast.Name:
    """A scope as an argument of an operation of the C family."""
    return ast.Name(SCOPES[scope], span=node.span)


def _hint(text: str, prefix: str, known: object) -> str:
    assert isinstance(known, dict)
    full = f"{prefix}::{text}"
    return (
        f"; did you mean '{full}'?" if full in known else did_you_mean(text, [name for name in known if "::" in name])
    )
