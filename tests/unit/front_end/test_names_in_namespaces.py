"""What namespaces of a program declare is told apart from what else has the name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import mcm
from mcm.base.diagnostic import InputError

if TYPE_CHECKING:
    from pathlib import Path

CONSTANTS = """
namespace a::b { constexpr int k = 1; }
namespace a { constexpr int k = 2; namespace c { int f() { return k * 10 + b::k; } } }
namespace ab = a::b;
constexpr int k = 3;
namespace cfg { constexpr int n = 4; inline int twice(int n) { return 2 * n; } }
"""
FUNCTIONS = """
namespace a { int f(int v) { return v + 1; } int g() { return f(1); } template <typename T> T id_of(T v) { return v; } }
namespace b { int f(int v) { return v + 2; } int g() { return f(1) + a::f(10); }
template <typename T> T id_of(T v) { return v * 2; } }
using a::f;
"""
TYPES = """
namespace geo { struct P { int x, y; P(int a, int b) : x(a), y(b) {} int norm() const; static int count(); }; }
struct P { int z; int norm() const { return z; } };
int geo::P::norm() const { return x * x + y * y; }
int geo::P::count() { return 3; }
namespace s1 { enum color { red, green }; typedef int num; }
namespace s2 { enum color { blue, red }; typedef float num; }
"""
LIBRARIES = """
namespace my { struct event { int t; };
template <typename T> struct range { T lo, hi; T size() const { return hi - lo; } };
template <typename T> T min(T a, T b) { return 10; } }
"""
SEVERAL = [
    (
        LIBRARIES,
        "my::event e{4}; my::range<int> r{2, 9}; x[0] = e.t; x[1] = r.size(); x[2] = my::min(2, 3) + sycl::min(2, 3);",
        "4 7 12 0",
    ),
    (CONSTANTS, "x[0] = k; x[1] = a::k * 10 + ab::k; x[2] = a::c::f(); int n = 7; x[3] = cfg::n * 10 + n;",
     "3 21 21 47"),
    (CONSTANTS, "int n = 5; x[0] = cfg::twice(n) + ::k;", "13 0 0 0"),
    (FUNCTIONS, "x[0] = f(0); x[1] = b::f(0); x[2] = a::g() * 100 + b::g(); x[3] = a::id_of(3) + b::id_of<int>(3);",
     "1 2 214 9"),
    (TYPES, "geo::P p(1, 2); P r{7}; x[0] = p.norm(); x[1] = r.norm(); x[2] = geo::P::count() + s1::red * 10;",
     "5 7 3 0"),
    (TYPES, "s1::num a = 2.5f; s2::num b = 2.5f; x[0] = (a + b) * 2; x[1] = s2::red;", "9 1 0 0"),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "body", "wanted"), SEVERAL)
def test_each_namespace_has_what_it_declares(tmp_path: Path, declared: str, body: str, wanted: str) -> None:
    program = tmp_path / "program.cpp"
    program.write_text(
        f"#include <sycl/sycl.hpp>\nusing namespace sycl;{declared}\nint main() {{ queue q; int* x = "
        f"malloc_shared<int>(4, q); q.fill(x, 0, 4).wait(); q.single_task([=] {{ {body} }}).wait(); }}\n",
        encoding="utf-8",
    )
    result = mcm.check(program)
    assert [" ".join(str(state.values[f"x[{n}]"]) for n in range(4)) for state in result.states] == [wanted]


def test_what_is_not_told_from_words_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "program.cpp"
    program.write_text(
        "#include <sycl/sycl.hpp>\nnamespace cfg { struct Opt { int n; }; constexpr int n = 4; }\n"
        "int main() { sycl::queue q; int n = 1; int* x = sycl::malloc_shared<int>(1, q); x[0] = cfg::n + n; }\n",
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="'n' is declared here") as raised:
        mcm.check(program)
    assert (raised.value.diagnostics[0].code, raised.value.diagnostics[0].span.column) == ("E207", 54)
