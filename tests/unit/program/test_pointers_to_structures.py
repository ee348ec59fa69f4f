"""Pointers to structures and vectors that move, and are compared; a C compiler computes the same of the structures."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check, parse

FILE = """
typedef struct { int w[3]; int n; } S;
typedef struct { int w[3]; } T;
static int next(global S *p) { return (p + 1)->n; }
static int either(global S *p, int n, global float4 *q) { return n + (p ? p->n : 0) + (q != NULL ? 20 : 0); }
kernel void K(global S *x, global T *t, global float4 *v, global int *out) {
  for (int i = 0; i < 3; i++) { x[i].n = 10 + i; x[i].w[1] = i; t[i].w[0] = 20 + i; v[i] = (float4)(i, 1, 2, 3); }
  const uint one = 1;
  int i = 1;
  EXPRESSION
}
"""

CASES = {
    "for (global S *p = x; p < x + 2; ++p) out[0] += p->n;": 21,
    "for (global S *p = x, *end = x + 3; p != end; p++) out[0] += p->w[1];": 3,
    "for (global S *p = &x[2]; p >= x; p -= 1) out[0] = 2 * out[0] + p->w[1]; ": 10,
    "global S *q = x; q += 1; q++; out[0] = q->n;": 12,
    "global S *q = x + 2; --q; q -= i; out[0] = q->n;": 10,
    "out[0] = (x + 1)->n;": 11,
    "out[0] = (1 + x)->w[1];": 1,
    "out[0] = (*(x + 2)).w[1];": 2,
    "out[0] = (x + 2 - one)->n;": 11,
    "global S *q = x + 2; out[0] = (q - one)->n;": 11,
    "out[0] = (x + 1u)[-1].n;": 10,
    "out[0] = (1 + x + i)->n;": 12,
    "(x + 1)->n = 5; out[0] = x[1].n;": 5,
    "(*(x + i)).w[2] += 5; out[0] = x[1].w[2];": 5,
    "(x + 1)->n++; out[0] = x[1].n;": 12,
    "global S *q = &x[2]; out[0] = q - x;": 2,
    "global T *u = t; u += 2; out[0] = 10 * (u - t) + (u->w[0] == 22);": 21,
    "global S *q = x + 2; out[0] = (q == x + 2) + 2 * (x != q) + 4 * (q > x) + 8 * (q <= x + 1);": 7,
    "global S *q = x; out[0] = q != 0;": 1,
    "global S *q = 0; out[0] = q == 0;": 1,
    "global S *q = NULL; q = x; out[0] = q != NULL;": 1,
    "out[0] = next(x + 1) + next(&x[0]);": 23,
    "global S *q = x; q = NULL; out[0] = q == NULL;": 1,
    "global S *q = x; q = 0; out[0] = (q != NULL) + 2 * !q;": 2,
    "global float4 *q = (global float4 *)NULL; if (i) q = v + 1; out[0] = q->x;": 1,
    "global float4 *q = v; q = (global float4 *)0; if (!q) out[0] = 7;": 7,
    "global S *q = i ? x + 1 : NULL; if (q) out[0] = q->n; else out[0] = 3;": 11,
    "global S *q; q = !i ? &x[1] : 0; if (q) out[0] = q->n; else out[0] = 3;": 3,
    "global S *q = i ? x + 1 : x; out[0] = q[1].n;": 12,
    "global S *q = x, *none = NULL; out[0] = (q && i) + 2 * (q && none) + 4 * (none || q) + 8 * !none;": 13,
    "global S *q = x; while (q) { out[0]++; q = q == x + 2 ? NULL : q + 1; }": 3,
    "global S *q = x; do { out[0]++; q = NULL; } while (q); out[0] += q ? 10 : 20;": 21,
    "for (global S *q = x; q; q = 0) out[0] += q->n;": 10,
    "out[0] = next(i ? x + 1 : x);": 12,
    "out[0] = (i ? x : NULL) == x;": 1,
    "out[0] = either(NULL, 3, 0) + either(x + 1, 4, NULL) + either(0, 5, v);": 43,
    "out[0] = either(i ? x : NULL, 1, (global float4 *)0) + either((global S *)NULL, 2, v + 1);": 33,
    "global S *q = (global S *)(x + 1); q = (global S *)q; out[0] = q->n;": 11,
    "S s = *(x + 2); out[0] = s.n;": 12,
    "*(x + 2) = x[1]; out[0] = x[2].n;": 11,
    "global float4 *p = v; p++; out[0] = p->x + (*(v + 2)).x;": 3,
    "float4 z = *(v + 2 - 1); out[0] = z.x + z.w;": 4,
    "global float4 *p = v + 2; *(p - i) = (float4)(7); out[0] = v[1].z; out[0] += p - v;": 9,
}


@pytest.mark.parametrize(("expression", "expected"), CASES.items())
def test_a_pointer_to_a_record_is_used_as_one_to_a_number(expression: str, expected: int) -> None:
    text = FILE.replace("EXPRESSION", expression)
    question = f"forall out[0]={expected}"
    request = KernelRequest(
        ("K global 1",), initial=("x[3]", "t[3]", "v[3]", "int out[1] = {0}"), questions=(question,)
    )
    found = check(KernelSource("pointers.cl", text, request))

    assert isinstance(found, Judged)
    assert found.undefined == ()
    assert found.holds


def test_arguments_are_counted_as_they_are_written() -> None:
    text = FILE.replace("EXPRESSION", "out[0] = either(x);")
    with pytest.raises(InputError) as raised:
        parse(KernelSource("pointers.cl", text, KernelRequest(("K global 1",))))
    assert [one.message for one in raised.value.diagnostics] == ["'either' takes 3 arguments, found 1"]


def test_a_pointer_that_is_returned_is_named() -> None:
    text = "struct S { int a; }; global struct S *at(global struct S *p) { return p + 1; }"
    text += "kernel void K(global struct S *p) { at(p)->a = 1; }"
    with pytest.raises(InputError) as raised:
        parse(KernelSource("pointers.cl", text, KernelRequest(("K global 1",))))
    (message,) = [one.message for one in raised.value.diagnostics]
    assert "'at' returns a pointer to structures or vectors; return the number of the element" in message
