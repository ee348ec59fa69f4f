"""`sycl::marray` as a class of the program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing_angle, listed, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASS: Final = "marray"
# `mint4`, `mulonglong2`.
_ALIAS: Final = re.compile(
    r"m(?P<type>bool|half|float|double|s?char|uchar|u?short|u?int|u?long(?:long)?)(?P<size>2|3|4|8|16)"
)
_TYPES: Final = {
    "schar": "signed char",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
}
_BINARY: Final = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
_QUESTIONS: Final = ("==", "!=", "<", ">", "<=", ">=", "&&", "||")
_UNARY: Final = ("+", "-", "~")
_STEPS: Final = ("++", "--")
# More elements than a constructor should have parameters for.
_MOST: Final = 64
# `T` are the elements, `C` is the class, `B` that of Booleans.
_BEGIN: Final = """
template < typename T > struct C {
  T v [ N ] ;
  C ( ) { FOR v [ i ] = 0 ; }
  C ( T one ) { FOR v [ i ] = one ; }
  T & operator [ ] ( size_t i ) { return v [ i ] ; }
  const T & operator [ ] ( size_t i ) const { return v [ i ] ; }
  static size_t size ( ) { return N ; }
"""
_OF_TWO: Final = """
  friend R operator OP ( const C & a , const C & b ) { R r ; FOR r . v [ i ] = a . v [ i ] OP b . v [ i ] ; return r ; }
  friend R operator OP ( const C & a , const T & b ) { R r ; FOR r . v [ i ] = a . v [ i ] OP b ; return r ; }
  friend R operator OP ( const T & a , const C & b ) { R r ; FOR r . v [ i ] = a OP b . v [ i ] ; return r ; }
"""
_ASSIGNING: Final = """
  C & operator OP ( const C & b ) { FOR v [ i ] OP b . v [ i ] ; return * this ; }
  C & operator OP ( const T & b ) { FOR v [ i ] OP b ; return * this ; }
"""
_STEP: Final = """
  C & operator OP ( ) { FOR OP v [ i ] ; return * this ; }
  C operator OP ( int ) { C r = * this ; FOR OP v [ i ] ; return r ; }
"""
_OF_ONE: Final = """
  friend R operator OP ( const C & a ) { R r ; FOR r . v [ i ] = OP a . v [ i ] ; return r ; }
"""


def with_marrays(words: Sequence[Piece]) -> Words:
    """The words with classes of the program in place of `marray<int, 4>`, one for each number of elements."""
    sizes: dict[str, Piece] = {}

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        first = number + 2 * (texts(words, number, 2) == ("sycl", "::"))
        if first >= len(words):
            return None
        word = words[first]
        if (alias := _ALIAS.fullmatch(word.text)) is not None and texts(words, first - 1, 1) not in {(".",), ("->",)}:
            sizes[alias["size"]] = word
            of = _TYPES.get(alias["type"], alias["type"]).split()
            return [made(text, word) for text in (f"{_CLASS}_{alias['size']}", "<", *of, ">")], first + 1
        angle = closing_angle(words, first + 1) if texts(words, first, 2) == (_CLASS, "<") else None
        parts = [] if angle is None else listed(words, first + 2, angle)
        if angle is None or len(parts) != 2 or len(parts[1]) != 1 or not parts[1][0].text.isdecimal():
            return None
        size = parts[1][0].text
        sizes[size] = word
        return [made(f"{_CLASS}_{size}", word), made("<", word), *replaced(parts[0], at), words[angle]], angle + 1

    found = replaced(words, at)
    used = {word.text for word in words}
    return [*(word for size, at in sorted(sizes.items()) for word in _class(int(size), used, at)), *found]


def _class(size: int, used: set[str], at: Piece) -> Iterator[Piece]:
    """The class of arrays of a size, with the operators that are used."""
    name = f"{_CLASS}_{size}"
    loop = f"for ( int i = 0 ; i < {size} ; i ++ )"
    meant = {"N": str(size), "C": name, "FOR": loop}
    text = _written(_BEGIN, meant)
    if 1 < size <= _MOST:
        parameters = " , ".join(f"T e{one}" for one in range(size))
        text += f"{name} ( {parameters} ) {{ {' '.join(f'v [ {one} ] = e{one} ;' for one in range(size))} }}"
    for form, operators, result in (
        (_OF_TWO, _BINARY, name),
        (_OF_TWO, _QUESTIONS, f"{name} < bool >"),
        (_ASSIGNING, tuple(f"{one}=" for one in _BINARY), name),
        (_STEP, _STEPS, name),
        (_OF_ONE, _UNARY, name),
        (_OF_ONE, ("!",), f"{name} < bool >"),
    ):
        for operator in operators:
            if operator in used:
                text += _written(form, {**meant, "OP": operator, "R": result})
    yield from (made(one, at) for one in f"{text} }} ;".split())


def _written(form: str, meant: dict[str, str]) -> str:
    return f" {' '.join(meant.get(word, word) for word in form.split())} "
