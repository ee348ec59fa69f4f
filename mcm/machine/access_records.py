"""The accesses of a location that are remembered, for races with later ones."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.program.types import Scope


class AccessRecord(NamedTuple):
    """An earlier access of a location, with which a later one may race; `scope` is None for a plain access.

    Atomic accesses that have inclusive scopes `cover` the same, which is 0 where no other can.
    """

    event: int
    thread: int
    site: int
    writes: bool
    scope: Scope | None
    covers: int = 0


# Those of a few threads.
Group = frozenset[AccessRecord]

# The accesses of so many threads are kept together: a thousand may read a location, and each access copies its group.
_TOGETHER: Final = 16
_NOBODY: Final[Group] = frozenset()


class Accesses(Struct, frozen=True):
    """The accesses of one location that are remembered, in groups by their threads; reads apart, as they race less."""

    reads: tuple[Group, ...] = ()
    writes: tuple[Group, ...] = ()

    def __iter__(self) -> Iterator[AccessRecord]:
        """All of them, in no order."""
        return chain.from_iterable((*self.reads, *self.writes))

    def by(self, thread: int) -> Iterator[AccessRecord]:
        """Those of a thread, and perhaps of others."""
        place = thread // _TOGETHER
        return chain(*self.reads[place : place + 1], *self.writes[place : place + 1])

    def in_conflict_with(self, access: AccessRecord) -> Iterator[AccessRecord]:
        """Those of which one is a write if the given one is none."""
        return iter(self) if access.writes else chain.from_iterable(self.writes)

    def and_also(self, access: AccessRecord) -> Accesses:
        """The accesses with one more, which replaces the earlier ones of the same instruction.

        An access that races with an earlier one races with it too: whatever happens after it happens after them.
        """
        if access.writes:
            return Accesses(self.reads, _with_access(self.writes, access))
        return Accesses(_with_access(self.reads, access), self.writes)


def _with_access(groups: tuple[Group, ...], access: AccessRecord) -> tuple[Group, ...]:
    place, kind = access.thread // _TOGETHER, access[1:]
    changed = [*groups, *[_NOBODY] * (place + 1 - len(groups))]
    changed[place] = frozenset({*(other for other in changed[place] if other[1:] != kind), access})
    return tuple(changed)
