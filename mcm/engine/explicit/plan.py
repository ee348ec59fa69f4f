"""A plan: a model compiled to a sequence of operators over slots, each after its operands.

The slots are indices into the arrays of bounds (`bounds`). A plan does not depend on a program.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.recent import Recent
from mcm.execution.vocabulary import DYNAMIC

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.engine.explicit.operators import Operator
    from mcm.engine.explicit.unknowns import ReadsFrom, TotalOrder

# The slots that every plan has: the empty set or relation, all executed events, the pairs that rf may have, the pairs
# that mo orders, and all events, executed or not.
NOTHING, EVERYTHING, READABLE, ORDERABLE, WRITTEN = range(5)

# How many specialised plans are kept for each plan.
_KEPT: Final = 128

# To make a plan takes longer than to compute less than one in so many operators for a search of few events.
_FEW_OPERATORS: Final = 50

Names = tuple[str, ...]

_NO_NAMES: Final[frozenset[str]] = frozenset()


def needed_operators(operators: Sequence[Operator], needed: set[int]) -> list[Operator]:
    """Those of the operators that some slots depend on; all slots that these depend on join `needed`."""
    kept = []
    for operator in reversed(operators):
        if operator.index in needed:
            kept.append(operator)
            needed.update(operator.operands)
    kept.reverse()
    return kept


class CompiledCheck(Struct, frozen=True):
    """A check or flag: that slot `slot` is empty, or irreflexive if `diagonal`; or that it is not, if `negated`.

    An acyclic relation is one whose closure is irreflexive.
    """

    slot: int
    diagonal: bool
    negated: bool
    is_set: bool = False


class Plan(Struct, frozen=True, dict=True):
    """The operators of a model, in order, over `size` slots.

    `sets` and `relations` are the slots of the base sets and relations by name, `linearised` those of the sets of
    events that the linearisations order. `written` and `written_relations` have base sets and static base relations
    once more with the events that are not executed, which are known before the control flow is.
    """

    size: int
    operators: tuple[Operator, ...]
    sets: dict[str, int]
    written: dict[str, int]
    written_relations: dict[str, int]
    relations: dict[str, int]
    reads_from: ReadsFrom
    orders: tuple[TotalOrder, ...]
    linearised: tuple[int, ...]
    checks: tuple[CompiledCheck, ...]
    flags: tuple[CompiledCheck, ...]

    @cached_property
    def domain_operators(self) -> tuple[Operator, ...]:
        """The operators that the orders and the sets of linearised events depend on."""
        return tuple(needed_operators(self.operators, {*(order.index for order in self.orders), *self.linearised}))

    @cached_property
    def uses(self) -> Iterator[int]:
        """Tells for each skeleton how many were searched by the plan before."""
        return count()

    @cached_property
    def filled(self) -> int:
        """How many slots hold something: a plan for some programs leaves others empty."""
        bases = (self.sets, self.written, self.written_relations, self.relations)
        return WRITTEN + 1 + len(self.operators) + sum(map(len, bases))

    @cached_property
    def fixed(self) -> tuple[Names, Names]:
        """The names of the base sets, and of the base relations that a program fixes."""
        relations = [name for name in {**self.relations, **self.written_relations} if name not in DYNAMIC]
        return tuple({**self.sets, **self.written}), tuple(relations)

    @cached_property
    def telling(self) -> tuple[Names, Names]:
        """Those of these names without which it pays to make another plan for programs of few events."""
        least = len(self.operators) / _FEW_OPERATORS
        sets, relations = ([name for name in names if self.left_out[name] >= least] for names in self.fixed)
        return tuple(sets), tuple(relations)

    @cached_property
    def left_out(self) -> Counter[str]:
        """How many operators, at least, need not be computed where one base set or relation alone is empty."""
        counts: Counter[str] = Counter()
        # The names each of which makes what is in a slot empty.
        emptied: dict[int, frozenset[str]] = {}
        for base in (self.sets, self.written, self.relations, self.written_relations):
            emptied.update((slot, frozenset({name})) for name, slot in base.items())
        for operator in self.operators:
            names = [emptied.get(operand, _NO_NAMES) for operand in operator.operands] or [_NO_NAMES]
            any_of_them = frozenset().union(*names)
            counts.update(any_of_them)
            emptied[operator.index] = any_of_them if operator.is_strict else frozenset.intersection(*names)
        return counts

    @cached_property
    def specialised(self) -> Recent[Plan]:
        """The last plans that were made of this one, by the names of the base sets and relations that are empty."""
        return Recent(_KEPT)
