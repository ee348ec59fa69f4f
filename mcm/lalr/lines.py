"""Lines of a text that were read before: what they did to a parser is done again, without reading their words.

Tests are much alike: most of their lines stand in others as well. What a line does depends on nothing but its words and
the state before them, where no word depends on what follows the line, and no rule that its words complete reaches back
to what stands before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from msgspec import Struct

# Lines that end with these signs: no word depends on what is behind them.
_ENDS: Final = frozenset(";{})")

# The trees of longer lines may be deep, and what makes them again is recursive.
_LONGEST: Final = 120

# How many lines are remembered.
_MOST: Final = 4000

# The state before the first word of a line, the one behind that word, and the line.
Key = tuple[int, int, str]

# Makes values at an offset of a source; and this, of the values of a text that begins at another offset.
MakeValues = Callable[[Any, int], list[Any]]
MakesAgain = Callable[[Sequence[Any], int], MakeValues]


class KnownLine(Struct):
    """What a line adds to the states and to the values of a parser."""

    states: list[int]
    make: MakeValues


class FirstWord(NamedTuple):
    """The first word of a line: the state before it, its name in the grammar, and its text."""

    state: int
    kind: str
    text: str


class NotedLine(Struct, frozen=True):
    """A line that is being read, to be remembered: its beginning, and how many values and problems there were."""

    key: Key
    begin: int
    height: int
    problems: int
    first: FirstWord

    @property
    def end(self) -> int:
        """Where the line ends."""
        return self.begin + len(self.key[2])


class Lines:
    """The lines that are `known`; `begun` has the names and the texts of their first words, by the state before."""

    def __init__(self, makes_again: MakesAgain) -> None:
        self._makes_again: Final = makes_again
        self.known: Final[dict[Key, KnownLine]] = {}
        self.begun: Final[dict[tuple[int, str], tuple[str, str]]] = {}

    def is_wanted(self, line: str) -> bool:
        """Whether a line may be remembered; what stands in quotes is blank here, and another one elsewhere."""
        return line[-1] in _ENDS and len(line) <= _LONGEST and '"' not in line and "'" not in line

    def note(self, line: NotedLine, states: Sequence[int], values: Sequence[Any]) -> None:
        """Remember a line that has been read, and what is on the stacks of a parser behind it."""
        if len(self.known) >= _MOST:
            self.known.clear()
            self.begun.clear()
        # Repetitions still grow.
        written = [value.copy() if isinstance(value, list) else value for value in values[line.height :]]

        def make_first(source: Any, at: int) -> list[Any]:
            # Only now is it known that the line stands elsewhere, too: most lines of a single test do not.
            known.make = self._makes_again(written, line.begin)
            return known.make(source, at)

        self.begun[line.first.state, line.key[2]] = line.first.kind, line.first.text
        known = self.known[line.key] = KnownLine([*states[line.height + 1 :]], make_first)
