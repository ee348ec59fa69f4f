"""Why two scopes do not include each other's units, in words and with the rule that says so (model-rules 2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.topology import HostThread, WorkItem
from mcm.program.types import AllocationKind, Region, Scope

if TYPE_CHECKING:
    from mcm.program.program import MemoryObject
    from mcm.program.topology import Placement

_WITH_SVM_ATOMICS = frozenset({AllocationKind.FINE_SVM_ATOMICS, AllocationKind.SYSTEM_SVM_ATOMICS})


def why_not_inclusive(first: tuple[Scope, Placement], second: tuple[Scope, Placement], at: MemoryObject) -> str:
    """`scopes not inclusive: work_group against device, different work-groups (SCOPE-2)`.

    The reasons are looked at from the nearest to the farthest; the last one is that both scopes are wide enough and
    yet differ, which counts as not inclusive before OpenCL 3.1.
    """
    written = f"scopes not inclusive: {_name(first[0])} against {_name(second[0])}"
    one, other = effective_scope(first[0], at), effective_scope(second[0], at)
    clipped = _clipping(first[0], at) or _clipping(second[0], at)
    reason = _too_narrow(min(one, other), first[1], second[1], at)
    if reason is None:
        if one == other:
            return f"scopes not inclusive under this model: {_name(first[0])} against {_name(second[0])}{clipped}"
        reason = "before OpenCL 3.1 both must name the same scope (SCOPE-6)"
    return f"{written}, {reason}{clipped}"


def effective_scope(scope: Scope, at: MemoryObject) -> Scope:
    """A scope as far as it reaches for an object: SCOPE-8 for local memory, SCOPE-7 for global memory."""
    if at.region is Region.LOCAL:
        return min(scope, Scope.WORK_GROUP)
    if at.allocation not in _WITH_SVM_ATOMICS:
        return min(scope, Scope.DEVICE)
    return scope


def _clipping(scope: Scope, at: MemoryObject) -> str:
    effective = effective_scope(scope, at)
    if effective is scope:
        return ""
    rule = "SCOPE-8" if at.region is Region.LOCAL else "SCOPE-7"
    what = "local memory" if at.region is Region.LOCAL else "memory without SVM atomics"
    return f"; for {what} {_name(scope)} acts as {_name(effective)} ({rule})"


def _too_narrow(reach: Scope, first: Placement, second: Placement, at: MemoryObject) -> str | None:
    """Which boundary lies between the units that the narrower scope does not cross."""
    if isinstance(first, HostThread) or isinstance(second, HostThread):
        return None if reach >= Scope.ALL_SVM_DEVICES else "host and device (SCOPE-5)"
    if first.device != second.device:
        return None if reach >= Scope.ALL_SVM_DEVICES else "different devices (SCOPE-5)"
    if first.kernel_instance != second.kernel_instance:
        return _between_kernels(reach, at)
    if first.work_group != second.work_group:
        return None if reach >= Scope.DEVICE else "different work-groups (SCOPE-2)"
    return _inside_group(reach, first, second)


def _between_kernels(reach: Scope, at: MemoryObject) -> str | None:
    if reach < Scope.DEVICE:
        return "different kernel instances (SCOPE-4)"
    if at.allocation is AllocationKind.BUFFER:
        return "different kernel instances on a buffer (SCOPE-3)"
    return None


def _inside_group(reach: Scope, first: WorkItem, second: WorkItem) -> str | None:
    if reach >= Scope.WORK_GROUP:
        return None
    if reach is Scope.WORK_ITEM:
        return "work_item scope includes no other unit (SCOPE-9)"
    return None if first.sub_group == second.sub_group else "different sub-groups (SCOPE-1)"


def _name(scope: Scope) -> str:
    return scope.name.lower()
