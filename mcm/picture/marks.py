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


class Attempt(Struct, frozen=True):
    """What the thread of this number does and must not, and what is no event: an access of no element.

    `text` says what (`write a[4]`), `detail` what is wrong with it (`no such element`), `title` all of it. The events
    of the thread whose numbers are below `place` come before it.
    """

    thread: int
    place: int
    text: str
    detail: str
    line: int
    title: str


class Marks(Struct, frozen=True):
    """Events by number, pairs of them, units that wait, and what is attempted."""

    events: frozenset[int] = frozenset()
    pairs: tuple[MarkedPair, ...] = ()
    waits: tuple[Wait, ...] = ()
    attempts: tuple[Attempt, ...] = ()

    @property
    def all_events(self) -> frozenset[int]:
        """The marked events, and those of marked pairs."""
        return self.events.union(*((pair.source, pair.target) for pair in self.pairs))

    @property
    def numbered_waits(self) -> tuple[tuple[int, Wait], ...]:
        """The units that wait, with the numbers of their nodes."""
        return tuple((-1 - index, wait) for index, wait in enumerate(self.waits))

    @property
    def numbered_attempts(self) -> tuple[tuple[int, Attempt], ...]:
        """What is attempted, with the numbers of its nodes."""
        return tuple((-1 - index, each) for index, each in enumerate(self.attempts, start=len(self.waits)))


NOTHING_MARKED = Marks()
