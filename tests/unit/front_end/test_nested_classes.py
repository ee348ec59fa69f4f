"""Classes in classes of programs: those that are the type of a member at once, and several of one name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mcm

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """#include <sycl/sycl.hpp>
using namespace sycl;
struct A { struct P { int v = 1; P* self() { return this; } }; P p; P mk() const; };
struct B { struct P { int w = 7; int v = 2; P() = default; P(int a) : w(a) {} }; P p; };
struct P { int v = 9; };
A::P A::mk() const { P r; r.v = 5; return r; }
struct C { int a = 1; struct In { int b = 2; struct { int z; } deep; } in, more; struct { int lo, hi; } lim; };
int main() {
  queue q;
  int* x = malloc_shared<int>(7, q);
  q.single_task([=] {
    A a; B b; P c; A::P d; B::P e(4);
    x[0] = a.p.v; x[1] = b.p.v; x[2] = c.v; x[3] = d.v * 10 + e.w; x[4] = a.mk().v;
    C s;
    s.lim.lo = 4; s.lim.hi = 5; s.in.deep.z = 6; s.more.b = 8;
    C t = s;
    x[5] = t.in.b + t.more.b * 10 + t.in.deep.z * 100; x[6] = t.lim.lo * 10 + t.lim.hi;
  }).wait();
}
"""


def test_each_class_has_its_own_classes(tmp_path: Path) -> None:
    program = tmp_path / "program.cpp"
    program.write_text(PROGRAM, encoding="utf-8")
    (state,) = mcm.check(program).states
    assert [state.values[f"x[{n}]"] for n in range(7)] == [1, 2, 9, 14, 5, 682, 45]
