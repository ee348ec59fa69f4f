"""Asynchronous copies in view memory: the accesses of a copy are those of a thread of their own, a copier.

The last work-item of a group performs the copies of the group where it calls them. Models allow any work-item of the
group to perform a copy, and its accesses to come at any time up to the waits for it. The copier knows what the
work-item knows when it calls; so its accesses race with what is not ordered with them, though they come at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.machine.row import replaced, row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.view import ViewState
    from mcm.program.types import Value


class CopyViews:
    """What asynchronous copies do to views."""

    def begin_copy(self, state: ViewState, thread: int, copier: int) -> ViewState:
        """A copy begins: the copier knows what the thread knows, and no other copy."""
        view = state.threads[copier]._replace(seen=state.threads[thread].seen, latest_reads=0)
        return state._replace(threads=replaced(state.threads, copier, view))

    def end_copy(self, state: ViewState, copier: int, event: Value) -> ViewState:
        """A copy is complete: what the copier knows now is what a wait for the event learns."""
        seen = state.threads[copier].seen
        kept = []
        for owner, other, known in state.copies:
            if (owner, other) == (copier, event):
                seen = seen[0] | known[0], seen[1] | known[1]
            else:
                kept.append((owner, other, known))
        return state._replace(copies=(*kept, (copier, event, seen)))

    def await_copies(self, state: ViewState, group: Sequence[int], copier: int, events: Sequence[Value]) -> ViewState:
        """All threads of a group have waited for some events: these copies happen before what they do next."""
        gained = (0, 0)
        kept = []
        for owner, event, known in state.copies:
            if owner == copier and event in events:
                gained = gained[0] | known[0], gained[1] | known[1]
            else:
                kept.append((owner, event, known))
        threads = list(state.threads)
        for member in group:
            seen = threads[member].seen
            threads[member] = threads[member]._replace(seen=(seen[0] | gained[0], seen[1] | gained[1]), latest_reads=0)
        return state._replace(threads=row(threads), copies=tuple(kept))
