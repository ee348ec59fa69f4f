"""Members of structures that are pointers to `void`: they take any address, which is cast back."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check

NODE = """
typedef struct node { int n; void* data; } node;
typedef struct { global void* p; } other;
typedef struct { int* data; } ints;
"""


@pytest.mark.parametrize(
    "body",
    [
        "node q; q.data = &x; *o = *(int*)q.data + 1;",
        "node q; q.data = &x; int* p = q.data; *p = 4; *o = x;",
        "node q = {1, &x}; int* p = (int*)q.data; *o = *p + q.n;",
        "node q = {.data = &x, .n = 1}; node r = q; int* p; p = r.data; *o = *p + r.n;",
        "other q; q.p = o; global int* p = q.p; *p = 4;",
        "ints r; r.data = &x; node q; q.data = r.data; *o = *(int*)q.data + (*r.data == 3);",
        "float f = 1; node q; q.data = &f; *o = x + (int)*(float*)q.data;",
    ],
)
def test_what_a_member_leads_to(body: str) -> None:
    text = f"{NODE}kernel void k(global int* o) {{ int x = 3; {body} }}"
    found = check(KernelSource("void.cl", text, KernelRequest(("k global 1",), questions=("forall (o=4)",))))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_void_has_no_values() -> None:
    text = f"{NODE}kernel void k(global int* o) {{ int x = 3; node q; q.data = &x; *o = *q.data; }}"
    with pytest.raises(InputError, match=r"'q\.data' points to 'void', which has no values"):
        check(KernelSource("void.cl", text, KernelRequest(("k global 1",))))


JOB = """
struct job { void* data; int n; };
void put(global struct job* j, void* p, int n) { j->data = p; j->n = n; }
void work(struct job* j) { int* p = (int*)j->data; for (int i = 0; i < j->n; i++) p[i] += 2; }
void work_on(struct job j) { *(int*)j.data += j.n; }
"""


@pytest.mark.parametrize(
    "body",
    [
        "struct job j = {o, 2}; work(&j); o[0] += 2;",
        "work_on((struct job){o, 4});",
        "put(js, o, 1); work((struct job*)js); *(int*)js[0].data += js->n + 1;",
        "local struct job q[1]; q[0].data = o; q[0].n = 2; work(q); work(q);",
        "js[0].data = &o[1]; js[1].data = o; *(int*)js[1].data = js[0].data == js[1].data ? 0 : 4;",
    ],
)
def test_members_to_what_all_take_them_for(body: str) -> None:
    text = f"{JOB}kernel void k(global int* o, global struct job* js) {{ {body} }}"
    request = KernelRequest(("k global 1",), initial=("o[2]", "struct job js[2]"), questions=("forall (o[0]=4)",))
    found = check(KernelSource("void.cl", text, request))
    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


def test_a_member_without_an_address_space_leads_anywhere_and_to_no_named_one_without_a_cast() -> None:
    text = "struct s { int* p; }; kernel void k(global struct s* s, global int* o) { int* q = o; s->p = q; BODY }"
    found = check(KernelSource("void.cl", text.replace("BODY", "*s->p = 4;"), KernelRequest(("k global 1",))))
    assert isinstance(found, Judged)
    with pytest.raises(InputError, match="a generic pointer becomes global by a cast only"):
        check(KernelSource("void.cl", text.replace("BODY", "global int* r = s->p;"), KernelRequest(("k global 1",))))
