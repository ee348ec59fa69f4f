"""Persistent sets: threads whose next steps need not wait for what the others do.

What threads outside such a set do without it commutes with the next step of each thread in it, so that a search may
follow the steps of these threads alone and still come to every end (Godefroid 1996).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcm.machine.code import Barrier, Collective
from mcm.machine.group import group_of, members
from mcm.machine.lookahead import Lookahead
from mcm.program.instruction import Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.configuration import Configuration, Machine

_NEVER: Final = frozenset[Level]()


class PersistentSets:
    """Finds small persistent sets of a machine's configurations."""

    def __init__(self, machine: Machine[Any]) -> None:
        self._machine = machine
        self._lookahead = Lookahead(machine)
        count = range(len(machine.threads))
        # The levels at which two threads meet: neither passes such a meeting without the other.
        self._meet = [[self._levels(one, other) for other in count] for one in count]

    def _levels(self, one: int, other: int) -> frozenset[Level]:
        found = (level for level in Level if group_of(self._machine, one, level)[1] >> other & 1)
        return frozenset(found)

    def among(self, now: Configuration[Any], able: Sequence[int]) -> Sequence[int]:
        """Those threads of a small persistent set that can do a step; `able` are all that can."""
        best = able
        for thread in able if len(able) > 1 else ():
            chosen = self._closed(now, thread)
            found = [other for other in able if chosen >> other & 1]
            if len(found) < len(best):
                best = found
            if len(best) == 1:
                break
        return best

    def _closed(self, now: Configuration[Any], thread: int) -> int:
        """The least persistent set with a thread, as a mask of threads: each brings in those that it depends on."""
        chosen = 1 << thread
        added = [thread]
        while added:
            thread = added.pop()
            for other in members(self._needed(now, thread, chosen) & ~chosen):
                chosen |= 1 << other
                added.append(other)
        return chosen

    def _needed(self, now: Configuration[Any], thread: int, chosen: int) -> int:
        """Of a thread that waits, one that it waits for; else all that may come to conflict with its next step."""
        if now.waiting >> thread & 1:
            return self._awaited(now, thread, chosen)
        step = self._lookahead.of_next(now, thread)
        if not step.reads | step.writes:
            return 0
        found = 0
        for other, meet in enumerate(self._meet[thread]):
            if other != thread and not now.finished >> other & 1:
                # As long as this thread stands still, the other does not get past where they meet.
                found |= step.conflicts_with(self._lookahead.of_rest(now, other, meet)) << other
        return found

    def _awaited(self, now: Configuration[Any], thread: int, chosen: int) -> int:
        """A member of its group that has not arrived: without it nothing goes on. Nobody, where all wait for ever."""
        node = self._machine.instruction(now, thread)
        assert isinstance(node, (Barrier, Collective))
        missing = group_of(self._machine, thread, node.level)[1] & ~now.waiting
        return 0 if missing & chosen else missing & -missing
