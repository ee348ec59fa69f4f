"""The tables of the parser: kept from the last run, or made from `grammar/litmus.lark` where that is not possible."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct

from mcm.base.grammar_file import grammar_text
from mcm.base.kept import Origin, keep, recall
from mcm.base.patterns import Written, read_back
from mcm.syntax.build import TreeBuilder

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    # Of a text, from one offset to before another.
    Match = Callable[[str, int, int], re.Match[str] | None]

# The end of a section, as a word of the grammar.
END: Final = "$END"

# How the symbols of a rule become children: each step is the number of one, the complement (`~`) of the number of a
# repetition, whose items become children, or None where nothing was written.
Steps = tuple[int | None, ...]

# A rule as it is kept: size, origin, name of the builder's method, steps.
PlainRule = tuple[int, str, str | None, Steps | None]


class PlainTables(Struct, frozen=True):
    """The tables as they are kept; `lexers` are numbers of `expressions`: for each state, for all words, for blanks."""

    actions: list[dict[str, int]]
    rules: list[PlainRule]
    starts: dict[str, int]
    words: frozenset[str]
    lexers: list[int]
    expressions: list[Written]


class Rule(NamedTuple):
    """What to do when the last `size` symbols are complete and become one `origin`.

    `steps` make children of the symbols, which they are already if it is None, and `build` makes the value. Without
    `build` the value is the only child.
    """

    size: int
    origin: str
    build: Callable[[TreeBuilder, list[Any]], Any] | None
    steps: Steps | None


class Tables(Struct, frozen=True):
    """An LALR automaton and its lexer.

    `actions` tells for each state and symbol what to do: shift, and go to the state of that number, or reduce by the
    rule whose complement (`~`) the number is. `match` reads for each state a word that can stand there, with the blanks
    before it, `match_any` one that stands anywhere, `match_blanks` blanks alone. `leaves` make the values of words that
    are more than tokens.
    """

    actions: list[dict[str, int]]
    rules: list[Rule]
    starts: dict[str, int]
    words: frozenset[str]
    leaves: dict[str, Callable[[TreeBuilder, str, int], Any]]
    match: list[Match]
    match_any: Match
    match_blanks: Match


@cache
def tables() -> Tables:
    """The tables of the litmus language, made once and then kept."""
    grammar = grammar_text("litmus")
    origin = Origin(_makers(), grammar)
    plain = recall("litmus", origin)
    if not isinstance(plain, PlainTables):
        # Imported here: lark takes 30 ms to import, and is rarely needed.
        from mcm.syntax.make_tables import make_tables  # noqa: PLC0415

        plain = make_tables(grammar)
        keep("litmus", origin, plain)
    return _bind(plain)


def _makers() -> list[Path]:
    """The code that the tables depend on, lark's among it: its version is written in its first file."""
    lark = find_spec("lark")
    assert lark is not None
    assert lark.origin is not None
    package = Path(__file__).parent.parent
    ours = ("base/patterns.py", "syntax/make_tables.py", "syntax/sections.py", "syntax/tables.py")
    return [Path(lark.origin), *(package / name for name in ours)]


def _bind(plain: PlainTables) -> Tables:
    """The tables with the expressions compiled and the builder's methods found."""
    match: list[Match] = [read_back(written).match for written in plain.expressions]
    *in_state, anywhere, blanks = [match[number] for number in plain.lexers]
    leaves = {word: getattr(TreeBuilder, word) for word in plain.words if hasattr(TreeBuilder, word)}
    rules = [
        Rule(size, origin, None if method is None else getattr(TreeBuilder, method), steps)
        for size, origin, method, steps in plain.rules
    ]
    return Tables(plain.actions, rules, plain.starts, plain.words, leaves, in_state, anywhere, blanks)
