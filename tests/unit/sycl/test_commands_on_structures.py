"""Commands on USM and buffers of structures and vectors, and on parts of memory: values, races, what is refused."""

from __future__ import annotations

from typing import Final

import pytest

from mcm import EngineName, InputError, Source, check_all, convert_test, run
from mcm.front_end.read import read_test

CLASSES: Final = """
struct S { int a; float b; };
struct T { int n; short v[2]; };
struct Padded { char c; double d; bool t; };
struct Around { char c; struct S s; };
struct Made { int a; Made() : a(4) {} Made(int n) : a(n) {} };
"""


def text(body: str, condition: str, initial: str = "") -> str:
    """A test with a host program."""
    return f"SYCL t\n{{ {initial} }}{CLASSES}host {{\n  queue q;\n  {body}\n}}\nexists ({condition})\n"


def outcome(body: str, condition: str) -> tuple[bool | None, set[str]]:
    """Whether the condition is reachable, and the kinds of undefined behaviour; both engines say the same."""
    found: list[tuple[bool | None, set[str]]] = []
    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        (result,) = check_all(Source("t.litmus", text(body, condition)), models=("sycl-2020",), engine=engine)
        found.append((result.reachable, {problem.kind for problem in result.undefined}))
    assert found[0] == found[1]
    return found[0]


def always(body: str, state: str) -> None:
    """A program with one state, which the machine sees too."""
    assert outcome(body, state) == (True, set())
    assert outcome(body, f"~({state})") == (False, set())
    ran = run(Source("t.litmus", text(body, state)), runs=3, seed=1)
    assert all(count.state.satisfies for count in ran.states)


def refused(body: str) -> list[str]:
    """What is said of a program that is refused."""
    with pytest.raises(InputError) as caught:
        read_test(Source("t.litmus", text(body, "true")))
    return [one.message for one in caught.value.diagnostics]


S_TWO: Final = "S* p = malloc_shared<S>(2, q); S* r = malloc_shared<S>(2, q);"
FILLED: Final = f"{S_TWO} q.fill(p, S{{1, 2.5f}}, 2).wait();"


@pytest.mark.parametrize(
    ("body", "state"),
    [
        (f"{S_TWO} q.memset(p, 0, 2 * sizeof(S)).wait();", "p.a[1]=0 /\\ p.b[1]=0.0"),
        (FILLED, "p.a[0]=1 /\\ p.b[0]=2.5 /\\ p.a[1]=1 /\\ p.b[1]=2.5"),
        (f"{S_TWO} S s{{1, 2.5f}}; q.fill(p, s, 2).wait();", "p.a[1]=1 /\\ p.b[1]=2.5"),
        (f"{S_TWO} q.fill<S>(p, {{1, 2.5f}}, 2).wait();", "p.a[1]=1 /\\ p.b[1]=2.5"),
        (f"{FILLED} q.memcpy(r, p, 2 * sizeof(S)).wait();", "r.a[0]=1 /\\ r.b[0]=2.5 /\\ r.a[1]=1 /\\ r.b[1]=2.5"),
        (f"{FILLED} q.copy(p, r, 2).wait();", "r.a[1]=1 /\\ r.b[1]=2.5"),
        (f"{FILLED} q.copy<S>(p + 1, r, 1).wait();", "r.a[0]=1 /\\ r.b[0]=2.5"),
        (f"{FILLED} q.memset(&p[1], 0xff, sizeof(int)).wait();", "p.a[0]=1 /\\ p.a[1]=-1 /\\ p.b[1]=2.5"),
        (f"{FILLED} q.memcpy(&r->b, &p[1].b, sizeof(float)).wait();", "r.b[0]=2.5"),
        (
            (
                "T* p = malloc_shared<T>(2, q); T t = {1, {2, 3}}; q.fill(p, t, 2).wait(); "
                "q.memset(p, 1, sizeof(T)).wait();"
            ),
            "p.n[0]=16843009 /\\ p.v[0]=257 /\\ p.v[1]=257 /\\ p.n[1]=1 /\\ p.v[2]=2 /\\ p.v[3]=3",
        ),
        (
            (
                "Padded* p = malloc_shared<Padded>(1, q); Padded* r = malloc_shared<Padded>(1, q); "
                "q.fill(p, Padded{1, 2.0, true}, 1).wait(); q.memcpy(r, p, 24).wait();"
            ),
            "r.c[0]=1 /\\ r.d[0]=2.0 /\\ r.t[0]=1",
        ),
        (
            (
                "Around* p = malloc_shared<Around>(2, q); q.memset(p, 0, 2 * sizeof(Around)).wait(); "
                "q.memset(&p[1].s, 1, sizeof(int)).wait();"
            ),
            "p.s.a[0]=0 /\\ p.s.a[1]=16843009 /\\ p.c[1]=0 /\\ p.s.b[1]=0.0",
        ),
        (
            (
                "int4* p = malloc_shared<int4>(2, q); q.fill(p, int4(1, 2, 3, 4), 2).wait(); "
                "q.memset(p, 0, sizeof(int4)).wait();"
            ),
            "p.x[0]=0 /\\ p.w[0]=0 /\\ p.x[1]=1 /\\ p.w[1]=4",
        ),
        (
            "float2* p = malloc_shared<float2>(2, q); q.fill(p, float2{1.5f, 2.5f}, 2).wait();",
            "p.x[1]=1.5 /\\ p.y[1]=2.5",
        ),
        ("int3* p = malloc_shared<int3>(2, q); q.memset(p + 1, 0xff, sizeof(int3)).wait();", "p.z[1]=-1"),
        (
            "float4* p = malloc_shared<float4>(1, q); q.memset(p, 0, 16).wait(); q.fill((float*)p, 2.0f, 2).wait();",
            "p.x[0]=2.0 /\\ p.y[0]=2.0 /\\ p.z[0]=0.0",
        ),
        # The same bytes, divided in the same way.
        (
            (
                "int* h = malloc_shared<int>(4, q); for (int i = 0; i < 4; i++) h[i] = i; "
                "int2* p = malloc_shared<int2>(2, q); q.memcpy(p, h, 4 * sizeof(int)).wait();"
            ),
            "p.x[0]=0 /\\ p.y[0]=1 /\\ p.x[1]=2 /\\ p.y[1]=3",
        ),
        (
            f"{FILLED} int* h = malloc_shared<int>(2, q); q.memcpy(h, p, sizeof(S)).wait();",
            "h[0]=1 /\\ h[1]=1075838976",
        ),
        ("S* p = malloc_shared<S>(1, q); q.memset(p, 0, sizeof(*p)).wait();", "p.a[0]=0"),
        ("Made* p = malloc_shared<Made>(1, q); q.fill(p, Made(3), 1).wait();", "p.a[0]=3"),
    ],
)
def test_values(body: str, state: str) -> None:
    always(body, state)


@pytest.mark.parametrize(
    ("body", "state"),
    [
        (f"{FILLED} S s; q.memcpy(&s, p + 1, sizeof(S)).wait(); int x = s.a;", "0:x=1 /\\ 0:s.b=2.5"),
        ("S s{1, 2}; S* p = malloc_shared<S>(2, q); q.memcpy(p + 1, &s, sizeof(s)).wait();", "p.b[1]=2.0"),
        (
            (
                "T* p = malloc_shared<T>(1, q); T t{1, {2, 3}}; q.memcpy(p, &t, sizeof(T)).wait(); T u; "
                "q.memcpy(&u, p, sizeof(T)).wait(); int x = u.n + 10 * u.v[0] + 100 * u.v[1];"
            ),
            "0:x=321",
        ),
        (
            "int4* p = malloc_shared<int4>(1, q); q.fill(p, int4(7), 1).wait(); int4 v; q.copy(p, &v, 1).wait();",
            "0:v.w=7",
        ),
        # One member is a number, to and from variables.
        (f"{FILLED} int x; q.memcpy(&x, &p[1].a, sizeof(int)).wait();", "0:x=1"),
        (f"{FILLED} float x = 3.5f; q.memcpy(&p[1].b, &x, sizeof(x)).wait();", "p.b[0]=2.5 /\\ p.b[1]=3.5"),
        (
            "T* p = malloc_shared<T>(2, q); q.memset(p, 0, 2 * sizeof(T)).wait(); q.fill(p[1].v, short(3), 2).wait();",
            "p.v[1]=0 /\\ p.v[2]=3 /\\ p.v[3]=3",
        ),
        (f"{FILLED} S s; s.a = 9; q.memcpy(&s.b, &p[1].b, 4).wait();", "s.a=9 /\\ s.b=2.5"),
        ("S s{1, 2}; S* p = malloc_shared<S>(1, q); q.memcpy(p, &s, sizeof(s)).wait();", "p.a[0]=1 /\\ p.b[0]=2.0"),
        ("Made s; Made* p = malloc_shared<Made>(1, q); q.memcpy(p, &s, sizeof(s)).wait();", "p.a[0]=4"),
        ("int n = 3; n++; S s{n, 2}; S* p = malloc_shared<S>(1, q); q.memcpy(p, &s, sizeof(s)).wait();", "p.a[0]=4"),
        (
            (
                "S h[2] = {{1, 2}, {3, 4}}; S* p = malloc_device<S>(2, q); q.memcpy(p, h, sizeof(h)).wait(); "
                "S g[2]; q.memcpy(g, p, sizeof(g)).wait(); int x = g[1].a;"
            ),
            "0:x=3 /\\ g.b[0]=2.0",
        ),
        (
            (
                "std::vector<S> v{{1, 2}, {3, 4}}; S* p = malloc_shared<S>(2, q); "
                "q.memcpy(p, v.data(), v.size() * sizeof(S)).wait();"
            ),
            "p.a[0]=1 /\\ p.a[1]=3 /\\ p.b[1]=4.0",
        ),
        (
            "std::vector<S> v(2, S{1, 2}); S* p = malloc_shared<S>(2, q); q.copy(v.data() + 1, p, 1).wait();",
            "p.a[0]=1 /\\ p.b[0]=2.0",
        ),
        ("std::array<S, 2> v = {{ {1, 2}, {3, 4} }}; int x = v[1].a;", "0:x=3 /\\ v.b[0]=2.0"),
        ("std::vector<int2> v{int2(1, 2), int2(3)}; int x = v[1].y();", "0:x=3 /\\ v.y[0]=2"),
        (
            (
                "std::vector<S> v{{1, 2}, {3, 4}}; { buffer<S> b(v.data(), range<1>(2)); "
                "q.submit([&](handler& h) { accessor a(b, h); h.fill(a, S{5, 6}); }); }"
            ),
            "v.a[1]=5 /\\ v.b[1]=6.0",
        ),
        (
            (
                "std::vector<S> v{{1, 2}, {3, 4}}; std::vector<S> w(2); { buffer<S> b(v.data(), range<1>(2)); "
                "q.submit([&](handler& h) { accessor a(b, h); h.copy(a, w.data()); }); }"
            ),
            "w.a[1]=3 /\\ w.b[0]=2.0",
        ),
    ],
)
def test_memory_of_the_host(body: str, state: str) -> None:
    always(body, state)


@pytest.mark.parametrize(
    ("body", "state"),
    [
        ("int* p = malloc_shared<int>(4, q); q.memset(p, 0xff, 4 * sizeof(int)).wait();", "p[3]=-1"),
        (
            "int* p = malloc_shared<int>(4, q); q.fill(p, 7, 4).wait(); q.fill(p + 1, 8, 2).wait();",
            "p[0]=7 /\\ p[2]=8 /\\ p[3]=7",
        ),
        (
            (
                "int* p = malloc_shared<int>(4, q); q.memset(p, 0, 8).wait(); q.memset(p + 2, 1, 8).wait(); int r; "
                "q.memcpy(&r, p + 3, sizeof(int)).wait();"
            ),
            "0:r=16843009 /\\ p[1]=0",
        ),
        (
            "float* p = malloc_shared<float>(1, q); q.fill(p, 1.0f, 1).wait(); int r[1]; q.memcpy(r, p, 4).wait();",
            "r[0]=1065353216",
        ),
        ("float* p = malloc_shared<float>(2, q); q.fill(p, 0, 2).wait();", "p[1]=0.0"),
        # Twice four bytes are one element.
        ("long* p = malloc_shared<long>(2, q); p[1] = 5; q.fill(p, 0, 2).wait();", "p[0]=0 /\\ p[1]=5"),
        ("int h[2] = {1, 2}; int* p = malloc_shared<int>(2, q); q.memcpy(p, h, sizeof(h)).wait();", "p[1]=2"),
    ],
)
def test_numbers_and_parts_of_memory(body: str, state: str) -> None:
    always(body, state)


WRITES: Final = "q.memset(p, 0, 2 * sizeof(S)).wait(); event e = q.single_task([=] { p[1].a = 1; });"


@pytest.mark.parametrize(
    ("body", "races"),
    [
        # A copy reads all members and writes all.
        ("q.memcpy(r, p, 2 * sizeof(S)).wait();", True),
        ("q.memcpy(r, p, 2 * sizeof(S), e).wait();", False),
        ("q.memcpy(p, r, 2 * sizeof(S)).wait();", True),
        ("q.memcpy(r, p, sizeof(S)).wait();", False),
        ("q.memcpy(r, p + 1, sizeof(S)).wait();", True),
        ("q.memcpy(r, &p[1].b, sizeof(float)).wait();", False),
        ("q.memcpy(r, &p[1].a, sizeof(int)).wait();", True),
        ("q.fill(p, S{1, 2}, 1).wait();", False),
        ("q.fill(p, S{1, 2}, 2).wait();", True),
        ("q.memset(p, 0, 2 * sizeof(S)).wait();", True),
        ("q.memset(&p[1].b, 0, sizeof(float)).wait();", False),
        ("S s; q.memcpy(&s, p + 1, sizeof(S)).wait();", True),
        ("e.wait(); S s; q.memcpy(&s, p + 1, sizeof(S)).wait();", False),
        ("S s; event f = q.memcpy(&s, p, sizeof(S)); s.b = 3; f.wait();", True),
        ("S s; event f = q.memcpy(&s, p, sizeof(S)); f.wait(); s.b = 3;", False),
    ],
)
def test_races(body: str, races: bool) -> None:
    initial = f"{S_TWO} q.memset(r, 0, 2 * sizeof(S)).wait(); {WRITES}"
    assert outcome(f"{initial} {body}", "true")[1] == ({"data-race"} if races else set())


@pytest.mark.slow
def test_a_loop_that_reads_a_structure() -> None:
    """What a blocking read of several members is supposed to return is what runs read, member by member."""
    loop = (
        "S* p = malloc_shared<S>(1, q); q.memset(p, 0, 8).wait(); int n = 0; bool done = false; while (!done) { "
        "q.parallel_for(range<1>(4), [=](id<1> i) { if (i == 2) { p[0].a += 1; p[0].b += 2; } }).wait(); "
        "S s; q.memcpy(&s, p, sizeof(S)).wait(); done = s.b > 4 && s.a == 3; n++; }"
    )
    (result,) = check_all(Source("t.litmus", text(loop, "~(0:n=3)")), models=("sycl-2020",))
    assert result.reachable is False
    assert not result.bounded
    assert not result.undefined


def test_what_nobody_has_written() -> None:
    body = f"{S_TWO} p[0].a = 1; q.memcpy(r, p, sizeof(S)).wait();"
    assert outcome(body, "true")[1] == {"uninitialised-read"}
    assert outcome(f"{S_TWO} p[0].a = 1; q.memcpy(r, p, sizeof(int)).wait();", "true")[1] == set()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f"{S_TWO} q.memset(p, 1, 6).wait();", "in the middle of an element of 'p.b'"),
        (f"{S_TWO} q.memset(p, 0, 2).wait();", "in the middle of an element of 'p.a'"),
        (f"{S_TWO} q.memset(p, 0, 17).wait();", "'p' has 16 bytes, and the command is about 17"),
        (f"{S_TWO} q.memcpy(p, r + 1, 16).wait();", "'r' has 8 bytes behind 'r + 1', and the command is about 16"),
        (f"{S_TWO} q.copy(p, r, 3).wait();", "'r' has 16 bytes, and the command is about 24"),
        (f"{S_TWO} q.memcpy(p, r - 1, 8).wait();", "'r - 1' lies before the beginning of 'r'"),
        (f"{S_TWO} q.memcpy(p + 1, &p->b, 8).wait();", "overlaps"),
        (f"{S_TWO} q.fill(p, 5, 2).wait();", "'5' is no 'struct S', which each element of the memory is"),
        (f"{S_TWO} int n = 1; n++; q.memcpy(p + n, r, 8).wait();", "a constant place in it, found 'p + n'"),
        (f"{S_TWO} int n = 1; n++; q.memset(p, n, 16).wait();", "sets bytes to a constant here, found 'n'"),
        (f"{S_TWO} T* t = malloc_shared<T>(2, q); q.memcpy(p, t, 16).wait();", "divided into members"),
        ("bool* p = malloc_shared<bool>(1, q); q.memset(p, 2, 1).wait();", "with 2 in each byte"),
        (
            "float* p = malloc_shared<float>(1, q); q.fill(p, 1, 1).wait();",
            "'1', which is 'int', and 'p' consists of 'float'",
        ),
        ("short4* p = malloc_shared<short4>(1, q); q.fill((int*)p, 7, 2);", "'p' consists of 'short'"),
        ("int* p = malloc_shared<int>(2, q); int2 r; q.memcpy(&r, p, 8).wait();", "mean something else as 'int'"),
        (f"{S_TWO} T t; q.memcpy(&t, p, 8).wait();", "mean something else as 'struct S'"),
        (f"{S_TWO} S s; q.memcpy(&s, p, 16).wait();", "'s' has 8 bytes, and 16 are copied"),
        ("float* p = malloc_shared<float>(1, q); int r; q.memcpy(&r, p, 4).wait();", "mean something else as 'float'"),
        (f"{S_TWO} int n = 1; q.memcpy((int*)p + 1, &n, 4).wait();", "mean something else as 'float'"),
        ("long* p = malloc_shared<long>(1, q); int r; q.memcpy(&r, p, 8).wait();", "'r' has 4 bytes, and 8 are copied"),
        ("Made v[2]; Made* p = malloc_shared<Made>(2, q); q.memcpy(p, v, sizeof(v));", "a class with constructors"),
        ("std::vector<S> v(2); S* p = malloc_shared<S>(2, q); q.memcpy(p, v.data(), sizeof(v));", "found 'sizeof(v)'"),
    ],
)
def test_what_is_refused(body: str, message: str) -> None:
    (found,) = refused(body)
    assert message in found


def test_threads_of_the_host_copy_parts_of_their_parameters() -> None:
    body = "q.memcpy(y, x, 4).wait(); q.memcpy(y + 2, x + 1, 8).wait(); int r; q.memcpy(&r, x + 3, 4).wait();"
    initial = "int x[4] = {1, 2, 3, 4}; int y[4] = {7, 7, 7, 7}; queue q = in_order dev 0;"
    asked = "y[0]=1 /\\ y[1]=7 /\\ y[2]=2 /\\ y[3]=3 /\\ 0:r=4"
    test = f"SYCL t\n{{ {initial} }}\nP0@host (int* x, int* y) {{ {body} }}\nforall ({asked})\n"
    (result,) = check_all(Source("t.litmus", test), models=("sycl-2020",))
    assert result.holds


def test_structures_with_arrays_of_the_library() -> None:
    part = "struct L { std::array<int, 2> v; int n; };\n"
    body = "std::vector<L> v(2); L* p = malloc_shared<L>(2, q); q.memcpy(p, v.data(), 2 * sizeof(L)).wait();"
    test = text(body, "p.v[3]=0 /\\ p.n[1]=0").replace("host {", f"{part}host {{")
    (result,) = check_all(Source("t.litmus", test), models=("sycl-2020",))
    assert result.reachable
    assert not result.undefined


def test_parts_are_not_converted() -> None:
    part = "q.memset(x + 1, 0, sizeof(int)).wait();"
    with pytest.raises(InputError) as caught:
        convert_test(Source("t.litmus", text(part, "true", "int x[2];")), "opencl")
    assert "a part of memory" in caught.value.diagnostics[0].message
    whole = convert_test(Source("t.litmus", text("q.memset(x, 255, 4).wait();", "true", "int x;")), "opencl")
    assert "clEnqueueSVMMemFill(q, x, -1)" in whole


def test_the_initial_state_counts_structures() -> None:
    body = "q.memset(p, 0, sizeof(S)).wait();"
    (result,) = check_all(Source("t.litmus", text(body, "p.b=0", "struct S p = {1, 2};")), models=("sycl-2020",))
    assert result.holds
