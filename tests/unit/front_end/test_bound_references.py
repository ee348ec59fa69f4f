"""References of host programs: what they name when they are made, and what kernels have copies of."""

from __future__ import annotations

import pytest
from host_samples import holds, refused

X = "int* x = malloc_shared<int>(3, q); x[0] = x[1] = x[2] = 1; int n = 1; "
PAIR = "struct Pair { int a; int b; };"
PUT = "struct Put { int* x; int n; void operator()() const { *x = n; } };"
TASK = "q.single_task([=] {{ x[0] = {}; }})"


@pytest.mark.parametrize(
    ("function", "body", "question"),
    [
        ("void f(queue& q, int& a, int& n) { n++; a = 5; q.wait(); }", "f(q, x[n], n);", "x[1]=5 /\\ x[2]=1"),
        ("void f(queue& q, int& a) { a++; a++; q.wait(); }", "f(q, x[n++]);", "x[1]=3 /\\ x[2]=1"),
        ("void f(queue& q, const int& a, int* x) { x[1] = 5; x[0] = a; q.wait(); }", "f(q, x[1] + 1, x);", "x[0]=2"),
        # The command has a copy, so that it does not race with what the host writes behind it.
        (
            f"void f(queue& q, const int& a, int* x) {{ event e = {TASK.format('a')}; x[1] = 7; e.wait(); }}",
            "f(q, x[1], x);",
            "x[0]=1 /\\ x[1]=7",
        ),
        ("", f"int& a = x[1]; a = 4; event e = {TASK.format('a')}; a = 7; e.wait();", "x[0]=4 /\\ x[1]=7"),
        ("", f"int& a = n; event e = {TASK.format('a')}; n = 7; e.wait();", "x[0]=1"),
        ("", "int v[] = {1, 2}; for (const auto& a : v) q.single_task([=] { x[a] = a + 1; }); q.wait();", "x[2]=3"),
        # An object is made of what its parts are then, and a kernel has a copy of what it is when it is enqueued.
        (PAIR, f"Pair p{{n, x[2]}}; n = 5; x[2] = 6; {TASK.format('p.a + p.b')}.wait();", "x[0]=2"),
        (PAIR, f"Pair p{{n}}; Pair& r = p; r.b = 4; event e = {TASK.format('r.b')}; p.b = 6; e.wait();", "x[0]=4"),
        (PAIR + PUT, "Put f{x, n}; n = 5; event e = q.single_task(f); f.n = 6; e.wait();", "x[0]=1"),
        ("", f"std::vector<int> v{{3}}; for (auto& a : v) {TASK.format('a')}.wait();", "x[0]=3"),
    ],
)
def test_what_references_name(function: str, body: str, question: str) -> None:
    assert holds(X + body, question, function)


def test_what_a_kernel_has_no_copy_of() -> None:
    copy = "'a' is a copy of a variable of the host here, and const"
    assert copy in refused(X + "int& a = n; q.single_task([=] { a = 2; });")
    pair = "struct Pair { int a[2]; };"
    assert "'r' is a variable of the host" in refused(X + f"Pair p; Pair& r = p; {TASK.format('r.a[1]')};", pair)


def test_lambdas_that_have_copies_of_what_changes() -> None:
    use = "auto k = [=] {{ x[0] = {}; }}; {} = 7; {}"
    told = [
        refused(X + use.format("n", "n", "q.single_task(k);")),
        refused(X + use.format("n", "n", "k();")),
        refused(X + "int& r = x[1]; " + use.format("r", "x[1]", "q.single_task(k);")),
        refused(X + "auto k = [n](int m) { return n * m; }; n = 7; x[0] = k(2);"),
        refused(X + "int v[] = {1, 2}; " + use.format("v[1]", "v[0]", "q.single_task(k);")),
    ]
    for name, message in zip("nnrnv", told, strict=True):
        # Uses of the lambda are not told on their own.
        assert message == (
            f"'{name}' changes between the lambda 'k', which has a copy of it, and a use of it: "
            "write the lambda where it is used"
        )


def test_attributes_of_cpp_say_nothing() -> None:
    body = "switch (n) { case 1: x[0] = 2; [[fallthrough]]; default: if (n == 1) [[likely]] { x[0]++; } }"
    assert holds(X + body, "x[0]=3", '[[deprecated("by g")]] void f() {}')


SUM = "q.single_task([=] { x[0] = a + b; }).wait();"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (f"int a = 1, b = 2; int& r = a > b ? a : b; r = 6; {SUM}", "x[0]=7"),
        (f"int a = 1, b = 2; (a > b ? a : b)++; {SUM}", "x[0]=4"),
        (f"int a = 1, b = 2; Counted c{{0, a}}; c.of = 3; {SUM}", "x[0]=5"),
        # The host may access its own variables atomically.
        (f"int a = 1, b = 2; std::atomic_ref<int>(a).store(3); {SUM}", "x[0]=5"),
        ("int* p = x; int*& r = p; r++; q.single_task([=] { *r = 4; *p += 1; }).wait();", "x[1]=5 /\\ x[0]=1"),
        ("int* y = malloc_shared<int>(1, q); auto& r = n ? x : y; r = y; *x = 5; int* z = x;", "y[0]=5 /\\ x[0]=1"),
    ],
)
def test_what_changes_by_another_name(body: str, question: str) -> None:
    assert holds(X + body, question, "struct Counted { int n; int& of; };")


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("int a = next(), b = next();", "x[0]=23"),
        ("const int a = n, c = 1, b = next();", "x[0]=12"),
        ("int a, b; a = next(), b = next();", "x[0]=23"),
        ("bool a = next() < 3, b = n > 1;", "x[0]=11"),
    ],
)
def test_calls_in_what_commas_separate(body: str, question: str) -> None:
    assert holds(X + f"auto next = [&]() {{ return ++n; }}; {body} x[0] = 10 * a + b;", question)
