"""A plan for programs that lack some of what a model speaks about: what is then empty is not computed.

Most litmus tests have no barriers, fences or local memory, so that most terms of a model are empty for them.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.engine.explicit.plan import NOTHING, WRITTEN, Plan
from mcm.engine.explicit.unknowns import ReadsFrom, TotalOrder

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.engine.explicit.operators import Operator
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.engine.explicit.plan import CompiledCheck


def plan_for(packed: PackedSkeleton, plan: Plan, *, at_once: bool = True) -> Plan:
    """The plan for a skeleton, and for all others in which the same base sets and relations are empty.

    Unless it is wanted `at_once`, it is made for the second of them; the first has the nearest that there is. To make
    one takes as long as a few small programs save by it, and most of what many tests lack, only one of them lacks.
    """
    sets, relations = packed.skeleton.sets, packed.skeleton.relations
    names = [name for name in plan.fixed_sets if not (sets[name].events or sets[name].locations)]
    names += [name for name in plan.fixed_relations if not any(relations[name])]
    empty = frozenset(names)
    if not at_once and next(plan.met.get(empty, count)) == 0:
        return _nearest(plan, empty)
    return plan.specialised.get(empty, lambda: specialised(_nearest(plan, empty), empty))


def _nearest(plan: Plan, empty: frozenset[str]) -> Plan:
    """Of the plans that are kept, the one in which most of these names are left out, and no others."""
    known = [names for names in plan.specialised.kept() if isinstance(names, frozenset) and names <= empty]
    if not known:
        return plan
    nearest = max(known, key=len)
    return plan.specialised.get(nearest, lambda: specialised(plan, nearest))


def specialised(plan: Plan, empty: frozenset[str]) -> Plan:
    """The plan where the base sets and relations of these names are empty: its operators compute what is left."""
    return _Specialisation(plan, empty).plan()


class _Specialisation:
    """`_empty` are slots that are empty then, `_equal` has for others a slot that they equal.

    `_places` has the slot of the new plan for each slot that it needs.
    """

    def __init__(self, plan: Plan, names: frozenset[str]) -> None:
        self._plan: Final = plan
        bases = (plan.sets, plan.relations, plan.written, plan.written_relations)
        self._empty: Final = {NOTHING, *(slot for base in bases for name, slot in base.items() if name in names)}
        self._equal: Final[dict[int, int]] = {}
        self._size = WRITTEN + 1
        self._places: Final = {slot: slot for slot in range(self._size)}

    def plan(self) -> Plan:
        """The new plan. A check that says of something empty that it is empty is left out."""
        plan = self._plan
        left = self._left()
        checks = [check for check in plan.checks if check.negated or check.slot not in self._empty]
        needed = {one.index for one in (plan.reads_from, *plan.orders)}
        needed.update(map(self._value, (*plan.linearised, *(one.slot for one in (*checks, *plan.flags)))))
        operators = tuple(map(self._moved, _needed(left, needed, self._value)))
        (reads_from,) = (operator for operator in operators if type(operator) is ReadsFrom)
        return Plan(
            operators=operators,
            sets=self._bases(plan.sets, needed),
            written=self._bases(plan.written, needed),
            written_relations=self._bases(plan.written_relations, needed),
            relations=self._bases(plan.relations, needed),
            reads_from=reads_from,
            orders=tuple(operator for operator in operators if type(operator) is TotalOrder),
            linearised=tuple(map(self._place, plan.linearised)),
            checks=tuple(map(self._check, checks)),
            flags=tuple(map(self._check, plan.flags)),
            size=self._size,
        )

    def _left(self) -> list[Operator]:
        """The operators whose results are neither empty nor equal to another slot, and those of what is searched for.

        What the search decides has a slot of its own, also where it is empty; terms need not read that.
        """
        empty, equal = self._empty, self._equal
        left: list[Operator] = []
        for operator in self._plan.operators:
            same = operator.equal_operand(empty)
            if same is None:
                left.append(operator)
                if type(operator) is TotalOrder and operator.domain in empty:
                    empty.add(operator.index)
            elif same in empty:
                empty.add(operator.index)
            else:
                equal[operator.index] = equal.get(same, same)
        return left

    def _moved(self, operator: Operator) -> Operator:
        """The operator over the slots of the new plan; an order has its own, be it empty or not."""
        if operator.index not in self._empty:
            return operator.moved(self._place)
        own = self._new_place()
        return operator.moved(lambda slot: own if slot == operator.index else self._place(slot))

    def _value(self, slot: int) -> int:
        """A slot of the given plan that has the same value."""
        return NOTHING if slot in self._empty else self._equal.get(slot, slot)

    def _place(self, slot: int) -> int:
        """The slot of the new plan with the value of one of the given plan."""
        slot = self._value(slot)
        place = self._places.get(slot)
        if place is None:
            place = self._places[slot] = self._new_place()
        return place

    def _new_place(self) -> int:
        self._size += 1
        return self._size - 1

    def _bases(self, bases: dict[str, int], needed: set[int]) -> dict[str, int]:
        """The slots of the base sets or relations that are needed."""
        return {name: self._place(slot) for name, slot in bases.items() if slot in needed and slot not in self._empty}

    def _check(self, check: CompiledCheck) -> CompiledCheck:
        return replace(check, slot=self._place(check.slot))


def _needed(operators: list[Operator], needed: set[int], value: Callable[[int], int]) -> list[Operator]:
    """The operators that some slots depend on; the values of all that these depend on are added to `needed`."""
    kept: list[Operator] = []
    for operator in reversed(operators):
        if operator.index in needed:
            kept.append(operator)
            needed.update(map(value, operator.operands))
    kept.reverse()
    return kept
