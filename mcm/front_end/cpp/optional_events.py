"""`std::optional<event>`: an event, as one without a command is complete from the beginning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing, closing_angle, is_name, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_WAITS: Final = frozenset({"wait", "wait_and_throw"})


def with_plain_events(words: Sequence[Piece]) -> Words:
    """The words with `event e;` and `e.wait();` in place of `std::optional<event> e;` and `if (e) e->wait();`.

    Whether there is an event at all is asked before a wait alone, which an event without a command ends at once.
    """
    names: set[str] = set()

    def declared(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        start = number + 2 * (texts(words, number, 2) == ("std", "::"))
        angle = closing_angle(words, start + 1) if texts(words, start, 2) == ("optional", "<") else None
        if angle is None or words[angle - 1].text != "event" or not is_name(words[angle + 1]):
            return None
        names.add(words[angle + 1].text)
        behind = angle + 2
        if texts(words, behind, 2) == ("=", "std") and texts(words, behind + 3, 1) == ("nullopt",):
            behind += 4
        elif texts(words, behind, 2) in {("=", "nullopt"), ("{", "}")}:
            behind += 2
        return [*words[start + 2 : angle], words[angle + 1]], behind

    def used(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        name = _asked(words, number)
        if name in names and (waited := _waited(words, closing(words, number + 1) + 1, name)) is not None:
            return waited
        if words[number].text in names and texts(words, number + 1, 1) == ("->",):
            return [words[number], made(".", words[number + 1])], number + 2
        before = words[number - 1].text if number else ""
        if texts(words, number, 1) == ("*",) and texts(words, number + 1, 1) and words[number + 1].text in names:
            return ([words[number + 1]], number + 2) if before in {"(", ",", "{", "=", ";"} else None
        if words[number].text in names and texts(words, number + 1, 4) == (".", "value", "(", ")"):
            return [words[number]], number + 5
        return None

    found = replaced(words, declared)
    return replaced(found, used) if names else found


def _asked(words: Sequence[Piece], number: int) -> str:
    """The name of `if (e)` or `if (e.has_value())` at a position; "" for anything else."""
    if texts(words, number, 2) != ("if", "("):
        return ""
    inside = texts(words, number + 2, closing(words, number + 1) - number - 2)
    is_question = inside[1:] in {(), (".", "has_value", "(", ")")}
    return inside[0] if inside and is_question else ""


def _waited(words: Sequence[Piece], number: int, name: str) -> tuple[Words, int] | None:
    """`e.wait();` of `e->wait();`, in braces or not, and the position behind it; None for any other statement."""
    is_block = texts(words, number, 1) == ("{",)
    start = number + is_block
    end = start + 6
    follows = texts(words, start, 6)
    is_wait = len(follows) == 6 and follows[0] == name and follows[1] in {"->", "."} and follows[2] in _WAITS
    if not is_wait or follows[3:] != ("(", ")", ";") or (is_block and texts(words, end, 1) != ("}",)):
        return None
    behind = end + is_block
    waits = [words[start], made(".", words[start + 1]), *words[start + 2 : end]]
    return None if texts(words, behind, 1) == ("else",) else (waits, behind)
