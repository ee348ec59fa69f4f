"""What every operator over bounds must satisfy, checked against its definition over sets of members.

For random bounds of the operands, all operand values within the bounds are tried:

* `bound` contains the value, and is exact where the operands are;
* what `narrow` excludes and includes holds in every choice of operands whose value excludes and includes what it must;
* choices of operands that agree on what `trace` marks agree on what it was asked for;
* where some operands are empty, the result is what `equal_operand` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import product
from random import Random
from typing import TYPE_CHECKING

from mcm.engine.explicit.bit_matrices import BitMatrices
from mcm.engine.explicit.bounds import Bounds
from mcm.engine.explicit.operators import Narrowing
from mcm.engine.explicit.plan import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.engine.explicit.operators import Operator

SIZE = 3
# So many members of each operand are undecided at most.
UNDECIDED = 4
# How often only pairs of an event with itself are excluded.
DIAGONAL = 0.3


class Kind(Enum):
    """Whether a slot holds a set or a relation; the value is the number of its possible members."""

    SET = SIZE
    RELATION = SIZE * SIZE


@dataclass(frozen=True)
class Law:
    """An operator, the kinds of its operands and its result, and its value for operands given as sets of members.

    The members of a set are events `0 … SIZE - 1`, those of a relation are pairs of events.
    """

    operator: type[Operator]
    operands: tuple[Kind, ...]
    result: Kind
    value: Callable[..., frozenset[object]]


def check(law: Law, rounds: int = 150) -> None:
    """Check one operator; fails with an AssertionError."""
    random = Random(law.operator.__name__)  # noqa: S311 - not for cryptography
    operator = law.operator(len(law.operands), *range(len(law.operands)))
    narrowed = 0
    for _ in range(rounds):
        bounds = _random_bounds(law, random)
        lower, upper = operator.bound(bounds)
        bounds.set(operator.index, lower, upper)
        choices = list(_choices(law, bounds))
        for operands, value in choices:
            assert lower & ~value == 0, ("lower bound", bounds.lower, bounds.upper, operands)
            assert value & ~upper == 0, ("upper bound", bounds.lower, bounds.upper, operands)
        if all(bounds.exact[: operator.index]):
            assert lower == upper == operator.value(bounds.matrices, bounds.lower)
        narrowed += _check_narrow(operator, bounds, choices, random)
        _check_trace(operator, bounds, choices, random)
    assert narrowed, "the operator never narrows"
    _check_equal_operand(law, random)


def _random_bounds(law: Law, random: Random) -> Bounds:
    bounds = Bounds(BitMatrices(SIZE), len(law.operands) + 1, 0)
    for slot, kind in enumerate(law.operands):
        upper = random.getrandbits(kind.value)
        undecided = sum(1 << bit for bit in random.sample(range(kind.value), min(UNDECIDED, kind.value)))
        bounds.set(slot, upper & ~(undecided & random.getrandbits(kind.value)), upper)
    return bounds


def _choices(law: Law, bounds: Bounds) -> Iterator[tuple[tuple[int, ...], int]]:
    """All values of the operands within their bounds, with the value of the result."""
    ranges = [_between(bounds.lower[slot], bounds.upper[slot]) for slot in range(len(law.operands))]
    for operands in product(*ranges):
        members = [_members(operand, kind) for operand, kind in zip(operands, law.operands, strict=True)]
        yield operands, _mask(law.value(*members), law.result)


def _check_narrow(
    operator: Operator, bounds: Bounds, choices: list[tuple[tuple[int, ...], int]], random: Random
) -> bool:
    """Check one random narrowing; returns whether it narrowed some operand."""
    open_members = bounds.upper[operator.index] & ~bounds.lower[operator.index]
    # Now and then all cycles are excluded, or whatever else is on the diagonal, as acyclicity does.
    diagonal = bounds.matrices.identity if random.random() < DIAGONAL else -1
    excluded = open_members & diagonal & (random.getrandbits(SIZE * SIZE) | random.choice((0, -1)))
    included = open_members & ~excluded & random.getrandbits(SIZE * SIZE)
    narrowing = Narrowing(operator.index + 1)
    operator.narrow(bounds, narrowing, excluded, included)
    for operands, value in choices:
        if not value & excluded and not included & ~value:
            for slot, operand in enumerate(operands):
                assert not operand & narrowing.exclude[slot], ("exclude", slot, bounds.lower, bounds.upper, excluded)
                assert not narrowing.include[slot] & ~operand, ("include", slot, bounds.lower, bounds.upper, included)
    return any(
        narrowing.exclude[slot] & bounds.upper[slot] or narrowing.include[slot] & ~bounds.lower[slot]
        for slot in range(operator.index)
    )


def _check_trace(
    operator: Operator, bounds: Bounds, choices: list[tuple[tuple[int, ...], int]], random: Random
) -> None:
    wanted = bounds.upper[operator.index] & random.getrandbits(SIZE * SIZE)
    relevant = [0] * (operator.index + 1)
    operator.trace(bounds, relevant, wanted)
    seen: dict[tuple[int, ...], int] = {}
    for operands, value in choices:
        marked = tuple(operand & mask for operand, mask in zip(operands, relevant, strict=False))
        assert seen.setdefault(marked, value & wanted) == value & wanted, ("trace", bounds.lower, bounds.upper, wanted)


def _check_equal_operand(law: Law, random: Random) -> None:
    """Check what an operator says of empty operands; their slots begin at 1, so that none of them is `NOTHING`."""
    slots = range(1, len(law.operands) + 1)
    operator = law.operator(len(slots) + 1, *slots)
    assert operator.equal_operand(()) is None
    for emptied in product((True, False), repeat=len(slots)):
        empty = {NOTHING, *(slot for slot, is_empty in zip(slots, emptied, strict=True) if is_empty)}
        equal = operator.equal_operand(empty)
        assert equal in empty or not all(emptied), "of nothing comes nothing"
        known = _random_bounds(law, random)
        bounds = Bounds(known.matrices, len(slots) + 2, 0)
        for slot in range(len(slots) + 1):
            values = (0, 0) if slot in empty else (known.lower[slot - 1], known.upper[slot - 1])
            bounds.set(slot, *values)
        if equal is not None:
            assert operator.bound(bounds) == (bounds.lower[equal], bounds.upper[equal])


def _between(lower: int, upper: int) -> list[int]:
    values = [lower]
    for bit in range(upper.bit_length()):
        if (upper & ~lower) >> bit & 1:
            values += [value | 1 << bit for value in values]
    return values


def _members(mask: int, kind: Kind) -> frozenset[object]:
    bits = [bit for bit in range(kind.value) if mask >> bit & 1]
    return frozenset(bits if kind is Kind.SET else (divmod(bit, SIZE) for bit in bits))


def _mask(members: frozenset[object], kind: Kind) -> int:
    if kind is Kind.SET:
        return sum(1 << event for event in members)  # type: ignore[operator]
    return sum(1 << a * SIZE + b for a, b in members)  # type: ignore[misc]
