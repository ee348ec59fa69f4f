"""What threads may learn of commands, beside the accesses of memory that happen before what they do."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class FactKind(Enum):
    """That a command has been enqueued, has started, or is over; or that somebody was told a status of it (HOST-4q)."""

    CALLED = "called"
    STARTED = "started"
    COMPLETED = "completed"
    TOLD_SUBMITTED = "told that it is submitted"
    TOLD_RUNNING = "told that it is running"
    TOLD_COMPLETE = "told that it is complete"

    # Members are keys, hashed by identity.
    __hash__ = object.__hash__


class Fact(NamedTuple):
    """What has become of a command."""

    kind: FactKind
    command: int
