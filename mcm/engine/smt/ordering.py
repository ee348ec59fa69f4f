"""When it is enough to look at executions in which symmetric threads are in order: while images are looked for too."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence

    from mcm.engine.smt.automorphism import Automorphism
    from mcm.engine.smt.encode import Encoding
    from mcm.engine.smt.raisings import Raising
    from mcm.execution.expression import Expression
    from mcm.program.condition import Observable
    from mcm.program.types import Value

Key = TypeVar("Key", bound="Hashable")


class Ordering:
    """Assumptions that order symmetric threads, where the final values of everything `fixed` matter.

    Those of what is `turned` may be the values of something else in an image; with `moves`, also in one of an exchange.
    """

    def __init__(
        self,
        encoding: Encoding,
        fixed: Iterable[Observable],
        turned: Iterable[Observable] = (),
        *,
        moves: bool = False,
    ) -> None:
        self._symmetry: Final = encoding.symmetry(fixed, turned, copies=True, moves=moves)
        self.assumptions: Final = encoding.in_order(self._symmetry)
        self._check: Final = encoding.check_limits

    def images(self, observed: tuple[Observable, ...]) -> list[tuple[Observable, ...]]:
        """What has the values of everything observed in images; it was to be fixed, or turned."""
        images = []
        for turn in self._symmetry.turns:
            image = tuple(image for what in observed if (image := turn.image_of(what)) is not None)
            if image != observed:
                images.append(image)
        return images

    def orbit(self, observed: tuple[Observable, ...], state: tuple[Value, ...]) -> Iterator[tuple[Value, ...]]:
        """The states of the images of an execution under exchanges that move what is observed, its own first.

        n units may have n! images: raises UndecidedError when a limit is exceeded.
        """
        moves = [_moves(exchange, observed) for exchange in self._symmetry.moving]
        found = {state}
        for known in (waiting := [state]):
            yield known
            self._check()
            for move in moves:
                image = list(known)
                for (place, changes), value in zip(move, known, strict=True):
                    image[place] = changes.get(value, value)
                moved = tuple(image)
                if moved not in found:
                    found.add(moved)
                    waiting.append(moved)

    def of_places(self) -> Sequence[int]:
        """The assumptions while sets of places are looked for at which units stop."""
        return self.assumptions if self._symmetry.keeps_places else ()

    def of_conditions(self, conditions: Mapping[Key, Expression]) -> Callable[[Collection[Key]], Sequence[int]]:
        """The assumptions while some of these conditions are looked for."""

        def of(left: Collection[Key]) -> Sequence[int]:
            keeps = self._symmetry.keeps_conditions({conditions[key] for key in left})
            return self.assumptions if keeps else ()

        return of

    def of_flags(self, all_of_them: Iterable[Raising]) -> Callable[[Collection[Raising]], Sequence[int]]:
        """The assumptions while some flags are looked for; given are all that are possible in the skeleton."""
        locations = Counter((raising.flag, raising.events) for raising in all_of_them)

        def of(left: Collection[Raising]) -> Sequence[int]:
            raised = Counter((raising.flag, raising.events) for raising in left)
            # An image may be raised at another location than the one of this raising.
            if any(locations[each] != number for each, number in raised.items()):
                return ()
            events: dict[int, set[tuple[int, ...]]] = {}
            for flag, raising in raised:
                events.setdefault(flag, set()).add(raising)
            return self.assumptions if all(map(self._symmetry.keeps_events, events.values())) else ()

        return of


def _moves(exchange: Automorphism, observed: Sequence[Observable]) -> list[tuple[int, Mapping[Value, Value]]]:
    """For each final value the place of that of its image, and what values become there."""
    places: dict[Observable | None, int] = {what: place for place, what in enumerate(observed)}
    return [(places[exchange.image_of(what)], exchange.changes_at(what)) for what in observed]
