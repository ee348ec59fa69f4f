"""How Clover goes from one work-item of a group to another, in the words of its documentation (EXE-2 to EXE-4).

As long as no barrier was called, one dummy context holds the ids of the work-item that runs. The first call of a
barrier makes a context and a stack for each work-item; the first one keeps the main context of the worker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcm.program.operators import Level

if TYPE_CHECKING:
    from mcm.machine.machine import Machine


class Contexts:
    """The contexts that the work-items of each group have so far."""

    def __init__(self, machine: Machine[Any]) -> None:
        self._machine = machine
        # For each group, as a mask, the work-items that have a context of their own.
        self._with_context: dict[int, int] = {}

    def switched(self, one: int, other: int, *, has_ended: bool) -> str:
        """What happens between the last step of a work-item, which may end it, and the next one of another item."""
        group, mask = self._machine.compiled.group(one, Level.WORK_GROUP)
        here, there = self._machine.threads[one].name, self._machine.threads[other].name
        if has_ended and mask not in self._with_context:
            return f"no barrier was called: the dummy context goes on to the next work-item, {there}"
        made, saved = "", f"the context of {here}"
        if mask not in self._with_context:
            self._with_context[mask] = 1 << group[0]
            made = f"the first barrier makes room for {len(group)} contexts; "
            saved = f"the main context as that of {here}"
        is_new = not self._with_context[mask] >> other & 1
        self._with_context[mask] |= 1 << other
        if has_ended:
            return f"{here} has ended after a barrier: back in the main context, which resumes {there}"
        target = f"makes one for {there}, at the beginning of the kernel" if is_new else f"goes back to that of {there}"
        return f"{made}the barrier saves {saved} and {target}"
