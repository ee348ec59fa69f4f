"""A member that does not come to a group function passes 0, whatever it would have computed."""

from __future__ import annotations

from typing import Final

import pytest

import mcm

# Work-item 0 leaves in the first round; 1 goes on, alone. What 0 would have passed it has never read.
TEXT: Final = """OPENCL absent
{}
kernel K (local int t[2]) {
  int l = get_local_id(0), r0 = 9;
  t[l] = l + 1;
  for (int k = 0; k < 2; k++) {
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int x = t[l], y = t[1 - l];
    r0 = work_group_scan_exclusive_add(x < y);
    if (r0 < 1) return;
  }
  t[l] = r0;
}
launch K global 2, local 2, dev 0;
exists (1:r0 = 0)
"""


@pytest.mark.parametrize("model", ["opencl-3.0", "c11", "rc11"])
def test_engines_agree_where_a_member_is_absent(model: str) -> None:
    found = [mcm.check(TEXT, model=model, engine=engine) for engine in ("explicit", "smt")]

    for result in found:
        assert isinstance(result, mcm.Judged)
        assert result.verdict is mcm.Verdict.UNDEFINED
        assert {problem.kind for problem in result.undefined} == {"barrier-divergence"}
        assert [dict(state.values) for state in result.states] == [{"1:r0": 0}]
