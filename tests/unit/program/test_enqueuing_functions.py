"""Functions that enqueue blocks, and take queues, ranges and events."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, check, run

TEXT = """
int count_of(int n) { return n + 1; }
void fill(global int* to, int n, int v, queue_t q) {
  if (n <= 0) return;
  int i = count_of(v);
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(n), ^{ to[get_global_id(0)] = i; });
}
int after(global int* to, queue_t q, ndrange_t r, clk_event_t* done, clk_event_t first) {
  int i = 3;
  int e = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, r, 1, &first, done, ^{ to[0] += i; });
  return e;
}
void both(global int* a, global int* b) {
  fill(a, 2, 5, get_default_queue());
  fill(b + 1, 1, 7, get_default_queue());
  fill(b, 1, 8, get_default_queue());
}
kernel void k(global int* a, global int* b, global int* c) {
  int i = 9;
  both(a, b);
  queue_t q = get_default_queue();
  clk_event_t one, two;
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &one, ^{ c[0] = 1; });
  if (after(c, q, ndrange_1D(1), &two, one) != CLK_SUCCESS) { c[2] = 99; return; }
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &two, NULL, ^{ c[1] = c[0] + i; });
}
"""
REQUEST = KernelRequest(
    ("k global 1",),
    initial=("int a[2]", "int b[2]", "int c[3]"),
    questions=("forall (a[0]=6 /\\ a[1]=6 /\\ b[0]=9 /\\ b[1]=8 /\\ c[0]=4 /\\ c[1]=13 /\\ c[2]=0)",),
)


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_their_blocks_have_the_values_of_each_call(engine: EngineName) -> None:
    found = check(KernelSource("k.cl", TEXT, REQUEST), engine=engine)
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_the_machine_runs_them() -> None:
    ran = run(KernelSource("k.cl", TEXT, REQUEST), runs=3)
    assert (ran.positive, ran.problems) == (3, ())


def test_without_the_event_of_another_call_they_race() -> None:
    text = TEXT.replace("r, 1, &first, done,", "r, 0, NULL, done,")
    found = check(KernelSource("k.cl", text, REQUEST))
    assert isinstance(found, Judged)
    assert {problem.kind for problem in found.undefined} == {"data-race"}


LOOP = """
constant int step = 3;
int child(global int* p, int n, queue_t q) {
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ p[n] = n + step; });
  return CLK_SUCCESS;
}
kernel void k(global int* a) {
  for (int i = 0; i < 2; i++) { int r = child(a, i, get_default_queue()); }
  BODY
}
"""


def judged(body: str) -> Judged:
    request = KernelRequest(("k global 1",), initial=("int a[2]",), questions=(r"forall (a[0]=3 /\ a[1]=4)",))
    found = check(KernelSource("k.cl", LOOP.replace("BODY", body), request))
    assert isinstance(found, Judged)
    return found


def test_loops_call_them() -> None:
    assert (judged("").holds, judged("").undefined) == (True, ())


@pytest.mark.parametrize(
    "body",
    [
        "a[0] = 1 + child(a, 1, get_default_queue());",
        "{ int step = 1; child(a, step, 0); }",
        "{ int n = 1; child(&a[n], n--, 0); }",
    ],
)
def test_what_would_mean_something_else_is_refused(body: str) -> None:
    with pytest.raises(InputError, match="which is called by more than"):
        judged(body)


COUNTED = """
void child(global int* p, int n, queue_t q) {
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ p[n] = n + 3; });
}
void first(int n) { enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ }); }
kernel void k(global int* a) {
  int n = 0; child(PLACE, n++, get_default_queue()); child(a, n, get_default_queue());
  first(n--); a[n + 2] = 7;
}
"""


def test_one_argument_may_change_a_variable_that_the_others_do_not_read() -> None:
    request = KernelRequest(("k global 1",), initial=("int a[3]",), questions=(r"forall (a[0]=3 /\ a[1]=4 /\ a[2]=7)",))
    found = check(KernelSource("k.cl", COUNTED.replace("PLACE", "a"), request))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())
    with pytest.raises(InputError, match="which is called by more than"):
        check(KernelSource("k.cl", COUNTED.replace("PLACE", "a + n"), request))
