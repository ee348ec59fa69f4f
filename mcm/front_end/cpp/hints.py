"""Hints where memory is wanted, `event e = q.prefetch(p, n);`: commands that do nothing, and that others wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import closing, is_name, listed, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# How many arguments say what is wanted; what is behind them is waited for.
_HINTS: Final = {"prefetch": 2, "mem_advise": 3}
_BEFORE: Final = frozenset({";", "{", "}", ")", "else"})


def with_commands_of_hints(words: Sequence[Piece]) -> Words:
    """The words with an empty command in place of a hint whose event is used, or that is all of a command group.

    Others are left out later, as nothing waits for them.
    """
    is_own = any(
        word.text in _HINTS and texts(words, n + 1, 1) == ("(",) and words[n - 1].text not in {".", "->"}
        for n, word in enumerate(words)
    )
    # A class of the program may have a function of that name.
    return list(words) if is_own else replaced(words, _command)


def _command(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    follows = texts(words, number + 1, 3)
    if len(follows) < 3 or follows[0] not in {".", "->"} or follows[1] not in _HINTS or follows[2] != "(":
        return None
    if not is_name(words[number]):
        return None
    last = closing(words, number + 3)
    is_statement = number == 0 or words[number - 1].text in _BEFORE
    is_alone = is_statement and texts(words, last + 1, 1) == (";",)
    if is_alone and not _is_handler(words[:number], words[number].text):
        return None
    parts = listed(words, number + 4, last)[_HINTS[follows[1]] :]
    at = words[number + 2]
    waited = [word for part in parts for word in (*part, *code(at, ","))]
    return code(
        at, "{of} single_task ( {waited} [ = ] { } )", of=list(words[number : number + 2]), waited=waited
    ), last + 1


def _is_handler(before: Sequence[Piece], name: str) -> bool:
    """Whether a name is that of the command group around it."""
    place = next((n for n in reversed(range(len(before))) if before[n].text == name and before[n - 1].text == "&"), 0)
    return place > 1 and before[place - 2].text in {"handler", "auto"}
