"""What units wait for in every execution of the part of a skeleton that synchronises: it is asked of the solver.

All that may be so is supposed first. An execution in which some of it is not so refutes that, and its images under
exchanges of threads; what is left when there is none is shown. What is shown of earlier writes helps with later ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.smt.budget import Budget, UndecidedError
from mcm.engine.smt.domain import value_rows
from mcm.engine.smt.encode import Encoding
from mcm.engine.smt.execution import possible_sources
from mcm.engine.smt.rows import cyclic_components
from mcm.execution.awaited import InOrder, Place, Wait
from mcm.execution.evaluate import subexpressions
from mcm.execution.expression import Constant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.answer.query import Limits, SolverName
    from mcm.cat.model import Model
    from mcm.engine.smt.automorphism import Automorphism
    from mcm.execution.awaited import Part
    from mcm.execution.expression import Expression
    from mcm.execution.renaming import Renaming
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Value

Asked = Wait | InOrder


def shown_of(part: Part, model: Model, limits: Limits, solver: SolverName) -> tuple[frozenset[int], frozenset[InOrder]]:
    """The numbers of the waits that hold in every consistent execution, and the orders of writes that do.

    Nothing is asked where values go round between locations, as the numbers of nodes do in a stack or a queue: nobody
    waits there for a flag, and to exclude values out of thin air takes long.
    """
    shown: set[Asked] = set()
    if _go_round(part.skeleton):
        return frozenset(), frozenset()
    try:
        search = _Search(part, Encoding(part.skeleton, model, Budget(limits), solver))
        for found in search.stages():
            shown.update(found)
    except (UndecidedError, MemoryError, RecursionError):
        # What was shown until then was shown.
        pass
    return (
        frozenset(number for number, wait in enumerate(part.waits) if wait in shown),
        frozenset(order for order in part.orders if order in shown),
    )


def _go_round(skeleton: Skeleton) -> bool:
    """Whether what reads of several locations return may depend on each other."""
    sources = possible_sources(skeleton)
    events = skeleton.events
    cycles = cyclic_components(value_rows(skeleton, sources), sources)
    return any(len({place for read in cycle for place in events[read].locations}) > 1 for cycle in cycles)


class _Search:
    """Finds out which of the waits and of the orders hold."""

    def __init__(self, part: Part, encoding: Encoding) -> None:
        self._part: Final = part
        self._encoding: Final = encoding
        symmetry = encoding.symmetry()
        asked: list[Asked] = [*dict.fromkeys(part.waits), *part.orders]
        # Where values, or locations that guards of places speak of, are exchanged, the guards have other images.
        named = {constant for wait in part.waits for constant in _constants(wait.place.guard)}
        is_simple = all(each.values is None and named.isdisjoint(each.moved) for each in symmetry.generators)
        self._ordered: Final = encoding.in_order(symmetry) if is_simple else []
        self._classes: Final = _classes(asked, symmetry.generators if is_simple else ())

    def stages(self) -> Iterator[Sequence[Asked]]:
        """What is shown, in stages: what comes sooner in its unit helps with what comes later."""
        # Formulas have no executions in which values depend on themselves.
        if self._encoding.thin_air:
            return
        stages: dict[int, list[Sequence[Asked]]] = {}
        for each in self._classes:
            if all(map(self._may_hold, each)):
                stages.setdefault(self._rank(each[0]), []).append(each)
        # Orders alone settle nothing.
        if any(isinstance(each[0], Wait) for classes in stages.values() for each in classes):
            for rank in sorted(stages):
                yield from self._left(stages[rank])

    def _may_hold(self, asked: Asked) -> bool:
        """Whether the model lets something hold, by what is known before anything is solved."""
        if not isinstance(asked, Wait):
            return True
        order = self._encoding.terms.relation(asked.order)
        return any(order.may[asked.event] >> event & 1 for event in asked.place.after)

    def _rank(self, asked: Asked) -> int:
        """How far on in its unit the later one of two events is."""
        events = self._part.skeleton.events
        last = max(asked.place.after) if isinstance(asked, Wait) else asked[1]
        return sum(1 for event in events[:last] if event.thread == events[last].thread)

    def _left(self, classes: Iterable[Sequence[Asked]]) -> Iterator[Sequence[Asked]]:
        """The classes of which all hold, after as many executions as it takes to refute the others."""
        encoding = self._encoding
        left = {self._some_fails(each): each for each in classes}
        while left and encoding.solve([encoding.assumption(*left), *self._ordered]):
            refuted = encoding.truth(left)
            left = {literal: each for literal, each in left.items() if literal not in refuted}
        for each in left.values():
            for asked in each:
                if not isinstance(asked, Wait):
                    encoding.circuit.require(-self._fails(asked))
            yield each

    def _some_fails(self, asked: Sequence[Asked]) -> int:
        """A variable that some of what is asked does not hold; of orders it is true whenever that is so."""
        encoding = self._encoding
        fails = [self._fails(each) for each in asked]
        found = encoding.assumption(*fails)
        for each, literal in zip(asked, fails, strict=True):
            # One execution then refutes all that it can. Of waits this would be dear: closures were to be justified.
            if not isinstance(each, Wait):
                encoding.circuit.require(found, -literal)
        return found

    def _fails(self, asked: Asked) -> int:
        """The literal that something does not hold."""
        execution, circuit = self._encoding.execution, self._encoding.circuit
        if not isinstance(asked, Wait):
            return execution.writes_before(asked[1], asked[0])
        order = self._encoding.terms.relation(asked.order)
        before = [order.literal(asked.event, event) for event in asked.place.after]
        return circuit.both(self._encoding.values.true(asked.place.guard), -circuit.any_of(before))


def _constants(expression: Expression) -> Iterator[Value]:
    return (part.value for part in subexpressions(expression) if isinstance(part, Constant))


def _classes(asked: Sequence[Asked], exchanges: Sequence[Automorphism]) -> list[Sequence[Asked]]:
    """What is asked, each together with its images, also where these would not be asked about."""
    classes: list[Sequence[Asked]] = []
    seen: set[Asked] = set()
    for first in asked:
        if first not in seen:
            members = {first: None}
            new = [first]
            while new:
                each = new.pop()
                images = [_image(each, exchange.renaming) for exchange in exchanges]
                new += [image for image in images if image not in members]
                members.update(dict.fromkeys(images))
            seen.update(members)
            classes.append(tuple(members))
    return classes


def _image(asked: Asked, renaming: Renaming) -> Asked:
    """What is asked of other threads."""
    if not isinstance(asked, Wait):
        return renaming.events[asked[0]], renaming.events[asked[1]]
    after = tuple(sorted(renaming.events[event] for event in asked.place.after))
    return Wait(asked.order, renaming.events[asked.event], Place(renaming.expression(asked.place.guard), after))
