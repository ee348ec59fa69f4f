"""`sycl::marray`: a class of the program with operators that work element by element."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds

MEMORY = "int* x = malloc_shared<int>(4, q); for (int i = 0; i < 4; i++) x[i] = 0; q.single_task([=] { "
TOTAL = (
    "template <typename T, size_t N> T total(const marray<T, N>& m) "
    "{ T s = 0; for (size_t i = 0; i < m.size(); i++) s += m[i]; return s; }"
)
BOX = (
    "template <typename T> struct Pair { T a, b; Pair(T x, T y) : a(x), b(y) {} "
    "Pair<float> halved() const { return Pair<float>(a / 2.0f, b / 2.0f); } };"
)


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("sycl::marray<int, 3> a{1, 2, 3}, b(2); auto c = a + b; x[0] = 100 * c[0] + 10 * c[1] + c[2];", "x[0]=345"),
        ("marray<int, 3> a{1, 2, 3}; auto d = 2 * (a + a) - 1; x[0] = 100 * d[0] + 10 * d[1] + d[2];", "x[0]=381"),
        (
            ("marray<int, 2> a(1, 2); a += a; ++a; a[1] *= 2; auto b = a++; x[0] = a[1]; x[1] = b[1];"),
            "x[0]=11 /\\ x[1]=10",
        ),
        (
            (
                "marray<int, 2> a(1, 2), b(2, 2); auto l = a < b; auto e = !(a == 2); x[0] = 10 * l[0] + l[1]; "
                "x[1] = e[1];"
            ),
            "x[0]=10 /\\ x[1]=0",
        ),
        (
            ("mfloat2 a{1.5f, 2.5f}; mint2 b; for (int i = 0; i < 2; i++) b[i] = a[i]; x[0] = b[0] + b[1] + b.size();"),
            "x[0]=5",
        ),
        ("marray<int, 2> a; x[0] = a[0] + a[1]; muint2 u(0); u -= 1; x[1] = u[1] > 5;", "x[0]=0 /\\ x[1]=1"),
        ("constexpr int n = 2; marray<int, 2 * n> a(3); x[0] = total<int, 4>(a);", "x[0]=12"),
        ("Pair<int> p(3, 5); auto h = p.halved(); x[0] = h.a * 10 + h.b * 100;", "x[0]=265"),
    ],
)
def test_values(body: str, question: str) -> None:
    assert holds(f"{MEMORY}{body} }}).wait();", question, f"{TOTAL} {BOX}")


def test_memory() -> None:
    body = (
        "auto* m = malloc_shared<marray<int, 2>>(2, q); q.parallel_for(2, [=](id<1> i) { m[i] = mint2(i, 5); "
        "m[PLACE][1] = 7; }).wait();"
    )

    assert holds(body.replace("PLACE", "i"), "m.v[0]=0 /\\ m.v[1]=7 /\\ m.v[2]=1 /\\ m.v[3]=7")
    assert kinds(body.replace("PLACE", "0")) == {"data-race"}
    assert kinds("q.single_task([=] { mint2 a(1); int r = a[2]; }).wait();") == {"out-of-bounds"}
