"""Numbers and pointers that a command group declares have the values that they have where it is submitted."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

MEMORY = "int* a = malloc_shared<int>(2, q); int* b = malloc_shared<int>(2, q); a[0] = a[1] = b[0] = b[1] = 1; "
STEP = "h.parallel_for(2, [=](id<1> i) { out[i] = in[1 - i] + by; });"


def group(first: str) -> str:
    return f"q.submit([&](handler& h) {{ {first} {STEP} }})"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("const int* in = a; int* out = b; int by = a[0];", "a[0]=1 /\\ b[1]=2"),
        ("local_accessor<int, 1> t(2, h); auto in = a + 0; auto* out = b; const int by = 2; int n = by;", "b[0]=3"),
    ],
)
def test_values(body: str, question: str) -> None:
    assert holds(f"{MEMORY} {group(body)}.wait(); int by = 9; by++;", question)


def test_loops() -> None:
    turns = "event e; for (int t = 0; t < 3; t++) { e = GROUP; std::swap(a, b); } e.wait(); b[0] = a[0];"
    first = "const int* in = a; int* out = b; int by = 1;"
    assert holds(MEMORY + turns.replace("GROUP", group(f"h.depends_on(e); {first}")), "b[0]=4")
    assert kinds(MEMORY + turns.replace("GROUP", group(first))) == {"data-race"}
    alone = f"for (int t = 0; t < 2; t++) {group('int* in = a; int* out = a + 2 * t; int by = t;')}.wait();"
    assert kinds(MEMORY.replace("(2, q)", "(4, q)") + alone) == {"data-race"}


def test_reads_are_those_of_the_host() -> None:
    one = group("int* in = a; int* out = b; int by = b[0];")
    assert kinds(f"{MEMORY} {one}.wait(); {one}.wait();") == set()
    assert kinds(f"{MEMORY} {one}; {one}; q.wait();") == {"data-race"}


@pytest.mark.parametrize("first", ["int by = 1; by += 2;", "b[0] = 3; int by = b[0];"])
def test_what_else_stays_in_the_group(first: str) -> None:
    assert "a command group holds accessors" in refused(MEMORY + group(f"int* in = a; int* out = b; {first}") + ";")


def test_images() -> None:
    assert "an image" in refused("std::vector<float> v(4); unsampled_image<1> m(v.data(), f, range<1>(4));")


def test_function_objects() -> None:
    before = """class Add { accessor<int, 1, access_mode::read_write> a_; int n_; public:
      Add(accessor<int, 1, access_mode::read_write> a, int n) : a_(a), n_(n) {}
      void operator()(id<1> i) const { a_[i / DIVISOR] += n_; } };"""
    body = """std::vector<int> v(2, 1); { buffer b(v); q.submit([&](handler& h) { accessor a(b, h, read_write);
      Add add(a, 2); h.parallel_for(range<1>(2), add); }); } int n = v[1];"""
    assert holds(body, "0:n=3", before.replace("DIVISOR", "1"))
    assert kinds(body, before.replace("DIVISOR", "2")) == {"data-race"}
