"""A use of mapped memory is told by its unmap: what would have to let the use start after that, and does not."""

from __future__ import annotations

from mcm import Source, check
from mcm.answer.result import Judged

KERNEL = "kernel K (global int* x) { int r0 = *x; }"
MAP, UNMAP = "clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE, x);", "event u = clEnqueueSVMUnmap(q, x);"
K = "event k = clEnqueueNDRangeKernel(q, K, 1, 1);"
AFTER_UNMAP = "K (line 8) has to start after the unmap of x (line 7) that ends the map of x (line 6)"


def judged(*calls: str, queue: str = "out_of_order") -> Judged:
    start = f"{{ coarse_svm [x]=0; queue q = {queue} dev 0; queue p = in_order dev 0; }}"
    text = "\n".join(("OPENCL mapped", start, KERNEL, "P0@host (global int* x) {", "", *calls, "}", "exists (true)"))
    result = check(Source("mapped.litmus", text))
    assert isinstance(result, Judged)
    return result


def told(*calls: str) -> list[tuple[str, tuple[str, ...]]]:
    """The sentences about the misuse, with their rules."""
    result = judged(*calls)
    assert [problem.kind for problem in result.undefined] == ["map-misuse"]
    return [(one.text, one.rules) for story in result.explain().stories for one in story.sentences]


def test_nothing_waits_for_the_unmap() -> None:
    assert told(MAP, UNMAP, K) == [
        (AFTER_UNMAP, ("MAP-3",)),
        ("unmap of x (line 7) and K (line 8) are in one queue, but q is out-of-order", ("HOST-5",)),
        ("no command barrier stands between them in q", ("HOST-7",)),
        ("the event of unmap of x is not in the wait list of K", ("HOST-2",)),
    ]


def test_what_it_lacks_is_enough() -> None:
    assert judged(MAP, UNMAP, K.replace("1, 1)", "1, 1, wait(u))")).undefined == ()
    assert judged(MAP, UNMAP, "clEnqueueBarrierWithWaitList(q);", K).undefined == ()
    assert judged(MAP, UNMAP, K, queue="in_order").undefined == ()


def test_two_queues() -> None:
    assert told(MAP, UNMAP, K.replace("(q", "(p"))[1:] == [
        (
            "unmap of x (line 7) and K (line 8) are in two queues, q and p: a queue orders its own commands only",
            ("HOST-5",),
        ),
        ("the event of unmap of x is not in the wait list of K", ("HOST-2",)),
    ]


def test_the_unmap_comes_later() -> None:
    text = "K (line 7) is enqueued before the unmap of x (line 9) that ends the map of x (line 6)"
    assert told(MAP, K, "clWaitForEvents(k);", UNMAP) == [(text, ("MAP-3",))]


def test_there_is_no_unmap() -> None:
    assert told(MAP, K) == [("the map of x (line 6) has no unmap behind which K (line 7) could start", ("MAP-3",))]
