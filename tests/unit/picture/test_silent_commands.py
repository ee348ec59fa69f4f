"""Commands that do nothing have no column in a picture."""

from __future__ import annotations

import mcm

TEXT = """OPENCL t
{{ fine_svm [x]=0; queue q = in_order dev 0; user_event u; }}
kernel K (global int* x) {{ *x = 1; }}
P0@host () {{
  clEnqueueNDRangeKernel(q, K, 1, 1{});
  clSetUserEventStatus(u, CL_COMPLETE);
  clFinish(q);
}}
exists (x=1)
"""


def units_of(waits: str) -> list[str]:
    result = mcm.check(TEXT.format(waits), executions=True)
    assert isinstance(result, mcm.Judged)
    (state,) = result.states
    assert state.execution is not None
    return [unit.name for unit in state.execution.scene().units]


def test_a_user_event_has_no_column() -> None:
    """The call that sets it stands in the column of the host."""
    assert units_of("") == ["P0", "K", "K[0]"]
    assert units_of(", wait(u)") == ["P0", "K", "K[0]"]
