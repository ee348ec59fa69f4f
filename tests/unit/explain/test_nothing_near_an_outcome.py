"""What is said of an allowed outcome where no operation comes near to excluding it: just what was looked for."""

import pytest

from mcm import Source, check

AREA = "{ fine_svm_atomics atomic_int x = 0; fine_svm_atomics atomic_int y = 0; }"
OF_ALL = "no other memory order (but seq_cst), scope or flag of these operations would forbid it"
ASIDE = "rules about circles, and about the order of seq_cst operations, aside, "


def store_buffering(order: str, scope: str) -> str:
    how = f"memory_order_{order}, memory_scope_{scope}"
    threads = [
        f"P{n}@wg {n} (global atomic_int* x, global atomic_int* y) {{ atomic_store_explicit({one}, 1, {how});"
        f" int r0 = atomic_load_explicit({other}, {how}); }}"
        for n, (one, other) in enumerate(("xy", "yx"))
    ]
    return "\n".join(("OPENCL t", AREA, *threads, "exists (0:r0=0 /\\ 1:r0=0)", ""))


def said(order: str, scope: str, model: str) -> list[str]:
    (story,) = check(Source("t.litmus", store_buffering(order, scope)), model).explain().stories
    return [sentence.text for sentence in story.sentences if "would forbid it" in sentence.text]


def test_of_operations_that_are_not_seq_cst_only_that_would_help() -> None:
    assert said("relaxed", "device", "opencl-3.0") == [OF_ALL]


def test_a_wider_scope_would_bring_the_order_s_into_existence() -> None:
    """SC-0: all seq_cst operations at scope all_svm_devices, of SVM with atomics."""
    assert said("seq_cst", "device", "opencl-2.0-cond") == [ASIDE + OF_ALL]
    wide = check(Source("t.litmus", store_buffering("seq_cst", "all_svm_devices")), "opencl-2.0-cond")
    assert wide.verdict.value == "forbidden"


@pytest.mark.parametrize("loads", [2, 6])
def test_of_many_operations_not_all_changes_are_tried(loads: int) -> None:
    more = " ".join(f"int s{n} = atomic_load_explicit(z, memory_order_relaxed);" for n in range(loads))
    text = store_buffering("relaxed", "device").replace("y = 0; }", "y = 0; atomic_int z = 0; }", 1)
    text = text.replace("global atomic_int* y) { ", f"global atomic_int* y, global atomic_int* z) {{ {more} ", 1)
    (story,) = check(Source("t.litmus", text), "opencl-3.0").explain().stories
    (told,) = [sentence.text for sentence in story.sentences if "would forbid it" in sentence.text]
    assert told == OF_ALL.replace("these operations", "a few of these operations")
