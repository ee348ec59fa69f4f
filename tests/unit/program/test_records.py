"""Structures and small vectors, by member."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, Source, check, format_test, parse, run

ENGINES = (EngineName.EXPLICIT, EngineName.SMT)

TEXT = """OPENCL records
{ p.a = {1, 2}; p.b[2] = 0; p.more[4] = 0; f.y = 7; }
struct pair { int a; atomic_int b; int more[2]; };
struct nested { struct pair inner; int2 v; };
int sum(global struct pair* q, int i) { return q[i].a + q->a + q[i].more[1]; }
int both(const int2 v) { return v.x * 10 + v.y; }
kernel K (global struct pair* p, global int2* f) {
  int i = get_global_id(0);
  local struct nested n;
  int2 v = (int2)(3, 4);
  int2 w = {5}, u[2];
  w.y = v.x;
  v = w;
  u[1] = v;
  u[0].x = 0;
  p[i].more[1] = 10 * i;
  atomic_fetch_add(&p[i].b, 5);
  int r = sum(p, i) + sum(&p[i], 0);
  int t = both(v) + both(u[1]);
  if (i == 0) { n.v.x = 4; n.inner.a = n.v.x + f->y; (*f).x = v.s0; }
  global struct pair* q = p + 1;
  int z = q->a;
}
launch K global 2;
forall (K[0]:r=4 /\\ K[1]:r=27 /\\ K[1]:t=106 /\\ K[0]:z=2 /\\ f.x=5 /\\ p.b[1]=5 /\\ K[0]:v.y=3 /\\ n.inner.a@wg0=11)
"""


def complaints(text: str) -> list[str]:
    with pytest.raises(InputError) as raised:
        parse(Source("k.litmus", text))
    return [f"{d.code} {d.span.line}:{d.span.column}" for d in raised.value.diagnostics if d.is_error]


def test_members_are_variables_of_their_own() -> None:
    for engine in ENGINES:
        found = check(Source("r.litmus", TEXT), engine=engine)
        assert isinstance(found, Judged)
        assert (found.holds, found.undefined) == (True, ())
    ran = run(Source("r.litmus", TEXT), runs=3)
    assert (ran.positive, ran.problems) == (3, ())


def test_each_member_races_alone() -> None:
    text = """OPENCL t
    { }
    P0@wg 0 (global int2* f) { f->x = 1; }
    P1@wg 1 (global int2* f) { f->SECOND = 2; }
    exists (f.x=1)"""

    for engine in ENGINES:
        assert check(Source("t", text.replace("SECOND", "y")), engine=engine).undefined == ()
        assert check(Source("t", text.replace("SECOND", "x")), engine=engine).undefined != ()


def test_printing_keeps_structures() -> None:
    printed = format_test(Source("r.litmus", TEXT))

    assert "struct pair {\n  int a;\n  atomic_int b;\n  int more[2];\n};" in printed
    assert format_test(Source("r.litmus", printed)) == printed
    assert parse(Source("r.litmus", printed)).tree == parse(Source("r.litmus", TEXT)).tree


def test_structures_of_kernel_files() -> None:
    text = """typedef struct { int head; int items[4]; } Queue;
    struct point { float x, y; };
    typedef struct point Point;
    void push(global Queue* q, int v) { q->items[q->head++] = v; }
    kernel void K(global Queue* q, global Point* at, global int2* out) {
      push(q, 5); push(q, 6); at[get_global_id(0)].y = 1.5f; out[0].x = q->items[1];
    }"""
    request = KernelRequest(("K global 1",), initial=("q.items[4] = 0",), questions=("forall out.x[0]=6 /\\ q.head=2",))

    found = check(KernelSource("q.cl", text, request))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p->c = 1;", ["E183 4:34"]),
        ("p.a = 1;", ["E119 4:31"]),
        ("int2 v; v->x = 1;", ["E119 4:39"]),
        ("int i; i.x = 1;", ["E119 4:38"]),
        ("struct pair v = 3;", ["E131 4:47"]),
        ("int2 v = (int3)(1);", ["E122 4:40"]),
        ("int2 v = shuffle(p[0], p[1]);", ["E100 4:40"]),
        ("int2 v = vlaod2(0, p);", ["E102 4:40"]),
        ("int2 v = {1, 2, 3};", ["E131 4:47"]),
        ("int2 v; int r = v;", ["E100 4:47"]),
        ("int2 v; v.xz = 1;", ["E183 4:41"]),
        ("struct none n;", ["E145 4:31"]),
        ("int2 v; int3 w; v = w;", ["E122 4:51"]),
    ],
)
def test_complaints(body: str, expected: list[str]) -> None:
    text = "OPENCL t\n{ }\nstruct pair { int a; int b; };\nP0 (global struct pair* p) {  BODY }\nexists (true)"

    assert complaints(text.replace("BODY", body)) == expected


NODES = """typedef struct { int value; int tag[2]; } node;
kernel void K(global node* nodes, global int2* at) {
  nodes[1].value += nodes[0].tag[1] + at[1].y;
}
"""


@pytest.mark.parametrize(
    ("initial", "values", "tags"),
    [
        ("nodes[2]", [0, 0], [0, 0, 0, 0]),
        ("nodes[2] = 0", [0, 0], [0, 0, 0, 0]),
        ("nodes[2] = {{1, 2}, {3, 4, 5}}", [1, 3], [2, 0, 4, 5]),
        ("nodes = {{1, 2, 3}, {4}}", [1, 7], [2, 3, 0, 0]),
        ("nodes = {1, 2, 3, 4}", [1, 7], [2, 3, 0, 0]),
        ("nodes[3] = {{1}}", [1, 0, 0], [0, 0, 0, 0, 0, 0]),
        ("nodes[2]; at = {{1, 2}, {3, 4}}", [0, 4], [0, 0, 0, 0]),
    ],
)
def test_the_initial_state_may_say_what_is_in_whole_structures(
    initial: str, values: list[int], tags: list[int]
) -> None:
    request = KernelRequest(("K global 1",), initial=(initial,))

    for source in (
        KernelSource("n.cl", NODES, request),
        Source("n", format_test(KernelSource("n.cl", NODES, request))),
    ):
        (state,) = check(source).states
        found = dict(state.values)
        assert [found[f"nodes.value[{i}]"] for i in range(len(values))] == values
        assert [found[f"nodes.tag[{i}]"] for i in range(len(tags))] == tags


@pytest.mark.parametrize(
    ("initial", "expected"),
    [
        ("nodes = 7", "E131 --init:1:9"),
        ("nodes[1] = {{1}, {2}}", "E131 --init:1:18"),
        ("nodes = {{1, 2, 3, 4}}", "E131 --init:1:20"),
    ],
)
def test_an_initial_state_that_does_not_fit_a_structure(initial: str, expected: str) -> None:
    with pytest.raises(InputError) as raised:
        parse(KernelSource("n.cl", NODES, KernelRequest(("K global 1",), initial=(initial,))))

    assert [f"{d.code} {d.span}" for d in raised.value.diagnostics if d.is_error] == [expected]


def test_structures_of_structures_whose_types_have_names() -> None:
    text = """typedef uint word;
typedef struct { word first; int second; } inner;
typedef struct { inner pair; word after; } outer;
kernel void K(global outer* p) { p->pair.second = 2; p->after = p->pair.first + 1; }
"""
    (state,) = check(KernelSource("n.cl", text, KernelRequest(("K global 1",), initial=("p = {5}",)))).states

    assert dict(state.values) == {"p.pair.first": 5, "p.pair.second": 2, "p.after": 6}
