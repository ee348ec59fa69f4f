"""Recognises partial executions that are mirror images of ones seen before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mcm.engine.explicit.mirrors import Symmetry
    from mcm.engine.explicit.valuation import Valuation

Colour = tuple[object, ...]


class Images:
    """Remembers decisions up to an exchange of threads.

    The threads of a group are put into an order that depends only on what was decided, as far as cheap colouring can
    tell; decisions are then written down as if the threads stood in that order. Equal notes are mirror images.
    """

    def __init__(self, symmetry: Symmetry) -> None:
        self._groups: Final = symmetry.groups
        self._home: Final = {
            event: (group, number, position)
            for group, threads in enumerate(symmetry.groups)
            for number, (events, _) in enumerate(threads)
            for position, event in enumerate(events)
        }
        self._seen: Final[set[tuple[object, ...]]] = set()

    def is_new(self, valuation: Valuation) -> bool:
        """Whether neither this partial execution nor a mirror image of it was seen before."""
        if not self._groups:
            return True
        note = self._note(valuation)
        if note in self._seen:
            return False
        self._seen.add(note)
        return True

    def _note(self, valuation: Valuation) -> tuple[object, ...]:
        events: dict[int, int] = {}
        choices: dict[int, int] = {}
        for threads, order in zip(self._groups, self._orders(valuation), strict=True):
            for (to_events, to_choices), number in zip(threads, order, strict=True):
                events.update(zip(threads[number][0], to_events, strict=True))
                choices.update(zip(threads[number][1], to_choices, strict=True))
        decided = sorted((events.get(r, r), events.get(w, w)) for r, w in valuation.sources.items())
        chosen = sorted((choices.get(c, c), taken) for c, taken in enumerate(valuation.choices) if taken is not None)
        guessed = [(events.get(r, r), valuation.values[r]) for r in valuation.waiting if r in valuation.values]
        return (tuple(decided), tuple(chosen), frozenset(guessed))

    def _orders(self, valuation: Valuation) -> list[list[int]]:
        """For each group its threads, ordered by colours that are refined along reads-from."""
        colours = [[0] * len(threads) for threads in self._groups]
        own = [[self._own(thread, valuation) for thread in threads] for threads in self._groups]
        kinds = 0
        while True:
            details: list[list[list[Colour]]] = [[[] for _ in threads] for threads in self._groups]
            for read, write in valuation.sources.items():
                self._relate(read, write, colours, details)
            descriptions = [
                [(colours[g][n], own[g][n], tuple(sorted(details[g][n]))) for n in range(len(threads))]
                for g, threads in enumerate(self._groups)
            ]
            palettes = [{d: rank for rank, d in enumerate(sorted(set(ds)))} for ds in descriptions]
            colours = [[palette[d] for d in ds] for palette, ds in zip(palettes, descriptions, strict=True)]
            if sum(map(len, palettes)) == kinds:
                return [sorted(range(len(c)), key=c.__getitem__) for c in colours]
            kinds = sum(map(len, palettes))

    def _relate(self, read: int, write: int, colours: list[list[int]], details: list[list[list[Colour]]]) -> None:
        """Describe one pair of reads-from to the threads at both of its ends."""
        reader, writer = self._home.get(read), self._home.get(write)
        if reader is not None:
            group, number, position = reader
            if writer is None:
                details[group][number].append((0, position, write, 0, 0, 0))
            else:
                same = (writer[0], writer[1]) == (group, number)
                colour = colours[writer[0]][writer[1]]
                details[group][number].append((1, position, writer[0], writer[2], colour, int(same)))
        if writer is not None:
            group, number, position = writer
            if reader is None:
                details[group][number].append((2, position, read, 0, 0, 0))
            else:
                details[group][number].append((3, position, reader[0], reader[2], colours[reader[0]][reader[1]], 0))

    @staticmethod
    def _own(thread: tuple[tuple[int, ...], tuple[int, ...]], valuation: Valuation) -> Colour:
        """What was decided of a thread without regard to others."""
        events, choices = thread
        waiting = set(valuation.waiting)
        return (
            tuple(-1 if (taken := valuation.choices[choice]) is None else int(taken) for choice in choices),
            tuple(repr(valuation.values[e]) if e in waiting and e in valuation.values else "" for e in events),
        )
