"""Containers of the host as wholes: compared and copied by their elements."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

TWO = "std::vector<int> v{1, 2}, w{1, 3}; "


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (f"{TWO} bool same = v == w; w[1] = 2; bool now = v == w;", "0:same=0 /\\ 0:now=1"),
        (f"{TWO} if (v != w) v[0] = 7;", "v[0]=7"),
        (f"{TWO} w = v; v[0] = 9;", "w[0]=1 /\\ w[1]=2 /\\ v[0]=9"),
        (f"{TWO} auto u = v; u[0] = 9;", "u[0]=9 /\\ u[1]=2 /\\ v[0]=1"),
        (f"{TWO} const auto u = std::move(w); v[0] = u[1];", "v[0]=3"),
        (f"{TWO} auto& u = v; u[0] = 9;", "v[0]=9"),
        (f"{TWO} std::vector<int> u(3, 1); bool same = u == v;", "0:same=0"),
        (f"{TWO} v.back() = 5; w.front() = v.back(); bool e = v.empty();", "v[1]=5 /\\ w[0]=5 /\\ 0:e=0"),
        ("std::array<int, 2> a{1, 2}, b; b = a; bool same = a == b; b[0] = 5;", "a[0]=1 /\\ b[0]=5 /\\ 0:same=1"),
        (f"{TWO} bool same = std::equal(v.begin(), v.end(), w.begin(), w.end());", "0:same=0"),
    ],
)
def test_elements(body: str, question: str) -> None:
    assert holds(body, question)


@pytest.mark.parametrize(
    "body", ["assert(v == w);", "w = v;", "auto u = v;", "bool same = v != w;", "int r = v.back();"]
)
def test_what_reads_a_container_reads_what_a_command_may_still_write(body: str) -> None:
    copied = "int* x = malloc_device<int>(2, q); q.memset(x, 0, 8).wait(); q.memcpy(v.data(), x, 8);"
    assert kinds(f"{TWO} {copied} {body} q.wait();") == {"data-race"}
    assert kinds(f"{TWO} {copied} q.wait(); {body}") == set()


@pytest.mark.parametrize("body", ["bool less = v < w;", "int n = 1; if (n && v == w) n = 2;", "w = true ? v : w;"])
def test_what_is_refused(body: str) -> None:
    assert refused(f"{TWO} {body}")
