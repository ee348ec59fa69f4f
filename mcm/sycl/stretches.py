"""Elements of buffers that commands access, by which their accessors order them (SYCL 2020, 3.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.sycl.context import Object


class Stretch(Struct, frozen=True):
    """So many elements of the memory of a buffer that follow each other, from one on."""

    location: str
    first: int
    count: int

    def overlaps(self, other: Stretch) -> bool:
        """Whether two have an element in common."""
        is_apart = self.first + self.count <= other.first or other.first + other.count <= self.first
        return self.location == other.location and not is_apart

    @property
    def elements(self) -> range:
        """The numbers of the elements."""
        return range(self.first, self.first + self.count)


def whole(location: str, memory: Mapping[str, Object]) -> Stretch:
    """All elements of the memory of a buffer."""
    return Stretch(location, 0, memory[location].count)
