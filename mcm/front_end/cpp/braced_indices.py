"""Elements of accessors by an id that is made there, `a[{i, j}]` and `a[id<2>(i, j)]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing, closing_angle, listed, made, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_ENDS: Final = {"{": "}", "(": ")"}


def with_several_indices(words: Sequence[Piece]) -> Words:
    """The words with `a[i][j]` in place of an id that is made for one element."""
    found = list(words)
    for number in reversed(range(len(words))):
        opening = _opening(found, number) if found[number].text == "[" else None
        if opening is None:
            continue
        last = closing(found, opening)
        if texts(found, last, 2) == (_ENDS[found[opening].text], "]"):
            one, other = found[number], found[last + 1]
            items = listed(found, opening + 1, last)
            found[number : last + 2] = [
                word
                for item in items
                for word in (one, made("(", item[0]), *item, made(")", item[-1]), made("]", other))
            ]
    return found


def _opening(words: Sequence[Piece], number: int) -> int | None:
    """Where the numbers of an id begin that stands behind a bracket; None where something else does."""
    start = number + 1
    if texts(words, start, 1) == ("{",):
        return start
    start += 2 if texts(words, start, 2) == ("sycl", "::") else 0
    if texts(words, start, 2) != ("id", "<"):
        return None
    angle = closing_angle(words, start + 1)
    return None if angle is None or texts(words, angle + 1, 1)[0] not in _ENDS else angle + 1
