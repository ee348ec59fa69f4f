"""C-PTR: pointers whose order or difference is asked for lead into one object (C11 6.5.6 and 6.5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.types import Location, PointerType, RegisterPointer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.program.instruction import Binary
    from mcm.program.program import MemoryObject
    from mcm.program.types import Value

KIND: Final = "unrelated-pointers"
RULE: Final = "C-PTR"
WHY: Final = "the pointers lead into different objects"

_ASKING: Final = frozenset({"-", "<", ">", "<=", ">="})


def asks_for_order(node: Binary) -> bool:
    """Whether an operator asks which of two pointers leads further, or how much further."""
    if not isinstance(node.operands, PointerType) or node.operator not in _ASKING:
        return False
    return isinstance(node.left.type, PointerType) and isinstance(node.right.type, PointerType)


def are_apart(left: Value, right: Value, objects: Sequence[MemoryObject]) -> bool:
    """Whether two values are pointers into different objects; null pointers are not looked at.

    The members of a structure, which are objects of their own here, are in one object.
    """
    wholes = [_whole(value, objects) for value in (left, right)]
    return None not in wholes and wholes[0] != wholes[1]


def _whole(value: Value, objects: Sequence[MemoryObject]) -> tuple[int, str] | None:
    """The variable that a pointer leads into, with the thread that owns it; None for what is no pointer."""
    match value:
        case Location(number):
            group = objects[number].group
            return -1 if group is None else -2 - group, objects[number].name.partition(".")[0]
        case RegisterPointer(thread, register):
            return thread, register.partition(".")[0]
        case _:
            return None
