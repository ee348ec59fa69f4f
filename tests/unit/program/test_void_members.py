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
