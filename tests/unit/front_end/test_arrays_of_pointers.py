"""Arrays and vectors of pointers of the host, whose elements are pointers of their own."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

MADE = "for (int i = 0; i < N; i++) a[i] = malloc_shared<int>(2, q); "
FILLED = "for (int i = 0; i < N; i++) { int* p = a[i]; q.parallel_for(2, [=](id<1> j) { p[j] = i + j; })%s; } "
DECLARED = [
    f"constexpr int N = 2; int* a[N]; {MADE}",
    f"const int N = 2; std::vector<int*> a(N); {MADE}",
    f"constexpr int N = 2; std::array<int*, 2> a{{}}; {MADE}",
    "constexpr int N = 2; std::vector<int*> a; for (int i = 0; i < N; i++) a.push_back(malloc_shared<int>(2, q)); ",
    "constexpr int N = 2; int* a[] = {malloc_shared<int>(2, q), malloc_shared<int>(2, q)}; ",
    "constexpr int N = 2; std::vector<int*> a{malloc_shared<int>(2, q), malloc_shared<int>(2, q)}; ",
    "constexpr int N = 2; int* a[2] = {}; a[0] = malloc_shared<int>(2, q); a[1] = malloc_shared<int>(2, q); ",
]


@pytest.mark.parametrize("declared", DECLARED)
def test_each_is_memory_of_its_own(declared: str) -> None:
    assert holds(declared + FILLED % ".wait()" + "int r = a[0][1] * 10 + a[1][1];", "0:r=12")
    assert holds(declared + FILLED % "" + "q.wait(); int r = a[1][1]; for (auto p : a) free(p, q);", "0:r=2")
    assert kinds(declared + FILLED % "" + "a[1][0] = 7; q.wait();") == {"data-race"}


def test_kernels_have_the_pointers() -> None:
    body = (
        DECLARED[0] + "for (int i = 0; i < N; i++) a[i][0] = i + 1; q.single_task([=] { a[0][0] += a[1][0]; }).wait();"
    )
    assert holds(body, "a_0[0]=3")


def test_the_statement_of_a_branch() -> None:
    assert holds(
        DECLARED[0]
        + "for (int i = 0; i < N; i++) a[i][0] = 1; if (a[0][0] == 2) for (int i = 0; i < N; i++) a[i][0] = 5;",
        "a_1[0]=1",
    )


def test_an_element_that_nobody_knows_is_refused() -> None:
    assert refused(DECLARED[0] + "int k = a[0] == a[1]; int r = a[k][0];")


BUFFERED = (
    "constexpr int C = 1, N = 2 * C; std::vector<int> in{1, 2, 3}, out(3); const int places = 3 / C; "
    "int* d[N] = {malloc_device<int>(C, q), malloc_device<int>(C, q)}; event e[2]; "
    "for (int i = 0; i < places; i++) { int* p = d[i %% N]; %s "
    "auto f = q.memcpy(p, in.data() + i * C, C * sizeof(int)); "
    "auto g = q.parallel_for(C, f, [=](id<1> j) { p[j] *= 10; }); "
    "e[i %% 2] = q.memcpy(out.data() + i * C, p, C * sizeof(int), g); } q.wait(); free(d[0], q); free(d[N - 1], q);"
)


def test_an_element_by_an_expression() -> None:
    assert holds(BUFFERED % "if (i >= N) e[i % 2].wait();", "out[0]=10 /\\ out[1]=20 /\\ out[2]=30")
    assert "data-race" in kinds(BUFFERED % "")


def test_a_name_of_several_constants_says_no_element() -> None:
    other = "void other() { const int k = 0; }"
    body = DECLARED[0] + "int k = 1; k = a[1][0]; a[k][0] = 1;"
    assert refused(body, other)


def test_memory_that_is_given_back_by_an_element_of_a_list_of_queues() -> None:
    body = (
        "queue all[2]; int* x = malloc_shared<int>(1, all[0]); all[0].single_task([=] { *x = 1; }); %s free(x, all[0]);"
    )
    assert holds(body % "for (auto& one : all) one.wait(); ", "x[0]=1")
    assert kinds(body % "all[1].wait(); ") == {"data-race"}


@pytest.mark.slow
def test_a_variable_of_each_time_says_which() -> None:
    made = "int* a[2] = {malloc_device<int>(1, q), malloc_device<int>(1, q)}; int v[3] = {1, 2, 3}; event done[2]; "
    turn = (
        "for (int b = 0; b < 3; b++) { %s s = b %% 2; "
        "auto up = q.submit([&](handler& h) { %s h.memcpy(a[s], &v[b], sizeof(int)); }); int* p = a[s]; "
        "event k = q.single_task(up, [=] { *p *= 5; }); "
        "done[s] = q.submit([&](handler& h) { h.depends_on(k); h.memcpy(&v[b], a[s], sizeof(int)); }); } q.wait();"
    )
    for type_ in ("int", "const size_t"):
        assert holds(made + turn % (type_, "h.depends_on(done[s]);"), "v[0]=5 /\\ v[1]=10 /\\ v[2]=15")
    assert "data-race" in kinds(made + turn % ("auto", ""))


def test_a_variable_that_changes_says_nothing() -> None:
    made = "int* a[2] = {malloc_device<int>(1, q), malloc_device<int>(1, q)}; "
    assert refused(made + "for (int b = 0; b < 2; b++) { int s = b; s = 1 - s; q.fill(a[s], 1, 1).wait(); }")


def test_several_pointers_that_are_declared_at_once() -> None:
    body = (
        "int* a[2] = {malloc_device<int>(2, q), malloc_device<int>(2, q)}; q.fill(a[0], 1, 2).wait(); "
        "for (int s = 0; s < 3; s++) { int *in = a[s % 2], *out = a[(s + 1) % 2]; "
        "q.parallel_for(2, [=](id<1> i) { out[i] = in[i] + in[1 - i]; }).wait(); } "
        "int h[2]; q.memcpy(h, a[1], 8).wait();"
    )
    assert holds(body, "h[0]=8 /\\ h[1]=8")
    assert "data-race" in kinds(body.replace("}).wait(); }", "}); }"))
