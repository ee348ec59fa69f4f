"""Programs of the host that fall apart between commands: what is asked of each part, and what is not."""

from __future__ import annotations

import pytest

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.findings import watched
from mcm.engine.phases.decide import decide_by_phases
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test


def query_about(text: str) -> Query:
    program = read_test(Source("commands", text)).program
    return Query(
        elaborate(program, waiting=True),
        registry.get("opencl-3.0"),
        observed_by(program),
        limits=Limits(seconds=600),
        wants_witnesses=False,
    )


@pytest.mark.parametrize("waits", [True, False])
def test_a_command_that_has_started_in_an_earlier_part_is_still_there(waits: bool) -> None:
    """What it does behind its barrier competes with the host, which goes on and enqueues another one."""
    query = query_about(f"""OPENCL started
{{ fine_svm int p = 0; fine_svm int a[2]; queue q = out_of_order dev 0; }}
kernel K (global int* p, global int* a) {{
  int i = get_global_id(0);
  a[i] = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (a[1 - i] == 1 && i == 0) *p = 1;
}}
P0@host (global int* p, global int* a) {{
  event e = clEnqueueNDRangeKernel(q, K, 2, 2);
  {"clFinish(q);" if waits else ""}
  int r = *p;
  clEnqueueMarkerWithWaitList(q);
}}
locations [ p; 0:r; ]
""")

    assert bool(decide(query).flags) is not waits
    assert (decide_by_phases(query, watched(query), decide) is not None) is waits


@pytest.mark.parametrize("kind", ["coarse_svm", "fine_svm"])
def test_a_read_of_the_host_without_a_map_is_not_left_out(kind: str) -> None:
    query = query_about(f"""OPENCL mapped
{{ {kind} int p = 0; {kind} int a = 0; queue q = in_order dev 0; }}
kernel K (global int* a) {{ *a = 1; }}
P0@host (global int* p, global int* a) {{
  clEnqueueNDRangeKernel(q, K, 1, 1);
  clFinish(q);
  int r = *p;
}}
locations [ a; 0:r; ]
""")

    assert bool(decide(query).flags) is (kind == "coarse_svm")
    assert (decide_by_phases(query, watched(query), decide) is None) is (kind == "coarse_svm")
