"""Memory that a host program exchanges between commands: what its names mean at each statement."""

from __future__ import annotations

import pytest
from host_samples import source

from mcm import InputError, Judged, check, run

DEVICE = (
    "int *a = malloc_device<int>(2, q), *b = malloc_device<int>(2, q); q.fill(a, 1, 2).wait(); q.fill(b, 2, 2).wait(); "
)
SHARED = DEVICE.replace("malloc_device", "malloc_shared")
RESULT = "int r[2]; q.memcpy(r, a, sizeof(int) * 2).wait();"
STEP = "q.parallel_for(2, [=](id<1> i) { b[i] = a[1 - i] + 1; }).wait(); "
BY_HAND = "int* t = a; a = b; b = t; "


@pytest.mark.parametrize("begin", [DEVICE, SHARED])
@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("std::swap(a, b); ", 2),
        ("std::swap(a, b); std::swap(a, b); ", 1),
        (STEP + BY_HAND, 2),
        ("for (int k = 0; k < 3; k++) { " + STEP + "std::swap(a, b); } ", 4),
        ("for (int k = 0; k < 4; k++) { " + STEP + BY_HAND + "} ", 5),
        # What is declared beside keeps what it got.
        ("int* old = a; std::swap(a, b); q.memcpy(a, old, sizeof(int) * 2).wait(); ", 1),
        ("auto k = [=](id<1> i) { a[i] = 9; }; std::swap(a, b); q.parallel_for(2, k).wait(); std::swap(a, b); ", 9),
        ("std::swap(a, b); free(b, q); b = nullptr; ", 2),
        ("a = b; q.single_task([=] { a[0] = 3; a[1] = 3; }).wait(); ", 3),
        ("std::swap(a, b); if (true) { q.fill(a, 6, 2).wait(); } ", 6),
    ],
)
def test_commands_are_about_what_is_meant(begin: str, body: str, value: int) -> None:
    asked = source(begin + body + RESULT, f"forall (r[0]={value} /\\ r[1]={value})")
    for engine in ("explicit", "smt"):
        found = check(asked, engine=engine)
        assert isinstance(found, Judged)
        assert found.holds is True
        assert not found.undefined
    ran = run(asked, runs=5, seed=1)
    assert ran.positive == ran.runs


def test_steps_that_do_not_wait_race() -> None:
    body = DEVICE + "for (int k = 0; k < 2; k++) { " + STEP.replace(".wait()", "") + "std::swap(a, b); } q.wait();"
    for engine in ("explicit", "smt"):
        assert {one.kind for one in check(source(body), engine=engine).races} == {"data-race"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        # Who goes ahead decides what is meant.
        ("int n[1]; q.memcpy(n, a, 4).wait(); if (n[0]) { std::swap(a, b); } ", "E209"),
        # The host cannot follow a pointer to the memory of a device, whatever its name.
        ("std::swap(a, b); int r = b[0]; ", "E209"),
    ],
)
def test_what_is_not_followed_is_refused(body: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        check(source(DEVICE + body))
    assert code in {one.code for one in caught.value.diagnostics}


def test_a_loop_that_ends_nobody_knows_when_is_refused() -> None:
    body = "int* n = malloc_shared<int>(1, q); *n = 2; for (int k = 0; k < *n; k++) { " + STEP + "std::swap(a, b); } "
    with pytest.raises(InputError) as caught:
        check(source(DEVICE + body))
    assert {one.code for one in caught.value.diagnostics} & {"E207", "E214"}


HOST = "int* x = malloc_host<int>(1, q); int* y = malloc_host<int>(1, q); *x = 1; *y = 2; int n = 3; "


def task(capture: str, body: str) -> str:
    return f"q.submit([&](handler& h) {{ h.host_task([{capture}] {{ {body} }}); }}).wait(); "


def test_a_host_task_may_have_references_to_what_does_not_change() -> None:
    for capture in ("&", "=", " & "):
        asked = source(HOST + task(capture, "x[0] = y[0] + 5;"), "forall (x[0]=7)")
        found = check(asked)
        assert isinstance(found, Judged)
        assert found.holds is True


@pytest.mark.parametrize(
    "body",
    [
        # Memory that is another one when the task runs, and a kernel.
        "int r[1]; std::swap(x, y); q.memcpy(r, x, 4).wait(); " + task("&", "x[0] = 3;") + "std::swap(x, y); ",
        task("&", "x[0] = 3;").replace("host_task", "single_task"),
    ],
)
def test_other_references_are_refused(body: str) -> None:
    with pytest.raises(InputError) as caught:
        check(source(HOST + body))
    assert {one.code for one in caught.value.diagnostics} & {"E211", "E166"}
