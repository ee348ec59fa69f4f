"""Other names for types and namespaces in C++: `using x = …;`, `namespace s = sycl;`."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from mcm.front_end.positions import words_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.pieces import Piece

# What the meaning of the name of a namespace ends with: the name is meant where `::` stands behind it.
NAMESPACE: Final = ""


def behind_naming(pieces: Sequence[Piece], position: int, known: dict[str, list[str]]) -> int | None:
    """Note the name that is given here; the position behind it, or None where none is.

    `using sycl::atomic_ref;` names something as it is called anyway.
    """
    word = pieces[position].text
    if word not in {"using", "namespace"}:
        return None
    words = list(islice(words_from(pieces, position + 1), 2))
    if len(words) < 2:
        return None
    name, sign = (pieces[number].text for number in words)
    if name == "namespace" or (sign != "=" and (word == "namespace" or sign != "::")):
        return None
    end = next((number for number in range(words[1], len(pieces)) if pieces[number].text == ";"), len(pieces))
    if sign == "=":
        meant = [piece.text if piece.text.strip() else " " for piece in pieces[words[1] + 1 : end]]
        found = [text for number, one in enumerate(meant) for text in _meaning(one, meant[number + 1 :], known)]
        if word == "namespace":
            found = [text for text in found if text.strip()]
        known[name] = [*found, NAMESPACE] if word == "namespace" else found
    return end + 1


def _meaning(word: str, behind: Sequence[str], known: dict[str, list[str]]) -> Sequence[str]:
    """What a word of a meaning means itself."""
    found = known.get(word)
    if found is None:
        return (word,)
    is_qualified = next((one for one in behind if one.strip()), "") == "::"
    return found if is_qualified is (found[-1:] == [NAMESPACE]) else (word,)
