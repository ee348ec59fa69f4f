"""Variables of the host that end with their block while a command may still use them (ADR 83)."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, source

from mcm import Judged, check, run

X = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 0; event e; "
TASK = "e = q.submit([&](handler& h) { h.host_task([&] { x[0] = n; }); });"
COPY = "event copy(queue& q, int* x) { int n[2] = {1, 2}; return q.memcpy(x, n, sizeof(n)); }"


@pytest.mark.parametrize(
    "body",
    [
        "{ int n = 5; e = q.memcpy(x, &n, sizeof(int)); } e.wait();",
        "{ std::vector<int> n(2, 1); q.copy(n.data(), x, 2); } q.wait();",
        "{ std::array<int, 2> n{1, 2}; q.copy(n.data(), x, 2); } q.wait();",
        "{ std::vector<int> n(2, 1); int* p = n.data(); q.single_task([=] { x[0] = p[1]; }); } q.wait();",
        f"{{ int n = 5; {TASK} }} e.wait();",
        "for (int i = 0; i < 2; i++) { int n[2]; n[0] = i; n[1] = i; q.memcpy(x, n, 8); } q.wait();",
        "while (x[1] == 0) { int n[2]; n[0] = n[1] = 1; q.memcpy(x, n, 8); break; } q.wait();",
    ],
)
def test_what_ends_while_a_command_uses_it(body: str) -> None:
    assert "data-race" in kinds(X + body)
    assert run(source(X + body), runs=20, seed=1).problems


@pytest.mark.parametrize(
    "body",
    [
        "{ int n = 1; e = q.memcpy(x, &n, sizeof(int)); e.wait(); }",
        "{ std::vector<int> n(2, 1); q.copy(n.data(), x, 2); q.wait(); }",
        f"{{ int n = 1; {TASK} q.wait(); }}",
        "e = q.single_task([=] { x[1] = 1; }); { int n = 1; q.memcpy(x, &n, sizeof(int), e).wait(); }",
        "e = q.single_task([=] { x[0] = 1; }); { int n[1]; q.memcpy(n, x + 1, 4).wait(); x[1] = n[0]; } e.wait();",
        (
            "{ std::vector<int> n(2, 1); { buffer b(n); q.submit([&](handler& h) { accessor a(b, h); "
            "h.single_task([=] { a[0] = 2; x[0] = 1; }); }); } }"
        ),
        "int n[2] = {1, 2}; { e = q.memcpy(x, n, 8); } e.wait();",
        "for (int i = 0; i < 2; i++) { int n[1]; n[0] = i; q.memcpy(x, n, 4).wait(); if (n[0] == 2) break; }",
        "{ int n = 1; int k = n; e = q.single_task([=] { x[0] = k; }); } e.wait();",
    ],
)
def test_what_ends_behind_a_wait(body: str) -> None:
    assert holds(X + body, "x[0]=1")


def test_a_variable_keeps_its_value_where_all_who_use_it_are_complete() -> None:
    assert holds(f"{X} {{ int n[1] = {{3}}; q.memcpy(x, n, 4).wait(); }}", "n[0]=3")


@pytest.mark.parametrize(
    "call",
    ["copy(q, x).wait();", "e = copy(q, x); e.wait();", "auto f = copy(q, x); f.wait();", "copy(q, x); q.wait();"],
)
def test_what_a_function_of_the_host_leaves(call: str) -> None:
    assert kinds(X + call, COPY) == {"data-race"}
    waits = COPY.replace("return q.memcpy(x, n, sizeof(n));", "auto c = q.memcpy(x, n, sizeof(n)); c.wait(); return c;")
    assert holds(X + call, "x[0]=1", waits)


def test_the_end_is_told_as_what_it_is() -> None:
    text = X + "\n{ int n = 5; e = q.memcpy(x, &n, sizeof(int));\n} e.wait();"
    found = check(source(text))
    assert isinstance(found, Judged)
    told = " ".join(sentence.text for story in found.explain().stories for sentence in story.sentences)
    assert "n ends with its block at line 7, and copy of n, x (line 6) may go on" in told


def test_an_event_is_assigned_to_a_variable() -> None:
    add = "q.single_task(last, [=] { x[0] += 1; })"
    loop = f"event last; for (int i = 0; i < 3; i++) {{ event f = {add}; last = f; }} last.wait();"
    assert holds(X + loop, "x[0]=3")
    assert kinds(X + loop.replace("last = f;", "")) == {"data-race"}
    assert holds(
        f"{X} event last; e = {add}; last = e; e = q.single_task([=] {{ x[1] = 1; }}); last.wait(); x[0] += 2;",
        "x[0]=3",
    )
