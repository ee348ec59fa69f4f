"""`typedef` of arrays: what is declared with such a name has the lengths."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check

NAMES = "#define N 3\ntypedef int elem;\ntypedef elem fe[N];\ntypedef fe mat[2];\n"


def checked(text: str, launch: str = "k global 1", *initial: str, asked: str = "") -> Judged:
    questions = (f"forall ({asked})",) if asked else ()
    found = check(
        KernelSource("arrays.cl", NAMES + text, KernelRequest((launch,), initial=initial, questions=questions))
    )
    assert isinstance(found, Judged)
    return found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("kernel void k(global int* o) { fe a = {1, 2}, b[2]; b[1][2] = 4; *o = a[1] + b[1][2]; }", 6),
        ("kernel void k(global int* o) { const fe a = {1, 2}; int b = 3; *o = a[1] + b; }", 5),
        ("kernel void k(global int* o) { mat m; m[1][2] = 5; *o = sizeof(mat) + m[1][2]; }", 29),
        ("typedef struct { fe x; fe y; } p;\nkernel void k(global int* o) { p q; q.y[2] = 3; *o = q.y[2]; }", 3),
        ("void f(fe r, fe a) { *r = a[1]; }\nkernel void k(global int* o) { fe a = {1, 2}; f(a, a); *o = *a; }", 2),
        ("void f(fe* m) { m[1][0] = 7; }\nkernel void k(global int* o) { mat m; f(m); *o = m[1][0]; }", 7),
        ("constant fe one = {1, 4};\nkernel void k(global int* o) { *o = one[1]; }", 4),
        ("kernel void k(global int* o) { { typedef int T[2]; T a; *o = sizeof a; } int T = 3, b = 2; *o = T * b; }", 6),
        ("kernel void k(global int* o) { typedef global int* ps[2]; ps p = {o, o + 1}; *p[0] = 3; o[1] = 0; }", 3),
    ],
    ids=["list", "constant", "of-arrays", "members", "parameters", "pointer", "constants", "of-a-block", "pointers"],
)
def test_names_have_lengths(text: str, value: int) -> None:
    found = checked(text, "k global 1", "int o[2]", asked=f"o[0]={value}")
    assert (found.holds, found.undefined) == (True, ())


@pytest.mark.parametrize(("barrier", "kinds"), [("barrier(CLK_LOCAL_MEM_FENCE);", set()), ("", {"data-race"})])
def test_local_arrays_are_shared(barrier: str, kinds: set[str]) -> None:
    text = f"""kernel void k(global fe* o) {{
      local mat t;
      int i = get_local_id(0);
      t[i][2] = i + 5;
      {barrier}
      o[i][2] = t[1 - i][2];
    }}"""
    found = checked(text, "k global 2, local 2", "int o[2][3]")
    assert {problem.kind for problem in found.undefined} - {"uninitialised-read"} == kinds
    assert kinds or [state.values["o[0][2]"] for state in found.states] == [6]


@pytest.mark.parametrize(
    ("text", "initial", "place"),
    [
        ("kernel void k(global fe* o) { o[0][1] = 2; }", ("fe o[2]",), "--init:1:1"),
        ("kernel void k(global int* o) { fe** p; *o = 2; }", (), "arrays.cl:5:35"),
    ],
)
def test_what_cannot_be_said(text: str, initial: tuple[str, ...], place: str) -> None:
    with pytest.raises(InputError) as error:
        checked(text, "k global 1", *initial)
    (problem,) = error.value.diagnostics
    assert (problem.code, str(problem.span)) == ("E050", place)
