"""What an exclusive scan gives to others than the first is made of operands alone, in runs as in engines."""

from __future__ import annotations

import pytest

from mcm import Judged, check, run

TEXT = """OPENCL zeros
{{ float a[3] = {{-0.0, -0.0, 0.0}}; float o[3]; }}
kernel K (global float* a, global float* o) {{
  int l = get_local_id(0);
  o[l] = {}(a[l]);
}}
launch K global 3, local 3, sub 3, dev 0;
locations [ o; ]
"""


@pytest.mark.parametrize("function", ["work_group_scan_exclusive_add", "sub_group_scan_exclusive_add"])
def test_a_sum_of_negative_zeros_is_one(function: str) -> None:
    text = TEXT.format(function)
    found = check(text)
    assert isinstance(found, Judged)

    (allowed,), (seen,) = found.states, run(text, schedule="exhaustive").states
    assert str(dict(allowed.values)) == str(dict(seen.state.values)) == "{'o[0]': 0.0, 'o[1]': -0.0, 'o[2]': -0.0}"
