from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcm.program.capability import FULL, MINIMUM, UnknownFeatureError, check, profile, required_features

if TYPE_CHECKING:
    from conftest import Read, Resolve, Thread

SPEC = Path(__file__).parents[3] / "litmus" / "opencl" / "spec"
ACQ_REL = "__opencl_c_atomic_order_acq_rel"
SEQ_CST = "__opencl_c_atomic_order_seq_cst"
DEVICE = "__opencl_c_atomic_scope_device"


@pytest.mark.parametrize(
    ("body", "features"),
    [
        ("atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_work_group);", []),
        ("atomic_store_explicit(y, 1, memory_order_release, memory_scope_work_group);", [ACQ_REL]),
        ("atomic_store(y, 1);", [SEQ_CST, DEVICE]),
        ("mem_fence(CLK_GLOBAL_MEM_FENCE);", []),
        ("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);", [DEVICE]),
        ("atomic_add(x, 1);", []),
        ("atomic_cmpxchg(x, 0, 1);", []),
        ("barrier(CLK_LOCAL_MEM_FENCE);", []),
        ("sub_group_barrier(CLK_LOCAL_MEM_FENCE);", ["__opencl_c_subgroups"]),
        ("int r = work_group_all(1);", ["__opencl_c_work_group_collective_functions"]),
        ("barrier(CLK_IMAGE_MEM_FENCE);", ["__opencl_c_read_write_images"]),
        ("int* p = x;", ["__opencl_c_generic_address_space"]),
        ("int r = 0; int* p = &r;", []),
    ],
)
def test_what_an_operation_needs(resolved: Resolve, thread: Thread, body: str, features: list[str]) -> None:
    program = resolved(thread(body))
    assert [r.feature for r in required_features(program)] == features
    assert [d.span.line for d in check(program, MINIMUM)] == [4] * len(features)
    assert check(program, FULL) == ()


def test_a_failure_order_counts(resolved: Resolve, thread: Thread) -> None:
    orders = "memory_order_relaxed, memory_order_relaxed, memory_scope_work_group"
    text = "int r = 0; atomic_compare_exchange_strong_explicit(y, &r, 1, " + orders + ");"
    assert required_features(resolved(thread(text))) == ()
    acquiring = text.replace("memory_order_relaxed, memory_order_relaxed", "memory_order_acquire, memory_order_acquire")
    assert [r.feature for r in required_features(resolved(thread(acquiring)))] == [ACQ_REL]


def test_allocations_need_shared_virtual_memory(resolved: Resolve, thread: Thread) -> None:
    program = resolved(thread("*x = 1;", initial="{ fine_svm_atomics [x]=0; }"))
    expected = ["CL_DEVICE_SVM_FINE_GRAIN_BUFFER", "CL_DEVICE_SVM_ATOMICS"]
    assert [r.feature for r in required_features(program)] == expected


def test_c_needs_nothing(resolved: Resolve) -> None:
    assert required_features(resolved("C t\n{ }\nP0 (atomic_int* x) { atomic_store(x, 1); }\n")) == ()


def test_the_host_is_no_device(resolved: Resolve) -> None:
    assert required_features(resolved("OPENCL t\n{ }\nP0@host (global atomic_int* x) { atomic_store(x, 1); }\n")) == ()


def test_profiles_are_downward_closed() -> None:
    assert profile(SEQ_CST).features == {SEQ_CST, ACQ_REL}
    assert profile("full") is FULL
    with pytest.raises(UnknownFeatureError, match="did you mean '__opencl_c_subgroups'"):
        profile("__opencl_c_subgroup")


def test_shipped_tests_need_what_they_say(read: Read) -> None:
    stated = 0
    for path in sorted(SPEC.glob("CAP-*.litmus")):
        test = read(path.read_text(encoding="utf-8"))
        needs = dict(test.header.keys).get("Needs")
        if needs is not None:
            stated += 1
            expected = set() if needs == "none" else set(needs.replace(",", " ").split())
            assert {r.feature for r in required_features(test.program)} == expected, path.name
    assert stated > 5
