"""The tables of a parser, as they lie in the package: `NAME.json`, made from `grammar/NAME.lark` by `make_tables`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from os.path import dirname, join
from typing import Any, Final

import msgspec
from msgspec import Struct

from mcm.lalr.lines import Lines, MakesAgain

# The end of a text, as a word of the grammar.
END: Final = "$END"

# Numbers beside those of the states: for words that stand anywhere, and for blanks.
ANYWHERE: Final = -1
BLANKS: Final = -2

_LETTERS: Final = re.compile(r"\w+")

# How many pieces are remembered for one choice of words: names of variables are among them.
_MOST_KNOWN: Final = 1000

# How the symbols of a rule become children: each step is the number of one, the complement (`~`) of the number of a
# repetition, whose items become children, or None where nothing was written.
Steps = tuple[int | None, ...]

# The same as changes of a list of the symbols, from its end to its beginning: where the items of a repetition take its
# place (True), or None is inserted.
Edits = tuple[tuple[int, bool], ...]

# The method of the rules for repetitions.
REPETITION: Final = "repetition"

# A rule as data: size, origin, name of the builder's method, steps.
PlainRule = tuple[int, str, str | None, Steps | None]


class FixedWord(Struct, frozen=True):
    """A word that is always written alike, found at an offset: it answers what is asked of a match of an expression."""

    lastgroup: str
    text: str
    begin: int

    def __getitem__(self, group: str | int, /) -> str:
        """The text of the word."""
        return self.text

    def start(self, group: str | int = 0, /) -> int:  # noqa: ARG002 - as `re.Match` has it
        """Where it begins."""
        return self.begin

    def end(self) -> int:
        """Where it ends."""
        return self.begin + len(self.text)


# What is found in a text, from one offset to before another: perhaps blanks, and a word of the name `lastgroup`.
Found = re.Match[str] | FixedWord
Match = Callable[[str, int, int], Found | None]

# A method of a builder, for the children of a rule; and one for a word and its end.
Build = Callable[[Any, list[Any]], Any]
Leaf = Callable[[Any, str, int], Any]


class Listed(Struct, frozen=True):
    """Letters and digits up to a boundary that are a word as they stand, and those that only its expression tells."""

    whole: frozenset[str]
    begun: frozenset[str]


class PlainTables(Struct, frozen=True):
    """The tables as data. `expressions` are those of single words, by name, and `blanks` that of white space.
    `lists` are what words begin with that are keywords, and `signs` what others do, for those of which it can be told.
    `piece` is an expression of what most words are: they depend on nothing that follows it. `further` has those that
    may depend on more: expressions of the pieces that these begin with.

    `lexers` tell for each state, and then for `ANYWHERE`, which of `choices` can stand there: names of words, in the
    order in which they are tried.
    """

    starts: dict[str, int]
    words: list[str]
    rules: list[PlainRule]
    actions: list[dict[str, int]]
    blanks: str
    expressions: dict[str, str]
    lists: dict[str, Listed]
    signs: dict[str, str]
    piece: str
    further: dict[str, str]
    lexers: list[int]
    choices: list[list[str]]


# What to do when the last so many symbols are complete and become one of this origin: the edits make children of the
# symbols, and `Build` makes the value, which is the only child without it. Without edits, the first symbol is a
# repetition, and the others are more items of it.
Rule = tuple[int, str, Build | None, Edits | None]


class Lexers(dict[int, Match]):
    """For each state the function that reads a word that can stand there, with the blanks before it; see `ANYWHERE`
    and `BLANKS`.

    The words are tried one after the other at first, and in one expression when they are read often. Many states have
    the same words, and share the function. Most words are pieces of the text that say what they are, whatever follows:
    `known` has, for each state, the names of those that were met, and `piece` finds one, with the blanks before it.
    """

    def __init__(self, plain: PlainTables) -> None:
        super().__init__()
        self._plain = plain
        self.piece: Final = re.compile(f"{plain.blanks}({plain.piece})").match
        by_choice: list[dict[str, str]] = [{} for _ in plain.choices]
        self.known: Final = [by_choice[choice] for choice in plain.lexers]
        # Pieces that may be several words, by the choice.
        self._open: set[tuple[int, str]] = set()
        self._words: dict[str, Match] = {}
        self._choices: dict[int, Match] = {}

    def __missing__(self, state: int) -> Match:
        """The function of a state that was not used before."""
        match = re.compile(self._plain.blanks).match if state == BLANKS else self._choice(self._plain.lexers[state])
        self[state] = match
        return match

    def _choice(self, number: int) -> Match:
        """The function of the states that have these words."""
        match = self._choices.get(number)
        if match is None:
            match = self._choices[number] = WordByWord(self, number)
        return match

    def note(self, state: int, piece: str, name: str) -> None:
        """Remember that a piece is the word of this name wherever it stands in a state, if it is."""
        plain = self._plain
        choice = plain.lexers[state]
        if (choice, piece) in self._open:
            return
        for tried in plain.choices[choice]:
            begun = plain.further.get(tried)
            if begun is not None and (not begun or re.match(begun, piece)):
                if len(self._open) < _MOST_KNOWN:
                    self._open.add((choice, piece))
                return
            if tried == name:
                break
        known = self.known[state]
        if len(known) < _MOST_KNOWN:
            known[piece] = name

    def names(self, choice: int) -> list[str]:
        """The words of a choice, in the order in which they are tried."""
        return self._plain.choices[choice]

    def listed(self, name: str) -> Listed | None:
        """The letters that a word begins with, where they are listed."""
        return self._plain.lists.get(name)

    def length(self, choice: int) -> int:
        """How long one expression for the words of a choice is."""
        return sum(len(self._plain.expressions[name]) for name in self.names(choice))

    def sign(self, name: str) -> str:
        """The sign that a word begins with; empty where that is not always the same."""
        return self._plain.signs.get(name, "")

    def word(self, name: str) -> Match:
        """The function that reads one word."""
        match = self._words.get(name)
        if match is None:
            sign, expression = self.sign(name), self._plain.expressions[name]
            is_all = expression == re.escape(sign)
            match = partial(_find_sign, name, sign) if is_all else re.compile(f"(?P<{name}>{expression})").match
            self._words[name] = match
        return match

    def in_one(self, choice: int) -> Match:
        """The function of words that are read often: one expression for all of them."""
        words = "|".join(f"(?P<{name}>{self._plain.expressions[name]})" for name in self.names(choice))
        # Nothing but blanks begins with a blank, so these can be read first.
        match = self._choices[choice] = re.compile(f"{self._plain.blanks}(?:{words or '(?!)'})").match
        self.update({state: match for state in self if state != BLANKS and self._plain.lexers[state] == choice})
        return match


class WordByWord:
    """Reads one of some words by trying one after the other, until that has been done often.

    Most words are one sign, or one of some keywords: to look for them takes a small text less time than to compile an
    expression. To compile one takes as long as it saves in as many words as it has characters, if each has half of the
    names tried; it is compiled after half as many, as words that are read often will be read again.
    """

    def __init__(self, lexers: Lexers, choice: int) -> None:
        self._lexers = lexers
        self._choice = choice
        self._names = [(name, lexers.listed(name), lexers.sign(name)) for name in lexers.names(choice)]
        lists = [listed for _, listed, _ in self._names if listed is not None]
        self._listed = frozenset[str]().union(*[listed.whole | listed.begun for listed in lists])
        # Those that letters which are not listed may be, and what else stands there.
        self._of_letters = [each for each in self._names if each[1] is None and not each[2]]
        self._left = lexers.length(choice) * len(self._names) // 4

    def __call__(self, text: str, position: int, end: int) -> Found | None:
        """The word at `position`; None if none of these stands there."""
        if self._left < 0:
            return self._lexers.in_one(self._choice)(text, position, end)
        blanks = self._lexers[BLANKS](text, position, end)
        assert blanks is not None
        start = blanks.end()
        if start == end:
            return None
        letters = _LETTERS.match(text, start, end)
        word = letters[0] if letters else ""
        for name, listed, sign in self._names if word in self._listed or not word else self._of_letters:
            self._left -= 1
            if listed is not None and word in listed.whole:
                return FixedWord(name, word, start)
            if text.startswith(sign, start) if listed is None else word in listed.begun:
                found = self._lexers.word(name)(text, start, end)
                if found:
                    return found
        return None


class Tables(Struct, frozen=True):
    """An LALR automaton and its lexers.

    `actions` tells for each state and symbol what to do: shift, and go to the state of that number, or reduce by the
    rule whose complement (`~`) the number is. `leaves` make the values of words that are more than tokens. `leads`
    remembers where a complete symbol leads: by the state below, the symbol and the next word, the state and the action
    behind it, and behind all rules without a builder that it completes. `lines` are those that were read before.
    """

    actions: list[dict[str, int]]
    rules: list[Rule]
    starts: dict[str, int]
    words: frozenset[str]
    leaves: dict[str, Leaf]
    match: Lexers
    lines: Lines | None = None
    leads: dict[tuple[int, str, str], tuple[int, int]] = {}


def path_of(name: str) -> str:
    """Where the tables of a language lie."""
    return join(dirname(__file__), f"{name}.json")


def read_tables(name: str, builder: object, makes_again: MakesAgain | None = None) -> Tables:
    """The tables of the language of this name, bound to the functions of a class or module named like its rules.

    With `makes_again`, which does this for values of the language, lines that stand in several texts are remembered.
    """
    with open(path_of(name), "rb") as stream:
        plain = msgspec.json.decode(stream.read(), type=PlainTables)
    rules = [
        (size, origin, None if method is None else getattr(builder, method), _edits(size, method, steps))
        for size, origin, method, steps in plain.rules
    ]
    leaves = {word: getattr(builder, word) for word in plain.words if hasattr(builder, word)}
    lines = None if makes_again is None else Lines(makes_again)
    return Tables(plain.actions, rules, plain.starts, frozenset(plain.words), leaves, Lexers(plain), lines)


def _edits(size: int, method: str | None, steps: Steps | None) -> Edits | None:
    """The changes that make children of the symbols of a rule; None where these are a repetition and more of it."""
    if steps is None:
        return ()
    if method == REPETITION and steps == (~0, *range(1, size)):
        return None
    edits: list[tuple[int, bool]] = []
    place = 0
    for step in steps:
        if step is None or step < 0:
            edits.append((place, step is not None))
        place += step is not None
    return tuple(reversed(edits))


def _find_sign(name: str, sign: str, text: str, start: int, end: int) -> FixedWord | None:
    return FixedWord(name, sign, start) if text.startswith(sign, start, end) else None
