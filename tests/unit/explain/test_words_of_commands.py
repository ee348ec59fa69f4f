"""What is forbidden by queues, children and pipes, in words that say who does what."""

from __future__ import annotations

import mcm


def told(*lines: str) -> list[str]:
    explanation = mcm.check("\n".join(("OPENCL t", *lines, ""))).explain()
    return [sentence.text for story in explanation.stories for sentence in story.sentences]


def test_what_reaches_a_grandchild() -> None:
    parent = "{ fine_svm [x]=0; queue q = in_order dev 0; }", "kernel D (global int* x) { int r0 = *x; }"
    child = "kernel C () { enqueue_kernel(CLK_ENQUEUE_FLAGS_NO_WAIT, D, 1, 1); }"
    kernel = "kernel K (global int* x) {\n*x = 1;\nenqueue_kernel(CLK_ENQUEUE_FLAGS_NO_WAIT, C, 1, 1); }"
    host = "P0@host () { clEnqueueNDRangeKernel(q, K, 1, 1); }"
    texts = told(*parent, child, kernel, host, "exists (D[0]:r0=0)")

    assert "K[0] line 6 happens before D[0] line 3 by way of a child, in fine-grain SVM" in texts


def test_steps_that_are_not_made_are_not_told() -> None:
    parent = "{ fine_svm [x]=0; queue q = in_order dev 0; }", "kernel D (global int* x) { int r0 = *x; }"
    child = "kernel C () { enqueue_kernel(CLK_ENQUEUE_FLAGS_NO_WAIT, D, 1, 1); }"
    kernel = "kernel K (global int* x) { *x = 1; enqueue_kernel(CLK_ENQUEUE_FLAGS_NO_WAIT, C, 1, 1); }"
    host = "P0@host () { clEnqueueNDRangeKernel(q, K, 1, 1); }"
    text = "\n".join(("OPENCL t", *parent, child, kernel, host, "exists (D[0]:r0=0)", ""))

    assert "→id" not in mcm.render_explanations([mcm.check(text).explain()])


def test_calls_come_to_a_queue_in_order() -> None:
    start = "{ [x]=0; fine_svm_atomics [f]=0; queue q = in_order dev 0; }"
    kernels = "kernel K (global int* x) { *x = 1; }", "kernel L (global int* x) { int r0 = *x; }"
    first = "P0@host (global atomic_int* f) {\nclEnqueueNDRangeKernel(q, K, 1, 1);\natomic_store(f, 1); }"
    second = (
        "P1@host (global atomic_int* f) { int r1 = atomic_load(f); if (r1 == 1) {\n"
        "clEnqueueNDRangeKernel(q, L, 1, 1); } }"
    )
    texts = told(start, *kernels, first, second, "exists (1:r1=1 /\\ L[0]:r0=0)")

    words = "may not come to its queue before P0 line 6: calls come in an order that agrees with happens-before"
    assert f"so P1 line 9 {words}" in texts


def test_who_takes_a_packet_is_the_reader() -> None:
    start = "{ pipe int p[1]; queue q = out_of_order dev 0; }"
    write = "kernel A (write_only pipe int p) { int v = 1; int r0 = write_pipe(p, &v); }"
    read = "kernel C (read_only pipe int p) { int r0 = 5; int r1 = read_pipe(p, &r0); }"
    host = "P0@host () { clEnqueueNDRangeKernel(q, A, 1, 1); clEnqueueNDRangeKernel(q, C, 1, 1); }"
    texts = told(start, write, read, host, "exists (C[0]:r1=0 /\\ C[0]:r0!=1)")

    assert any(
        one.endswith(
            "C[0] line 4 (read) takes the packet that A[0] line 3 (write) wrote, and may not read what was there before"
        )
        for one in texts
    )
