"""Shuffles by distance: what they bring, and what may not depend on it where it comes from nobody (COLL-2)."""

from __future__ import annotations

import pytest

from mcm import Source, check, run

ENGINES = ("explicit", "smt")
TEXT = """OPENCL shuffles
{ int d[4]={5, 6, 7, 8}; int out[4]; int n = 1; }
kernel K (global int* d, global int* out, int n) {
  int i = get_local_id(0);
  BODY
}
launch K global 4, local 4;
forall (CONDITION)
"""


def text_of(body: str, condition: str) -> Source:
    return Source("shuffles", TEXT.replace("BODY", body).replace("CONDITION", condition))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("body", "condition"),
    [
        ("int v = sub_group_shuffle_down(d[i], 1u);", "K[0]:v=6 /\\ K[2]:v=8"),
        ("int v = sub_group_shuffle_up(d[i], 2u);", "K[2]:v=5 /\\ K[3]:v=6"),
        ("int v = sub_group_shuffle_xor(d[i], 3u);", "K[0]:v=8 /\\ K[1]:v=7 /\\ K[2]:v=6 /\\ K[3]:v=5"),
        ("int v = sub_group_shuffle_down(d[i], (uint)i);", "K[0]:v=5 /\\ K[1]:v=7"),
        ("int t = sub_group_shuffle_up(d[i], 1u); int v = i > 0 ? t : 0;", "K[0]:v=0 /\\ K[3]:v=7"),
        ("float v = sub_group_shuffle_up(d[i] * 0.5f, 1u) * 2.0f;", "K[1]:v=5"),
        ("int t = sub_group_shuffle_up(d[i], 1u); if (i > 0) { out[i] = t; }", "out[0]=0 /\\ out[1]=5"),
        ("int v = sub_group_shuffle_down(d[i], 1u) * (i < 3);", "K[0]:v=6 /\\ K[3]:v=0"),
        ("int v = -(d[i] > 5) & sub_group_shuffle_up(d[i], 1u);", "K[0]:v=0 /\\ K[3]:v=7"),
        ("int v = sub_group_shuffle_up(d[i], 1u) | -(i < 1);", "K[0]:v=-1 /\\ K[3]:v=7"),
        ("uint m = d[i] < 9 ? 1u : 2u; int v = sub_group_shuffle_xor(i, m);", "K[0]:v=1 /\\ K[3]:v=2"),
    ],
)
def test_values(engine: str, body: str, condition: str) -> None:
    found = check(text_of(body, condition), engine=engine)

    assert found.holds
    assert not found.undefined
    assert run(text_of(body, condition), runs=2).problems == ()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("body", "use"),
    [
        ("out[i] = sub_group_shuffle_down(d[i], 1u);", "out[i] = sub_group_shuffle_down(d[i], 1u)"),
        ("int t = sub_group_shuffle_up(d[i], 1u); if (t > 5) { out[i] = 1; }", "out[i] = 1"),
        ("int t = sub_group_shuffle_up(d[i], 4u); int u = out[t == 3];", "out[t == 3]"),
        ("out[i] = sub_group_shuffle_up(d[i] * 0.5f, 1u) * (i > 0 ? 1.0f : 0.0f);", "out[i] ="),
        ("out[i] = sub_group_shuffle_up(d[i], 1u) * d[i];", "out[i] ="),
        ("int t = sub_group_shuffle_xor(d[i], 4u) + 1; out[i] = work_group_reduce_max(t);", "out[i] = work"),
        ("uint m = d[i] > 5 ? 4u : 0u; out[i] = sub_group_shuffle_down(i, m);", "out[i] ="),
    ],
)
def test_dependence_on_what_nothing_determines(engine: str, body: str, use: str) -> None:
    problems = check(text_of(body, "true"), engine=engine).undefined

    assert {problem.kind for problem in problems} == {"undetermined-value"}
    call, place = (site.span.text for site in problems[0].sites)
    assert call.startswith("sub_group_shuffle_")
    assert place.startswith(use)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_variable_that_the_condition_names(engine: str) -> None:
    body = "int v = sub_group_shuffle_down(d[i], 1u);"

    assert check(text_of(body, "K[3]:v=0"), engine=engine).undefined
    assert not check(text_of(body, "K[2]:v=8"), engine=engine).undefined


@pytest.mark.parametrize("engine", ENGINES)
def test_those_who_come_to_a_call_exchange_values(engine: str) -> None:
    body = "int v = 0; if (i < 2) { v = sub_group_shuffle_xor(i + 1, MASK); }"

    found = check(text_of(body.replace("MASK", "1"), "K[0]:v=2 /\\ K[1]:v=1 /\\ K[2]:v=0"), engine=engine)
    assert (found.holds, found.undefined) == (True, ())
    problems = check(text_of(body.replace("MASK", "2"), "K[0]:v=0"), engine=engine).undefined
    assert {problem.kind for problem in problems} == {"undetermined-value"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("body", "is_defined"),
    [
        ("int t = sub_group_shuffle_up(i, m); if (m == 0) { out[i] = t; }", True),
        ("int t = sub_group_shuffle_up(i, m); out[i] = m == 0 ? t : 1;", True),
        ("int t = sub_group_shuffle_up(i, m); out[i] = m == 0 && t == i;", True),
        ("int t = sub_group_shuffle_up(i, m); out[i] = m == 0 || t == i;", False),
        ("int t = sub_group_shuffle_up(i, m); if (m == 5) { out[i] = t; }", False),
    ],
)
def test_what_is_chosen_by_what_is_read(engine: str, body: str, is_defined: bool) -> None:
    # Each work-item reads what another one has written to local memory, which nobody knows beforehand.
    before = "local uint t0[4]; t0[3 - i] = (uint)(d[i] - 5) * 5u; barrier(CLK_LOCAL_MEM_FENCE); uint m = t0[i]; "

    assert (check(text_of(before + body, "out[0]=out[0]"), engine=engine).undefined == ()) == is_defined
