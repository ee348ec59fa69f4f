"""Numbers that states show can be written in the initial state, and in conditions."""

from __future__ import annotations

import pytest

from mcm import check


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("long", -(2**63)),
        ("long", 2**63 - 1),
        ("ulong", 2**64 - 1),
        ("atomic_ulong", 2**64 - 1),
        ("int", -(2**31)),
        ("uint", 2**32 - 1),
    ],
)
def test_the_largest_and_the_least(type_: str, value: int) -> None:
    text = f"OPENCL largest\n{{ {type_} x = {value}; }}\nP0 (global {type_}* x) {{ }}\nforall (x={value})\n"
    result = check(text)
    assert result.as_expected is not False
    (state,) = result.states
    assert (state.values, state.satisfies) == ({"x": value}, True)
