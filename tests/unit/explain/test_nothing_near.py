"""What is told of races that no operation comes near to preventing."""

from __future__ import annotations

import pytest

from mcm import Session, Source

HEAD = "OPENCL near\n{ int x; int y; atomic_int f = 0; }\n"
LOAD = "atomic_load_explicit(f, memory_order_relaxed, memory_scope_device)"
STORE = "atomic_store_explicit(f, 1, memory_order_relaxed, memory_scope_device)"
BARRIER = "work_group_barrier(CLK_GLOBAL_MEM_FENCE)"


def lacks(*bodies: str, group: str = "wg {}") -> list[str]:
    threads = [
        f"P{n}@{group.format(n)}, dev 0 (global int* x, global int* y, global atomic_int* f) {{ {body} }}\n"
        for n, body in enumerate(bodies)
    ]
    explanation = Session().explain(Source("t.litmus", HEAD + "".join(threads)), problem=1)
    (story,) = explanation.stories
    return [sentence.text for sentence in story.sentences if sentence.mark is False]


def test_units_that_synchronise_with_nothing() -> None:
    assert lacks("*x = 1;", "*x = 2;") == ["neither P0 nor P1 executes an atomic operation or a fence"]


@pytest.mark.parametrize(
    ("before", "behind", "between"),
    [
        ("", "", ""),
        (BARRIER, "", ": both come after the one on line {}"),
        ("", BARRIER, ": both come before the one on line {}"),
        (BARRIER, BARRIER, ": both come after the one on line {} and before the one on line {}"),
    ],
)
def test_the_barriers_around_both_are_named(before: str, behind: str, between: str) -> None:
    bodies = [f"{before}; *x = {n}; {behind};".replace("; ;", ";").lstrip("; ") for n in (1, 2)]

    # P0 stands on line 3, P1 on line 4: the barrier of either is the same.
    assert lacks(*bodies, group="wg 0, sg {}") == [
        f"no barrier of their work-group stands between the two{between.format(3, 3)}"
    ]


def test_each_direction_says_who_lacks_what() -> None:
    assert lacks(f"*x = 1; {STORE};", f"*x = 2; int r0 = {LOAD};") == [
        "P0 line 3:71 does not come first: P1 executes no atomic operation or fence before line 4:71",
        "P1 line 4:71 does not come first: P0 executes no atomic operation or fence before line 3:71",
    ]
