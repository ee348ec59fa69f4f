"""Vectors of vectors of one length."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused

_M = "std::vector<std::vector<int>> m(2, std::vector<int>(3, 1)); int* d = malloc_shared<int>(6, q);"
_FILLED = "for (int i = 0; i < m.size(); i++) for (int j = 0; j < m[i].size(); j++) m[i][j] = i * 3 + j;"


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (f"{_FILLED} for (int i = 0; i < 2; i++) q.memcpy(d + i * 3, m[i].data(), 12).wait();", "d[5]=5 /\\ d[2]=2"),
        ("int s = 0; for (auto& row : m) { for (auto& v : row) { v += 1; s += v; } } *d = s + m[1][2];", "d[0]=14"),
        ("for (auto& row : m) for (int v : row) v = 7; *d = m[0][0];", "d[0]=1"),
        ("for (std::vector<int>& row : m) row[1] = row.size(); *d = m[1][1] + m[0][0];", "d[0]=4"),
    ],
)
def test_rows_and_elements(body: str, question: str) -> None:
    assert holds(_M + body, question)


def test_rows_are_memory_of_the_host() -> None:
    body = "q.memcpy(d, m[1].data(), 12); m[{row}][0] = 3; q.wait();"
    assert kinds(_M + body.replace("{row}", "1")) == {"data-race"}
    assert kinds(_M + body.replace("{row}", "0")) == set()


@pytest.mark.parametrize(
    "body",
    [
        "f(m);",
        "for (auto row : m) row[0] = 7;",
        "m.push_back(std::vector<int>(3));",
        "m[0].push_back(3);",
        "buffer<int> b(m[1].data(), range<1>(3));",
    ],
)
def test_what_is_not_one_vector(body: str) -> None:
    assert refused(_M + body, "void f(std::vector<std::vector<int>>& m) { m[0][0] = 1; }")
