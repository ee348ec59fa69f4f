"""Containers as wholes: `v == w` is about their elements, `w = v;` and `auto u = v;` copy these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import closing, closing_angle, is_name, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASSES: Final = frozenset({"vector", "array"})
# Lists of these are no memory.
_NO_ELEMENTS: Final = frozenset({"event", "queue"})
_PARTS: Final = frozenset({".", "->", "::"})
_BEFORE: Final = frozenset({";", "{", "}", ")", "else"})
_EQUAL: Final = "std :: equal ( {a} . begin ( ) , {a} . end ( ) , {b} . begin ( ) , {b} . end ( ) )"
_LOOP: Final = "for ( size_t {i} = 0 ; {i} < std :: size ( {of} ) ; {i} ++ ) {to} [ {i} ] = {of} [ {i} ] ;"
# What members of a container are.
_MEMBERS: Final = {
    "front": "{of} [ 0 ]",
    "back": "{of} [ std :: size ( {of} ) - 1 ]",
    "empty": "( std :: size ( {of} ) == 0 )",
}


def with_wholes(words: Sequence[Piece]) -> Words:
    """The words with elements in place of whole containers."""
    copied = _with_copies(words)
    known = _containers(copied)

    def meant(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        if number and words[number - 1].text in _PARTS:
            return None
        return _compared(words, number, known) or _member(words, number, known)

    return replaced(copied, meant)


def _with_copies(words: Sequence[Piece]) -> Words:
    """The words with loops where containers are copied."""
    known = dict(_containers(words))
    found: Words = []
    number = count = 0
    while number < len(words):
        is_first = not found or found[-1].text in _BEFORE
        source = _copied(words, number, known) if is_first else None
        if source is None:
            found.append(words[number])
            number += 1
            continue
        name, of, number = source
        count += 1
        parts = {"i": [made(f"each_{count}", name)], "of": [of], "to": [name]}
        if name.text not in known:
            known[name.text] = known[of.text]
            size = "" if known[of.text][0].text == "array" else "( std :: size ( {of} ) )"
            found += code(name, f"{{type}} {{to}} {size} ;", type=known[of.text], **parts)
            found += code(name, _LOOP, **parts)
        else:
            found += [made("{", name), *code(name, _LOOP, **parts), made("}", name)]
    return found


def _copied(words: Sequence[Piece], number: int, known: Mapping[str, Words]) -> tuple[Piece, Piece, int] | None:
    """The container that a statement makes a copy of another one, that one, and where the next statement begins."""
    start = number
    while texts(words, number, 1) in {("const",), ("auto",)}:
        number += 1
    is_declared = number > start and words[number - 1].text == "auto"
    follows = texts(words, number, 8)
    if follows[1:2] != ("=",) or (follows[0] in known) is is_declared or (number > start and not is_declared):
        return None
    if follows[2:6] == ("std", "::", "move", "(") and follows[7:] == (")",):
        place, end = number + 6, number + 8
    else:
        place, end = number + 2, number + 3
    is_whole = texts(words, end, 1) == (";",) and texts(words, place, 1) and words[place].text in known
    return (words[number], words[place], end + 1) if is_whole and is_name(words[number]) else None


def _compared(words: Sequence[Piece], number: int, known: Mapping[str, Words]) -> tuple[Words, int] | None:
    """`v == w` at a position."""
    match texts(words, number, 3):
        case (one, ("==" | "!=") as operator, other) if one in known and other in known:
            pass
        case _:
            return None
    if texts(words, number + 3, 1) in {("[",), (".",), ("->",), ("(",)}:
        return None
    pattern = f"( {'! ' * (operator == '!=')}{_EQUAL} )"
    return code(words[number], pattern, a=[words[number]], b=[words[number + 2]]), number + 3


def _member(words: Sequence[Piece], number: int, known: Mapping[str, Words]) -> tuple[Words, int] | None:
    """`v.back()` at a position."""
    match texts(words, number, 5):
        case (name, ".", member, "(", ")") if member in _MEMBERS and name in known and known[name][0].text == "vector":
            return code(words[number], _MEMBERS[member], of=[words[number]]), number + 5
        case _:
            return None


def _containers(words: Sequence[Piece]) -> dict[str, Words]:
    """The vectors and arrays with the words of their types; a list of declarators may declare several."""
    found: dict[str, Words] = {}
    for number, word in enumerate(words):
        is_class = word.text in _CLASSES and texts(words, number + 1, 1) == ("<",)
        angle = closing_angle(words, number + 1) if is_class else None
        if angle is None or any(one.text in _NO_ELEMENTS for one in words[number:angle]):
            continue
        type_ = list(words[number : angle + 1])
        name = angle + 1 + (texts(words, angle + 1, 1) == ("&",))
        while name < len(words) and is_name(words[name]):
            found[words[name].text] = type_
            name += 1
            if texts(words, name, 1) and words[name].text in {"(", "{"}:
                name = closing(words, name) + 1
            name = name + 1 if texts(words, name, 1) == (",",) else len(words)
    return found
