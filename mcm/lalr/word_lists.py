"""Of an expression of a grammar, the words that what it matches begins with, where these are finitely many.

Only `make_tables` imports this. A keyword is such an expression, and a list of names of types: a driver that has the
lists need not compile the expressions for a small text.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Final

from mcm.lalr.tables import Listed

if TYPE_CHECKING:
    from collections.abc import Iterator

# Words, the boundary behind them, and perhaps a look at what follows.
_FORM: Final = re.compile(r"(?P<words>.*)\\b(?P<ahead>\(\?[=!].*\))?")
_FIRST: Final = re.compile(r"(\w+)(?=\\s\+|$)")


def listed(expression: str) -> Listed | None:
    """The whole words that a match of an expression begins with; None where these are not a list of words."""
    form = _FORM.fullmatch(expression)
    if form is None:
        return None
    whole: set[str] = set()
    begun: set[str] = set()
    body = form["words"]
    alternatives = [*_alternatives(body[3:-1])] if _group_end(body, 0) == len(body) else [body]
    for alternative in alternatives:
        for word in _matched(alternative) or [alternative]:
            first = _FIRST.match(word)
            if first is None:
                return None
            (whole if first[0] == word and not form["ahead"] else begun).add(first[0])
    return None if whole & begun else Listed(frozenset(whole), frozenset(begun))


def _matched(expression: str) -> list[str] | None:
    """All texts that an expression of letters, groups, `|`, `?` and `[...]` of letters matches; None for any other."""
    parts: list[list[str]] = []
    at = 0
    while at < len(expression):
        end = _group_end(expression, at)
        if end is not None:
            several = [_matched(alternative) for alternative in _alternatives(expression[at + 3 : end - 1])]
            part = [text for texts in several if texts is not None for text in texts]
            if None in several:
                return None
        elif (choice := re.compile(r"\[(\w+)\]").match(expression, at)) is not None:
            part, end = list(choice[1]), choice.end()
        elif re.fullmatch(r"\w", expression[at]):
            part, end = [expression[at]], at + 1
        else:
            return None
        at = end
        if expression.startswith("?", at):
            part, at = [*part, ""], at + 1
        parts.append(part)
    return ["".join(chosen) for chosen in product(*parts)]


def _alternatives(expression: str) -> Iterator[str]:
    """The alternatives of an expression, which `|` separates outside groups."""
    begin = depth = 0
    for at, sign in enumerate(expression):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and depth == 0:
            yield expression[begin:at]
            begin = at + 1
    yield expression[begin:]


def _group_end(expression: str, begin: int) -> int | None:
    """The end of the group `(?:...)` that begins there; None if none does."""
    if not expression.startswith("(?:", begin):
        return None
    depth = 0
    for at in range(begin, len(expression)):
        depth += (expression[at] == "(") - (expression[at] == ")")
        if depth == 0:
            return at + 1
    return None
