"""What threads may learn of commands, beside the accesses of memory that happen before what they do."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class FactKind(Enum):
    """That a command has been enqueued, or is complete."""

    CALLED = "called"
    COMPLETED = "completed"

    # Members are keys, hashed by identity.
    __hash__ = object.__hash__


class Fact(NamedTuple):
    """What has become of a command."""

    kind: FactKind
    command: int
