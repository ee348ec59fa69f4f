"""Histories of one location: what may be read, where may be written, what goes along."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.machine.view import Message, Release

History = tuple["Message", ...]


def newest_known(history: History, seen: int, limit: int = 0) -> int:
    """The newest message that is known: written or read by an event that was seen, or one of the `limit`."""
    for i in range(len(history) - 1, 0, -1):
        message = history[i]
        if (message.event | message.readers) & seen or message.event & limit:
            return i
    return 0


def visible(history: History, seen: int, *, is_ordered: bool) -> Iterator[int]:
    """VIS-1: the writes that happen before a read with no other in between; without order, every one."""
    hidden = 0
    has_later = False
    for message in history:
        if message.event & seen:
            hidden |= message.before
            has_later = True
    for i, message in enumerate(history):
        if not is_ordered or (message.event & seen & ~hidden if message.event else not has_later):
            yield i


def insertion_points(history: History, first: int, *, is_sc: bool) -> Iterator[int]:
    """The messages behind which a write may come: the newest known one, or any later one.

    Nothing comes between a read-modify-write and what it read, nor into a release sequence that has been made use of;
    SC writes come in the order in which they are executed.
    """
    for i in range(first, len(history)):
        if is_sc and any(message.is_sc for message in history[i + 1 :]):
            continue
        if i + 1 == len(history) or not (history[i + 1].attached or history[i + 1].inherits):
            yield i


def with_reader(history: History, index: int, reader: int) -> History:
    """The history after an event has read a message."""
    message = history[index]
    return (*history[:index], message._replace(readers=message.readers | reader), *history[index + 1 :])


def with_message(history: History, behind: int, message: Message, *, is_ordered: bool) -> History:
    """The history with a new message behind another; without modification order they are kept sorted."""
    if not is_ordered:
        return tuple(sorted((*history, message), key=lambda one: (one.number, one.thread)))
    return (*history[: behind + 1], message, *history[behind + 1 :])


def carried_releases(source: Message, thread: int, *, is_update: bool) -> tuple[frozenset[Release], bool]:
    """RS-1, RS-2, RS-4: the releases that a write behind a message goes on carrying, and whether it could lose them."""
    if is_update:
        return source.releases, False
    own = frozenset(release for release in source.releases if release.unit == thread)
    return own, bool(own)


def add_release(gained: list[int], release: Release, region: int, *, crosses: bool) -> None:
    """Add what a release hands over in one region, or in both where the edge holds in both (SW-SC, SW-DUAL)."""
    for r in (0, 1):
        if r == region or crosses:
            gained[r] |= release.before[r] | release.events
