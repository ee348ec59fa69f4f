"""Elements of buffers that commands access, by which their accessors order them (SYCL 2020, 3.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.resolve.buffer_order import Stretch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.sycl.context import Object


def whole(location: str, memory: Mapping[str, Object]) -> Stretch:
    """All elements of the memory of a buffer."""
    return Stretch(location, 0, memory[location].count)
