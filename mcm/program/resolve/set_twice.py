"""A warning about user events that several calls set: OpenCL takes notice of the first one only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.diagnostic import Note
from mcm.program.instruction import SetUserEventStatus
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.base.source import Span
    from mcm.program.program import Thread
    from mcm.program.resolve.complaints import Complaints


def warn_set_twice(threads: Sequence[Thread], names: Sequence[str], complaints: Complaints) -> None:
    """Warn where a second call sets a user event; `names` are those of events, by their numbers."""
    first: dict[int, Span] = {}
    for node in (node for thread in threads for node in walk(thread.body)):
        if not isinstance(node, SetUserEventStatus):
            continue
        if first.setdefault(node.event, node.span) != node.span and complaints.is_new("W132", node.event):
            message = (
                f"more than one call sets '{names[node.event]}': only the first that is made does, any other changes "
                f"nothing and returns CL_INVALID_OPERATION (-59)"
            )
            complaints.warning("W132", node.span, message, Note("it is set here too", first[node.event]))
