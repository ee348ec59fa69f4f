"""What members of objects begin with: objects as their classes say, and 0 what is made as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mcm

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """#include <sycl/sycl.hpp>
using namespace sycl;
struct P { int v = 1; };
struct A { P p; };
struct C { A a; P p{}; int z = 2; };
struct S { int a = 1; int b; int* p; float f; int c[2]; };
struct N { int v; N() = default; N(int k) : v(k) {} };
struct T { S s; int z; };
C made(int k) { return {{{k}}, {4}}; }
int main() {
  queue q;
  int* x = malloc_shared<int>(10, q);
  A h;
  std::vector<N> v(2);
  x[0] = h.p.v + v[1].v;
  q.single_task([=] {
    x[1] = h.p.v;
    A a;
    C c;
    x[2] = a.p.v * 100 + c.a.p.v * 10 + c.p.v;
    C d{{{5}}, {6}};
    C e = made(7);
    x[3] = d.a.p.v * 100 + d.p.v * 10 + d.z;
    x[4] = e.a.p.v * 10 + e.p.v;
    S s{};
    S t = S();
    x[5] = s.a * 10 + s.b + (s.p == nullptr) * 100;
    x[6] = t.f + t.c[1];
    N n{};
    N m[3] = {1, 2};
    x[7] = n.v + m[1].v + m[2].v;
    T k{};
    T r{{2, 3}};
    x[8] = k.s.a * 10 + k.s.b + k.z;
    x[9] = r.s.a * 10 + r.s.b + r.z;
  }).wait();
}
"""
WITHOUT = """#include <sycl/sycl.hpp>
struct P { int v = 1; int w; };
struct A { P p; };
int main() { sycl::queue q; int* x = sycl::malloc_shared<int>(1, q); q.single_task([=] { A a; x[0] = a.p.w; }).wait(); }
"""


def test_members_begin_as_their_classes_say(tmp_path: Path) -> None:
    program = tmp_path / "program.cpp"
    program.write_text(PROGRAM, encoding="utf-8")
    (state,) = mcm.check(program).states
    assert [state.values[f"x[{n}]"] for n in range(10)] == [1, 1, 111, 562, 74, 110, 0, 2, 10, 23]


def test_a_member_without_a_value_has_none(tmp_path: Path) -> None:
    program = tmp_path / "program.cpp"
    program.write_text(WITHOUT, encoding="utf-8")
    assert [one.kind for one in mcm.check(program).undefined] == ["uninitialised-read"]
