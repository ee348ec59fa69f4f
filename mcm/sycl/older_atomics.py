"""Atomic operations in the words of SYCL 1.2.1: elements of atomic accessors, and functions instead of members.

They are relaxed, as the text says of `sycl::atomic`, and of device scope, as the older functions of OpenCL C are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.types import Order
from mcm.sycl import atomics, tree
from mcm.sycl.entities import Accessor, AtomicReference
from mcm.sycl.references import is_place
from mcm.sycl.types import type_of
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.syntax.ast import Expression, Node

_SCOPE: Final = "memory_scope::device"
_PREFIX: Final = "atomic_"
_FUNCTIONS: Final = frozenset(
    {"load", "store", "exchange", "compare_exchange_strong"}
    | {f"fetch_{operation}" for operation in ("add", "sub", "and", "or", "xor", "min", "max")}
)


def function(name: str, node: ast.Call, context: Context) -> Expression | None:
    """`atomic_fetch_add(a[0], 1)`; None for other calls."""
    member_name = name.removeprefix(_PREFIX)
    if not name.startswith(_PREFIX) or member_name not in _FUNCTIONS or not node.arguments:
        return None
    base, *rest = node.arguments
    called = tree.MemberCall(
        base, ".", ast.Name(member_name, span=node.function.span), None, tuple(rest), span=node.span
    )
    entity = context.entity(base)
    if isinstance(entity, AtomicReference):
        return atomics.member(entity, called, context)
    return member(called, context)


def member(node: tree.MemberCall, context: Context) -> Expression | None:
    """`a[0].fetch_add(1)` of an atomic accessor; None for members of anything else."""
    if node.name.text not in _FUNCTIONS or not _is_element(node.base, context):
        return None
    type_ = type_of(node.base, context)
    if type_ is None:
        return None
    reference = AtomicReference(context.place(node.base), type_, Order.RELAXED, _SCOPE)
    return atomics.member(reference, node, context)


def _is_element(node: Node, context: Context) -> bool:
    """Whether an expression is an element of an accessor."""
    base = node
    while isinstance(base, ast.Index):
        base = base.base
    return base is not node and is_place(node, context) and isinstance(context.entity(base), Accessor)
