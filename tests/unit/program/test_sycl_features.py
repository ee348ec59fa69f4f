"""What programs need of a SYCL device beyond the minimum; those of OpenCL are asked by the same orders and scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.program.capability import FULL, SYCL_MINIMUM, UnknownFeatureError, check, profile, required_features

if TYPE_CHECKING:
    from conftest import Resolve, Thread

ACQ_REL = "atomic_memory_order::acq_rel"
SEQ_CST = "atomic_memory_order::seq_cst"
DEVICE = "atomic_memory_scope::device"
SYSTEM = "atomic_memory_scope::system"
FENCE = "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, {}, {});"


@pytest.mark.parametrize(
    ("body", "features"),
    [
        ("atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_work_group);", []),
        ("atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_sub_group);", []),
        ("atomic_store_explicit(y, 1, memory_order_release, memory_scope_work_group);", [ACQ_REL]),
        ("int r = atomic_load_explicit(y, memory_order_acquire, memory_scope_device);", [ACQ_REL, DEVICE]),
        ("atomic_store(y, 1);", [SEQ_CST, DEVICE]),
        ("atomic_fetch_add_explicit(y, 1, memory_order_relaxed, memory_scope_all_svm_devices);", [SYSTEM]),
        (FENCE.format("memory_order_acq_rel", "memory_scope_work_group"), []),
        (FENCE.format("memory_order_seq_cst", "memory_scope_work_group"), ["atomic_fence_order::seq_cst"]),
        (FENCE.format("memory_order_release", "memory_scope_device"), ["atomic_fence_scope::device"]),
        (FENCE.format("memory_order_release", "memory_scope_all_svm_devices"), ["atomic_fence_scope::system"]),
        ("work_group_barrier(CLK_GLOBAL_MEM_FENCE);", []),
        ("work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);", ["atomic_fence_scope::device"]),
        ("sub_group_barrier(CLK_LOCAL_MEM_FENCE);", []),
    ],
)
def test_what_an_operation_needs(resolved: Resolve, thread: Thread, body: str, features: list[str]) -> None:
    program = resolved(thread(body))
    assert [r.feature for r in required_features(program, "SYCL")] == features
    assert [d.span.line for d in check(program, SYCL_MINIMUM)] == [4] * len(features)
    assert check(program, FULL) == ()


def test_the_order_of_a_failure_counts(resolved: Resolve, thread: Thread) -> None:
    orders = "memory_order_acquire, memory_order_acquire, memory_scope_work_group"
    text = "int r = 0; atomic_compare_exchange_strong_explicit(y, &r, 1, " + orders + ");"
    assert [r.feature for r in required_features(resolved(thread(text)), "SYCL")] == [ACQ_REL]


def test_the_host_needs_atomic_allocations(resolved: Resolve) -> None:
    program = resolved("OPENCL t\n{ }\nP0@host (global atomic_int* x) { atomic_store(x, 1); }\n")
    assert [r.feature for r in required_features(program, "SYCL")] == ["aspect::usm_atomic_shared_allocations"]


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("memory_order::acquire", {ACQ_REL}),
        ("sycl::memory_order::release", {ACQ_REL}),
        ("memory_order::seq_cst", {ACQ_REL, SEQ_CST, "atomic_fence_order::seq_cst"}),
        ("memory_scope::device", {DEVICE, "atomic_fence_scope::device"}),
        (SYSTEM, {SYSTEM, DEVICE}),
        ("atomic_fence_scope::system, aspect::atomic64",
         {"atomic_fence_scope::system", "atomic_fence_scope::device", "aspect::atomic64"}),
    ],
)  # fmt: skip
def test_named_orders_and_scopes_are_downward_closed(text: str, features: set[str]) -> None:
    assert profile(text).features == features
    assert profile(text).language == "SYCL"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("memory_order::acqrel", "did you mean 'memory_order::acq_rel'"),
        ("memory_scope::work_grop", "unknown feature 'memory_scope::work_grop'"),
        ("memory_scope::device, __opencl_c_subgroups", "no device together"),
        ("sycl-2020-minimun", "did you mean 'sycl-2020-minimum'"),
    ],
)
def test_what_is_no_device(text: str, message: str) -> None:
    with pytest.raises(UnknownFeatureError, match=message):
        profile(text)
