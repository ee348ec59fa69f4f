"""A plan for programs that lack some of what a model speaks about: what is then empty is not computed.

Most litmus tests have no barriers, fences or local memory, so that most terms of a model are empty for them.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.plan import NOTHING, WRITTEN, CompiledCheck, Plan
from mcm.engine.explicit.unknowns import ReadsFrom, TotalOrder

if TYPE_CHECKING:
    from mcm.engine.explicit.operators import Operator
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton


def plan_for(packed: PackedSkeleton, plan: Plan, *, at_once: bool = True) -> Plan:
    """The plan for a skeleton, and for all others in which the same base sets and relations are empty.

    Unless it is wanted `at_once`, it is made for the second of them; the first has the nearest that there is. To make
    one takes as long as a few small programs save by it, and most of what many tests lack, only one of them lacks.
    """
    sets = packed.skeleton.sets
    names = [name for name in plan.fixed_sets if not ((found := sets[name]).events or found.locations)]
    names += [name for name in plan.fixed_relations if not packed.relation(name)]
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
    """`_empty` are slots that are empty then, `_equal` has for others a slot that they equal."""

    def __init__(self, plan: Plan, names: frozenset[str]) -> None:
        self._plan: Final = plan
        bases = (plan.sets, plan.relations, plan.written, plan.written_relations)
        self._empty: Final = {NOTHING, *[base[name] for base in bases for name in names if name in base]}
        self._equal: Final[dict[int, int]] = {}
        self._places: Final = _Places()

    def plan(self) -> Plan:
        """The new plan. A check that says of something empty that it is empty is left out."""
        plan, empty, places = self._plan, self._empty, self._places
        left = self._left()
        checks = [check for check in plan.checks if check.negated or check.slot not in empty]
        needed = {one.index for one in (plan.reads_from, *plan.orders)}
        needed.update(plan.linearised, [one.slot for one in checks], [one.slot for one in plan.flags])
        kept = self._needed(left, needed)
        sets, relations, written, written_relations = (
            self._bases(bases, needed) for bases in (plan.sets, plan.relations, plan.written, plan.written_relations)
        )
        operators = self._moved(kept)
        (reads_from,) = (operator for operator in operators if type(operator) is ReadsFrom)
        return Plan(
            operators=tuple(operators),
            sets=sets,
            written=written,
            written_relations=written_relations,
            relations=relations,
            reads_from=reads_from,
            orders=tuple([operator for operator in operators if type(operator) is TotalOrder]),
            linearised=tuple([places[slot] for slot in plan.linearised]),
            checks=tuple(map(self._check, checks)),
            flags=tuple(map(self._check, plan.flags)),
            size=places.size,
        )

    def _left(self) -> list[Operator]:
        """The operators whose results are not empty, and those of what is searched for.

        What the search decides has a slot of its own, also where it is empty; terms need not read that.
        """
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
                left.append(operator)
                equal[operator.index] = equal.get(same, same)
        return left

    def _needed(self, left: list[Operator], needed: set[int]) -> list[Operator]:
        """Those of the operators that some slots depend on; all slots that these depend on join `needed`."""
        equal = self._equal
        kept: list[Operator] = []
        for operator in reversed(left):
            index = operator.index
            if index in needed:
                kept.append(operator)
                if index in equal:
                    needed.add(equal[index])
                else:
                    needed.update(operator.operands)
        kept.reverse()
        return kept

    def _moved(self, kept: list[Operator]) -> list[Operator]:
        """The operators that are computed, over the slots of the new plan."""
        empty, equal, places = self._empty, self._equal, self._places
        places.update(dict.fromkeys(empty, NOTHING))
        moved: list[Operator] = []
        for operator in kept:
            index = operator.index
            if index in equal:
                places[index] = places[equal[index]]
            elif type(operator) is TotalOrder and index in empty:
                # It has a slot of its own, be it empty or not.
                moved.append(TotalOrder(places.new(), operator.number, places[operator.domain]))
            else:
                moved.append(operator.moved(places))
        return moved

    def _bases(self, bases: dict[str, int], needed: set[int]) -> dict[str, int]:
        """The slots of the base sets or relations that are needed."""
        places, empty = self._places, self._empty
        return {name: places[slot] for name, slot in bases.items() if slot in needed and slot not in empty}

    def _check(self, check: CompiledCheck) -> CompiledCheck:
        return CompiledCheck(self._places[check.slot], check.diagonal, check.negated, check.is_set)


class _Places(dict[int, int]):
    """Slots of the new plan by those of the given one; one that is not listed gets the next when it is asked for."""

    def __init__(self) -> None:
        super().__init__((slot, slot) for slot in range(WRITTEN + 1))
        self.size = WRITTEN + 1

    def new(self) -> int:
        """A new slot."""
        self.size += 1
        return self.size - 1

    def __missing__(self, slot: int) -> int:
        """The place of a slot that is asked for the first time."""
        place = self[slot] = self.size
        self.size += 1
        return place
