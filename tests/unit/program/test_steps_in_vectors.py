"""Variables that step in numbers of which a vector is computed: each steps once."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, Source, check

TEXT = """OPENCL indices
{ float m[24]={1,2,3,4,5,6,7,8,9,10}; int at[6]={1,0,1,0,0,0}; float4 o[4]; }
kernel K (global const float* m, global const int* at, global float4* o) {
  int n = 0, k = 0;
  float4 sum = (float4)(0), v = (float4)(4, 3, 2, 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++)
      if (j) sum += v * m[n++]; else sum += vload4(at[n++], m);
  o[0] = sum;
  do sum = mad(v, m[--n], sum); while (n > 0);
  o[1] = sum;
  global const float* p = m;
  float4 w = v * (float4)(m[at[n++]]) * *p++;
  w.yz += v.xw * (float)k++;
  k += p - m - 1;
  o[2] = w;
  o[3] = n * 10 + k;
}
launch K global 1;
forall (o.x[0]=59 /\\ o.w[0]=32 /\\ o.x[1]=143 /\\ o.w[1]=53 /\\ o.x[2]=8 /\\ o.w[2]=2 /\\ o.x[3]=11)
"""


def test_a_variable_steps_once() -> None:
    found = check(Source("i.litmus", TEXT))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


@pytest.mark.parametrize(
    "wrong",
    [
        "w = v * m[n++] * m[n];",
        "w = v * m[n++] * m[n++];",
        "w = n > 5 ? v * m[n++] : v;",
        "w = v * atomic_inc(&n);",
        "int* q = &n; w = v * m[n++] + (float)*q;",
    ],
)
def test_what_is_seen_elsewhere_in_the_statement_is_refused(wrong: str) -> None:
    with pytest.raises(InputError, match="computed once"):
        check(Source("i.litmus", TEXT.replace("o[2] = w;", wrong)))
