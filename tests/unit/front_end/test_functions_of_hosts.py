"""Functions of the host that return events and values; what is chosen by constants; names that classes have, too."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

X = "int* x = malloc_shared<int>(2, q); x[0] = 1; x[1] = 2; "
SCALE = (
    "event scale(queue& q, int* x, int f, event e) { return q.parallel_for(range<1>(2), e, [=](id<1> i) "
    "{ x[i] *= f; }); }"
)
STEP = (
    "void step(queue& q, int* x, event& e) { e = q.submit([&](handler& h) { h.depends_on(e); h.single_task([=] "
    "{ x[0] += 1; }); }); }"
)
TOTAL = (
    "template <typename T> T total(queue& q, T* x) { T* s = malloc_shared<T>(1, q); *s = 0; "
    "q.parallel_for(range<1>(2), reduction(s, plus<T>()), [=](id<1> i, auto& sum) { sum += x[i]; }).wait(); "
    "T r = *s; free(s, q); return r; }"
)


@pytest.mark.parametrize(
    ("body", "question", "before"),
    [
        ("event e = scale(q, x, 3, {}); auto f = scale(q, x, 5, e); f.wait();", "x[1]=30", SCALE),
        ("event e; e = scale(q, x, 3, e); scale(q, x, 5, e).wait();", "x[0]=15", SCALE),
        ("std::vector<event> all; event e = scale(q, x, 3, {}); all.push_back(e); event::wait(all);", "x[0]=3", SCALE),
        ("event e; step(q, x, e); step(q, x, e); e.wait();", "x[0]=3", STEP),
        ("event e; e.wait(); step(q, x, e); e.wait();", "x[0]=2", STEP),
        ("int t = total(q, x); x[0] = t;", "x[0]=3 /\\ s[0]=3", TOTAL),
    ],
)
def test_what_functions_return(body: str, question: str, before: str) -> None:
    assert holds(X + body, question, before)


def test_an_event_of_a_function_that_nobody_waits_for() -> None:
    assert kinds(f"{X} auto e = scale(q, x, 3, {{}}); scale(q, x, 5, {{}}).wait(); e.wait();", SCALE) == {"data-race"}


@pytest.mark.parametrize(
    ("body", "before", "message"),
    [
        (
            "int t = x[0] ? total(q, x) : 1;",
            TOTAL,
            "is called as a statement, 'total(…);', or for the value of a variable",
        ),
        ("event e; step(q, x, e); int r = step(q, x, e);", STEP, "'step' returns nothing, and its value is used"),
        ("event e; if (x[0] == 1) e = q.single_task([=] { x[0] = 2; });", "", "which command 'e' is the event of"),
    ],
)
def test_what_is_refused(body: str, before: str, message: str) -> None:
    assert message in refused(X + body, before)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (
            (
                "std::vector<int> v{1, 2}, w(2); { buffer<int> a(v), b(w); for (int t = 0; t < 3; t++) "
                "q.submit([&](handler& h) { accessor in(t % 2 == 0 ? a : b, h, read_only); "
                "accessor out(t % 2 == 0 ? b : a, h, write_only); h.parallel_for(range<1>(2), [=](id<1> i) "
                "{ out[i] = in[i] + 1; }); }); }"
            ),
            "v[0]=3 /\\ w[0]=4",
        ),
        (
            (
                "int* x = malloc_shared<int>(3, q); std::vector<event> done(3); for (int i = 0; i < 3; i++) "
                "done[i] = q.submit([&](handler& h) { if (i > 0) h.depends_on(done[i - 1]); "
                "h.single_task([=] { x[i] = i > 0 ? x[i - 1] + 1 : 5; }); }); event::wait(done);"
            ),
            "x[2]=7",
        ),
    ],
)
def test_what_is_chosen_by_constants(body: str, question: str) -> None:
    assert holds(body, question)


@pytest.mark.parametrize("name", ["id", "item", "group", "range", "buffer", "array", "vector", "plus", "minimum"])
def test_variables_that_are_named_as_classes(name: str) -> None:
    body = (
        f"int* x = malloc_shared<int>(3, q); const int n = 2, m = 1; q.parallel_for(nd_range<1>(3, 3), "
        f"[=](nd_item<1> it) {{ int {name} = it.get_local_id(0); x[{name}] = 0; if ({name} < n) x[{name}] = 1; "
        f"if ({name} < n && n > m) x[{name}] += {name} & m; }}).wait();"
    )
    assert holds(body, "x[0]=1 /\\ x[1]=2 /\\ x[2]=0")


def test_functions_that_are_called_twice_have_memory_of_their_own() -> None:
    before = (
        "int add(queue& q, int n) { int sum = 0; int two[2]; two[0] = n; two[1] = n + 1; { "
        "buffer<int> b(two, 2); buffer<int> s(&sum, 1); "
        "q.submit([&](handler& h) { accessor a(b, h), t(s, h); h.single_task([=] { t[0] = a[0] + a[1]; }); }); } "
        "return sum; }"
    )
    body = "int* x = malloc_shared<int>(2, q); int sum = add(q, 1); int more = add(q, sum); x[0] = sum; x[1] = more;"
    assert holds(body, "x[0]=3 /\\ x[1]=7", before)
    twice = (
        "void f(queue& q, int* x) { int* y = malloc_shared<int>(1, q); *y = *x; "
        "q.single_task([=] { *x = *y + 1; }).wait(); }"
    )
    asked = "x[0]=3 /\\ y[0]=1 /\\ y_2[0]=2"
    assert holds("int* x = malloc_shared<int>(1, q); *x = 1; f(q, x); f(q, x);", asked, twice)


@pytest.mark.parametrize(
    ("function", "values"),
    [
        ("int f(queue& q, int n) { if (n > 1) return 7; return n; }", (1, 7)),
        ("int f(queue& q, int n) { if (n == 1) { n = 3; } else { return 8; } n++; return n; }", (4, 8)),
        ("int f(queue& q, int n) { if (n == 1) { if (n > 5) return 2; else return 3; } else return 4; }", (3, 4)),
        ("int f(queue& q, int n) { if (n > 5) return 9; if (n > 1) return 6; n += 4; return n; }", (5, 6)),
        ("int f(queue& q, int n) { if (n == 1) { n = 2; if (n == 2) return 5; n = 7; return n; } return 6; }", (5, 6)),
    ],
)
def test_functions_that_return_early(function: str, values: tuple[int, int]) -> None:
    body = "int* x = malloc_shared<int>(2, q); int a = f(q, 1); int b = f(q, 2); x[0] = a; x[1] = b;"
    assert holds(body, f"x[0]={values[0]} /\\ x[1]={values[1]}", function)


def test_commands_behind_an_early_return() -> None:
    before = (
        "void f(queue& q, int* x, int n) { if (n == 0) { std::cout << n; return; } "
        "q.single_task([=] { *x += n; }).wait(); }"
    )
    assert holds("int* x = malloc_shared<int>(1, q); *x = 1; f(q, x, 0); f(q, x, 2);", "x[0]=3", before)


@pytest.mark.parametrize(("given", "value"), [(1, 7), (2, 4), (6, 2), (9, -1), (0, 4)])
def test_returns_from_branches_that_may_go_on(given: int, value: int) -> None:
    before = (
        "int f(queue& q, int n) { if (n < 7) { if (n > 5) return 2; n += 3; } else { n = 0; } "
        "{ int k = n; if (k == 4) return 7; } for (int i = 0; i < 4; i++) { while (n > i) { if (n == i + 3) "
        "return i + 4; n -= 1; if (n < 0) break; } if (n == 40) return 3; } return -1; }"
    )
    assert holds(f"int a = f(q, {given});", f"0:a={value}", before)


def test_what_is_behind_a_block_that_returns_is_behind_the_end_of_its_objects() -> None:
    before = (
        "int f(queue& q, std::vector<int>& v, int n) { { buffer b(v); q.submit([&](handler& h) { accessor a(b, h); "
        "h.single_task([=] { a[0] = 3; }); }); if (n == 0) return 0; } return v[0]; }"
    )
    assert holds("std::vector<int> v(1); int a = f(q, v, 1); int b = f(q, v, 0);", "0:a=3 /\\ 0:b=0", before)


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("a = 1 + f(q, 2);", 5),
        ("if (f(q, 1) == 2) a = 3;", 3),
        ("if (a) a = 1; else if (f(q, 1) != 2) a = 4; else a = 2 * f(q, 3) - a;", 12),
        ("for (int i = 0; i < 2; i++) a += f(q, 1) - 1;", 2),
        ("int k[2] = {0, 0}; k[1] = f(q, 3); a = k[1];", 6),
    ],
)
def test_calls_in_expressions(statement: str, value: int) -> None:
    assert holds(f"int a = 0; {statement}", f"0:a={value}", "int f(queue& q, int n) { return 2 * n; }")


def test_lambdas_that_the_host_calls() -> None:
    x = "int* x = malloc_shared<int>(2, q); "
    body = (
        "auto set = [&](int* p, int n) { for (int i = 0; i < 2; i++) p[i] = n; }; "
        "auto go = [&]() { return q.parallel_for(range<1>(2), [=](id<1> i) { x[i]++; }); }; "
        "auto is = [=](int n) -> bool { for (int i = 0; i < 2; i++) if (x[i] != n) return false; return true; }; "
    )
    assert holds(f"{x} {body} set(x, 3); event e = go(); e.wait(); go().wait(); bool b = is(5);", "x[1]=5 /\\ 0:b=1")
    assert kinds(f"{x} {body} set(x, 3); event e = go(); go().wait(); e.wait();") == {"data-race"}
    assert kinds(f"{x} {body} set(x, 3); event e = go(); bool b = is(4); e.wait();") == {"data-race"}


@pytest.mark.parametrize(
    "statement", ["int r = x[0] + go(q, x);", "std::cout << x[0] << go(q, x);", "int r = go(q, x) == *x;"]
)
def test_what_may_be_read_before_a_call_is_refused(statement: str) -> None:
    before = "int go(queue& q, int* x) { q.wait(); return x[1]; }"
    start = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 0; q.single_task([=] { x[0] = 1; }); "
    assert "called as a statement" in refused(start + statement, before)
    assert holds(f"{start} std::cout << go(q, x) << x[0]; int n = 3; int r = n + go(q, x);", "0:r=3", before)


def test_lambdas_that_do_not_say_what_they_return() -> None:
    body = (
        "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 1; "
        "auto same = [&](const char* what, int n) { bool ok = true; "
        "for (int i = 0; i < 2; ++i) if (x[i] != n) { ok = false; break; } std::cout << what << ok; return ok; }; "
    )
    assert holds(body + 'bool a = same("one", 1); if (!same("two", 2)) x[0] = 7;', "0:a=1 /\\ x[0]=7")
    command = "event e = q.single_task([=] { x[1] = 1; }); "
    assert kinds(body + command + 'same("one", 1); e.wait();') == {"data-race"}


def test_lambdas_that_return_a_parameter() -> None:
    body = "auto f = [=](int a) { return a; }; auto g = [&](float a) { if (a > 2) return a; return a; }; "
    assert holds(body + "auto r = f(3); auto s = 2 * g(2.5f);", "0:r=3 /\\ 0:s=5.0")


def test_parameters_with_values_of_their_own() -> None:
    before = (
        "event put(queue& q, int* p, int v = 3, const std::vector<event>& before = {}) {"
        " return q.submit([&](handler& h) { h.depends_on(before); h.single_task([=] { p[0] = v; }); }); }"
    )
    x = "int* x = malloc_shared<int>(2, q); event a = put(q, x); "
    assert holds(f"{x} put(q, x + 1, 7, {{a}}).wait();", "x[0]=3 /\\ x[1]=7", before)
    assert kinds(f"{x} put(q, x, 7).wait();", before) == {"data-race"}
    assert "takes 4 arguments" in refused(f"{x} put(q).wait();", before)


@pytest.mark.parametrize(
    ("statement", "before"),
    [
        ("int r = n + bump(q, n);", "int bump(queue& q, int& n) { q.wait(); n++; return 1; }"),
        ("auto bump = [&](int k) { q.wait(); n++; return k; }; int r = n + bump(1);", ""),
        ("int r = n + apply([&](int a) { n++; return a; });", "template <typename F> int apply(F f) { return f(1); }"),
    ],
)
def test_what_a_call_changes_is_read_before_it_or_behind_it(statement: str, before: str) -> None:
    assert "called as a statement" in refused(f"int n = 0; {statement}", before)


def test_what_a_call_only_reads_may_be_read_too() -> None:
    before = "int get(queue& q, const int& n, int m) { q.wait(); return 10 + n + m; }"
    assert holds("int n = 1, k = 2; int r = k + n + get(q, n, k);", "0:r=16", before)


def test_what_changes_during_a_call_is_passed_with_the_value_before() -> None:
    body = "int n = 3, t = 0; auto g = [&](int k) { n = 1; q.wait(); t = k; }; g(n); "
    assert holds(body, "0:t=3 /\\ 0:n=1")
    before = "template <typename F> void each(int n, F f) { for (int i = 0; i < n; i++) f(i); }"
    kernel = "int n = 3, s = 0; auto f = [&](int i) { n = 1; s += 1; }; each(n, f); x[0] = s;"
    assert holds(f"int* x = malloc_shared<int>(1, q); q.single_task([=] {{ {kernel} }}).wait();", "x[0]=3", before)


_CHANGING = """
void inc(int& a) { a++; }
int seen(const int& a) { return a; }
struct Step { int k; void bump(int& a) const { a += k; } static void up(int& a) { a++; } };
"""


@pytest.mark.parametrize("change", ["inc(n);", "auto f = [](int& a) { a++; }; f(n);", "s.bump(n);", "Step::up(n);"])
def test_numbers_that_functions_change(change: str) -> None:
    body = (
        "int* x = malloc_shared<int>(6, q); for (int i = 0; i < 6; i++) x[i] = 0; int n = 3; Step s{1}; {change} "
        "for (int i = 0; i < n; i++) q.single_task([=] { x[i] = n; }).wait(); x[5] = n;"
    ).replace("{change}", change)
    assert holds(body, "x[2]=4 /\\ x[3]=4 /\\ x[4]=0 /\\ x[5]=4", _CHANGING)
    assert "constant" in refused(f"int n = 3; Step s{{1}}; {change} int* y = malloc_shared<int>(n, q);", _CHANGING)


def test_numbers_that_functions_only_read_are_constants() -> None:
    body = "int n = 3; int* x = malloc_shared<int>(n, q); x[2] = seen(n);"
    assert holds(body, "x[2]=3", _CHANGING)
