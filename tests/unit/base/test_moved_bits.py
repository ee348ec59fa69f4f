"""The bits of a mask are brought together in the same order, whatever the mask."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mcm.base.bits import listed, mask_of, moved, moves_to_lowest


@settings(derandomize=True, deadline=None)
@given(mask=st.integers(0, 1 << 200), bits=st.integers(0, 1 << 200))
def test_bits_keep_their_order(mask: int, bits: int) -> None:
    members = [number for number in range(201) if mask >> number & 1]

    assert moved(bits & mask, moves_to_lowest(mask)) == mask_of(n for n, m in enumerate(members) if bits >> m & 1)


@settings(derandomize=True, deadline=None)
@given(runs=st.lists(st.tuples(st.integers(0, 70), st.integers(1, 70)), max_size=30))
def test_long_stretches_keep_their_order(runs: list[tuple[int, int]]) -> None:
    mask = number = 0
    for gap, length in runs:
        mask |= ((1 << length) - 1) << number + gap
        number += gap + length

    assert listed(moved(mask, moves_to_lowest(mask))) == tuple(range(mask.bit_count()))
    for place, bit in list(enumerate(listed(mask)))[::7]:
        assert moved(1 << bit, moves_to_lowest(mask)) == 1 << place
