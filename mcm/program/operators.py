"""Which read-modify-write, and which group function of which level."""

from __future__ import annotations

from enum import Enum
from typing import Final


class UpdateOperator(Enum):
    """The operation of a read-modify-write on the old value and its operand."""

    EXCHANGE = "exchange"
    ADD = "add"
    SUB = "sub"
    OR = "or"
    XOR = "xor"
    AND = "and"
    MIN = "min"
    MAX = "max"


# The binary operator that computes what an update writes; an exchange has none.
OPERATOR_OF_UPDATE: Final = {
    UpdateOperator.ADD: "+",
    UpdateOperator.SUB: "-",
    UpdateOperator.OR: "|",
    UpdateOperator.XOR: "^",
    UpdateOperator.AND: "&",
    UpdateOperator.MIN: "min",
    UpdateOperator.MAX: "max",
}


class Level(Enum):
    """The level of a barrier or a group function: work-group or sub-group."""

    WORK_GROUP = "work_group"
    SUB_GROUP = "sub_group"


class CollectiveOperator(Enum):
    """Which group function; its value is the name of the function behind that of the level."""

    ALL = "all"
    ANY = "any"
    BROADCAST = "broadcast"
    SHUFFLE = "shuffle"
    REDUCE_ADD = "reduce_add"
    REDUCE_MIN = "reduce_min"
    REDUCE_MAX = "reduce_max"
    SCAN_INCLUSIVE_ADD = "scan_inclusive_add"
    SCAN_INCLUSIVE_MIN = "scan_inclusive_min"
    SCAN_INCLUSIVE_MAX = "scan_inclusive_max"
    SCAN_EXCLUSIVE_ADD = "scan_exclusive_add"
    SCAN_EXCLUSIVE_MIN = "scan_exclusive_min"
    SCAN_EXCLUSIVE_MAX = "scan_exclusive_max"
