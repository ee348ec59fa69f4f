"""The state of view memory: messages in the history of each location, and the view of each thread.

Views are sets of events, as masks: the k-th event of a thread has the same bit in every run, so that states reached by
different interleavings are equal. Pairs of views are indexed by region: 0 global, 1 local.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mcm.program.types import Flag, Order

if TYPE_CHECKING:
    from mcm.machine.access_records import Accesses
    from mcm.machine.memory_layout import ScopeReach
    from mcm.machine.row import Row
    from mcm.program.types import Scope, Value

Views = tuple[int, int]


class Release(NamedTuple):
    """A release operation: itself, and the events that happen before it in each region.

    `regions` is a mask: the flags of a fence, of an entry that of images too, the region of the location of a write.
    Releases of one thread and of one kind that go together are kept as one, with all their `events`.
    """

    events: int
    unit: int
    scope: Scope
    regions: int
    is_fence: bool
    is_sc: bool
    before: Views

    @property
    def kind(self) -> tuple[int, Scope, int, bool, bool]:
        """What decides who may acquire the release."""
        return self.unit, self.scope, self.regions, self.is_fence, self.is_sc


class Message(NamedTuple):
    """A write in the history of its location, the `number`-th event of its thread.

    `before` is what happens before it in the region of the location, `readers` the events that have read it, `releases`
    the releases whose release sequences it belongs to. `attached`: a read-modify-write, which comes directly after the
    message that it read. `inherits`: it continues the release sequence of an earlier write of its thread, so that no
    write of another thread may come in between.
    """

    event: int
    value: Value
    thread: int
    number: int
    before: int
    readers: int
    releases: frozenset[Release]
    attached: bool
    inherits: bool
    is_sc: bool
    indeterminate: bool


class PendingAcquire(NamedTuple):
    """A release that an atomic read has seen and that a later acquire fence may synchronise with."""

    release: Release
    region: int
    reach: ScopeReach


class ThreadView(NamedTuple):
    """The view of a thread: `seen` are the events that happen before its next action in each region.

    `number` counts its events; `latest_reads` are its reads since its last event of another kind.
    `released` are its release fences, `pending` the releases that it may still acquire,
    `writes` its atomic writes. It may not read a message older than those of `read_floor`, nor write before those of
    `write_floor`, because of SC fences. `entry` is the release at its last barrier entry. `unfenced` are its writes of
    images since its last fence with the image flag (IMG-1).
    """

    number: int = 0
    seen: Views = (0, 0)
    released: frozenset[Release] = frozenset()
    pending: frozenset[PendingAcquire] = frozenset()
    writes: int = 0
    read_floor: int = 0
    write_floor: int = 0
    entry: Release | None = None
    latest_reads: int = 0
    unfenced: int = 0

    def with_image_fence(self, flags: frozenset[Flag], order: Order) -> ThreadView:
        """The view after a fence with these flags: one for images lets earlier writes hide others."""
        return self._replace(unfenced=0) if Flag.IMAGE in flags and order is not Order.RELAXED else self


class MappedAccess(NamedTuple):
    """An access of the host by way of maps, by their numbers, each of which an unmap ends that may come too early."""

    event: int
    thread: int
    site: int
    maps: frozenset[int]


class ViewState(NamedTuple):
    """A state of view memory. `published` are the atomic writes before any SC fence so far.

    `boxes` has the events that commands hand on: what they happen before happens after these, in global memory.
    `called` are the calls of unmaps so far, `mapped` the accesses that a later one may come too early for (MAP-4).
    `copies` are asynchronous copies that are complete: whose accesses, the event, what a wait for it learns.
    """

    threads: Row[ThreadView]
    histories: Row[tuple[Message, ...]]
    accesses: Row[Accesses]
    published: int = 0
    boxes: Row[int] = ()
    called: int = 0
    mapped: frozenset[MappedAccess] = frozenset()
    copies: tuple[tuple[int, Value, Views], ...] = ()
