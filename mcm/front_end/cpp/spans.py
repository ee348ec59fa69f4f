"""`std::span` as a class of the program: a pointer to elements, and their number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.definitions import evident_type
from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import (
    behind_statement,
    closing,
    closing_angle,
    is_name,
    listed,
    made,
    replaced,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASS: Final = "span_of_std"
_DEFINITION: Final = """
template < typename T > struct span_of_std {
  T * elements { } ; size_t count { } ;
  span_of_std ( ) { }
  span_of_std ( T * first , size_t number ) : elements ( first ) , count ( number ) { }
  T & operator [ ] ( size_t i ) const { return elements [ i ] ; }
  T & front ( ) const { return elements [ 0 ] ; }
  T & back ( ) const { return elements [ count - 1 ] ; }
  T * data ( ) const { return elements ; }
  T * begin ( ) const { return elements ; }
  T * end ( ) const { return elements + count ; }
  size_t size ( ) const { return count ; }
  size_t size_bytes ( ) const { return count * sizeof ( T ) ; }
  bool empty ( ) const { return count == 0 ; }
  span_of_std < T > first ( size_t n ) const { return span_of_std < T > ( elements , n ) ; }
  span_of_std < T > last ( size_t n ) const { return span_of_std < T > ( elements + ( count - n ) , n ) ; }
  span_of_std < T > subspan ( size_t start , size_t n ) const { return span_of_std < T > ( elements + start , n ) ; }
} ;
"""
_NAMESPACES: Final = frozenset({"std", "sycl"})
_BEHIND_NAMES: Final = frozenset({"(", "{", "=", ",", ")", ";"})


def with_spans(words: Sequence[Piece]) -> Words:
    """The words with a class of the program in place of `std::span`."""
    found = replaced(words, _span)
    at = next((word for word in found if word.text == _CLASS), None)
    if at is None:
        return found
    names = {found[number].text for number in range(len(found)) if _is_declared(found, number)}
    return [*(made(text, at) for text in _DEFINITION.split()), *_with_counters(found, names)]


def _span(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """The class in place of `std::span<int, 4>`, and of `std::span` whose type follows from what it is made of."""
    follows = texts(words, number, 4)
    if len(follows) < 4 or follows[0] not in _NAMESPACES or follows[1:3] != ("::", "span"):
        return None
    at, behind = words[number + 2], number + 3
    if follows[3] == "<" and (angle := closing_angle(words, behind)) is not None:
        element = [word for word in listed(words, behind + 1, angle)[0] if word.text != "const"]
        return [made(_CLASS, at), words[behind], *element, words[angle]], angle + 1
    opening = behind + is_name(words[behind])
    values = listed(words, opening + 1, closing(words, opening)) if words[opening].text in {"(", "{"} else []
    pointer = evident_type(words[:opening], values[0], ()) if len(values) == 2 else []
    if texts(pointer, len(pointer) - 1, 1) != ("*",):
        assert at.span is not None
        raise InputError(Diagnostic("E204", "what this span is of is not evident: 'std::span<int> s(p, 4);'", at.span))
    return [made(_CLASS, at), made("<", at), *pointer[:-1], made(">", at), *words[behind:opening]], opening


def _is_declared(words: Sequence[Piece], number: int) -> bool:
    """Whether a word is the name of a variable or a parameter that is a span."""
    if not is_name(words[number]) or texts(words, number + 1, 1)[:1] not in {(one,) for one in _BEHIND_NAMES}:
        return False
    before = number - 1
    before -= words[before].text == "&"
    start = before
    while start > 0 and words[start].text != _CLASS and words[start].text not in {";", "{", "}"}:
        start -= 1
    return words[start].text == _CLASS and closing_angle(words, start + 1) == before


def _with_counters(words: Sequence[Piece], names: Collection[str]) -> Words:
    """The words with loops that count in place of those over a span, `for (int x : s)`."""
    count = 0

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        nonlocal count
        if texts(words, number, 2) != ("for", "("):
            return None
        last = closing(words, number + 1)
        if texts(words, last - 2, 1) != (":",) or words[last - 1].text not in names:
            return None
        count += 1
        word = words[number]
        counter, of = [made(f"in_span_{count}", word)], [words[last - 1]]
        behind = behind_statement(words, last + 1)
        pattern = "for ( size_t {i} = 0 ; {i} < {of} . size ( ) ; {i} ++ ) { {declared} = {of} [ {i} ] ; {body} }"
        declared = list(words[number + 2 : last - 2])
        body = replaced(words[last + 1 : behind], at)
        return code(word, pattern, i=counter, of=of, declared=declared, body=body), behind

    return replaced(words, at)
