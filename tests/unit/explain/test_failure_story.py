"""What an event with a negative status leads to (HOST-18): which commands do not run, in turn, and what settles it."""

from __future__ import annotations

from mcm import check

HOST = """OPENCL failed
{ [x]=0; queue q = in_order dev 0; user_event u; user_event v; }
kernel A (global int* x) { *x = 1; }
kernel B (global int* x) { *x = 2; }
P0@host () {
  CALLS
}
exists (x=1)
"""
LEFT_OPEN = "opencl-3.0 leaves to the implementation what becomes of these and of their queues"
SETTLED = "with CL_COMPLETE (0) in the place of the error, {} is complete, and nothing is left open"


def told(text: str) -> list[str]:
    return [sentence.text for story in check(text).explain().stories for sentence in story.sentences]


def test_who_waits_for_what_has_failed_fails_in_turn() -> None:
    calls = """event e = clEnqueueNDRangeKernel(q, A, 1, 1, wait(u));
  event m = clEnqueueMarkerWithWaitList(q, wait(e));
  event f = clEnqueueNDRangeKernel(q, B, 1, 1);
  clSetUserEventStatus(u, -5);"""
    text = HOST.replace("CALLS", calls)
    assert told(text) == [
        "A (line 6) waits for u: here it does not run, and is over with the status -14",
        "marker (line 7) waits for A (line 6): here it does not run, and is over with the status -14",
        LEFT_OPEN,
        SETTLED.format("u"),
    ]
    assert not check(text.replace("-5", "CL_COMPLETE")).impl_defined


def test_that_no_command_waits_is_told() -> None:
    calls = "clEnqueueNDRangeKernel(q, A, 1, 1, wait(v)); clSetUserEventStatus(v, 0); clSetUserEventStatus(u, -1);"
    assert told(HOST.replace("CALLS", calls)) == ["no command waits for u here", LEFT_OPEN, SETTLED.format("u")]


def test_a_parent_fails_with_its_child() -> None:
    text = """OPENCL parent
{ [x]=0; queue q = in_order dev 0; }
kernel K (global int* x) {
  ndrange_t one = ndrange_1D(1);
  clk_event_t u = create_user_event();
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &u, NULL, ^{ *x = 1; });
  set_user_event_status(u, -4);
}
P0@host () { event e = clEnqueueNDRangeKernel(q, K, 1, 1); int s = clWaitForEvents(e); }
exists (0:s=-14)
"""
    assert told(text)[:2] == [
        "K_block1 (line 6) waits for user event: here it does not run, and is over with the status -14",
        "K (line 9) has enqueued K_block1 (line 6): here it is over with the status -14, as its child is",
    ]
