"""Structures whose members are pointers: what is said of the structure is not said of what these point to."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, Verdict, check, run

TYPES = """
typedef struct { local int* tile; global int* out; int n; } ctx_t;
static void fill(ctx_t* c, int i) { c->tile[i] = i; c->n += 1; }
static int other(const ctx_t* const c, int i) { return c->tile[c->n - i]; }
static void put(const ctx_t* c, int i, int v) { c->out[i] = v; }
static void by_value(ctx_t c, int v) { c.out[1] = v; c.out = 0; }
static ctx_t made(local int* tile, global int* out) { ctx_t c = { tile, out, 0 }; return c; }
"""

BODIES = {
    "of a variable": "ctx_t c = { .tile = t, .out = q }; fill(&c, l); "
    "barrier(CLK_LOCAL_MEM_FENCE); put(&c, l, other(&c, l));",
    "of a pointer": "ctx_t c = { t, q, 0 }; ctx_t* p = &c; fill(p, l); "
    "barrier(CLK_LOCAL_MEM_FENCE); p->out[l] = other(p, l);",
    "that is const": "const ctx_t c = { t, q, 1 }; c.tile[l] = l; "
    "barrier(CLK_LOCAL_MEM_FENCE); put(&c, l, other(&c, l));",
    "that is returned": "ctx_t c = made(t, q); fill(&c, l); barrier(CLK_LOCAL_MEM_FENCE); c.out[l] = other(&c, l);",
    "by value": "ctx_t c = made(t, q); q[0] = 1; by_value(c, 0); q[0] = 1;",
    "in local memory": "local ctx_t c; if (l == 0) { c.tile = t; c.out = q; c.n = 1; } t[l] = l; "
    "barrier(CLK_LOCAL_MEM_FENCE); c.out[l] = c.tile[c.n - l];",
    "behind a parameter": "if (l == 0) { s->tile = t; s->out = q; s->n = 1; } t[l] = l; "
    "barrier(CLK_LOCAL_MEM_FENCE); s[0].out[l] = s->tile[s->n - l];",
}


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_what_a_member_points_to_has_its_own_address_space(body: str, engine: EngineName) -> None:
    items = 1 if "by_value" in body else 2
    text = f"{TYPES}kernel void K(global int* q, local ctx_t* s) {{ local int t[2]; int l = get_local_id(0); {body} }}"
    request = KernelRequest((f"K global {items}",), initial=("int q[2]",), questions=("forall q[0]=1 /\\ q[1]=0",))

    source = KernelSource("context.cl", text, request)

    found = check(source, engine=engine)

    assert isinstance(found, Judged), found
    assert (found.verdict, found.undefined) == (Verdict.REQUIRED, ())
    assert run(source, runs=5).positive == 5


CONST = """
struct s { global int* p; };
void f(const struct s* c, global int* r) { c->p = r; }
kernel void K(global int* q) { struct s c = { q }; f(&c, q); }
"""
OF_VECTORS = """
struct s { global int4* a; };
kernel void K(global int4* q, global struct s* t) { t->a = q; }
"""
ARRAY = """
kernel void K(global int4* q) { global int4** t[2]; *t[0] = q; }
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (CONST, "'c' points at a const type"),
        (OF_VECTORS, "of which a member points to structures or vectors; keep the number of the element"),
        (ARRAY, "an array of pointers to pointers to structures or vectors"),
    ],
)
def test_what_is_refused(text: str, wanted: str) -> None:
    with pytest.raises(InputError, match=wanted):
        check(KernelSource("refused.cl", text, KernelRequest(("K global 1",))))


def test_all_members_of_a_buffer_have_as_many_elements() -> None:
    text = (
        "struct s { int v; int next; };\n"
        "kernel void K(global struct s* q) { q[get_global_id(0)].v = 1; if (get_global_id(0) == 0) q[0].next = 2; }"
    )
    request = KernelRequest(("K global 4",), questions=("forall q.next[0]=2 /\\ q.next[3]=0",))
    found = check(KernelSource("members.cl", text, request))

    assert isinstance(found, Judged), found
    assert found.verdict is Verdict.REQUIRED
