"""What is supposed of a condition that depends on itself has to be so, also where its values come from elsewhere."""

from __future__ import annotations

import pytest

from mcm import Verdict, check
from mcm.base.source import Source

RELAXED = "memory_order_relaxed"
# What is read in the branch comes from `x`, goes around, and decides whether it is read.
TEXT = """C supposed
{{ a = 0; b = 0; x = 2; }}
P0 (atomic_int* a, atomic_int* b, atomic_int* x) {{
  int r = atomic_load_explicit(a, {0});
  if (r > {1}) {{ atomic_store_explicit(b, atomic_load_explicit(x, {0}), {0}); }}
}}
P1 (atomic_int* a, atomic_int* b) {{ atomic_store_explicit(a, atomic_load_explicit(b, {0}), {0}); }}
exists (0:r=2)
"""


@pytest.mark.parametrize("engine", ["explicit", "smt"])
@pytest.mark.parametrize(("least", "verdict"), [(1, Verdict.ALLOWED), (2, Verdict.FORBIDDEN)])
def test_a_branch_that_its_own_value_does_not_lead_to(engine: str, least: int, verdict: Verdict) -> None:
    result = check(Source("supposed.litmus", TEXT.format(RELAXED, least)), engine=engine)

    assert result.verdict is verdict
    assert result.complete
