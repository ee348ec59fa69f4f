"""What is said of an allowed outcome where no operation comes near to excluding it: just what was looked for."""

import pytest

from mcm import Session, Source, check

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


BESIDE = """OPENCL t
{ [x]=0; [y]=0; [z]=0; }
P0@wg 0 (global int* z, global atomic_int* x, global atomic_int* y) {
  int r1 = *z;
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}
P1@wg 1 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (0:r0=0 /\\ 1:r0=0)
"""
STALE = """OPENCL t
{ image int img[1]={0}; }
kernel K (read_write image1d_t img) {
  write_imagei(img, 0, (int4)(1, 0, 0, 0));
  atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_relaxed, memory_scope_work_item);
  int r0 = read_imagei(img, 0).x;
}
launch K global 1;
exists (K[0]:r0=0)
"""


def told(text: str, state: str | None = None) -> list[str]:
    source, session = Source("t.litmus", text), Session()
    explanation = session.explain(source, state=state) if state else session.explain(source)
    return [sentence.text for sentence in explanation.stories[0].sentences]


def test_a_read_of_a_value_that_nothing_could_hide_is_near_to_nothing() -> None:
    """`z` is written by nobody: no change of other operations forbids what is read of it."""
    assert told(BESIDE)[-1] == OF_ALL.replace("these operations", "a few of these operations")


def test_what_would_hide_the_value_of_a_plain_read_is_told() -> None:
    load = "int r0 = atomic_load_explicit(x, memory_order_relaxed);"
    text = (
        BESIDE.replace("*z;", "0; *z = 1;")
        .replace("wg 1 (", "wg 1 (global int* z, ")
        .replace(load, f"{load} int r2 = *z;")
    )
    sentences = told(text, "1:r0=1 /\\ 1:r2=0")
    assert "what comes nearest to forbidding it is visible-side-effect" in sentences
    assert [s for s in sentences if "is no " in s] == [
        "P0 line 5 is no release (memory_order_relaxed)",
        "P1 line 10:12 is no acquire (memory_order_relaxed)",
    ]


def test_a_relaxed_fence_is_what_an_image_lacks() -> None:
    assert told(STALE)[-2:] == [
        "K[0] line 6 reads from the initial value of img[0]",
        "K[0] line 5 is no acquire (memory_order_relaxed)",
    ]
