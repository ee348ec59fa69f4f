"""Vectors of SYCL: several components at once, conversions, and memory that is read and written as vectors."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused, warnings

MEMORY = "int* x = malloc_shared<int>(8, q); for (int i = 0; i < 8; i++) x[i] = i; q.single_task([=] { "


@pytest.mark.parametrize(
    ("body", "question"),
    [
        # Several components, as values and as what is assigned.
        ("int4 v(1, 2, 3, 4); int4 w = v.wzyx(); x[0] = w.x() * 1000 + w.y() * 100 + w.z() * 10 + w.w();", "x[0]=4321"),
        (
            "int4 v(1, 2, 3, 4); v.xz() = int2(7, 8); x[0] = v[0]; x[1] = v[1]; x[2] = v[2];",
            "x[0]=7 /\\ x[1]=2 /\\ x[2]=8",
        ),
        ("int4 v(1, 2, 3, 4); v.xy() += int2(5, 6); x[0] = v.r(); x[1] = v.g();", "x[0]=6 /\\ x[1]=8"),
        ("int4 v(1, 2, 3, 4); v.lo() = v.hi(); x[0] = v.x(); x[1] = v.y();", "x[0]=3 /\\ x[1]=4"),
        (
            "int4 v(1, 2, 3, 4); auto s = v.swizzle<elem::y, elem::s3, 0>(); x[0] = s.x(); x[1] = s.y() + s.z();",
            "x[0]=2 /\\ x[1]=5",
        ),
        (
            "int2 v(1, 2); x[0] = v.lo() + 10 * v.hi(); auto w = v.xxyy(); x[1] = w.size() + w.w();",
            "x[0]=21 /\\ x[1]=6",
        ),
        ("int3 v(1, 2, 3); int2 w = v.lo(), u = v.even(); x[0] = w.y(); x[1] = u.y();", "x[0]=2 /\\ x[1]=3"),
        ("int4 v(1, 2, 3, 4); auto& w = v; int r = 0; for (auto k : {0, 1}) r += w.lo()[k]; x[0] = r;", "x[0]=3"),
        # A component whose number is computed.
        ("int4 v(0); for (int i = 0; i < 4; i++) v[i] = i * i; x[0] = v.w() + v[x[2]];", "x[0]=13"),
        ("const int4 v(1, 2, 3, 4); int r = 0; for (int i = 0; i < 4; i++) r = 10 * r + v[i]; x[0] = r;", "x[0]=1234"),
        # Conversions, and the same bits.
        (
            (
                "float4 f(1.5f, -2.5f, 3.0f, 4.7f); int4 i = f.convert<int>(); auto j = f.convert<int, "
                "rounding_mode::rte>(); "
                "x[0] = i.x(); x[1] = i.y(); x[2] = j[0]; x[3] = j[1]; x[4] = j.w();"
            ),
            "x[0]=1 /\\ x[1]=-2 /\\ x[2]=2 /\\ x[3]=-2 /\\ x[4]=5",
        ),
        ("int2 v(300, -1); auto c = v.convert<unsigned char>(); x[0] = c.x(); x[1] = c.y();", "x[0]=44 /\\ x[1]=255"),
        ("int2 v(1, 2); auto f = v.convert<float>() / 2; x[0] = f.x() * 10;", "x[0]=5"),
        (
            "float2 v(1.0f, 2.0f); auto b = v.as<int2>(); x[0] = b.x(); x[1] = b.y() >> 23;",
            "x[0]=1065353216 /\\ x[1]=128",
        ),
        ("float2 v(1.0f, 2.0f); auto b = v.template as<vec<int, 2>>(); x[0] = b.x();", "x[0]=1065353216"),
        # Memory.
        ("int2 v; v.load(1, x); v += 10; v.store(0, x);", "x[0]=12 /\\ x[1]=13 /\\ x[2]=2"),
        ("int2 v; v.load(3, global_ptr<const int>(x)); v.store(1, global_ptr<int>(x));", "x[2]=6 /\\ x[3]=7"),
        (
            (
                "auto p = address_space_cast<access::address_space::global_space, access::decorated::no>(x); "
                "vec<int, 4> v; v.load(1, p); v.store(0, p);"
            ),
            "x[0]=4 /\\ x[3]=7",
        ),
    ],
)
def test_values(body: str, question: str) -> None:
    assert holds(f"{MEMORY}{body} }}).wait();", question)


def test_elements_of_accessors() -> None:
    body = (
        "std::vector<int4> v(2, int4(1, 2, 3, 4)); { buffer b(v); q.submit([&](handler& h) { accessor a(b, h); "
        "h.parallel_for(2, [=](id<1> i) { for (int k = 0; k < 2; k++) a[i][k] += 10; a[i].zw() = "
        "a[i].wz(); a[i][3] *= 2; }); "
        "}); }"
    )

    assert holds(body, "v.x[0]=11 /\\ v.y[1]=12 /\\ v.z[0]=4 /\\ v.w[1]=6")


def test_loads_of_accessors() -> None:
    body = (
        "std::vector<int> v{1, 2, 3, 4}, w(4); { buffer a(v), b(w); q.submit([&](handler& h) { accessor "
        "s(a, h, read_only); "
        "accessor t(b, h, write_only); h.parallel_for(2, [=](id<1> i) { int2 u; u.load(i[0], s.get_pointer()); "
        "u.yx().store(i, t.get_multi_ptr<access::decorated::no>()); }); }); }"
    )

    assert holds(body, "w[0]=2 /\\ w[1]=1 /\\ w[2]=4 /\\ w[3]=3")


def test_races_of_stores() -> None:
    body = (
        "int* x = malloc_shared<int>(8, q); q.parallel_for(2, [=](id<1> i) { int4 v(i); v.store(0, x + i); }).wait();"
    )

    assert kinds(body) == {"data-race"}


def test_components_outside() -> None:
    assert kinds(f"{MEMORY} int2 v(1, 2); x[0] = v[x[2]]; }}).wait();") == {"out-of-bounds"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("int2 v(1); v.xyz();", "'v.xyz()' of a vector of 2 is not part"),
        ("int4 v(1); v.swizzle<0, 1, 2, 3, 0>();", "of a vector of 4 is not part"),
        ("int3 v(1); int2 w = v.hi();", "'v.hi()' of a vector of 3 is not part"),
        ("int4 v(1); int4 w = v.convert<float>();", "which no conversion makes one of int"),
        ("int4 v(1); auto w = v.convert<int, rounding_mode::up>();", "a rounding mode"),
        ("float2 v; v.load(0, x);", "expected a pointer to float"),
        ("int r = int2(1, 2)[x[0]];", "give it a variable"),
        ("const int2 v(1); v.x() = 3;", "const"),
        ("const int2 v(1); v.load(0, x);", "const"),
    ],
)
def test_refused(body: str, message: str) -> None:
    assert message in refused(f"{MEMORY}{body} }}).wait();")


def test_accessors_for_reading_only() -> None:
    body = (
        "std::vector<int2> v(2); buffer b(v); q.submit([&](handler& h) { accessor a(b, h, read_only); "
        "h.single_task([=] { a[0].x() = 1; }); });"
    )

    assert "an accessor for reading only" in refused(body)


def test_accessors_for_writing_only() -> None:
    body = (
        "std::vector<int2> v(2); { buffer b(v); q.submit([&](handler& h) { accessor a(b, h, write_only); "
        "h.single_task([=] { a[0].x() = STATEMENT; }); }); }"
    )

    assert warnings(body.replace("STATEMENT", "1")) == []
    assert warnings(body.replace("STATEMENT", "a[1].y()")) == ["W154"]
