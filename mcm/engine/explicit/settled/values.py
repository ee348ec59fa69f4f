"""What settled reads return and what settled locations hold in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.algebra import disjunction, select
from mcm.execution.evaluate import choices_of
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.substitution import Substitution

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
        for each in layers.values():
            for base, layer in zip((None, *each), each, strict=False):
                self.sources.update((read.identifier, layer) for read in layer.reads)
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
        first = layer.writes[0].value
        assert first is not None, "a write writes a value"
        if len(layer.writes) == 1:
            return self._earlier.apply(first)
        if isinstance(first, Constant):
            # All write the same.
            return first
        value = self._after(self._bases[id(layer)])
        for event in layer.writes:
            assert event.value is not None, "a write writes a value"
            value = Substitution({ReadValue(event.identifier): value}).apply(self._earlier.apply(event.value))
        return value
