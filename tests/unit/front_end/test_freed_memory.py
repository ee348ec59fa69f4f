"""Memory that is given back while a command uses it, and memory that is used after that (ADR 83)."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused, source, warnings

from mcm import check, run

X = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 0; "
WRITE = "q.single_task([=] { x[0] = 1; })"


@pytest.mark.parametrize(
    "body",
    [
        f"{WRITE}; free(x, q); q.wait();",
        f"{WRITE}.wait(); free(x, q); int r = x[0];",
        f"free(x, q); {WRITE}.wait();",
        "free(x, q); sycl::free(x, q.get_context());",
        f"auto e = {WRITE}; auto f = q.single_task([=] {{ x[1] = 1; }}); e.wait(); free(x, q); f.wait();",
        f"if (x[0] == 1) q.wait(); {WRITE}; if (x[1] == 1) q.wait(); free(x, q); q.wait();",
        "int* y = malloc_device<int>(2, q); q.memcpy(x, y, 8); free(y, q); q.wait();",
        "queue p; auto e = p.single_task([=] { x[0] = 1; }); q.wait(); free(x, q); e.wait();",
        f"for (int i = 0; i < 2; i++) {{ {WRITE}; q.wait(); free(x, q); }}",
    ],
)
def test_what_is_used_when_it_is_given_back(body: str) -> None:
    assert "data-race" in kinds(X + body)
    assert run(source(X + body), runs=5, seed=1).problems


@pytest.mark.parametrize(
    "body",
    [
        f"{WRITE}.wait(); free(x, q);",
        f"{WRITE}; q.wait(); free(x, q); int* y = malloc_shared<int>(1, q); q.single_task([=] {{ *y = 1; }});",
        f"auto e = {WRITE}; auto f = q.single_task(e, [=] {{ x[1] = 2; }}); f.wait(); free(x, q);",
        (
            "queue p{property::queue::in_order()}; p.single_task([=] { x[0] = 1; }); "
            "p.single_task([=] { x[1] = 2; }).wait(); free(x, p);"
        ),
        (
            "int h = 0; { buffer<int> b(&h, 1); q.submit([&](handler& g) { accessor a(b, g); "
            "g.single_task([=] { x[0] = 1; a[0] = 1; }); }); } free(x, q);"
        ),
        f"while (x[0] == 0) {{ {WRITE}.wait(); }} free(x, q);",
        f"for (int i = 0; i < 2; i++) {{ {WRITE}; q.wait(); }} free(x, q);",
    ],
)
def test_what_nobody_uses_any_more_keeps_its_values(body: str) -> None:
    assert holds(X + body, "x[0]=1")


def test_a_wait_that_the_text_does_not_show_counts_as_well() -> None:
    """What is looked at by the models then loses its value."""
    body = f"{X} auto e = {WRITE}; if (x[1] == 0) e.wait(); free(x, q);"
    assert kinds(body) == set()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"{WRITE};\nfree(x, q); q.wait();", "free at line 7 waits for nothing, and K0 (line 6) may go on"),
        (
            f"free(x, q);\n{WRITE};",
            "K0 (line 7) uses what is given back at line 6: no command comes after a free",
        ),
        (
            "free(x, q);\nint r = x[0];",
            "P0 accesses at line 7 what is given back at line 6: nothing comes after a free",
        ),
    ],
)
def test_why_it_is_a_race_is_told(body: str, text: str) -> None:
    explanation = check(source(f"{X}\n{body}")).explain()
    assert text in [one.text for story in explanation.stories for one in story.sentences]


DONE = f"{WRITE}.wait(); "
TURNS = (
    "int* y = malloc_shared<int>(2, q); y[0] = 1; int *u = x, *v = y; for (int i = 0; i < 3; i++) "
    "{ q.single_task([=] { v[0] = u[0] + 1; }).wait(); std::swap(u, v); } "
)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        # By a pointer, which is another name for the memory.
        (f"int* p = x; {WRITE}; free(p, q); q.wait();", "data-race"),
        (f"int* p = x; {DONE} free(p, q); int r = x[0];", "data-race"),
        (f"int* p = x; int* r = p + 1; {DONE} free(x, q); *r = 1;", "data-race"),
        (f"int& r = x[1]; {DONE} free(x, q); r = 1;", "data-race"),
        ("int* p = x; free(p, q); free(x, q);", "data-race"),
        ("int* p = x; free(x, q); q.single_task([=] { *p = 1; }).wait();", "data-race"),
        # By one that leads to one of two objects.
        (
            (
                "int* y = malloc_shared<int>(2, q); int* p = x[0] == 0 ? x : y; "
                "q.single_task([=] { x[0] = 1; }); free(p, q); q.wait();"
            ),
            "data-race",
        ),
        ("int* y = malloc_shared<int>(2, q); int* p = y; if (x[0] == 0) p = x; free(p, q); x[1] = 1;", "data-race"),
        (TURNS + "free(u, q); free(u, q);", "out-of-bounds"),
        # What no allocation returned.
        ("int* p = x; p++; free(p, q);", "out-of-bounds"),
        # Memory of the host.
        ("int* h = new int[2]; h[0] = 1; delete[] h; int r = h[0];", "data-race"),
        (
            (
                "int* h = new int[1]; { buffer<int> b(h, range<1>(1)); q.submit([&](handler& g) { accessor a(b, g); "
                "g.single_task([=] { a[0] = 1; }); }); delete[] h; }"
            ),
            "data-race",
        ),
    ],
)
def test_what_pointers_lead_to(body: str, kind: str) -> None:
    assert kind in kinds(X + body)
    assert run(source(X + body), runs=5, seed=1).problems


@pytest.mark.parametrize(
    "body",
    [
        f"int* p = x; {DONE} free(p, q);",
        f"int* p = nullptr; {DONE} free(p, q); free(x, q);",
        # What is made anew each time in a loop.
        (
            "for (int k = 0; k < 2; k++) { int* t = malloc_shared<int>(1, q); "
            "q.single_task([=] { *t = 1; x[0] = *t; }).wait(); free(t, q); }"
        ),
        f"int s = 0; for (int* p = x; p < x + 2; p++) s += *p; {DONE} free(x, q); int r = s;",
        f"int* h = new int[2]; h[0] = 1; {DONE} delete[] h; std::free(nullptr); free(x, q);",
        f"int* h = (int*)std::malloc(2 * sizeof(int)); h[0] = 1; {DONE} std::free(h); free(x, q);",
    ],
)
def test_what_is_given_back_last(body: str) -> None:
    assert holds(X + body, "x[0]=1")


def test_memory_that_took_turns_keeps_its_values() -> None:
    assert holds(X + TURNS + "free(u, q); free(v, q);", "y[0]=3 /\\ x[0]=2")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("free(x + 1, q);", "'x + 1' is not what an allocation returned, so that giving it back is undefined"),
        ("int** p = &x; free(*p, q);", "memory is given back by the name of it, or of a pointer, found '*p'"),
        ("free(x);", "'x' was made by malloc_shared, and is given back by 'free(x, q)': 'std::free(x)' is undefined"),
        ("delete x;", "'x' was made by malloc_shared, and is given back by 'free(x, q)': 'delete x' is undefined"),
        ("delete[] x;", "'delete[] x' is undefined"),
        ("int* h = new int[2]; free(h, q);", "'delete[] h' or 'std::free(h)': 'free(h, q)' is undefined"),
        ("int* h = new int[2]; delete h;", "'delete h' is undefined"),
        ("std::vector<int> v(2); { buffer b(v); } free(v.data(), q);", "'v.data()' is not what an allocation returned"),
        ("int v[2]; { buffer<int> b(v, range<1>(2)); } free(v, q);", "'v' was not made by an allocation"),
    ],
)
def test_memory_is_given_back_as_it_was_made(body: str, message: str) -> None:
    assert message in refused(X + body)


_TASK = (
    "int* x = malloc_shared<int>(2, q); event e = q.fill(x, 1, 2); event f = q.submit([&](handler& h) "
    "{ {waits} h.host_task([=] { {does} free(x, q); }); });"
)
_BEHIND = _TASK.replace("{waits}", "h.depends_on(e);")


def test_a_host_task_gives_back_memory() -> None:
    freed = _BEHIND.replace("{does}", "") + " f.wait();"
    assert kinds(freed) == set()
    assert kinds(_BEHIND.replace("{does}", "x[0] += x[1];") + " f.wait();") == set()
    assert warnings(freed) == []
    assert kinds(_TASK.replace("{waits}", "").replace("{does}", "") + " f.wait();") == {"data-race"}


@pytest.mark.parametrize(
    "use",
    [
        "f.wait(); std::cout << x[0];",
        "f.wait(); x[0] = 1;",
        "q.submit([&](handler& h) { h.depends_on(f); h.single_task([=] { x[0] = 1; }); }).wait();",
        "f.wait(); free(x, q);",
    ],
)
def test_what_is_used_behind_a_host_task_that_gives_it_back(use: str) -> None:
    assert kinds(_BEHIND.replace("{does}", "") + use) == {"data-race"}
    assert kinds("queue r{property::queue::in_order()};" + _BEHIND.replace("{does}", "").replace("q.", "r.") + use) == {
        "data-race"
    }


def test_memory_that_a_host_task_gives_back_is_named() -> None:
    assert refused(_BEHIND.replace("{does}", "int* y = x; free(y, q);")) != ""


_HOLDERS = (
    "struct View { int* p; int n; }; struct Add { int* p; void operator()(id<1> i) const { p[i] += 1; } }; "
    "void use(queue& q, int* p) { q.single_task([=] { p[0] = 1; }).wait(); }"
)


@pytest.mark.parametrize(
    ("holds_it", "use"),
    [
        ("auto k = [=](id<1> i) { x[i] = 1; };", "q.parallel_for(4, k).wait();"),
        ("auto g = [&](handler& h) { h.single_task([=] { x[0] = 1; }); };", "q.submit(g).wait();"),
        ("auto g = [&] { q.single_task([=] { x[0] = 1; }).wait(); };", "g();"),
        ("Add f{x};", "q.parallel_for(4, f).wait();"),
        ("View v{x, 4};", "q.parallel_for(4, [=](id<1> i) { v.p[i] = 1; }).wait();"),
        ("std::vector<int*> a{x};", "int* z = a[0]; q.single_task([=] { z[0] = 1; }).wait();"),
        ("", "use(q, x);"),
    ],
)
def test_what_holds_memory_that_is_given_back(holds_it: str, use: str) -> None:
    made = "int* x = malloc_device<int>(4, q); q.fill(x, 0, 4).wait();"
    assert kinds(f"{made} {holds_it} free(x, q); {use}", _HOLDERS) == {"data-race"}
    assert kinds(f"{made} {holds_it} {use} free(x, q);", _HOLDERS) == set()


def test_memory_of_two_calls_is_given_back_by_each() -> None:
    before = "int* f(queue& q) { int* x = malloc_shared<int>(1, q); q.fill(x, 1, 1).wait(); free(x, q); return x; }"
    assert kinds("int* a = f(q); int* b = f(q); *a = 3;", before) == {"data-race"}
    assert kinds("int* a = f(q); int* b = f(q); *b = 3;", before) == {"data-race"}


def test_memory_of_a_second_call_shows_what_it_held() -> None:
    before = "void f(queue& q) { int* x = malloc_shared<int>(1, q); q.fill(x, 1, 1).wait(); free(x, q); }"
    assert holds("f(q); f(q);", "x[0]=1 /\\ x_2[0]=1", before)


@pytest.mark.parametrize(("first", "races"), [("e", {"data-race"}), ("k", set())])
def test_a_host_task_gives_back_memory_of_the_device(first: str, races: set[str]) -> None:
    body = (
        "int* x = malloc_device<int>(2, q); auto e = q.fill(x, 0, 2); auto k = q.single_task(e, [=] { x[0] = 1; });"
        f"q.submit([&](handler& h) {{ h.depends_on({first}); h.host_task([=] {{ free(x, q); }}); }}); q.wait();"
    )
    assert kinds(body) == races
    assert "cannot access 'x'" in refused(body.replace("free(x, q)", "x[0] = 2; free(x, q)"))
