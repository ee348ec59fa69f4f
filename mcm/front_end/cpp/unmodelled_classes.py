"""Classes that are not part of the litmus language, and that would be taken for something else: images, `mdspan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.words import is_name, texts
from mcm.sycl.foreign import foreign_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.pieces import Piece

_IMAGES: Final = frozenset({"image", "sampled_image", "unsampled_image"})
_VIEW: Final = "mdspan"
_CLASS_KEYS: Final = frozenset({"struct", "class", "using"})


def refuse_unmodelled(words: Sequence[Piece]) -> None:
    """Refuse the first object of such a class, before what is done with it."""
    for number, word in enumerate(words):
        if word.span is None or not (_is_image(words, number) or _is_view(words, number)):
            continue
        is_own = any(texts(words, n + 1, 1) == (word.text,) for n, one in enumerate(words) if one.text in _CLASS_KEYS)
        told = None if is_own else foreign_name(f"{word.text}<")
        if told is not None:
            raise InputError(Diagnostic("E207", told, word.span))


def _is_image(words: Sequence[Piece], number: int) -> bool:
    follows = texts(words, number, 4)
    is_template = len(follows) == 4 and follows[1] == "<" and follows[2].isdecimal() and follows[3] in {">", ","}
    return is_template and follows[0] in _IMAGES


def _is_view(words: Sequence[Piece], number: int) -> bool:
    behind = words[number + 1] if number + 1 < len(words) else None
    is_made = behind is not None and (is_name(behind) or behind.text in {"<", "(", "{"})
    return words[number].text == _VIEW and is_made
