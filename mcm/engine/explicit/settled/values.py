"""What settled reads return and what settled locations hold in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.settled.conditions import told_apart
from mcm.execution.algebra import conjunction, conjuncts, disjunction, select
from mcm.execution.evaluate import choices_of, reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import ReadValue
from mcm.execution.substitution import Substitution

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.engine.explicit.settled.conditions import Case
    from mcm.engine.explicit.settled.ordering import Layer
    from mcm.execution.expression import Atom, Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location


class Values:
    """What settled reads return and locations hold in the end, by the values of the reads that are open.

    What some reads return is known without layers: the values of `inputs`. `choices` are known by what reads return.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        layers: Mapping[Location, tuple[Layer, ...]],
        accesses: Sequence[int],
        inputs: Mapping[Atom, Expression],
        choices: Mapping[Atom, Expression],
    ) -> None:
        self.sources: Final[dict[int, Layer]] = {}
        bases: dict[int, Layer] = {}
        self._before: Final[dict[int, tuple[Layer, ...]]] = {}
        for each in layers.values():
            for number, (base, layer) in enumerate(zip((None, *each), each, strict=False)):
                self.sources.update((read.identifier, layer) for read in layer.reads)
                if layer.chosen:
                    self._before[id(layer)] = each[:number]
                if base is not None:
                    bases[id(layer)] = base
                    self.sources.update((w.identifier, base) for w in layer.writes if w.kind is EventKind.UPDATE)
        self._bases: Final = bases
        self._atoms: Final[dict[Atom, Expression]] = {**inputs}
        self._earlier: Final = Substitution(self._atoms)
        self._known: Final[dict[int, Expression]] = {}
        alone = {
            w.identifier for each in layers.values() for layer in each if len(layer.writes) == 1 for w in layer.writes
        }
        for access in accesses:
            # What a write computes with was read before it, and it comes before its readers.
            if access in self.sources and (access in alone or not skeleton.events[access].kind.writes):
                self._atoms[ReadValue(access)] = self._after(self.sources[access])
        self.finals: Final = {location: self._in_the_end(each) for location, each in layers.items()}
        self.substitution: Final = self._with_choices(choices)

    def _with_choices(self, choices: Mapping[Atom, Expression]) -> Substitution:
        """What reads return, and choices are by that: those that are said by others are left."""
        found = Substitution(self._atoms)
        known = {choice: found.apply(value) for choice, value in choices.items()}
        known = {choice: value for choice, value in known.items() if not choices_of(value)}
        return found.with_more(known) if known else found

    def _in_the_end(self, layers: Sequence[Layer]) -> Expression:
        """The value after the last layer of which the writes are executed."""
        value = self._after(layers[0])
        for layer in layers[1:]:
            if layer.chosen:
                value = self._after(layer)
                continue
            executed = disjunction(*(self._earlier.apply(write.guard) for write in layer.writes))
            value = select(executed, self._after(layer), value)
        return value

    def _after(self, layer: Layer) -> Expression:
        """The value after the writes of a layer."""
        found = self._known.get(id(layer))
        if found is None:
            found = self._known[id(layer)] = self._combined(layer)
        return found

    def _combined(self, layer: Layer) -> Expression:
        if layer.chosen:
            return self._of_chosen(layer)
        first = layer.writes[0].value
        assert first is not None, "a write writes a value"
        if len(layer.writes) == 1:
            return self._earlier.apply(first)
        if not reads_of(first):
            # All write the same.
            return first
        value = self._after(self._bases[id(layer)])
        for event in layer.writes:
            assert event.value is not None, "a write writes a value"
            value = Substitution({ReadValue(event.identifier): value}).apply(self._earlier.apply(event.value))
        return value

    def _of_chosen(self, layer: Layer) -> Expression:
        """The value after writes of which choices say which one is executed, if any is."""
        cases: list[Case[Expression]] = []
        for write in layer.writes:
            assert write.value is not None, "a write writes a value"
            cases.append((tuple(conjuncts(self._earlier.apply(write.guard))), self._earlier.apply(write.value)))
        return _by_choices(cases, self._in_the_end(self._before[id(layer)]))


def _by_choices(cases: Sequence[Case[Expression]], otherwise: Expression) -> Expression:
    """The value of the one case whose conditions hold, found in as few steps as its conditions allow."""
    if not cases:
        return otherwise
    conditions, value = cases[0]
    if not conditions:
        return value
    apart = told_apart(cases)
    if apart is None:
        return select(conjunction(*conditions), value, _by_choices(cases[1:], otherwise))
    part, having, others = apart
    return select(part, _by_choices(having, otherwise), _by_choices(others, otherwise))
