"""Operators as arguments of templates, and errors that end a program."""

from __future__ import annotations

import pytest
from host_samples import holds, refused

X = "int* x = malloc_shared<int>(2, q); x[0] = 2; x[1] = 3; "
ALL = (
    "template <typename T, typename Op> void all(queue& q, T* x) { "
    "q.single_task([=] { x[0] = Op{}(x[0], x[1]); }).wait(); }"
)


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("all<int, std::plus<int>>(q, x);", 5),
        ("all<int, sycl::maximum<>>(q, x);", 3),
        ("all<int, std::multiplies<int> >(q, x);", 6),
        ("x[0] = std::minus<int>()(x[1], std::plus<>{}(x[0], 4));", -3),
    ],
)
def test_operators(call: str, value: int) -> None:
    assert holds(X + call, f"x[0]={value}", ALL)


def test_what_throws_ends_the_program() -> None:
    before = 'void check(queue& q, int n) { if (n > 2) throw std::runtime_error("large"); q.wait(); }'
    assert holds(f"{X} check(q, 1); x[0] = 7; check(q, 3); x[0] = 8;", "x[0]=7", before)
    handled = f"try {{ {X} check(q, 3); x[0] = 8; }} catch (std::exception& e) {{ return 1; }}"
    assert holds(handled, "x[0]=2", before)


def test_what_is_caught_and_goes_on_is_refused() -> None:
    assert "an exception" in refused(f"{X} try {{ throw 1; }} catch (int n) {{ x[0] = n; }}")
