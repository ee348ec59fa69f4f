"""What a device promises about units that could go on."""

from __future__ import annotations

from enum import Enum


class Progress(Enum):
    """A forward progress guarantee.

    FAIR: each unit goes on if it can. OBE (occupancy-bound execution): each unit that has begun does. HSA: the units of
    the lowest unfinished work-group do. UNFAIR: none.
    """

    FAIR = "fair"
    OBE = "obe"
    HSA = "hsa"
    UNFAIR = "unfair"
