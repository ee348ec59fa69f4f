"""Whole programs with structures and vectors in the memory of commands: what they show, and their races."""

from __future__ import annotations

from typing import Final

import pytest
from host_samples import holds

from mcm import Judged, KernelRequest, KernelSource, check

PAIRS: Final = {"a[0]": 1, "a[1]": 3, "b[0]": 2.0, "b[1]": 4.0}
CLASSES: Final = """#include <sycl/sycl.hpp>
#include <vector>
namespace app {
constexpr int N = 2;
struct S { int a; float b; };
int twice(int x) { return 2 * x; }
}
using Pair = app::S;
struct Particle { sycl::float2 at; int id; };
void put(sycl::queue& q, Pair* p, int k) { Pair t{1, 2}; t.a = k; q.memcpy(p, &t, sizeof(Pair)).wait(); }
void get(sycl::queue& q, Pair* p, Pair& out) { q.memcpy(&out, p, sizeof(Pair)).wait(); }
int main() {
  sycl::queue q;
"""


def told(body: str) -> Judged:
    """What is found of a program with this body of `main`."""
    found = check(KernelSource("p.cpp", f"{CLASSES}{body}\n}}\n", KernelRequest()))
    assert isinstance(found, Judged), found
    return found


@pytest.mark.parametrize(
    ("body", "values"),
    [
        (
            "app::S* p = sycl::malloc_shared<app::S>(app::N, q); q.fill(p, app::S{app::twice(2), 1}, app::N).wait();",
            {"p.a[0]": 4, "p.a[1]": 4, "p.b[0]": 1.0, "p.b[1]": 1.0},
        ),
        (
            (
                "Pair* p = sycl::malloc_device<Pair>(1, q); Pair* s = sycl::malloc_shared<Pair>(1, q); "
                "put(q, p, 5); put(q, s, 6); Pair r; get(q, p, r);"
            ),
            {"s.a[0]": 6, "s.b[0]": 2.0},
        ),
        (
            "std::vector<sycl::int2> v(2); v[1] = sycl::int2(3, 4); { sycl::buffer b(v); }",
            {"v.x[0]": 0, "v.x[1]": 3, "v.y[0]": 0, "v.y[1]": 4},
        ),
        (
            (
                "auto* p = sycl::malloc_device<Particle>(1, q); std::vector<Particle> v(1); v[0].id = 3; "
                "auto bytes = sizeof(Particle) * v.size(); q.memcpy(p, v.data(), bytes).wait(); "
                "q.parallel_for(1, [=](sycl::id<1> i) { p[i].at += sycl::float2(1.5f); }).wait(); "
                "for (int i = 0; i < 1; i++) q.memcpy(&v[i], p + i, sizeof(Particle)); q.wait();"
            ),
            {"v.at.x[0]": 1.5, "v.at.y[0]": 1.5, "v.id[0]": 3},
        ),
        (
            (
                "Pair ps[2]{{1, 2}, {3, 4}}; Pair* p = (Pair*)malloc(2 * sizeof(Pair)); "
                "q.memcpy(p, ps, sizeof(ps)).wait();"
            ),
            {f"{name}.{member}": value for name in ("ps", "p") for member, value in PAIRS.items()},
        ),
    ],
)
def test_values(body: str, values: dict[str, float]) -> None:
    found = told(body)
    assert not found.undefined
    assert [dict(one.values) for one in found.states] == [values]


def test_races() -> None:
    body = (
        "std::vector<Particle> v(2); Particle* p = sycl::malloc_device<Particle>(2, q); "
        "q.memset(p, 0, 2 * sizeof(Particle)).wait(); "
        "q.parallel_for(2, [=](sycl::id<1> i) { p[i].id = i; }); "
        "q.memcpy(v.data(), p, 2 * sizeof(Particle)); q.wait();"
    )
    copy = ("copy of p, v", "q.memcpy(v.data(), p, 2 * sizeof(Particle))")
    found = [{(site.thread, site.text) for site in race.sites} for race in told(body).races]
    assert found == [{copy, (f"K0[{number}]", "p[i].id = i")} for number in range(2)]
    assert not told(body.replace("= i; });", "= i; }).wait();")).races


def test_components_by_a_pointer_to_a_vector() -> None:
    body = (
        "sycl::int2* p = sycl::malloc_shared<sycl::int2>(1, q); *p = sycl::int2(1, 2); "
        "q.single_task([=] { p->x() += 5; int s = p->y(); p->y() = s * 2; }).wait(); int r = p->y();"
    )
    assert holds(body, "p.x[0]=6 /\\ p.y[0]=4 /\\ 0:r=4")
