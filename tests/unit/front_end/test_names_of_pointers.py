"""Names that `typedef` gives to pointers, and several names in one definition."""

from __future__ import annotations

from mcm import Judged, Source, check

SEVERAL = """OPENCL several
{ int o[3]; }
typedef int (*unused_t)(const int*, int);
typedef void (^unused_block)(int);
typedef struct S_ { int a; int w[2]; } S, *PS;
typedef struct { int b; } A, *PA;
typedef unsigned int u32, *pu32, pair_t[2];
typedef global int *gp, * const fixed;
typedef gp again;
int sum(PS p, PS q) { return p->a + q->a; }
kernel void K (global int* o) {
  S s; s.a = 7;
  PS p = &s, q = &s;
  u32 x = p->a;
  pu32 y = &x, z;
  z = y;
  pair_t r = {1, 2};
  again a = o, b = o + 1;
  A n;
  PA m = &n;
  m->b = sum(p, q);
  fixed f = o + 2;
  *f = sizeof(PS);
  for (gp c = a, d = b; c != d; c++) *c = *z + r[1];
  *b = m->b;
}
launch K global 1;
forall (o[0]=9 /\\ o[1]=14 /\\ o[2]=8)
"""


def test_each_name_is_a_type_of_its_own() -> None:
    found = check(Source("several.litmus", SEVERAL))
    assert isinstance(found, Judged)
    assert found.holds


def test_a_name_of_pointers_ends_with_its_block() -> None:
    text = SEVERAL.replace("S s; s.a = 7;", "{ typedef int* u32; u32 c = 0; } u32 e = 1, g = e; S s; s.a = 6 + g;")
    found = check(Source("several.litmus", text))
    assert isinstance(found, Judged)
    assert found.holds
