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
    from collections.abc import Iterator

    from mcm.engine.explicit.operators import Operator
    from mcm.engine.explicit.unknowns import ReadsFrom, TotalOrder

# The slots that every plan has: the empty set or relation, all executed events, the pairs that rf may have, the pairs
# that mo orders, and all events, executed or not.
NOTHING, EVERYTHING, READABLE, ORDERABLE, WRITTEN = range(5)

# How many specialised plans are kept for each plan.
_KEPT: Final = 128

_NO_NAMES: Final[frozenset[str]] = frozenset()


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
        wanted = {*(order.index for order in self.orders), *self.linearised}
        found = []
        for operator in reversed(self.operators):
            if operator.index in wanted:
                found.append(operator)
                wanted.update(operator.operands)
        return tuple(reversed(found))

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
    def fixed_sets(self) -> tuple[str, ...]:
        """The names of the base sets."""
        return tuple({**self.sets, **self.written})

    @cached_property
    def fixed_relations(self) -> tuple[str, ...]:
        """The names of the base relations that a program fixes."""
        return tuple(name for name in {**self.relations, **self.written_relations} if name not in DYNAMIC)

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
