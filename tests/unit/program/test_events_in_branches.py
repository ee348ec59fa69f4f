"""Event variables that are declared before the branch that uses them."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check

TEXT = """kernel void k(global int* a, int n) {
  queue_t q = get_default_queue();
  clk_event_t e, f[2], g;
  int i = get_global_id(0);
  if (i == 0) {
    if (a[4] == 0) {
      enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(n), 0, NULL, &e, ^{ a[get_global_id(0)] = 1; });
      enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &e, &f[0], ^{ a[0] += 2; });
      enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, f, NULL, ^{ a[0] *= 5; });
      release_event(e);
    }
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &g, ^{ a[2] = 3; });
  } else
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &g, ^{ a[3] = 7; });
}
"""
REQUEST = KernelRequest(
    ("k global 2, local 2",), initial=("int a[5]", "n = 2"), questions=("forall (a[0]=15 /\\ a[1]=1 /\\ a[3]=7)",)
)


def test_the_branch_that_uses_an_event_has_it() -> None:
    found = check(KernelSource("k.cl", TEXT, REQUEST))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_an_event_that_is_used_behind_the_branch_depends_on_it() -> None:
    text = TEXT[: TEXT.rindex("}")] + "  release_event(e);\n}\n"
    with pytest.raises(InputError, match="depends on a branch"):
        check(KernelSource("k.cl", text, REQUEST))
