"""An outcome is told to be an interleaving's only where what waits comes behind what it waits for."""

import mcm
from mcm.report.explanation_text import render_explanation

TWICE = """OPENCL twice
{{ [state]=0; }}
kernel K (global atomic_int* state) {{
  if (get_local_id(0) == 0) {{ atomic_store_explicit(state, 1, memory_order_relaxed, memory_scope_device); }}
  {barrier}
  if (get_local_id(0) == 1) {{ atomic_store_explicit(state, 2, memory_order_release, memory_scope_device); }}
}}
launch K global 2, local 2;
exists (state=1)
"""


def explained(barrier: str) -> str:
    return render_explanation(mcm.Session().explain(mcm.Source("twice.litmus", TWICE.format(barrier=barrier))))


def test_nobody_leaves_a_barrier_before_all_have_come() -> None:
    text = explained("barrier(CLK_LOCAL_MEM_FENCE);")
    assert "no interleaving of the units shows it" in text
    assert "K[0] line 4 takes effect on state at another time than in any interleaving of the rest" in text
    assert "the barrier of line 5 has no global flag" in text


def test_without_the_barrier_it_is_one() -> None:
    assert "an interleaving shows it: K[1] line 6, K[0] line 4" in explained("")
