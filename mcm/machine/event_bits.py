"""The bits that stand for events and facts in views: the same for the same event in every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcm.machine.fact import Fact


class EventBits:
    """Bits are assigned at first use. An event is known by its thread and its number there.

    Where devices enqueue kernels, which learn only of fine-grain memory what came before (HOST-1), an event has two
    bits: that it happens before in fine-grain memory, and in the rest of global memory.
    """

    def __init__(self, *, has_children: bool = False) -> None:
        self._has_children = has_children
        self._bits: dict[tuple[int, int] | Fact, int] = {}

    def of(self, what: tuple[int, int] | Fact) -> int:
        """The bits of an event, or of a fact."""
        bits = self._bits.get(what)
        if bits is None:
            number = len(self._bits)
            bits = self._bits[what] = 0b11 << 2 * number if self._has_children else 1 << number
        return bits

    def of_fine_grain(self, bits: int) -> int:
        """Those of some bits that are about fine-grain memory."""
        return bits & ((1 << 2 * len(self._bits)) - 1) // 3 if self._has_children else bits

    def of_other(self, bits: int) -> int:
        """Those of some bits that are about the rest of global memory."""
        return bits & ~self.of_fine_grain(bits) if self._has_children else bits
