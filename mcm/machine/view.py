"""What weak memory remembers: messages in each location's history, and what each thread has seen.

Views are sets of events, as bit masks: the k-th event of a thread has the same bit in every run of a memory, so that
states reached by different interleavings are equal. Pairs of views are indexed by region: 0 global, 1 local.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mcm.machine.memory_layout import ScopeReach
    from mcm.program.types import Scope, Value

Views = tuple[int, int]


class Release(NamedTuple):
    """What a release operation hands over: all that happens before it in each region, and itself.

    `regions` is a mask: of a fence its flags, of a write the region of its location. Releases of one thread by fences
    that are alike are kept as one, whose `events` are all of them.
    """

    events: int
    unit: int
    scope: Scope
    regions: int
    is_fence: bool
    is_sc: bool
    before: Views


class Message(NamedTuple):
    """A write in its location's history, the `number`-th event of its thread.

    `before` is what happens before it in the location's region. `attached`: a read-modify-write, which follows the
    message that it read. `inherits`: it continues the release sequence of its own thread's earlier write, so that no
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
    """A release that an atomic read has seen, for an acquire fence still to come."""

    release: Release
    region: int
    reach: ScopeReach


class ThreadView(NamedTuple):
    """A thread's knowledge. `seen` happens before its next action of each region.

    `released` are its release fences so far; `writes` its atomic writes; `read_floor` and `write_floor` are writes
    that SC fences keep it from going behind; `entry` is what its last barrier entry hands over.
    """

    number: int = 0
    seen: Views = (0, 0)
    released: frozenset[Release] = frozenset()
    pending: frozenset[PendingAcquire] = frozenset()
    writes: int = 0
    read_floor: int = 0
    write_floor: int = 0
    entry: Release | None = None


class AccessRecord(NamedTuple):
    """An access of a location in the past, to find races with; `scope` is None for a plain one."""

    event: int
    thread: int
    site: int
    writes: bool
    scope: Scope | None


class ViewState(NamedTuple):
    """The whole memory. `published` are the atomic writes before any SC fence so far."""

    threads: tuple[ThreadView, ...]
    histories: tuple[tuple[Message, ...], ...]
    accesses: tuple[frozenset[AccessRecord], ...]
    published: int = 0
