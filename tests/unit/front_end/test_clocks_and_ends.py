"""What programs do around kernels: they take times, end early, and use names twice."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds

from mcm import Judged, KernelRequest, KernelSource, check

_X = "int* x = malloc_shared<int>(1, q); *x = 0;"
_ADDED = "q.single_task([=] { *x += 1; })"


def _checked(text: str) -> Judged:
    result = check(KernelSource("sample.cpp", text, KernelRequest()))
    assert isinstance(result, Judged)
    return result


@pytest.mark.parametrize(
    "body",
    [
        (
            "auto begin = std::chrono::steady_clock::now(); {added}.wait(); "
            "auto end = std::chrono::steady_clock::now(); "
            "auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(end - begin).count(); "
            'printf("%f", 1.0 / ms);'
        ),
        (
            "std::chrono::high_resolution_clock::time_point a, b; a = std::chrono::high_resolution_clock::now(); "
            "{added}.wait(); b = a; std::chrono::duration<double, std::milli> d = b - a; std::cout << d.count();"
        ),
        (
            "using Clock = std::chrono::steady_clock; const auto t = Clock::now(); {added}.wait(); "
            "std::cout << std::chrono::duration<float>(Clock::now() - t).count(); "
            "std::cout << std::chrono::seconds(2).count();"
        ),
        "double t = omp_get_wtime(); {added}.wait(); t = omp_get_wtime() - t; std::cout << t;",
        "clock_t t = clock(); {added}.wait(); std::cout << (double)(clock() - t) / CLOCKS_PER_SEC << time(NULL);",
        "std::this_thread::sleep_for(std::chrono::milliseconds(1)); usleep(10); {added}.wait();",
    ],
)
def test_no_time_passes(body: str) -> None:
    assert holds(_X + body.replace("{added}", _ADDED), "x[0]=1")


def test_a_wait_for_a_time_orders_nothing() -> None:
    assert kinds(
        f"{_X} {_ADDED}; std::this_thread::sleep_for(std::chrono::seconds(5)); std::cout << *x; q.wait();"
    ) == {"data-race"}


@pytest.mark.parametrize("end", ["exit(1);", "std::exit(EXIT_FAILURE);", "std::abort();", '{ puts("no"); exit(*x); }'])
def test_a_program_ends_early(end: str) -> None:
    assert holds(f"{_X} if (*x == 0) {end} {_ADDED}.wait();", "x[0]=0")
    assert holds(f"{_X} {_ADDED}.wait(); if (*x != 1) {end} *x = 2;", "x[0]=2")


def test_a_function_that_ends_the_program() -> None:
    before = "void check(int a, int b) { if (a != b) { std::cerr << a; exit(1); } }"
    assert holds(f"{_X} {_ADDED}.wait(); check(*x, 1); *x = 2; check(*x, 1); *x = 3;", "x[0]=2", before)


def test_what_exit_is_given_is_read() -> None:
    assert kinds(f"{_X} {_ADDED}; exit(*x);") == {"data-race"}


def test_a_counter_that_hides_a_constant() -> None:
    body = (
        "int n = 2; int bytes = n * sizeof(int); int* y = (int*)malloc(bytes); "
        "for (int n = 0; n < 2; n++) y[n] = n + 5; for (int n : {x}) y[0] += n; y[1] += n;"
    )
    before = (
        "void f(queue& q, const int n) { int* y = malloc_shared<int>(n, q); for (int n = 0; n < 2; n++) y[n] = n; }"
    )
    assert holds("std::vector<int> x(1, 3); " + body.replace("{x}", "x"), "y[0]=8 /\\ y[1]=8")
    assert holds("f(q, 2);", "y[0]=0 /\\ y[1]=1", before)


def test_variables_called_as_classes_are() -> None:
    before = "void visit(int* queue, int* array, int& buffer) { int v = queue[0]; array[v] = 1; buffer = v; }"
    body = (
        "int* x = malloc_shared<int>(2, q); x[0] = 1; q.submit([&](handler& h) { local_accessor<int, 1> t(1, h); "
        "h.parallel_for(nd_range<1>(1, 1), [=](nd_item<1> it) { visit(x, x, t[0]); x[0] = t[0]; }); }).wait();"
    )
    assert holds(body, "x[0]=1 /\\ x[1]=1", before)


def test_what_functions_of_the_host_do_is_told_where_they_do_it() -> None:
    result = _checked(
        "int sum(sycl::queue& q, int* data) {\n  int s = data[0];\n  return s;\n}\n"
        "int main() { sycl::queue q; int* x = sycl::malloc_shared<int>(1, q);\n"
        "q.single_task([=] { *x = 1; });\n int r = sum(q, x);\nq.wait(); }"
    )
    assert {site.span.text for site in result.races[0].sites} == {"data[0]", "*x = 1"}
