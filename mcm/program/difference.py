"""What tells two bodies apart: work-items of one kernel differ in the literals that their ids became."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.instruction import Literal, Written

if TYPE_CHECKING:
    from mcm.program.types import Value


def different_literals(one: Written, other: Written) -> dict[int, Value] | None:
    """The values of the other's literals that are not those of the first, by the identities of the latter.

    None if the two differ in anything else.
    """
    found: dict[int, Value] = {}
    waiting: list[tuple[object, object]] = [(one, other)]
    while waiting:
        left, right = waiting.pop()
        if left is right:
            continue
        if type(left) is not type(right):
            return None
        if isinstance(left, Literal) and isinstance(right, Literal):
            if left.type != right.type or type(left.value) is not type(right.value):
                return None
            if left.value != right.value:
                found[id(left)] = right.value
        elif isinstance(left, Written):
            waiting += [(getattr(left, name), getattr(right, name)) for name in left.__struct_fields__]
        elif isinstance(left, tuple) and isinstance(right, tuple):
            if len(left) != len(right):
                return None
            waiting += zip(left, right, strict=True)
        elif left != right:
            return None
    return found
