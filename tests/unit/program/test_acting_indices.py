"""Elements of vectors and structures at indices that do more than read: a queue that work-items take places in."""

from __future__ import annotations

import pytest

from mcm import InputError, KernelRequest, KernelSource, check, parse, run

TEXT = """
typedef struct {{ int a; int b; }} item;
kernel void K(global int2* q, global item* r, global int* n, global int* out) {{
  int i = get_global_id(0), k = 0;
  int2 t[2] = {{{{7, 8}}, {{9, 10}}}};
  {}
}}
"""
VALUES = {
    "q[atomic_inc(n)] = (int2)(3, 4); out[0] = q[1].x * 10 + q[1].y;": 34,
    "item e; e.a = 5; e.b = 6; r[atomic_add(n, 1)] = e; out[0] = r[1].b;": 6,
    "int2 v = q[atomic_dec(n) - 1]; out[0] = v.x;": 1,
    "out[0] = q[atomic_dec(n) - 1].y;": 2,
    "q[atom_inc(n)] = t[k++]; out[0] = q[1].y + k * 100;": 108,
    "q[atomic_inc(n)] += q[0]; out[0] = q[1].x;": 1,
    "q[atomic_fetch_add_explicit((global atomic_int*)n, 1, memory_order_relaxed)].y = q[0].x; out[0] = q[1].y;": 1,
    "k = 2; global item* e = &r[--k]; e->b = 6; out[0] = r[1].b + k;": 7,
    "global int2* e; e = &q[k++]; out[0] = e->y * 10 + k;": 21,
    "k = 1; global int2* e = q + --k; out[0] = e->y * 10 + k;": 20,
    "int u[2] = {1, 0}; k = 2; global int2* e = &q[u[--k]]; out[0] = e->x * 10 + k;": 11,
    "global int2* p = q; q[atomic_inc(n)] = (int2)(out[0] + 3, 4) + (int2)(i); out[0] = p[1].x;": 3,
    "q[k++ + atomic_inc(n)] = (int2)(i + 3, 4); out[0] = q[1].x + k;": 4,
}
# Another order could be seen.
OPEN = [
    "q[atomic_inc(n)] = (int2)(*n, 4);",
    "q[k++] = (int2)(k, 4);",
    # What is counted may be read by another pointer.
    "global int* m = n; q[atomic_inc(n)] = (int2)(*m, 4);",
    "global int* m = n; q[atomic_inc(m)] = (int2)(m[i], 4);",
    "global int2* e = &q[k++]; global int2* f = &q[k++] + k;",
    "q[atomic_fetch_add((global atomic_int*)n, 1)] = q[0];",
    "q[atomic_inc(n)] = (int2)(atomic_inc(out), 4);",
    # What steps is read by a pointer, too.
    "int* p = &k; q[k++] = t[*p];",
    "int* p = &k; q[k++] = t[0] * *p;",
]


def source(body: str, *questions: str) -> KernelSource:
    initial = ("q = {{1, 2}, {0, 0}}", "r[2]", "n = 1", "out[1]")
    return KernelSource("k.cl", TEXT.format(body), KernelRequest(("K global 1",), (), initial, questions))


@pytest.mark.parametrize(("body", "value"), VALUES.items())
def test_values(body: str, value: int) -> None:
    asked = source(body, f"forall (out[0]={value})")
    assert check(asked).holds
    assert run(asked, runs=2).states[0].state.satisfies


@pytest.mark.parametrize("body", OPEN)
def test_open_orders_are_refused(body: str) -> None:
    with pytest.raises(InputError):
        parse(source(body))


def test_each_work_item_gets_a_place() -> None:
    text = TEXT.format("q[atomic_inc(n)] = (int2)(i + 1, -1);")
    either = "forall ((q.x[0]=1 /\\ q.x[1]=2) \\/ (q.x[0]=2 /\\ q.x[1]=1))"
    request = KernelRequest(("K global 2",), (), ("q[2]", "n = 0", "r[1]", "out[1]"), (either,))
    found = check(KernelSource("k.cl", text, request))
    assert found.holds
    assert len(found.states) == 2
    assert not found.undefined
