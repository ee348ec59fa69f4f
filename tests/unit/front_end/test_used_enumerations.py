"""`using enum`, and what is passed on by `std::forward`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mcm

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """#include <sycl/sycl.hpp>
using namespace sycl;
enum class Op { Add, Sub };
namespace n { enum class Kind : int { A = 4, B }; }
int f(n::Kind k) { using enum n::Kind; return k == B ? 7 : A == k ? 8 : 9; }
template <class F> void launch(queue& q, size_t n, F&& f) { q.parallel_for(range<1>(n), std::forward<F>(f)).wait(); }
int main() {
  queue q;
  int* x = malloc_shared<int>(5, q);
  int Add = 5;
  q.single_task([=] {
    using enum Op;
    Op o = Sub;
    x[0] = o == Add ? 1 : 2;
    switch (o) { case Add: x[1] = 3; break; case Sub: x[1] = 4; break; }
    x[2] = f(n::Kind::A) * 10 + f(n::Kind::B);
  }).wait();
  x[3] = Add;
  launch(q, 2, [=](id<1> i) { x[i] += 10; });
  launch(q, 1, [=](id<1> i) { x[4] = i; });
}
"""


def test_names_of_enumerations_are_known_in_the_block(tmp_path: Path) -> None:
    program = tmp_path / "program.cpp"
    program.write_text(PROGRAM, encoding="utf-8")
    (state,) = mcm.check(program).states
    assert [state.values[f"x[{n}]"] for n in range(5)] == [12, 14, 87, 5, 0]
