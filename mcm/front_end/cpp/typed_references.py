"""References whose type is written, `buffer<int>& b = c ? x : y;`, as those that say `auto`: other names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import begins_statement, behind_arguments, is_name, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASSES: Final = frozenset({"buffer", "queue"})


def with_auto_references(words: Sequence[Piece]) -> Words:
    """The words with `auto& b = …;` in place of `buffer<int>& b = …;`."""
    return replaced(words, _reference)


def _reference(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    start = number + 2 * (texts(words, number, 2) == ("sycl", "::"))
    is_class = start < len(words) and words[start].text in _CLASSES
    before = number - (number > 0 and words[number - 1].text == "const")
    if not is_class or not begins_statement(words, before):
        return None
    behind = behind_arguments(words, start + 1)
    follows = texts(words, behind, 3)
    if len(follows) < 3 or follows[0] != "&" or not is_name(words[behind + 1]) or follows[2] != "=":
        return None
    return [made("auto", words[number]), words[behind], words[behind + 1]], behind + 2
