"""What a loop stores while it waits is left out, as nobody may read it (ADR 129): rules are the reason for that."""

from __future__ import annotations

from mcm import Session
from mcm.answer.explanation import Kind

OWN = """OPENCL own
{ [x] = 0; [d] = 0; }
P0@wg 0, dev 0 (global atomic_int* x, global int* d) {
  int r;
  do { r = atomic_load(x); *d = 5 + r; } while (r == 0);
  int q = *d;
}
P1@wg 1, dev 0 (global atomic_int* x) { atomic_store(x, 1); }
exists (0:q=5)
"""


def test_that_it_may_not_be_read_is_explained_by_rules() -> None:
    explained = Session().explain(OWN, bound=1)

    assert explained.kind is Kind.FORBIDDEN
    assert explained.stories
    assert {rule for sentence in explained.sentences for rule in sentence.rules} == {"SB-1", "VIS-1", "VIS-2"}
