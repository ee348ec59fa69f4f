"""Variables that are declared `auto` and are pointers: what is const, and what the star says."""

from __future__ import annotations

import pytest
from host_samples import holds, refused

R = "int* r = malloc_shared<int>(2, q); r[0] = r[1] = 1; "


@pytest.mark.parametrize(
    "body",
    [
        "const auto p = r + 1; *p = 5;",
        "auto const p = r; p[1] = 5;",
        "auto* p = r; p[1] = 5;",
        "auto *p = r + 1, n = 5; *p = n;",
    ],
)
def test_what_is_pointed_at_may_change(body: str) -> None:
    assert holds(f"{R} q.single_task([=] {{ {body} }}).wait();", "r[1]=5")
    assert holds(R + body, "r[1]=5")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("const auto* p = r; p[0] = 1;", "points at a const type"),
        ("const auto p = r; p = r + 1;", "'p' is declared const"),
        ("auto* p = 3;", "is declared a pointer"),
    ],
)
def test_what_may_not(body: str, message: str) -> None:
    assert message in refused(f"{R} q.single_task([=] {{ {body} }}).wait();")
