"""`std::pair` as a class of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.definitions import evident_type
from mcm.front_end.cpp.words import closing, is_name, listed, made, replaced, texts

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
    follows = texts(words, number, 3)
    if follows == ("std", "::", "pair"):
        return _class(words, number + 2)
    if follows != ("std", "::", "make_pair") or texts(words, number + 3, 1) != ("(",):
        return None
    last = closing(words, number + 3)
    at = words[number + 2]
    inner = replaced(words[number + 4 : last], _pair)
    return [*_of_types(words, at, number + 3), made("(", at), *inner, made(")", at)], last + 1


def _class(words: Sequence[Piece], number: int) -> tuple[Words, int]:
    """The class in place of `pair`, whose types follow from what it is made of where they are left out."""
    behind = number + 1
    has_name = texts(words, behind, 1) != () and is_name(words[behind])
    opening = behind + has_name
    if texts(words, behind, 1) == ("<",) or texts(words, opening, 1) not in {("(",), ("{",)}:
        return [made(_CLASS, words[number])], behind
    return [*_of_types(words, words[number], opening), *words[behind:opening]], opening


def _of_types(words: Sequence[Piece], at: Piece, opening: int) -> Words:
    """The class of a pair that is made of what stands in brackets."""
    values = listed(words, opening + 1, closing(words, opening))
    types = [evident_type(words[:opening], value, ()) for value in values]
    if len(types) != 2 or not all(types):
        message = "the types of what this pair is made of are not evident: 'std::pair<int, int>(a, b)' says them"
        assert at.span is not None
        raise InputError(Diagnostic("E204", message, at.span))
    return [made(_CLASS, at), made("<", at), *types[0], made(",", at), *types[1], made(">", at)]
