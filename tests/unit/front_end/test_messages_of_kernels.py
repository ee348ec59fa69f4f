"""What is said of constructs in kernel files that are refused, or that a kernel may well mean."""

from __future__ import annotations

import pytest

from mcm import InputError, Invalid, Judged, KernelRequest, KernelSource, Unreadable, check


def told(body: str, before: str = "") -> list[str]:
    text = f"{before}\nkernel void K(global float* o) {{ {body} }}\n"
    try:
        found = check(KernelSource("t.cl", text, KernelRequest(("K global 1",))))
    except InputError as error:
        return [f"{one.code}: {one.message}" for one in error.diagnostics]
    assert isinstance(found, Judged | Invalid | Unreadable)
    return [f"{one.code}: {one.message}" for one in found.diagnostics]


@pytest.mark.parametrize(
    ("before", "body", "message"),
    [
        (
            "typedef struct { uint a : 3; uint b : 5; } P;",
            "P p; o[0] = p.a;",
            "E050: a bit field is not supported; OpenCL C has none",
        ),
        (
            "",
            "float f = (int2)(1, 2); o[0] = f;",
            "E100: expected a number, found the vector type 'int2'; of a vector, name a component, as in 'v.x'",
        ),
        (
            "",
            "int r; if (r = 1) o[0] = r;",
            "W123: 'r = 1' is a condition, and assigns; did you mean 'r == 1'?",
        ),
    ],
)
def test_message(before: str, body: str, message: str) -> None:
    assert told(body, before) == [message]


def test_what_is_assigned_in_parentheses_of_its_own_is_meant() -> None:
    assert told("int r; if ((r = 1)) o[0] = r; while ((r = 0)) {}") == []


def test_what_a_pointer_to_void_points_to_has_no_values() -> None:
    message = "E122: 'q' points to 'void', which has no values; cast it, as in '(global int*)p'"

    assert told("global void* q = o; *q = 1;") == told("global void* q = o; o[0] = q[0];") == [message]


MIXED = """typedef struct { float x; int id; } P;
kernel void K(global P* p, global int* o) { global int* w = (global int*)p; o[0] = w[1] + p->id; }
"""


@pytest.mark.parametrize(
    ("initial", "question", "message"),
    [
        (
            "P p[1] = {{1, 2}}",
            "forall (o[0]=0)",
            (
                "E100: not yet supported: values of 'p', whose members are of several types, "
                "and which is seen as numbers; state these, 'float p[2] = …'"
            ),
        ),
        (
            "P p[1]",
            "forall (p.id[0]=0)",
            "E100: not yet supported: 'p.id', as 'p' is seen as numbers, too; name the number that it is, 'p[…]'",
        ),
    ],
)
def test_members_of_another_type_than_the_numbers_of_a_buffer(initial: str, question: str, message: str) -> None:
    request = KernelRequest(("K global 1",), initial=(initial,), questions=(question,))
    with pytest.raises(InputError) as raised:
        check(KernelSource("t.cl", MIXED, request))

    assert [f"{one.code}: {one.message}" for one in raised.value.diagnostics if one.is_error] == [message]
