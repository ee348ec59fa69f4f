"""Queues and memory that a class has once."""

from __future__ import annotations

from host_samples import holds, kinds

RUN = (
    "Ctx::init(); int* p = Ctx::x; Ctx::q().single_task([=] { p[0] += 1; })%s; "
    "Ctx::q().single_task([=] { p[0] *= Ctx::two(2); }).wait();"
)
CTX = (
    "class Ctx { public: static sycl::queue& q() { %s } static int* x; static constexpr int N = 1; "
    "static void init() { x = sycl::malloc_shared<int>(N, q()); x[0] = 1; } static int two(int v) { return v; } %s }; "
    "int* Ctx::x = nullptr; %s"
)
LOCAL = CTX % ("static sycl::queue own; return own;", "", "")
MEMBER = CTX % (
    "return own_;",
    "private: static sycl::queue own_;",
    "sycl::queue Ctx::own_{sycl::property::queue::in_order()};",
)


def test_a_queue_of_a_function() -> None:
    assert holds(RUN % ".wait()", "Ctx_x[0]=4", LOCAL)
    assert kinds(RUN % "", LOCAL) == {"data-race"}


def test_a_queue_that_is_defined_outside() -> None:
    assert holds(RUN % "", "Ctx_x[0]=4", MEMBER)


def test_one_that_begins_where_it_stands() -> None:
    queue = "inline static sycl::queue q{sycl::property::queue::in_order()};"
    before = f"struct Ctx {{ {queue} static int twice(int v) {{ return 2 * v; }} }};"
    body = "int* x = malloc_shared<int>(1, Ctx::q); *x = 1; Ctx::q.single_task([=] { *x = Ctx::twice(*x); });"
    assert holds(body + "Ctx::q.wait();", "x[0]=2", before)


def test_a_function_that_returns_a_queue_of_the_file() -> None:
    before = "sycl::queue own{sycl::property::queue::in_order()}; sycl::queue& get() { return own; }"
    body = "int* x = malloc_shared<int>(1, get()); *x = 1; get().single_task([=] { *x += 1; }); get().wait();"
    assert holds(body, "x[0]=2", before)
