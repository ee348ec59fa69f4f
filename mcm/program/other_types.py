"""Whether a program sees memory as numbers of another type than it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.instruction import Convert
from mcm.program.types import Location, PointerType, Scalar
from mcm.program.walk import walk_once

if TYPE_CHECKING:
    from mcm.program.program import Program
    from mcm.program.types import Type


def sees_other_types(program: Program) -> bool:
    """Whether a pointer to numbers is cast to one to others, or a parameter is one to others than are there.

    What is read by such a pointer need not be in the range of its type: `-1`, seen as `uint`.
    """
    parameters = (
        (register.initial, register.type)
        for thread in program.threads
        for register in thread.registers
        if isinstance(register.initial, Location) and isinstance(register.type, PointerType)
    )
    return any(_differ(program.objects[where.object].type, type_.target) for where, type_ in parameters) or any(
        isinstance(node, Convert)
        and isinstance(node.type, PointerType)
        and isinstance(node.operand.type, PointerType)
        and _differ(node.operand.type.target, node.type.target)
        for node in walk_once(thread.body for thread in program.threads)
    )


def _differ(one: Type, other: Type) -> bool:
    return isinstance(one, Scalar) and isinstance(other, Scalar) and one is not other
