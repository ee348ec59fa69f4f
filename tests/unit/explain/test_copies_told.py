"""What is told of an asynchronous copy that nobody waits for in time."""

from __future__ import annotations

from typing import Final

import mcm

TEXT: Final = """OPENCL copies
{ int x[1] = {0}; }
kernel k (global int* x) {
  local int t[1];
  event_t e = async_work_group_copy(t, x, 1, 0);
  x[0] = 1;
  wait_group_events(1, &e);
}
launch k global 1;
exists (x[0]=1)
"""


def test_the_wait_is_told_that_is_missing() -> None:
    (story,) = mcm.check(TEXT).explain().stories

    # That the copy might be atomic is not said, as there are no such copies.
    assert [sentence.text for sentence in story.sentences] == [
        "an asynchronous copy goes on until it is waited for: nothing waits for it between the two"
    ]


def test_a_wait_between_the_two_orders_them() -> None:
    waited = "  wait_group_events(1, &e);\n"
    text = TEXT.replace(waited, "").replace("  x[0] = 1;\n", f"{waited}  x[0] = 1;\n")

    assert not mcm.check(text).undefined
