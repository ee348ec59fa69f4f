"""A warning about unmaps that have no map left to end: the call fails with CL_INVALID_VALUE, and does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.command import CommandKind
from mcm.program.sure_calls import sure_calls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.program.program import Thread
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.plan import CommandDraft


def warn_not_mapped(threads: Sequence[Thread], commands: Sequence[CommandDraft], complaints: Complaints) -> None:
    """Warn where a buffer is unmapped, in every run, more often than it is mapped in any."""
    unmaps = [command for command in commands if command.kind is CommandKind.UNMAP]
    if not unmaps:
        return
    sure = {number for thread in threads for number in sure_calls(thread.body.statements)}
    for parts in dict.fromkeys(unmap.parts for unmap in unmaps if unmap.parts):
        maps = sum(command.kind is CommandKind.MAP and command.parts == parts for command in commands)
        for unmap in [one for one in unmaps if one.parts == parts and one.number in sure][maps:]:
            times = "is never mapped" if maps == 0 else "is mapped less often than it is unmapped"
            # Of structures each member is an object, called by both names.
            name = parts[0].name.partition(".")[0]
            message = f"'{name}' {times}: this unmap fails in OpenCL with CL_INVALID_VALUE, here it does nothing"
            complaints.warning("W133", unmap.span, message)
