"""Vectors that are made of others, or get their size where they are first used."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

_X = "int* x = malloc_shared<int>(2, q); x[0] = 3; x[1] = 4; std::vector<int> v(2, 1);"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("std::vector<int> w = v; w[0] = 5;", "v[0]=1 /\\ w[0]=5 /\\ w[1]=1"),
        ("std::vector<int> w(v); v[1] = 7;", "w[1]=1 /\\ v[1]=7"),
        ("std::vector<int> w{v}; std::vector<int> u; u.resize(2); u[0] = u[1] = w[0];", "w[0]=1 /\\ u[1]=1"),
        ("std::vector<int> w(x, x + 2); x[0] = 0;", "w[0]=3 /\\ w[1]=4"),
        ("std::vector<int> w(v.begin() + 1, v.end()); w[0]++;", "w[0]=2 /\\ v[1]=1"),
        ("std::vector<int> w; x[0] = 1; w.resize(3); w[2] = 6;", "w[2]=6"),
        ("std::vector<int> w; w.assign(3, 7); w[0]++; x[0] = w[2]; w.assign(3, 8);", "x[0]=7 /\\ w[0]=8"),
        ("std::array<int, 2> w; w.fill(3); x[1] = w[0] + w[1];", "x[1]=6"),
    ],
)
def test_vectors_of_others(body: str, question: str) -> None:
    assert holds(f"{_X} {body}", question)


def test_a_copy_has_memory_of_its_own() -> None:
    body = (
        "std::vector<int> w = v; v[0] = 9; { buffer b(w); q.submit([&](handler& h) { accessor a(b, h); "
        "h.single_task([=] { a[0] += 1; }); }); }"
    )
    assert holds(f"{_X} {body}", "w[0]=2 /\\ v[0]=9")


def test_a_copy_reads() -> None:
    assert kinds(f"{_X} q.single_task([=] {{ x[1] = 5; }}); std::vector<int> w(x, x + 2); q.wait();") == {"data-race"}


def test_what_is_refused() -> None:
    assert refused(f"{_X} const std::vector<int> w = v;")
    assert refused(f"{_X} std::vector<int> w; if (x[0]) w.resize(3); w[0] = 1;")
    assert refused(f"{_X} std::vector<int> w; if (x[0]) w.push_back(1);")
