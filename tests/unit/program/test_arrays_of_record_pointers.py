"""Arrays of pointers to structures or vectors, whose elements are used as such pointers are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import EngineName, InputError, KernelRequest, KernelSource, check, run

if TYPE_CHECKING:
    from collections.abc import Collection

TYPES = """
typedef struct { int a; int b[2]; int4 v; } S;
static int sum(const S* s) { return s->a + s->b[1]; }
"""


def source(body: str, result: str = "true", launch: str = "K global 1") -> KernelSource:
    """A kernel with two buffers of structures."""
    text = f"{TYPES}\nkernel void K(global S* p, global S* q, global int* o) {{ {body} }}"
    initial = ("S p[2] = {{1, {2, 3}, {4, 5, 6, 7}}, {8, {9}}}", "S q[1] = {{5, {6, 7}}}", "o[2]")
    return KernelSource("k.cl", text, KernelRequest((launch,), initial=initial, questions=(f"forall ({result})",)))


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("global S* t[2] = {p, q}; for (int k = 0; k < 2; k++) *o += t[k]->a * 10 + t[1 - k]->b[k];", 69),
        ("global S* t[2]; t[0] = p + 1; t[1] = &p[0]; *o = t[0]->a + (*t[1]).b[0] + t[1][1].b[0];", 19),
        ("global S* t[] = {p, p}; t[0]++; t[1] += 1; *o = (t[0] == t[1]) + t[0]->a + (t[1] - 1)->a;", 10),
        ("global S* t[2] = {p, NULL}; *o = (t[1] ? 1 : 2) + (t[0] != NULL) * 10 + !t[1] * 100;", 112),
        ("global S* t[2] = {p, q}; global S* u = t[1]; S s = *t[0]; s.a++; *t[1] = s; *o = u->a + sum(t[1]);", 7),
        ("S s, *t[2] = {&s, &s}; t[0]->a = 1; t[1]->b[1] = 2; *o = sum(t[0]);", 3),
        ("global int4* t[2] = {&p->v, &q->v}; *t[1] = *t[0] + 1; *o = t[1]->w + t[0][0].x; t[1][0].y = 3;", 12),
        ("global S* t[2][2] = {{p, q}, {q, p + 1}}; int i = 1; *o = t[i][i]->a * 10 + t[0][i]->a;", 85),
        ("global S* t[2] = {p, q}; { int t[2] = {1, 2}; *o = t[1]; } *o += t[1]->a;", 7),
        ("local S l[2]; local S* t[1] = {l + 1}; l[1].a = 4; *o = t[get_local_id(0)]->a;", 4),
    ],
)
def test_an_element_is_such_a_pointer(body: str, result: int) -> None:
    asked = source(body, f"o[0]={result}")
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        found = check(asked, engine=engine)
        assert found.holds
        assert not found.undefined
    assert all(one.state.satisfies for one in run(asked, runs=1, seed=1).states)


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("t[i]->a = 1;", set()),
        ("t[i]->a = 1; t[1]->b[i] = 2;", set()),
        ("t[1]->a = i;", {"data-race"}),
        ("o[i] = t[i + 1]->a;", {"out-of-bounds"}),
        ("global S* u[2]; u[0] = p; o[i] = u[i]->a;", {"uninitialised-read", "out-of-bounds"}),
    ],
)
def test_problems_are_those_of_what_an_element_points_to(body: str, kinds: Collection[str]) -> None:
    whole = f"int i = get_global_id(0); global S* t[2] = {{p, q}}; {body}"
    assert {one.kind for one in check(source(whole, launch="K global 2")).undefined} == set(kinds)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("global S* t[2] = {p, q}; *o = t[o[1]]->a;", "the index 'o[1]' of pointers to structures or vectors"),
        ("global S* t[2] = {p, q}; int i = 0; *o = t[i++]->a;", "the index 'i++' of pointers to structures or vectors"),
        ("global S* t[2] = {p, q}; *o = t[0].a;", "'t[0].a' should be written 't[0]->a'"),
        ("global S* t[2] = {p, q}; *o = t[0]->c;", "'t[0]' has no member 'c'"),
        ("global S* t[2] = {p, o};", "'o' is no pointer of this type"),
    ],
)
def test_what_is_refused(body: str, wanted: str) -> None:
    with pytest.raises(InputError) as caught:
        check(source(body))
    assert wanted in str(caught.value)
