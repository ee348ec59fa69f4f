"""Reductions that have names outside of command groups."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

SUM = "int* s = malloc_shared<int>(1, q); int* m = malloc_shared<int>(1, q); *s = 1; *m = 9; "
NAMES = "auto sum = sycl::reduction(s, sycl::plus<>()); const auto least = reduction(m, minimum<int>()); "
LAUNCH = "q.parallel_for(range<1>(3), sum, least, [=](id<1> i, auto& a, auto& b) { a += i; b.combine(i + 4); })"


@pytest.mark.slow
def test_they_are_what_they_are_made_of() -> None:
    assert holds(SUM + NAMES + f"*s = 2; {LAUNCH}.wait();", "s[0]=5 /\\ m[0]=4")
    assert kinds(SUM + NAMES + f"{LAUNCH}; *s = 2; q.wait();") == {"data-race"}


@pytest.mark.slow
def test_in_a_command_group() -> None:
    launch = LAUNCH.replace("q.", "h.")
    assert holds(SUM + NAMES + f"q.submit([&](handler& h) {{ {launch}; }}).wait();", "s[0]=4 /\\ m[0]=4")


def test_one_of_a_pointer_that_changes_is_refused() -> None:
    assert refused(SUM + NAMES + f"s = m; {LAUNCH}.wait();")
