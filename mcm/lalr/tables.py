"""The tables of a parser, as they lie in the package: `NAME.json`, made from `grammar/NAME.lark` by `make_tables`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

# The end of a text, as a word of the grammar.
END: Final = "$END"

# Numbers beside those of the states: for words that stand anywhere, and for blanks.
ANYWHERE: Final = -2
BLANKS: Final = -1

# How the symbols of a rule become children: each step is the number of one, the complement (`~`) of the number of a
# repetition, whose items become children, or None where nothing was written.
Steps = tuple[int | None, ...]

# A rule as data: size, origin, name of the builder's method, steps.
PlainRule = tuple[int, str, str | None, Steps | None]

# Of a text, from one offset to before another.
Match = Callable[[str, int, int], re.Match[str] | None]

# A method of a builder, for the children of a rule; and one for a word and its end.
Build = Callable[[Any, list[Any]], Any]
Leaf = Callable[[Any, str, int], Any]


class PlainTables(Struct, frozen=True):
    """The tables as data; `lexers` are numbers of `expressions`: for each state, for all words, for blanks."""

    starts: dict[str, int]
    words: list[str]
    rules: list[PlainRule]
    actions: list[dict[str, int]]
    lexers: list[int]
    expressions: list[str]


class Rule(NamedTuple):
    """What to do when the last `size` symbols are complete and become one `origin`.

    `steps` make children of the symbols, which they are already if it is None, and `build` makes the value. Without
    `build` the value is the only child.
    """

    size: int
    origin: str
    build: Build | None
    steps: Steps | None


class Lexers(dict[int, Match]):
    """For each state the function that reads a word that can stand there, with the blanks before it; see `ANYWHERE`
    and `BLANKS`.

    An expression is compiled when it is first needed: a small text needs a third of them.
    """

    def __init__(self, plain: PlainTables) -> None:
        super().__init__()
        self._plain = plain

    def __missing__(self, state: int) -> Match:
        """Compile the expression of a state."""
        match = self[state] = re.compile(self._plain.expressions[self._plain.lexers[state]]).match
        return match


class Tables(Struct, frozen=True):
    """An LALR automaton and its lexers.

    `actions` tells for each state and symbol what to do: shift, and go to the state of that number, or reduce by the
    rule whose complement (`~`) the number is. `leaves` make the values of words that are more than tokens.
    """

    actions: list[dict[str, int]]
    rules: list[Rule]
    starts: dict[str, int]
    words: frozenset[str]
    leaves: dict[str, Leaf]
    match: Lexers


def path_of(name: str) -> Path:
    """Where the tables of a language lie."""
    return Path(__file__).with_name(f"{name}.json")


def read_tables(name: str, builder: object) -> Tables:
    """The tables of the language of this name, bound to the functions of a class or module named like its rules."""
    plain = msgspec.json.decode(path_of(name).read_bytes(), type=PlainTables)
    rules = [
        Rule(size, origin, None if method is None else getattr(builder, method), steps)
        for size, origin, method, steps in plain.rules
    ]
    leaves = {word: getattr(builder, word) for word in plain.words if hasattr(builder, word)}
    return Tables(plain.actions, rules, plain.starts, frozenset(plain.words), leaves, Lexers(plain))
