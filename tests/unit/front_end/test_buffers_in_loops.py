"""Commands on buffers in loops and branches: which of them come before which is told by a run (ADR 97)."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused, source

from mcm import InputError, Judged, KernelRequest, KernelSource, Source, check, convert_test, run

ADDS = "q.submit([&](handler& h) {{ accessor a({}, h); h.single_task([=] {{ a[0] += 1; }}); }});"
READS = "{{ host_accessor g({}, read_only); r = g[0]; }}"
# What the numbers are is not known, so that loops are not written out.
BUFFER = "int x[1] = {0}; int r = x[0]; int n = x[0]; "
LOOP = "buffer<int> b(x, range<1>(1)); while (r < 3) {{ {} }}"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        # A host accessor waits for the command of its iteration, and for those before.
        (LOOP.format(ADDS.format("b") + READS.format("b")), "0:r=3"),
        # The first iteration has nothing to wait for.
        (LOOP.format(READS.format("b") + ADDS.format("b")), "0:r=3"),
        # No host accessor waits: each command waits for those of the iterations before.
        (LOOP.format(ADDS.format("b") + "r++;"), "x[0]=3"),
        # Whatever leaves the block of a buffer waits for it.
        (
            f"while (true) {{ {{ buffer<int> b(x, 1); {ADDS.format('b')} if (n == 1) break; }} n++; }} r = x[0];",
            "0:r=2",
        ),
        (f"do {{ buffer<int> b(x, 1); {ADDS.format('b')} n++; }} while (n < 2); r = x[0];", "0:r=2"),
        # What is never submitted is waited for by nobody.
        (f"buffer<int> b(x, 1); if (r == 1) {{ {ADDS.format('b')} }} {ADDS.format('b')} {READS.format('b')}", "0:r=1"),
        (f"buffer<int> b(x, 1); if (r == 0) {{ {ADDS.format('b')} }} {ADDS.format('b')} {READS.format('b')}", "0:r=2"),
        (
            f"buffer<int> b(x, 1); while (n < 2) {{ n++; if (n == 2) {ADDS.format('b')} else {READS.format('b')} }}",
            "x[0]=1",
        ),
    ],
)
def test_what_comes_before_in_whatever_iteration(body: str, question: str) -> None:
    assert holds(BUFFER + body, question)


TASK = "q.submit([&](handler& h) {{ accessor a({}, h{}); h.single_task([=] {{ *p += a[0]; }}); }});"
PARTS = "buffer<int> c(b, id<1>(0), range<1>(1)), d(b, id<1>(1), range<1>(1)); "
SHARED = "int* p = malloc_shared<int>(1, q); *p = 0; int x[2] = {1, 1}; int n = *p; buffer<int> b(x, range<1>(2)); "


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        # Who only reads a buffer waits for nobody who does.
        (f"while (n < 2) {{ {TASK.format('b', ', read_only')} n++; }}", {"data-race"}),
        (f"while (n < 2) {{ {TASK.format('b', '')} n++; }}", set()),
        # Two buffers have nothing to do with each other, nor do two parts of one.
        (
            f"{PARTS}while (n < 2) {{ n++; if (n == 1) {TASK.format('c', '')} else {TASK.format('d', '')} }}",
            {"data-race"},
        ),
        # The host waits for the buffer, and not for what only uses other memory.
        (
            f"while (n < 2) {{ {TASK.format('b', '')} q.single_task([=] {{ *p = 1; }}); n++; }}",
            {"data-race"},
        ),
    ],
)
def test_no_more_is_ordered_than_accessors_say(body: str, wrong: set[str]) -> None:
    assert kinds(SHARED + body) == wrong
    assert {each.kind for each in run(source(SHARED + body), runs=5, seed=1).problems} <= wrong


def test_contents_are_given_up_in_each_iteration() -> None:
    task = "q.submit([&](handler& h) { accessor a(b, h, no_init); h.single_task([=] { if (n == 0) a[0] = 1; }); });"
    first = "int x = 0; int* p = &x; int n = *p; int r = 0; "
    body = f"{first}buffer<int> b(range<1>(1)); while (n < 2) {{ {task} n++; }} {READS.format('b')}"
    assert kinds(body) == {"uninitialised-read"}
    assert kinds(body.replace("n < 2", "n < 1")) == set()


LITMUS = """SYCL t
{ int x = 0; }
host {
  queue q;
  int n = *x;
  buffer<int> b(x, range<1>(1));
  while (n < 2) {
    q.submit([&](handler& h) { accessor a(b, h); h.single_task([=] { a[0] += 1; }); });
    n++;
  }
}
exists (x=1)
"""


def test_the_rule_orders_iterations() -> None:
    with_rule = check(Source("t.litmus", LITMUS))
    without = check(Source("t.litmus", LITMUS), without=("SYCL-CMD-2",))
    assert isinstance(with_rule, Judged)
    assert isinstance(without, Judged)
    assert not with_rule.undefined
    assert {one.kind for one in without.undefined} == {"data-race"}


def test_opencl_has_events_of_certain_commands_only() -> None:
    with pytest.raises(InputError, match="in OpenCL for events alone"):
        convert_test(Source("t.litmus", LITMUS), "opencl")
    straight = LITMUS.replace("while (n < 2)", "for (int i = 0; i < 2; i++)").replace("n++;", "")
    assert "1, 1, wait(event_1));" in convert_test(Source("t.litmus", straight), "opencl")


def test_a_command_that_waits_for_a_host_accessor_is_refused() -> None:
    body = (
        "int x[1] = {0}; int n = x[0]; buffer<int> b(x, 1); "
        f"while (n < 2) {{ host_accessor g(b); {ADDS.format('b')} }}"
    )
    assert "waits for the end of the host accessor of 'x'" in refused(body)


def test_buffers_have_other_names() -> None:
    step = (
        "auto& in = s % 2 ? c : b; auto& out = s % 2 ? b : c; q.submit([&](handler& h) { accessor i(in, h, read_only); "
        "accessor o(out, h, write_only); h.single_task([=] { o[0] = i[0] + 1; }); });"
    )
    body = (
        f"int x[1] = {{1}}, y[1] = {{0}}; {{ buffer<int> b(x, 1), c(y, 1); for (int s = 0; s < 2; s++) {{ {step} }} }}"
    )
    assert holds(body, "x[0]=3 /\\ y[0]=2")
    assert holds(
        f"{BUFFER} buffer<int> b(x, 1); auto c = b; auto& d = c; {ADDS.format('d')} {READS.format('b')}", "0:r=1"
    )


def test_what_a_branch_may_not_have_submitted_completes_nothing() -> None:
    """A wait for a queue says nothing of what a command there would have waited for, had it been submitted."""
    body = (
        "queue p; int* x = malloc_shared<int>(2, q); x[0] = x[1] = 0; auto e = q.single_task([=] { x[0] = 1; }); "
        "if (x[1] == 1) { p.single_task(e, [=] { x[1] = 2; }); } p.wait(); free(x, q); q.wait();"
    )
    assert "data-race" in kinds(body)


def test_a_loop_until_nothing_changes() -> None:
    text = """#include <sycl/sycl.hpp>
using namespace sycl;
int main() {
  constexpr size_t N = 4;
  queue q;
  float a[N] = {4, 0, 0, 4}, b[N] = {4, 0, 0, 4};
  float most = 100.0f;
  {
    buffer<float, 1> A(a, range<1>(N)), B(b, range<1>(N)), D(range<1>{N});
    do {
      q.submit([&](handler& h) {
        auto in = A.get_access<access::mode::read>(h);
        auto out = B.get_access<access::mode::write>(h);
        auto diff = D.get_access<access::mode::discard_write>(h);
        h.parallel_for<class step>(range<1>(N), [=](id<1> i) {
          diff[i] = 0.0f;
          if (i[0] > 0 && i[0] < N - 1) {
            float v = (in[i - 1] + in[i + 1]) / 2;
            diff[i] = fabs(v - in[i]);
            out[i] = v;
          }
        });
      });
      q.submit([&](handler& h) {
        accessor in{B, h, read_only};
        accessor out{A, h, write_only};
        h.copy(in, out);
      });
      host_accessor d{D, read_only};
      most = 0;
      for (int i = 0; i < N; i++) most = most > d[i] ? most : d[i];
    } while (most > 0.6f);
  }
}
"""
    found = check(KernelSource("jacobi.cpp", text, KernelRequest((), (), (), ("forall (a[1]=3.5 /\\ a[2]=3.5)",))))
    assert isinstance(found, Judged)
    assert found.holds is True
    assert not found.undefined
