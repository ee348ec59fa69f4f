"""A plan for programs that lack some of what a model speaks about: what is then empty is not computed.

Most litmus tests have no barriers, fences or local memory, so that most terms of a model are empty for them. Many have
no conditions either: then what a model says of all events, and of those that are executed, is computed once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.engine.explicit.plan import EVERYTHING, NOTHING, WRITTEN
from mcm.engine.explicit.unknowns import TotalOrder
from mcm.execution.algebra import TRUE

if TYPE_CHECKING:
    from mcm.engine.explicit.operators import Operator
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.engine.explicit.plan import CompiledCheck, Plan


# Stands among the names of what a program lacks: it has no events that are executed under a condition.
CONDITIONS: Final = "conditions"

# To make a plan takes longer than to compute less than one in so many operators for a search of so many events.
_FEW_OPERATORS: Final = 50
_FEW_EVENTS: Final = 24


def plan_for(packed: PackedSkeleton, plan: Plan) -> Plan:
    """The plan for a skeleton, and for all others in which the same base sets and relations are empty.

    For few events, those do not count without which next to nothing is left out: more programs share a plan then.
    """
    sets = packed.skeleton.sets
    names = [name for name in plan.fixed_sets if not ((found := sets[name]).events or found.locations)]
    names += [name for name in plan.fixed_relations if not packed.relation(name)]
    if len(packed.events) <= _FEW_EVENTS:
        names = [name for name in names if plan.left_out[name] * _FEW_OPERATORS >= len(plan.operators)]
    if all(event.guard is TRUE for event in packed.events):
        names.append(CONDITIONS)
    empty = frozenset(names)
    return plan.specialised.get(empty, lambda: specialised(_nearest(plan, empty), empty))


def _nearest(plan: Plan, empty: frozenset[str]) -> Plan:
    """Of the plans that are kept, the one in which most of these names are left out, and no others."""
    known = [names for names in plan.specialised.kept() if isinstance(names, frozenset) and names <= empty]
    if not known:
        return plan
    nearest = max(known, key=len)
    return plan.specialised.get(nearest, lambda: specialised(plan, nearest))


def specialised(plan: Plan, empty: frozenset[str]) -> Plan:
    """The plan where the base sets and relations of these names are empty: its operators compute what is left.

    Slots keep their numbers, so that most operators serve both plans; those of what is left out stay empty.
    """
    return _Specialisation(plan, empty).plan()


class _Specialisation:
    """`_empty` are slots that are empty then, `_equal` has for others a slot that they equal."""

    def __init__(self, plan: Plan, names: frozenset[str]) -> None:
        self._plan: Final = plan
        bases = (plan.sets, plan.relations, plan.written, plan.written_relations)
        self._empty: Final = {NOTHING, *[base[name] for base in bases for name in names if name in base]}
        self._equal: Final[dict[int, int]] = {}
        if CONDITIONS in names:
            self._equal[WRITTEN] = EVERYTHING
            for executed, written in ((plan.sets, plan.written), (plan.relations, plan.written_relations)):
                self._equal.update((written[name], executed[name]) for name in written.keys() & executed.keys())

    def plan(self) -> Plan:
        """The new plan. A check that says of something empty that it is empty is left out."""
        plan, empty = self._plan, self._empty
        left = self._left()
        checks = [check for check in plan.checks if check.negated or check.slot not in empty]
        needed = {one.index for one in (plan.reads_from, *plan.orders)}
        needed.update(map(self._place, (*plan.linearised, *[one.slot for one in (*checks, *plan.flags)])))
        operators = self._distinct(self._needed(left, needed))
        sets, relations, written, written_relations = (
            {name: slot for name, slot in bases.items() if slot in needed and slot not in empty}
            for bases in (plan.sets, plan.relations, plan.written, plan.written_relations)
        )
        return replace(
            plan,
            operators=operators,
            sets=sets,
            written=written,
            written_relations=written_relations,
            relations=relations,
            orders=tuple([operator for operator in operators if isinstance(operator, TotalOrder)]),
            linearised=tuple(map(self._place, plan.linearised)),
            checks=tuple(map(self._check, checks)),
            flags=tuple(map(self._check, plan.flags)),
        )

    def _left(self) -> list[Operator]:
        """The operators whose results are not empty and equal no other slot, and those of what is searched for."""
        empty, equal = self._empty, self._equal
        left: list[Operator] = []
        for operator in self._plan.operators:
            if operator.is_strict:
                # So are most, which need not be asked.
                if empty.isdisjoint(operator.operands):
                    left.append(operator)
                else:
                    empty.add(operator.index)
                continue
            same = operator.equal_operand(empty)
            if same is None:
                left.append(operator)
                if type(operator) is TotalOrder and operator.domain in empty:
                    empty.add(operator.index)
            elif same in empty:
                empty.add(operator.index)
            else:
                equal[operator.index] = same
        return left

    def _needed(self, left: list[Operator], needed: set[int]) -> list[Operator]:
        """Those of the operators that some slots depend on. All slots that these depend on join `needed`."""
        kept = []
        for operator in reversed(left):
            if operator.index in needed:
                kept.append(operator)
                needed.update(map(self._place, operator.operands))
        kept.reverse()
        return kept

    def _distinct(self, operators: list[Operator]) -> tuple[Operator, ...]:
        """The operators, none of them over slots that equal others.

        Terms that differ in what is left out are computed alike then, and once.
        """
        equal = self._equal
        kept: list[Operator] = []
        computed: dict[tuple[type[Operator], tuple[int, ...]], int] = {}
        for operator in operators:
            if not equal.keys().isdisjoint(operator.operands):
                operator = operator.moved(self._place)  # noqa: PLW2901 - the same over other slots
            if operator.is_function:
                first = computed.setdefault((type(operator), operator.operands), operator.index)
                if first != operator.index:
                    equal[operator.index] = first
                    continue
            kept.append(operator)
        return tuple(kept)

    def _place(self, slot: int) -> int:
        """The slot whose value a slot has."""
        equal = self._equal
        while slot in equal:
            slot = equal[slot]
        return slot

    def _check(self, check: CompiledCheck) -> CompiledCheck:
        return replace(check, slot=self._place(check.slot)) if check.slot in self._equal else check
