"""Enumerations: names of numbers, and in C++ a type, behind whose name they may stand."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.positions import words_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.pieces import Piece


def enumeration(pieces: Sequence[Piece], position: int, known: dict[str, list[str]]) -> tuple[str | None, int]:
    """Note the names of `enum tag { A, B = 3 }`; its tag, and the position behind it.

    `enum tag` alone is a type, for which `int` stands.
    """
    words = [number for number in range(position + 1, len(pieces)) if pieces[number].text.strip()]
    tag = pieces[words[0]].text if words and pieces[words[0]].text != "{" else None
    opening = next(iter(words[tag is not None :]), len(pieces))
    if opening == len(pieces) or pieces[opening].text != "{":
        return tag, opening
    closing = next((number for number in words if pieces[number].text == "}"), len(pieces))
    before: str | None = None
    name, value = "", [""]
    for number in (each for each in words if opening < each <= closing and each < len(pieces)):
        text = pieces[number].text
        if text in {",", "}"}:
            if name:
                written = " ".join(value)
                before = f"({written})" if written else "0" if before is None else f"({before} + 1)"
                known[name] = [before]
            name, value = "", []
        elif not name:
            name, value = text, []
        elif text != "=" or value:
            value += known.get(text, [text])
    if closing == len(pieces):
        span = pieces[position].span
        if span is not None:
            raise InputError(Diagnostic("E030", "an enumeration ('enum') without '}'", span))
    return tag, closing + 1


def enumeration_of_cpp(pieces: Sequence[Piece], position: int, known: dict[str, list[str]]) -> int:
    """Note the names of `enum class tag : int { A, B = 3 };`, and the tag as that of a type; the position behind `}`.

    The numbers are called `tag::A`, and without `class` also `A`.
    """
    words = list(words_from(pieces, position + 1))
    is_class = pieces[words[0]].text in {"class", "struct"} if words else False
    words = words[is_class:]
    opening = next((number for number in words if pieces[number].text in {"{", ";"}), len(pieces))
    head = [pieces[number].text for number in words if number < opening]
    tag = head[0] if head and head[0] != ":" else None
    inner = dict(known)
    behind = opening
    if opening < len(pieces) and pieces[opening].text == "{":
        _, behind = enumeration([pieces[position], *pieces[opening:]], 0, inner)
        behind += opening - 1
    for name in [name for name in inner if inner[name] is not known.get(name)]:
        if not is_class:
            known[name] = inner[name]
        if tag is not None:
            known[f"{tag}::{name}"] = inner[name]
    if tag is not None:
        known[tag] = _spaced(head[head.index(":") + 1 :]) if ":" in head else ["int", " "]
    return behind


def is_definition_of_cpp(pieces: Sequence[Piece], position: int) -> bool:
    """Whether an enumeration is defined, or declared with its type, and not only named: `enum tag x`."""
    words = (pieces[number].text for number in words_from(pieces, position + 1))
    return next((word for word in words if word in {"{", ":", ";", "=", ")", ",", "("}), "") in {"{", ":"}


def enumerator(pieces: Sequence[Piece], position: int, known: dict[str, list[str]]) -> tuple[list[str], int] | None:
    """What `tag::A` means, and the position behind it; None where something else stands."""
    if pieces[position].text not in known:
        return None
    words = [position, *islice(words_from(pieces, position + 1), 2)]
    text = "".join(pieces[number].text for number in words)
    return (known[text], words[-1] + 1) if len(words) == 3 and text in known else None


def _spaced(words: Sequence[str]) -> list[str]:
    return [text for word in words for text in (word, "" if word == "::" else " ")]
