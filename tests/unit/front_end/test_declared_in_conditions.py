"""Declarations in conditions, names from namespaces of the program, digits apart, limits of types of a width."""

from __future__ import annotations

import pytest
from host_samples import holds

MEMORY = "long* x = malloc_shared<long>(2, q); x[0] = x[1] = 0; q.single_task([=] { "


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("if (int k = 3; k > 2) x[0] = k; else x[0] = -k;", "x[0]=3"),
        ("if (int k = x[0]; k > 2) x[0] = k; else if (int m = k + 2) x[0] = m + k; else x[0] = 9;", "x[0]=2"),
        ("int k = 7; if (auto k = x[1]) x[0] = 1; x[0] += k;", "x[0]=7"),
        (
            ("switch (int k = 2; k + 1) { case 3: x[0] = k; break; default: x[0] = 9; } if (x[0]) x[1] = 4;"),
            "x[0]=2 /\\ x[1]=4",
        ),
        ("if constexpr (constexpr int k = 3; k > 2) x[0] = k; else x[0] = 1;", "x[0]=3"),
        ("x[0] = 1'000; x[1] = 0x1'F + '\\'';", "x[0]=1000 /\\ x[1]=70"),
        ("x[0] = INT32_MAX; x[1] = UINT8_MAX;", "x[0]=2147483647 /\\ x[1]=255"),
        ("x[0] = twice(3); x[1] = a::b::four;", "x[0]=6 /\\ x[1]=4"),
    ],
)
def test_values(body: str, question: str) -> None:
    before = (
        "namespace a { namespace b { constexpr int four = 4; } int twice(int n) { return 2 * n; } } using a::twice;"
    )

    assert holds(f"{MEMORY}{body} }}).wait();", question, before)


def test_on_the_host() -> None:
    body = "int* x = malloc_shared<int>(2, q); x[1] = 5; if (int k = x[1]; k > 2) { x[0] = k; } else { x[0] = 1; }"

    assert holds(body, "x[0]=5")
