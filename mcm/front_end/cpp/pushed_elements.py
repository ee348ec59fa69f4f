"""Vectors that get their elements one by one, `v.push_back(x);`: of the size that they have in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import CHANGING, LEAVING, behind_statement, closing, end_of_statement, made, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_PUSHING: Final = frozenset({"push_back", "emplace_back"})


class Pushed(Struct, frozen=True):
    """Statements that give a vector its elements: where they begin and end, its size, and what they are instead."""

    start: int
    end: int
    size: Words
    statements: Words


class _Counted(Struct, frozen=True):
    """`for (int i = first; i < last; i++)` and the position behind its head."""

    counter: Words
    first: Words
    size: Words
    behind: int


def pushed(words: Sequence[Piece], name: str, start: int) -> Pushed | None:
    """The statements behind a position that give a vector its elements, before anything else is done with it.

    They may stand in a block, as those of a function do that fills a vector.
    """
    number = start
    while number < len(words) and words[number].text != "}":
        end = behind_statement(words, number)
        if any(word.text == name for word in words[number:end]):
            if words[number].text == "{" and end <= len(words):
                return pushed(words[: end - 1], name, number + 1)
            return _one_by_one(words, name, number) or _in_loop(words, name, number, end)
        number = end
    return None


def _value(words: Sequence[Piece], name: str, number: int) -> Words | None:
    """What `v.push_back(x);` at a position adds; None where another statement begins."""
    follows = texts(words, number, 4)
    if follows[:2] != (name, ".") or follows[2] not in _PUSHING or follows[3] != "(":
        return None
    last = closing(words, number + 3)
    value = list(words[number + 4 : last])
    is_whole = texts(words, last + 1, 1) == (";",) and value and all(word.text != name for word in value)
    return value if is_whole else None


def _one_by_one(words: Sequence[Piece], name: str, start: int) -> Pushed | None:
    """Statements that follow each other."""
    found: Words = []
    count, number = 0, start
    while (value := _value(words, name, number)) is not None:
        found += code(words[number], "{to} [ {place} ] = {value} ;", **_parts(words[number], str(count), value))
        count += 1
        number = end_of_statement(words, number) + 1
    return Pushed(start, number, [made(str(count), words[start])], found) if count else None


def _parts(at: Piece, place: str, value: Words) -> dict[str, Words]:
    return {"to": [at], "place": [made(place, at)], "value": value}


def _in_loop(words: Sequence[Piece], name: str, start: int, end: int) -> Pushed | None:
    """A loop that adds an element each time."""
    head = _head(words, start)
    if head is None:
        return None
    body = list(words[head.behind : end])
    places = [number for number, word in enumerate(body) if word.text == name]
    counter = head.counter[0].text
    is_counted = all(body[n].text != counter or not _changes(body, n) for n in range(len(body)))
    if len(places) != 1 or not is_counted or any(word.text in LEAVING for word in body):
        return None
    place = places[0]
    is_always = place == 0 or (_depth(body, place) == 1 and body[place - 1].text in {"{", ";", "}"})
    value = _value(body, name, place)
    if value is None or not is_always:
        return None
    at = body[place]
    number = head.counter if head.first[0].text == "0" else code(at, "{i} - ( {a} )", i=head.counter, a=head.first)
    changed = code(at, "{to} [ {place} ] = {value} ;", to=[at], place=number, value=value)
    behind = end_of_statement(body, place) + 1
    return Pushed(start, end, head.size, [*words[start : head.behind], *body[:place], *changed, *body[behind:]])


def _head(words: Sequence[Piece], start: int) -> _Counted | None:
    """The head of a loop that counts up by one; None for anything else."""
    if texts(words, start, 2) != ("for", "("):
        return None
    close = closing(words, start + 1)
    first = end_of_statement(words, start + 2)
    second = end_of_statement(words, first + 1)
    assigned = next((n for n in range(start + 2, first) if words[n].text == "="), None)
    if assigned is None or second >= close:
        return None
    counter = words[assigned - 1]
    step = texts(words, second + 1, close - second - 1)
    if step not in {(counter.text, "++"), ("++", counter.text), (counter.text, "+=", "1")}:
        return None
    if texts(words, first + 1, 1) != (counter.text,) or words[first + 2].text not in {"<", "<="}:
        return None
    begin, limit = list(words[assigned + 1 : first]), list(words[first + 3 : second])
    if not begin or not limit:
        return None
    pattern = "( {limit} )" if begin[0].text == "0" and len(begin) == 1 else "( {limit} ) - ( {begin} )"
    size = code(counter, pattern, limit=limit, begin=begin)
    if words[first + 2].text == "<=":
        size = code(counter, "{size} + 1", size=size)
    return _Counted([counter], begin if len(begin) == 1 else code(counter, "( {a} )", a=begin), size, close + 1)


def _depth(words: Sequence[Piece], number: int) -> int:
    """How many blocks a position stands in."""
    texts_ = [word.text for word in words[:number]]
    return texts_.count("{") - texts_.count("}")


def _changes(words: Sequence[Piece], number: int) -> bool:
    """Whether a variable at a position is assigned, or its address taken."""
    before = texts(words, max(0, number - 1), 1)
    return bool({*texts(words, number + 1, 1)} & CHANGING) or before[0] in {"&", "++", "--"}
