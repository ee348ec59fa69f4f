from __future__ import annotations

import pytest

from mcm.base.source import Source, Span
from mcm.explain.scopes import effective_scope, why_not_inclusive
from mcm.program.program import MemoryObject
from mcm.program.topology import HostThread, Placement, WorkItem
from mcm.program.types import AllocationKind, Region, Scalar, Scope

SG, WG, DV, ALL = Scope.SUB_GROUP, Scope.WORK_GROUP, Scope.DEVICE, Scope.ALL_SVM_DEVICES
HERE = WorkItem()


def memory(region: Region = Region.GLOBAL, allocation: AllocationKind = AllocationKind.BUFFER) -> MemoryObject:
    return MemoryObject("x", Scalar.INT, region, allocation, (0,), atomic=True, is_array=False, span=_SPAN)


_SPAN = Span(Source("t", ""), 0, 0)
_FINE = memory(allocation=AllocationKind.FINE_SVM_ATOMICS)


@pytest.mark.parametrize(
    ("first", "second", "other", "at", "why"),
    [
        (SG, SG, WorkItem(sub_group=1), memory(), "sub_group against sub_group, different sub-groups (SCOPE-1)"),
        (WG, DV, WorkItem(work_group=1), memory(), "work_group against device, different work-groups (SCOPE-2)"),
        (
            DV,
            DV,
            WorkItem(kernel_instance=1),
            memory(),
            "device against device, different kernel instances on a buffer (SCOPE-3)",
        ),
        (
            WG,
            WG,
            WorkItem(kernel_instance=1),
            memory(allocation=AllocationKind.COARSE_SVM),
            "work_group against work_group, different kernel instances (SCOPE-4)",
        ),
        (DV, DV, WorkItem(device=1), _FINE, "device against device, different devices (SCOPE-5)"),
        (DV, ALL, HostThread(), _FINE, "device against all_svm_devices, host and device (SCOPE-5)"),
        (
            WG,
            DV,
            HERE,
            memory(),
            "work_group against device, before OpenCL 3.1 both must name the same scope (SCOPE-6)",
        ),
        (
            ALL,
            ALL,
            WorkItem(device=1),
            memory(allocation=AllocationKind.FINE_SVM),
            (
                "all_svm_devices against all_svm_devices, different devices (SCOPE-5);"
                " for memory without SVM atomics all_svm_devices acts as device (SCOPE-7)"
            ),
        ),
        (
            DV,
            DV,
            WorkItem(work_group=1),
            memory(Region.LOCAL),
            (
                "device against device, different work-groups (SCOPE-2);"
                " for local memory device acts as work_group (SCOPE-8)"
            ),
        ),
        (
            Scope.WORK_ITEM,
            WG,
            HERE,
            memory(),
            "work_item against work_group, work_item scope includes no other unit (SCOPE-9)",
        ),
    ],
)
def test_the_nearest_reason_is_named(first: Scope, second: Scope, other: Placement, at: MemoryObject, why: str) -> None:
    assert why_not_inclusive((first, HERE), (second, other), at) == f"scopes not inclusive: {why}"


def test_scopes_that_no_rule_here_excludes_are_the_models_business() -> None:
    assert why_not_inclusive((DV, HERE), (DV, HERE), memory()) == (
        "scopes not inclusive under this model: device against device"
    )


def test_scopes_reach_as_far_as_the_object_lets_them() -> None:
    assert effective_scope(ALL, memory(Region.LOCAL)) is WG
    assert effective_scope(ALL, memory()) is DV
    assert effective_scope(ALL, _FINE) is ALL
    assert effective_scope(SG, memory(Region.LOCAL)) is SG
