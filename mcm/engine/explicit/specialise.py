"""A plan for programs that lack some of what a model speaks about: what is then empty is not computed.

Most litmus tests have no barriers, fences or local memory, so that most terms of a model are empty for them. Many have
no conditions either: then what a model says of all events, and of those that are executed, is computed once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.engine.explicit.plan import EVERYTHING, NOTHING, WRITTEN, needed_operators
from mcm.engine.explicit.unknowns import TotalOrder
from mcm.execution.algebra import TRUE

if TYPE_CHECKING:
    from mcm.engine.explicit.operators import Operator
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.engine.explicit.plan import CompiledCheck, Plan


# Stands among the names of what a program lacks: it has no events that are executed under a condition.
CONDITIONS: Final = "conditions"

_FEW_EVENTS: Final = 24


def plan_for(packed: PackedSkeleton, plan: Plan) -> Plan:
    """The plan for a skeleton, and for all others in which the same base sets and relations are empty.

    For few events, those do not count without which next to nothing is left out: more programs share a plan then.
    """
    base_sets, base_relations = plan.telling if len(packed.events) <= _FEW_EVENTS else plan.fixed
    sets = packed.skeleton.sets
    names = [name for name in base_sets if not ((found := sets[name]).events or found.locations)]
    names += [name for name in base_relations if not packed.relation(name)]
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
    """`_empty` are slots that are empty then, `_equal` has for others the slot of what they equal."""

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
        plan, empty, place = self._plan, self._empty, self._place
        left = self._left()
        checks = [check for check in plan.checks if check.negated or check.slot not in empty]
        needed = {one.index for one in (plan.reads_from, *plan.orders)}
        needed.update(map(place, (*plan.linearised, *[one.slot for one in (*checks, *plan.flags)])))
        operators = tuple(needed_operators(left, needed))
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
            linearised=tuple(map(place, plan.linearised)),
            checks=tuple(map(self._check, checks)),
            flags=tuple(map(self._check, plan.flags)),
        )

    def _left(self) -> list[Operator]:
        """The operators whose results are not empty and equal no other slot, and those of what is searched for.

        None of them is over slots that equal others: terms that differ in what is left out are computed alike then, and
        once.
        """
        empty, equal = self._empty, self._equal
        left: list[Operator] = []
        computed: dict[tuple[type[Operator], tuple[int, ...]], int] = {}
        for operator in self._plan.operators:
            if operator.is_strict:
                # So are most, which need not be asked.
                if not empty.isdisjoint(operator.operands):
                    empty.add(operator.index)
                    continue
            elif (same := operator.equal_operand(empty)) is not None:
                if same in empty:
                    empty.add(operator.index)
                else:
                    equal[operator.index] = self._place(same)
                continue
            if not equal.keys().isdisjoint(operator.operands):
                operator = operator.moved(self._place)  # noqa: PLW2901 - the same over other slots
            if operator.is_function:
                first = computed.setdefault((type(operator), operator.operands), operator.index)
                if first != operator.index:
                    equal[operator.index] = first
                    continue
            elif type(operator) is TotalOrder and operator.domain in empty:
                empty.add(operator.index)
            left.append(operator)
        return left

    def _place(self, slot: int) -> int:
        """The slot whose value a slot has."""
        return self._equal.get(slot, slot)

    def _check(self, check: CompiledCheck) -> CompiledCheck:
        return replace(check, slot=self._place(check.slot)) if check.slot in self._equal else check
