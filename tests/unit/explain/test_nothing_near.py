"""What is told of races that no operation comes near to preventing."""

from __future__ import annotations

from itertools import pairwise

import pytest

from mcm import Session, Source

HEAD = "OPENCL near\n{ int x; int y; atomic_int f = 0; }\n"
LOAD = "atomic_load_explicit(f, memory_order_relaxed, memory_scope_device)"
STORE = "atomic_store_explicit(f, 1, memory_order_relaxed, memory_scope_device)"
BARRIER = "work_group_barrier(CLK_GLOBAL_MEM_FENCE)"


def told(*bodies: str, group: str = "wg {}", model: str = "opencl-3.0") -> tuple[list[str], list[str]]:
    """What keeps the pair unordered, and what keeps it from being excused."""
    threads = [
        f"P{n}@{group.format(n)}, dev 0 (global int* x, global int* y, global atomic_int* f) {{ {body} }}\n"
        for n, body in enumerate(bodies)
    ]
    session, source = Session(), Source("t.litmus", HEAD + "".join(threads))
    # Who alone comes to a barrier diverges, and that is told first.
    problems = session.check(source, model).undefined
    number = next(number for number, problem in enumerate(problems, start=1) if problem.kind == "data-race")
    (story,) = session.explain(source, model, problem=number).stories
    heads = [number for number, sentence in enumerate(story.sentences) if sentence.mark is None]
    order, excuse = (story.sentences[slice(*ends)] for ends in pairwise(heads))
    return [one.text for one in order], [one.text for one in excuse if one.mark is False]


def lacks(*bodies: str, group: str = "wg {}") -> list[str]:
    return told(*bodies, group=group)[0][1:]


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


@pytest.mark.parametrize(
    ("group", "model", "scope"),
    [
        ("wg {}", "opencl-3.0", "device"),
        ("wg 0, sg {}", "opencl-3.0", "work_group"),
        ("wg 0, sg {}", "opencl-popl", "work_group"),
        ("wg {}", "sycl-2020", "device"),
    ],
)
def test_both_accesses_would_have_to_be_atomic_with_one_scope(group: str, model: str, scope: str) -> None:
    assert told("*x = 1;", "*x = 2;", group=group, model=model)[1] == [
        "P0 line 3 is not atomic",
        "P1 line 4 is not atomic",
        f"P0 line 3 has no scope: {scope} is one that would do",
        f"P1 line 4 has no scope: {scope} is one that would do",
    ]


def test_where_scopes_count_for_nothing_none_is_asked_for() -> None:
    text = "C t\n{ int x; }\nP0 (int* x) { *x = 1; }\nP1 (int* x) { *x = 2; }\n"
    (story,) = Session().explain(Source("t.litmus", text), "c11", problem=1).stories

    assert [one.text for one in story.sentences if one.mark is False][1:] == [
        "P0 line 3 is not atomic",
        "P1 line 4 is not atomic",
    ]


def test_no_scope_excuses_accesses_of_two_devices_on_a_buffer() -> None:
    text = (
        "OPENCL t\n{ buffer int x; }\nP0@wg 0, dev 0 (global int* x) { *x = 1; }\n"
        "P1@wg 0, dev 1 (global int* x) { *x = 2; }\n"
    )
    (story,) = Session().explain(Source("t.litmus", text), "opencl-3.0", problem=1).stories

    assert not [one.text for one in story.sentences if "atomic" in one.text and one.mark is None]


def test_a_barrier_orders_one_work_group_only() -> None:
    bodies = ("*x = 1;\n  {}", "{}\n  *x = 2;")

    assert lacks(*(body.format(f"{BARRIER};") for body in bodies)) == [
        "P0 and P1 are in two work-groups: barriers order the work-items of one only (line 4 and line 5)"
    ]


def test_barriers_that_only_one_of_the_two_passes_stand_between_nothing() -> None:
    bodies = (f"{BARRIER}; *x = 1;", f"{BARRIER}; *x = 2; {BARRIER};")

    assert lacks(*bodies, group="wg 0, sg {}") == [
        "no barrier of their work-group stands between the two: both come after the one on line 3"
    ]


KERNEL = (
    "OPENCL near\n{{ int x; int out[2]; }}\nkernel K (global int* x, global int* out) {{ {} }}\nlaunch K global 2;\n"
)
COPY = "local int t[1]; event_t e = async_work_group_copy(t, out, 1, 0); wait_group_events(1, &e);"


@pytest.mark.parametrize("behind", ["int a = work_group_all(1);", COPY])
def test_what_orders_nothing_is_called_no_barrier(behind: str) -> None:
    """OpenCL's group functions and copies, behind both accesses: they are not what would have to stand between."""
    body = f"if (get_local_id(0) == 0) *x = 1; else {{ int r = *x; }} {behind}"
    session, source = Session(), Source("t.litmus", KERNEL.format(body) + "exists (true)\n")
    (story,) = session.explain(source, problem=1).stories
    told = [sentence.text for sentence in story.sentences if "barrier" in sentence.text]
    assert told == ["no barrier of their work-group stands between the two"]
