"""Operations on the history of one location: its messages in modification order."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.machine.view import Message, Release

History = tuple["Message", ...]


def newest_known(history: History, seen: int, limit: int = 0) -> int:
    """The index of the newest message that was written or read by an event of `seen`, or written by one of `limit`."""
    for i in range(len(history) - 1, 0, -1):
        message = history[i]
        if (message.event | message.readers) & seen or message.event & limit:
            return i
    return 0


def visible(history: History, seen: int, unfenced: int, *, is_ordered: bool) -> Iterator[int]:
    """VIS-1: the writes that happen before a read with no other in between; every write if the region is unordered.

    Writes of an image by the reader itself, without a fence since, hide nothing (IMG-1).
    """
    hidden = 0
    has_later = False
    for message in history:
        if message.event & seen & ~unfenced:
            hidden |= message.before
            has_later = True
    for i, message in enumerate(history):
        if not is_ordered or (message.event & seen & ~hidden if message.event else not has_later):
            yield i


def insertion_points(history: History, first: int, *, is_sc: bool) -> Iterator[int]:
    """The messages after which a write may be inserted: the newest known one, or any later one.

    Nothing is inserted between a read-modify-write and the message that it read, nor into a release sequence of one
    thread; SC writes are in the order in which they are executed.
    """
    for i in range(first, len(history)):
        if is_sc and any(message.is_sc for message in history[i + 1 :]):
            continue
        if i + 1 == len(history) or not (history[i + 1].attached or history[i + 1].inherits):
            yield i


def with_reader(history: History, index: int, reader: int) -> History:
    """The history after an event `reader` has read a message."""
    message = history[index]
    return (*history[:index], message._replace(readers=message.readers | reader), *history[index + 1 :])


def with_message(history: History, behind: int, message: Message, *, is_ordered: bool) -> History:
    """The history with a new message after another; without modification order messages are sorted by event."""
    if not is_ordered:
        return tuple(sorted((*history, message), key=lambda one: (one.number, one.thread)))
    return (*history[: behind + 1], message, *history[behind + 1 :])


def latest_writes(history: History) -> list[int]:
    """The indices of the writes of a plain location that happen before no other write."""
    overwritten = 0
    for message in history:
        overwritten |= message.before
    return [i for i, m in enumerate(history) if not m.event & overwritten and (m.event or len(history) == 1)]


def carried_releases(source: Message, thread: int, *, is_update: bool) -> tuple[frozenset[Release], bool]:
    """RS-1, RS-2, RS-4: the releases that a write after `source` carries on; True if another write could end them."""
    if is_update:
        return source.releases, False
    own = frozenset(release for release in source.releases if release.unit == thread)
    return own, bool(own)


def add_release(gained: list[int], release: Release, region: int, *, crosses: bool) -> None:
    """Add a release to the views `gained`: in one region, or in both if `crosses` (SW-SC, SW-DUAL)."""
    for r in (0, 1):
        if r == region or crosses:
            gained[r] |= release.before[r] | release.events


def with_release(releases: frozenset[Release], release: Release) -> frozenset[Release]:
    """Releases with one more, joined with an earlier one of the same unit and of equal scope, regions and order.

    Whoever acquires one of the two acquires both.
    """
    for other in releases:
        if other.kind == release.kind:
            before = (other.before[0] | release.before[0], other.before[1] | release.before[1])
            return (releases - {other}) | {release._replace(events=other.events | release.events, before=before)}
    return releases | {release}
