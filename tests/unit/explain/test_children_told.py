"""What is told of a kernel that runs anyway, and of a kernel that it enqueues."""

from __future__ import annotations

from typing import Final

import mcm

PARENT: Final = """OPENCL children
{ int x = 0; atomic_int y = 0; }
kernel k (global int* x, global atomic_int* y) {
  enqueue_kernel(get_default_queue(), FLAG, ndrange_1D(1), ^{ CHILD });
  OWN
}
launch k global 1;
exists (x=1)
"""
NO_WAIT: Final = "CLK_ENQUEUE_FLAGS_NO_WAIT"


def sentences(flag: str, own: str, child: str) -> list[str]:
    text = PARENT.replace("FLAG", flag).replace("OWN", own).replace("CHILD", child)
    (story,) = mcm.check(text).explain().stories
    return [sentence.text for sentence in story.sentences]


def test_a_child_that_does_not_wait_for_a_kernel_that_runs_anyway() -> None:
    assert sentences(NO_WAIT, "*x = 1;", "*x = 2;") == [
        f"k_block1 waits for nothing that the kernel of k[0] does: its flag is {NO_WAIT}",
        "what comes before the call at line 4 reaches k_block1 in fine-grain SVM only; this is a buffer",
        "with CLK_ENQUEUE_FLAGS_WAIT_KERNEL, k_block1 would start after all of the kernel of k[0]",
    ]


def test_a_parent_and_a_child_are_not_said_to_be_one_kernel_instance() -> None:
    store = "atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_work_group);"
    told = sentences(NO_WAIT, store.replace("work_group", "device"), store)

    assert "k[0] line 5 and k_block1[0] line 4 are in a kernel instance and one that it enqueues" in told
