"""Enumerations of kernel files: names of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.diagnostic import Diagnostic, InputError

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
