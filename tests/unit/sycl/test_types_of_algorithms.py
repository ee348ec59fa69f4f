"""Group algorithms return the type of what they are given, or that of the initial value (SYCL 2020, 4.17.4)."""

from __future__ import annotations

import pytest

import mcm

# What a work-item stores in `o[l]`, and what is there in the end.
STORED = {
    "char c = 100; o[l] = reduce_over_group(g, c, plus<>());": (-112, -112, -112, -112),
    "unsigned char c = 200; o[l] = inclusive_scan_over_group(g, c, plus<>());": (200, 144, 88, 32),
    "char c = 5; o[l] = exclusive_scan_over_group(g, c, minimum<>());": (127, 5, 5, 5),
    "short c = 5; o[l] = exclusive_scan_over_group(it.get_sub_group(), c, maximum<>());": (-32768, 5, 5, 5),
    "bool c = true; o[l] = reduce_over_group(g, c, plus<>());": (1, 1, 1, 1),
    "char c = 100; o[l] = reduce_over_group(g, c, 1, plus<>());": (401, 401, 401, 401),
    "char c = 100; o[l] = inclusive_scan_over_group(g, c, plus<>(), 1000);": (1100, 1200, 1300, 1400),
    "char c = 100; o[l] = exclusive_scan_over_group(g, c, 1000, plus<>());": (1000, 1100, 1200, 1300),
    "long c = 1l << 40; o[l] = reduce_over_group(g, c, 1, plus<>()) > 5;": (0, 0, 0, 0),
    "char c = 100; auto r = reduce_over_group(g, c, plus<>()); r += 100; o[l] = r;": (-12, -12, -12, -12),
    "char c = 1; auto r = reduce_over_group(g, c, 1000, plus<>()); o[l] = r;": (1004, 1004, 1004, 1004),
    "o[l] = joint_reduce(g, m, m + 4, plus<>());": (-112, -112, -112, -112),
    "o[l] = joint_reduce(g, m, m + 4, 5, plus<>());": (405, 405, 405, 405),
    "auto r = joint_reduce(g, m, m + 4, 5, plus<>()); o[l] = r;": (405, 405, 405, 405),
}


@pytest.mark.parametrize("body", STORED)
def test_what_a_group_algorithm_returns(body: str) -> None:
    ends = " /\\ ".join(f"o[{n}]={value}" for n, value in enumerate(STORED[body]))
    text = f"""SYCL types
{{ int o[4]; char m[4] = {{100, 100, 100, 100}}; }}
q.parallel_for(nd_range<1>(4, 4), [=](nd_item<1> it) {{
  auto g = it.get_group();
  int l = it.get_local_linear_id();
  {body}
}});
forall ({ends})
"""
    assert mcm.check(text).verdict is mcm.Verdict.REQUIRED
