"""`std::pair` as a class of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.definitions import evident_type
from mcm.front_end.cpp.words import closing, listed, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASS: Final = "pair_of_std"
_DEFINITION: Final = """
template < typename T , typename U > struct pair_of_std {
  T first { } ; U second { } ;
  pair_of_std ( ) { }
  pair_of_std ( T one , U other ) : first ( one ) , second ( other ) { }
} ;
"""


def with_pairs(words: Sequence[Piece]) -> Words:
    """The words with a class of the program in place of `std::pair`, and objects of it in place of `std::make_pair`."""
    found = replaced(words, _pair)
    at = next((word for word in found if word.text == _CLASS), None)
    if at is None:
        return found
    return [*(made(text, at) for text in _DEFINITION.split()), *found]


def _pair(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    follows = texts(words, number, 4)
    if follows[:3] == ("std", "::", "pair"):
        return [made(_CLASS, words[number + 2])], number + 3
    if follows != ("std", "::", "make_pair", "("):
        return None
    last = closing(words, number + 3)
    at = words[number + 2]
    values = listed(words, number + 4, last)
    types = [evident_type(words[:number], value, ()) for value in values]
    if len(types) != 2 or not all(types):
        message = "the types of what this pair is made of are not evident: 'std::pair<int, int>(a, b)' says them"
        assert at.span is not None
        raise InputError(Diagnostic("E204", message, at.span))
    listed_types = [made("<", at), *types[0], made(",", at), *types[1], made(">", at)]
    inner = replaced(words[number + 4 : last], _pair)
    return [made(_CLASS, at), *listed_types, made("(", at), *inner, made(")", at)], last + 1
