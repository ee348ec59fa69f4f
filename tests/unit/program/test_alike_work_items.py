"""Bodies that work-items share are those that each of them would have if it were resolved alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.program.difference import different_literals
from mcm.program.resolve import bodies

if TYPE_CHECKING:
    from conftest import Resolve
    from mcm.program.program import Program, Thread

# The body of a kernel, its launch, and how many of its work-items are resolved: one for each kind of ids.
CASES = {
    "no id": ("*x = 1;", "global 8", 1),
    "zero and small ids": ("x[get_global_id(0)] = 1;", "global 64", 3),
    "ids of all kinds of sizes": ("x[get_global_id(0)] = 1;", "global 300", 5),
    "an id that no char holds": ("char c = get_global_id(0); x[0] = c;", "global 200", 4),
    "an id as a float": ("float f = get_local_id(0); *x = f > 1.5f;", "global 8, local 4", 3),
    "an id as a bool": ("bool b = get_local_id(0); *x = b;", "global 4", 3),
    "zero as a null pointer": ("if (x == get_local_id(0)) { *x = 1; }", "global 1", 1),
    "a negative id": ("int i = -(int)get_local_id(0); *x = i;", "global 4", 4),
    "an element of a private array": ("int a[4]; a[get_local_id(0)] = 1; *x = a[0];", "global 4", 4),
    "a dimension that is not known": ("int d = *x; x[1] = get_global_id(d);", "global 4", 4),
    "another dimension": ("x[get_global_id(1)] = get_global_id(2);", "global 2 4, local 2 2", 3),
    "sizes and counts": ("*x = get_num_groups(0) + get_local_size(0);", "global 8, local 4", 1),
    "sub-groups": ("*x = get_sub_group_id() + get_sub_group_size();", "global 8, local 8, sub 2", 3),
    "local memory of the group": ("local int t[4]; t[get_local_id(0)] = 1;", "global 8, local 4", 3),
    "a function of an id": ("x[0] = popcount(get_local_id(0)) + clamp((int)get_local_id(0), 1, 2);", "global 4", 3),
    "what is another for each": ("x[0] = sub_group_non_uniform_any((int)get_sub_group_id());", "global 4, sub 2", 2),
    "an id in a function": ("*x = twice(get_local_id(0));", "global 4", 3),
}
TEXT = """OPENCL t
{{ global int x[300]; }}
int twice(int n) {{ return n + n + get_local_id(0); }}
kernel K (global int* x) {{ {} }}
launch K {}, dev 0;
"""


@pytest.fixture
def alone(resolved: Resolve, monkeypatch: pytest.MonkeyPatch) -> Resolve:
    """Programs of which each work-item is resolved apart."""

    def resolve(text: str) -> Program:
        with monkeypatch.context() as patch:
            patch.setattr(bodies, "shared_body", lambda *_: None)
            return resolved(text)

    return resolve


@pytest.mark.parametrize(("body", "launch", "times"), CASES.values(), ids=CASES)
def test_work_items_are_what_they_are_alone(
    body: str, launch: str, times: int, resolved: Resolve, alone: Resolve, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 0
    real = bodies.body

    def counted(*arguments: object) -> object:
        nonlocal count
        count += 1
        return real(*arguments)  # type: ignore[arg-type]

    text = TEXT.format(body, launch)
    expected = alone(text)
    monkeypatch.setattr(bodies, "body", counted)
    found = resolved(text)
    assert found == expected
    for one, other in zip(found.threads, expected.threads, strict=True):
        # Also literals and spans, which comparisons of bodies leave out, are the same.
        assert different_literals(one.body, other.body) == {}
    assert count == times


def test_unlike_kinds_of_one_shape_share_one_body(resolved: Resolve) -> None:
    program = resolved(TEXT.format("if (*x) { *x = 2; } x[get_global_id(0)] = 1;", "global 200"))
    assert len({id(_first_statement(thread)) for thread in program.threads}) == 1


def test_launches_share_nothing(resolved: Resolve, alone: Resolve) -> None:
    text = TEXT.format("x[get_global_id(0)] = get_global_size(0);", "global 2") + "launch K global 4, local 2, dev 0;\n"
    assert resolved(text) == alone(text)
    bodies_of_zero = {thread.body for thread in resolved(text).threads if thread.name.endswith("[0]")}
    assert len(bodies_of_zero) == 2


def test_a_register_with_an_initial_value_is_that_of_its_work_item(resolved: Resolve) -> None:
    text = TEXT.format("x[get_global_id(0)] = 1; int r0 = 1;", "global 3").replace("{ global", "{ 1:r1 = 7; global")
    initial = [[r.initial for r in thread.registers if r.name == "r1"] for thread in resolved(text).threads]
    assert initial == [[], [7], []]


def test_atomics_of_every_group_are_seen(resolved: Resolve) -> None:
    body = "local int t[1]; atomic_inc(&t[0]); atomic_inc(&x[0]);"
    objects = resolved(TEXT.format(body, "global 8, local 2").replace("global int*", "volatile global int*")).objects
    assert [item.atomic for item in objects] == [True] * 5


def test_a_warning_is_told_once_for_all(resolved: Resolve) -> None:
    text = TEXT.format("*y = get_global_id(0);", "global 4").replace("global int* x", "global atomic_int* y")
    assert [diagnostic.code for diagnostic in resolved(text).diagnostics] == ["W108"]


def _first_statement(thread: Thread) -> object:
    return thread.body.statements[0]
