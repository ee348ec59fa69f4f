"""Loops of commands that count two variables, variables that a command group assigns, functions of vectors."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

X = "int* x = malloc_shared<int>(4, q); for (int i = 0; i < 4; i++) x[i] = i; "


@pytest.mark.parametrize(
    ("loop", "question"),
    [
        ("for (int i = 0; i < 3; i++, n *= 2) q.single_task([=] { x[0] += n; }).wait();", "x[0]=7 /\\ 0:n=8"),
        ("for (int i = 0; i < 3; n += 2, ++i) { q.single_task([=] { x[i] = n; }).wait(); }", "x[1]=3 /\\ x[2]=5"),
        ("for (unsigned i = 0, k = 5; i < log2(4); i++, k--) x[i] = k;", "x[0]=5 /\\ x[1]=4"),
    ],
)
def test_two_counters(loop: str, question: str) -> None:
    assert holds(f"{X} int n = 1; {loop}", question)


def test_commands_of_such_loops_are_not_ordered() -> None:
    assert kinds(f"{X} int n = 1; for (int i = 0; i < 2; i++, n++) q.single_task([=] {{ x[0] = n; }}); q.wait();") == {
        "data-race"
    }


def test_what_a_command_group_assigns() -> None:
    group = (
        "if (i % 2 == 0) { h.single_task([=] { x[0] = 5; }); r = x + 1; n = i + 3; } "
        "else { h.single_task([=] { x[1] = 6; }); }"
    )
    loop = f"for (int i = 0; i < 2; i++) q.submit([&](handler& h) {{ {group} }}).wait();"
    body = f"{X} int* r = x; int n = 0; {loop} "
    assert holds(body + "int s = *r;", "0:s=6 /\\ 0:n=3")
    assert refused(f"{X} int n = 0; q.submit([&](handler& h) {{ n = 2; h.single_task([=] {{ x[0] = n; }}); }});")


def test_functions_of_vectors() -> None:
    body = (
        "float* f = malloc_shared<float>(3, q); q.single_task([=] { float2 a(3.0f, 4.0f), b(0.0f, 4.0f); "
        "auto n = sycl::length(a); f[0] = n; f[1] = distance(a, b); f[2] = sycl::dot(a, b); }).wait();"
    )
    assert holds(body, "f[0]=5.0 /\\ f[1]=3.0 /\\ f[2]=16.0")


def test_types_of_opencl() -> None:
    assert holds("std::vector<sycl::cl_int> v(1, 2); cl_uint n = 3; v[0] += n;", "v[0]=5")


def test_algorithms_over_a_pointer_of_an_accessor() -> None:
    body = "buffer<int> b(range<1>(3)); { host_accessor a(b); std::iota(a.get_pointer(), a.get_pointer() + 3, 4); }"
    assert holds(f"{body} host_accessor r(b); int s = r[2];", "0:s=6")
