"""Words of kernel files that say nothing to a memory model, or are names of types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.front_end.pieces import Piece

_ATTRIBUTES: Final = frozenset({"__attribute__", "__attribute"})


def without_attributes(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """The words without `__attribute__((…))`; in place of names that `typedef` declares stands what they mean."""
    known: dict[str, list[str]] = {}
    position = 0
    while position < len(pieces):
        piece = pieces[position]
        if piece.text in _ATTRIBUTES:
            position = _behind_parentheses(pieces, position + 1)
        elif piece.text == "typedef":
            position = _define(pieces, position, known)
        elif piece.text in known:
            yield from (replace(piece, text=text, is_verbatim=False) for text in known[piece.text])
            position += 1
        else:
            yield piece
            position += 1


def _behind_parentheses(pieces: Sequence[Piece], position: int) -> int:
    """The position behind the parentheses that begin here, after white space."""
    depth = 0
    for number in range(position, len(pieces)):
        text = pieces[number].text
        depth += (text == "(") - (text == ")")
        if depth == 0 and text.strip():
            return number + 1
    return len(pieces)


def _define(pieces: Sequence[Piece], position: int, known: dict[str, list[str]]) -> int:
    """Note the name that a `typedef` declares; the position behind it."""
    words: list[str] = []
    for number in range(position + 1, len(pieces)):
        piece = pieces[number]
        if piece.text in {"{", "("} and piece.span is not None:
            message = "a type definition ('typedef') of anything but a scalar type or a pointer is not supported"
            raise InputError(Diagnostic("E050", message, piece.span))
        if piece.text == ";":
            *type_, name = words or [""]
            known[name] = [text for word in type_ for text in (*known.get(word, [word]), " ")]
            return number + 1
        words += [piece.text] if piece.text.strip() else []
    return len(pieces)
