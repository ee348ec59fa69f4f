"""Which orders, scopes and flags an operation may have (`model-rules` 1.6, 1.7, SCOPE-9, BAR-9).

What published tests rely on, though a compiler would reject it, is a warning; everything else is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.operators import Level
from mcm.program.resolve import signatures as op
from mcm.program.types import Flag, Order, Scope

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints

_FOR_READS: Final = frozenset({Order.RELAXED, Order.ACQUIRE, Order.SEQ_CST})
_FOR_WRITES: Final = frozenset({Order.RELAXED, Order.RELEASE, Order.SEQ_CST})
_STRONGER: Final[dict[Order, frozenset[Order]]] = {
    Order.RELAXED: frozenset({Order.ACQUIRE, Order.SEQ_CST}),
    Order.RELEASE: frozenset({Order.SEQ_CST}),
    Order.ACQUIRE: frozenset({Order.SEQ_CST}),
    Order.ACQ_REL: frozenset({Order.SEQ_CST}),
    Order.SEQ_CST: frozenset(),
}


def check_order(signature: op.Signature, order: Order, span: Span, complaints: Complaints) -> None:
    """Refuse release orders for loads and acquire orders for stores."""
    match signature.operation:
        case op.Load():
            allowed, what = _FOR_READS, "a load"
        case op.Store():
            allowed, what = _FOR_WRITES, "a store"
        case _:
            return
    if order not in allowed:
        complaints.error("E108", span, f"{what} cannot have the order '{order.value}'{_choices(allowed)}")


def _choices(allowed: frozenset[Order]) -> str:
    return "; it takes " + ", ".join(f"'{order.value}'" for order in Order if order in allowed)


def check_failure_order(success: Order, failure: Order, span: Span, complaints: Complaints) -> None:
    """The failure order of a compare-exchange is one that a load can have, and not stronger than the success order."""
    if failure is Order.ACQ_REL:
        message = f"a failed compare-exchange is a load: it cannot have the order '{failure.value}'"
        complaints.error("E108", span, f"{message}{_choices(_FOR_READS)}")
    elif failure is Order.RELEASE:
        message = f"a failed compare-exchange is a load: '{failure.value}' is no order for it and acts as relaxed"
        complaints.warning("W109", span, message)
    elif failure in _STRONGER[success]:
        message = f"the failure order '{failure.value}' is stronger than the success order '{success.value}'"
        complaints.error("E109", span, message)


def check_atomic_scope(scope: Scope, span: Span, complaints: Complaints) -> None:
    """SCOPE-9: an atomic operation never has work-item scope."""
    if scope is Scope.WORK_ITEM:
        message = "'memory_scope_work_item' is for image fences only (SCOPE-9); this operation is inclusive with none"
        complaints.warning("W110", span, message)


def check_fence(
    operation: op.MemoryFence,
    flags: frozenset[Flag],
    scope: Scope,
    flags_span: Span,
    scope_span: Span,
    complaints: Complaints,
) -> None:
    """A fence has a flag; only image fences have work-item scope; OpenCL 1.x fences have no image flag."""
    if not flags:
        complaints.error("E110", flags_span, "a fence needs at least one memory fence flag")
    if Flag.IMAGE in flags and not operation.takes_image:
        complaints.error("E112", flags_span, "this fence takes CLK_GLOBAL_MEM_FENCE and CLK_LOCAL_MEM_FENCE only")
    if scope is Scope.WORK_ITEM and Flag.IMAGE not in flags:
        message = "'memory_scope_work_item' is for fences with CLK_IMAGE_MEM_FENCE only (SCOPE-9)"
        complaints.error("E111", scope_span, message)


def check_barrier(level: Level, flags: frozenset[Flag], scope: Scope, scope_span: Span, complaints: Complaints) -> None:
    """BAR-9: an image barrier has work-group scope; no barrier has work-item scope."""
    if scope is Scope.WORK_ITEM:
        complaints.error("E111", scope_span, "'memory_scope_work_item' is no scope for a barrier (SCOPE-9)")
    elif Flag.IMAGE in flags and level is Level.WORK_GROUP and scope is not Scope.WORK_GROUP:
        complaints.error("E111", scope_span, "a barrier with CLK_IMAGE_MEM_FENCE has work-group scope (BAR-9)")
