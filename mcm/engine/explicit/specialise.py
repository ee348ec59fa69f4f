"""A plan for programs that lack some of what a model speaks about: what is then empty is not computed.

Most litmus tests have no barriers, fences or local memory, so that most terms of a model are empty for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.engine.explicit.plan import NOTHING, WRITTEN, Plan
from mcm.engine.explicit.unknowns import ReadsFrom, TotalOrder

if TYPE_CHECKING:
    from mcm.engine.explicit.operators import Operator
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.engine.explicit.plan import CompiledCheck


def plan_for(packed: PackedSkeleton, plan: Plan) -> Plan:
    """The plan for a skeleton, and for all others in which the same base sets and relations are empty."""
    sets, relations = packed.skeleton.sets, packed.relations
    empty = frozenset(
        (
            *(name for name in plan.fixed_sets if not (sets[name].events or sets[name].locations)),
            *(name for name in plan.fixed_relations if not relations[name]),
        )
    )
    return plan.specialised.get(empty, lambda: specialised(plan, empty))


def specialised(plan: Plan, empty: frozenset[str]) -> Plan:
    """The plan where the base sets and relations of these names are empty: its operators compute what is left."""
    return _Specialisation(empty).plan(plan)


class _Specialisation:
    """`_places` has the slot of the new plan for each of the given one: `NOTHING` for those that are `_empty`."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names: Final = names
        self._empty: Final = {NOTHING}
        self._size = WRITTEN + 1
        self._places = {slot: slot for slot in range(self._size)}

    def plan(self, plan: Plan) -> Plan:
        """The new plan. A check that says of something empty that it is empty is left out."""
        sets, relations = self._bases(plan.sets), self._bases(plan.relations)
        written, written_relations = self._bases(plan.written), self._bases(plan.written_relations)
        operators: list[Operator] = []
        for operator in plan.operators:
            equal = operator.equal_operand(self._empty)
            if equal is None:
                operators.append(operator.moved(self._place))
            elif equal not in self._empty:
                self._places[operator.index] = self._place(equal)
            # What the search decides has a slot of its own, also where it is empty; terms need not read that.
            if equal in self._empty or (type(operator) is TotalOrder and operator.domain in self._empty):
                self._leave_empty(operator.index)
        (reads_from,) = (operator for operator in operators if type(operator) is ReadsFrom)
        checks = tuple(check for check in map(self._check, plan.checks) if check.slot != NOTHING or check.negated)
        flags = tuple(map(self._check, plan.flags))
        linearised = tuple(map(self._place, plan.linearised))
        orders = tuple(operator for operator in operators if type(operator) is TotalOrder)
        unknowns = (reads_from, *orders)
        needed = {*linearised, *(one.slot for one in (*checks, *flags)), *(one.index for one in unknowns)}
        return Plan(
            self._size,
            _needed(operators, needed),
            _of(needed, sets),
            _of(needed, written),
            _of(needed, written_relations),
            _of(needed, relations),
            reads_from,
            orders,
            linearised,
            checks,
            flags,
        )

    def _bases(self, bases: dict[str, int]) -> dict[str, int]:
        """The slots of the base sets or relations that need not be empty."""
        for name, slot in bases.items():
            if name in self._names:
                self._leave_empty(slot)
        return {name: self._place(slot) for name, slot in bases.items() if name not in self._names}

    def _leave_empty(self, slot: int) -> None:
        self._empty.add(slot)
        self._places[slot] = NOTHING

    def _place(self, slot: int) -> int:
        place = self._places.get(slot)
        if place is None:
            place = self._places[slot] = self._size
            self._size += 1
        return place

    def _check(self, check: CompiledCheck) -> CompiledCheck:
        return replace(check, slot=self._place(check.slot))


def _needed(operators: list[Operator], needed: set[int]) -> tuple[Operator, ...]:
    """The operators that some slots depend on; all that these depend on is added to `needed`."""
    kept: list[Operator] = []
    for operator in reversed(operators):
        if operator.index in needed:
            kept.append(operator)
            needed.update(operator.operands)
    kept.reverse()
    return tuple(kept)


def _of(needed: set[int], bases: dict[str, int]) -> dict[str, int]:
    return {name: slot for name, slot in bases.items() if slot in needed}
