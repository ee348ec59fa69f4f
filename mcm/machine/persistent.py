"""Persistent sets of threads (Godefroid 1996).

Whatever threads outside a persistent set do commutes with the next steps of the threads in it. A search that follows
only the steps of a persistent set from each configuration still reaches every configuration without a next step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcm.base.bits import listed
from mcm.machine.code import GroupFunction
from mcm.machine.lookahead import Lookahead
from mcm.program.operators import Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.configuration import Configuration
    from mcm.machine.machine import Machine

# The levels at which two threads are in one group: neither passes a group function of such a level without the other,
# but for those that take together who comes.
_NEVER: Final = frozenset[Level]()
_WORK_GROUP: Final = frozenset({Level.WORK_GROUP})
_BOTH: Final = frozenset(Level)

# At most so many sets are computed, of which the smallest is taken; in small programs that is all of them.
_MOST_TRIED: Final = 16


class PersistentSets:
    """Finds small persistent sets of the configurations of a machine."""

    def __init__(self, machine: Machine[Any]) -> None:
        self._machine = machine
        self._lookahead = Lookahead(machine)

    def among(self, now: Configuration[Any], runnable: Sequence[int]) -> Sequence[int]:
        """The runnable threads of a small persistent set."""
        best = runnable
        for thread in runnable[:_MOST_TRIED] if len(runnable) > 1 else ():
            chosen = self._closed(now, thread)
            found = [other for other in runnable if chosen >> other & 1]
            if len(found) < len(best):
                best = found
            if len(best) == 1:
                break
        return best

    def _closed(self, now: Configuration[Any], thread: int) -> int:
        """The least persistent set with a thread, as a mask: the closure under the threads that each needs."""
        chosen = 1 << thread
        added = [thread]
        while added:
            thread = added.pop()
            for other in listed(self._needed(now, thread, chosen) & ~chosen):
                chosen |= 1 << other
                added.append(other)
        return chosen

    def _needed(self, now: Configuration[Any], thread: int, chosen: int) -> int:
        """For a waiting thread one that it waits for; else all threads that may conflict with its next step."""
        if now.waiting >> thread & 1 or now.held >> thread & 1:
            return self._awaited(now, thread, chosen)
        step = self._lookahead.of_next(now, thread)
        if not step.reads | step.writes:
            return 0
        found = 0
        near = self._machine.compiled.group(thread, Level.SUB_GROUP)[1]
        far = self._machine.compiled.group(thread, Level.WORK_GROUP)[1]
        others = (1 << len(now.counters)) - 1 & ~now.finished & ~chosen
        for other in listed(others):
            # While this thread makes no step, the other cannot pass a group function of a common group.
            common = _BOTH if near >> other & 1 else _WORK_GROUP if far >> other & 1 else _NEVER
            found |= step.conflicts_with(self._lookahead.of_rest(now, other, common)) << other
        return found

    def _awaited(self, now: Configuration[Any], thread: int, chosen: int) -> int:
        """A member of the group that has not arrived, as a mask; 0 if all have arrived and wait for ever.

        Whoever waits for commands, or for its own to begin, may need any of the threads that can go on.
        """
        node = self._machine.instruction(now, thread)
        if now.held >> thread & 1 or not isinstance(node, GroupFunction):
            return self._machine.ready(now)
        if self._machine.active.is_there(now, thread):
            group = self._machine.compiled.group(thread, node.level)[0]
            missing = sum(1 << one for one in group if self._machine.active.may_come(now, one, thread))
            return 0 if missing & chosen else missing & -missing
        missing = self._machine.compiled.group(thread, node.level)[1] & ~now.waiting
        return 0 if missing & chosen else missing & -missing
