"""What a picture is about: events and pairs that it points out, and units that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.base.style import Style


class MarkedPair(Struct, frozen=True):
    """A pair of events that stands out, such as a race or a step of a cycle; `title` tells it in words."""

    source: int
    target: int
    name: str
    style: Style
    title: str
    directed: bool = True


class Wait(Struct, frozen=True):
    """The thread of this number waits forever; `text` says for what, at `line`."""

    thread: int
    text: str
    line: int


class Marks(Struct, frozen=True):
    """Events by number, pairs of them, and units that wait."""

    events: frozenset[int] = frozenset()
    pairs: tuple[MarkedPair, ...] = ()
    waits: tuple[Wait, ...] = ()

    @property
    def all_events(self) -> frozenset[int]:
        """The marked events, and those of marked pairs."""
        return self.events.union(*((pair.source, pair.target) for pair in self.pairs))


NOTHING_MARKED = Marks()
