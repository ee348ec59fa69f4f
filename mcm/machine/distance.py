"""How far threads are from their ends: the fewest steps that lead there, whatever their data decides."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from mcm.machine.code import (
    AccessElement,
    Branch,
    CheckUnsequenced,
    ChooseOrder,
    Compute,
    Jump,
    RecordAccess,
    Require,
    Stop,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.code import Instruction


def fewest_steps(instructions: Sequence[Instruction]) -> tuple[float, ...]:
    """For each instruction, the fewest steps from it to the end of the thread; infinite where there is no way."""
    left = [inf] * len(instructions)
    changed = True
    # Backwards, as most jumps are forwards: once, and once more for each loop in a loop.
    while changed:
        changed = False
        for at in reversed(range(len(instructions))):
            fewest = _from(at, instructions[at], left)
            changed |= fewest < left[at]
            left[at] = fewest
    return tuple(left)


def _from(at: int, instruction: Instruction, left: Sequence[float]) -> float:
    match instruction:
        case Stop():
            return 0
        case Jump(to):
            return left[to]
        case Branch(_, otherwise):
            return min(left[at + 1], left[otherwise])
        case ChooseOrder(first, second):
            return 1 + min(left[first], left[second])
        case Compute() | Require() | RecordAccess() | CheckUnsequenced() | AccessElement():
            return left[at + 1]
        case _:
            return 1 + left[at + 1]
