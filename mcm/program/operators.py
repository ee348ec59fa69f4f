"""Which read-modify-write, and which group function of which level."""

from __future__ import annotations

from enum import Enum
from typing import Final

# The operators whose operands have types of their own.
SHIFTS: Final = frozenset({"<<", ">>"})


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
    SHUFFLE_UP = "shuffle_up"
    SHUFFLE_DOWN = "shuffle_down"
    SHUFFLE_XOR = "shuffle_xor"
    ROTATE = "rotate"
    BROADCAST_FIRST = "broadcast_first"
    ELECT = "elect"
    ALL_EQUAL = "all_equal"
    BALLOT = "ballot"
    INVERSE_BALLOT = "inverse_ballot"
    # No function of the language: a value that nothing determines where the second argument is 0.
    DETERMINED = "determined"
    REDUCE_ADD = "reduce_add"
    REDUCE_MIN = "reduce_min"
    REDUCE_MAX = "reduce_max"
    REDUCE_MUL = "reduce_mul"
    REDUCE_AND = "reduce_and"
    REDUCE_OR = "reduce_or"
    REDUCE_XOR = "reduce_xor"
    REDUCE_LOGICAL_AND = "reduce_logical_and"
    REDUCE_LOGICAL_OR = "reduce_logical_or"
    REDUCE_LOGICAL_XOR = "reduce_logical_xor"
    SCAN_INCLUSIVE_ADD = "scan_inclusive_add"
    SCAN_INCLUSIVE_MIN = "scan_inclusive_min"
    SCAN_INCLUSIVE_MAX = "scan_inclusive_max"
    SCAN_INCLUSIVE_MUL = "scan_inclusive_mul"
    SCAN_INCLUSIVE_AND = "scan_inclusive_and"
    SCAN_INCLUSIVE_OR = "scan_inclusive_or"
    SCAN_INCLUSIVE_XOR = "scan_inclusive_xor"
    SCAN_INCLUSIVE_LOGICAL_AND = "scan_inclusive_logical_and"
    SCAN_INCLUSIVE_LOGICAL_OR = "scan_inclusive_logical_or"
    SCAN_INCLUSIVE_LOGICAL_XOR = "scan_inclusive_logical_xor"
    SCAN_EXCLUSIVE_ADD = "scan_exclusive_add"
    SCAN_EXCLUSIVE_MIN = "scan_exclusive_min"
    SCAN_EXCLUSIVE_MAX = "scan_exclusive_max"
    SCAN_EXCLUSIVE_MUL = "scan_exclusive_mul"
    SCAN_EXCLUSIVE_AND = "scan_exclusive_and"
    SCAN_EXCLUSIVE_OR = "scan_exclusive_or"
    SCAN_EXCLUSIVE_XOR = "scan_exclusive_xor"
    SCAN_EXCLUSIVE_LOGICAL_AND = "scan_exclusive_logical_and"
    SCAN_EXCLUSIVE_LOGICAL_OR = "scan_exclusive_logical_or"
    SCAN_EXCLUSIVE_LOGICAL_XOR = "scan_exclusive_logical_xor"


# The shuffles that name the other work-item by its distance from the one that asks, and how its number is computed.
RELATIVE_SHUFFLES: Final = {
    CollectiveOperator.SHUFFLE_UP: "-",
    CollectiveOperator.SHUFFLE_DOWN: "+",
    CollectiveOperator.SHUFFLE_XOR: "^",
}
SHUFFLES: Final = frozenset({CollectiveOperator.SHUFFLE, *RELATIVE_SHUFFLES})
# Those of sub-groups that are never asked of all work-items, but of those that come.
OF_ACTIVE_ONLY: Final = frozenset(
    {
        CollectiveOperator.ROTATE,
        CollectiveOperator.BROADCAST_FIRST,
        CollectiveOperator.ELECT,
        CollectiveOperator.ALL_EQUAL,
        CollectiveOperator.BALLOT,
        CollectiveOperator.INVERSE_BALLOT,
    }
)
# Those of which all who come have to pass the same second argument, and what they name by it.
SAME_FOR_ALL: Final = {
    CollectiveOperator.BROADCAST: "different ones to broadcast from",
    CollectiveOperator.ROTATE: "different distances to rotate by",
    CollectiveOperator.INVERSE_BALLOT: "different ballots",
}


class PipeEnd(Enum):
    """The two ends of a pipe."""

    __hash__ = object.__hash__

    WRITE = "write"
    READ = "read"


class PipeOperator(Enum):
    """What a call does with a pipe; those that are RESERVED act on one packet of a reservation."""

    __hash__ = object.__hash__

    WRITE = "write_pipe"
    READ = "read_pipe"
    RESERVE_WRITE = "reserve_write_pipe"
    RESERVE_READ = "reserve_read_pipe"
    WRITE_RESERVED = "write_pipe of a reserved packet"
    READ_RESERVED = "read_pipe of a reserved packet"
    COMMIT_WRITE = "commit_write_pipe"
    COMMIT_READ = "commit_read_pipe"
    COUNT = "get_pipe_num_packets"

    def __init__(self, word: str) -> None:
        # Whether it is an operation of the end that packets are written to, or of the one that they are read from.
        self.writes = "write" in word
        self.reads = "read" in word
