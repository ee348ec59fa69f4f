"""Functions of C about bytes in host code, `memset(x, 0, n)`, `memcpy(y, x, n)`, `memcmp(y, x, n)`, as loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import closing, closing_angle, is_name, listed, made, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEFORE: Final = frozenset({";", "{", "}", ")", "else"})
_NO_TYPES: Final = frozenset({"return", "else", "case", "*", "&"})
_LOOP: Final = "for ( size_t {i} = 0 ; {i} < ( {bytes} ) / sizeof ( {type} ) ; {i} ++ )"


def with_loops_over_bytes(words: Sequence[Piece]) -> Words:
    """The words with loops over elements in place of functions about bytes."""
    found: Words = []
    number = count = 0
    while number < len(words):
        first = number + 2 * (texts(words, number, 2) == ("std", "::"))
        name = words[first].text if texts(words, first + 1, 1) == ("(",) else ""
        is_member = bool(found) and found[-1].text in {".", "->", "::"}
        if is_member or name not in _FUNCTIONS:
            found.append(words[number])
            number += 1
            continue
        last = closing(words, first + 1)
        parts = listed(words, first + 2, last)
        is_statement = not found or found[-1].text in _BEFORE
        if len(parts) != 3 or not all(parts) or is_statement is not (name != "memcmp"):
            found.append(words[number])
            number += 1
            continue
        count += 1
        found += _FUNCTIONS[name](parts, words, first, [made(f"byte_{count}", words[first])])
        number = last + 1 + is_statement
    return found


def _set(parts: list[Words], words: Sequence[Piece], number: int, counter: Words) -> Words:
    """`memset(x, 0, bytes);`."""
    at = words[number]
    if [one.text for one in parts[1]] != ["0"]:
        message = "'memset' of a host gives bytes the value 0: a loop over the elements gives them another one"
        raise _refused(parts[1][0], message)
    pattern = f"{_LOOP} {{to}} [ {{i}} ] = 0 ;"
    return code(at, pattern, i=counter, bytes=parts[2], type=_type(parts[0], words, number), to=_memory(parts[0]))


def _copy(parts: list[Words], words: Sequence[Piece], number: int, counter: Words) -> Words:
    """`memcpy(to, from, bytes);`."""
    type_ = _type(parts[0], words, number)
    _check_same(type_, parts, words, number)
    pattern = f"{_LOOP} {{to}} [ {{i}} ] = {{origin}} [ {{i}} ] ;"
    to, origin = _memory(parts[0]), _memory(parts[1])
    return code(words[number], pattern, i=counter, bytes=parts[2], type=type_, to=to, origin=origin)


def _compared(parts: list[Words], words: Sequence[Piece], number: int, _: Words) -> Words:
    """`memcmp(one, other, bytes)`: whether they differ."""
    type_ = _type(parts[0], words, number)
    _check_same(type_, parts, words, number)
    pattern = "( ! std :: equal ( {one} , {one} + ( {bytes} ) / sizeof ( {type} ) , {other} ) )"
    one, other = _memory(parts[0]), _memory(parts[1])
    return code(words[number], pattern, bytes=parts[2], type=type_, one=one, other=other)


_FUNCTIONS: Final = {"memset": _set, "memcpy": _copy, "memmove": _copy, "memcmp": _compared}


def _check_same(type_: Words, parts: list[Words], words: Sequence[Piece], number: int) -> None:
    other = _type(parts[1], words, number)
    if [one.text for one in type_] != [one.text for one in other]:
        message = (
            f"'{words[number].text}' between '{_shown(type_)}' and '{_shown(other)}': between elements of one type is"
        )
        raise _refused(words[number], message)


def _shown(type_: Words) -> str:
    return " ".join(one.text for one in type_)


def _memory(part: Words) -> Words:
    """What elements are taken of: `v` of `v.data()` and of `&v[0]`."""
    shown = [word.text for word in part]
    if shown[-4:] == [".", "data", "(", ")"]:
        return part[:-4]
    if shown[:1] == ["&"] and shown[-3:] == ["[", "0", "]"]:
        return part[1:-3]
    if len(part) == 1:
        return part
    raise _refused(part[0], "a function about bytes is called with the name of an array, a container or a pointer")


def _type(part: Words, words: Sequence[Piece], number: int) -> Words:
    """The type of the elements of some memory, which is declared before a position."""
    memory = _memory(part)
    name = memory[0].text
    for place in range(number - 1, 1, -1):
        if words[place].text == name and (found := _declared(words, place)):
            return found
    raise _refused(part[0], f"the type of the elements of '{name}' is not evident here: a loop over them is plain")


def _declared(words: Sequence[Piece], place: int) -> Words:
    """The type of the elements of what is declared at a position; nothing where it is not."""
    before = place - 1
    if words[before].text == ">":
        start = next((n for n in range(before, 0, -1) if words[n].text == "<" and closing_angle(words, n) == before), 0)
        is_container = words[start].text == "<" and words[start - 1].text in {"vector", "array"}
        return listed(words, start + 1, before)[0] if is_container else []
    if words[before].text == "auto" and texts(words, place + 1, 1) == ("=",):
        opening = next((n for n in range(place, len(words)) if words[n].text in {"<", ";", "("}), place)
        angle = closing_angle(words, opening) if texts(words, opening, 1) == ("<",) else None
        return [] if angle is None else list(words[opening + 1 : angle])
    is_pointer = words[before].text == "*"
    before -= is_pointer
    if not (is_pointer or texts(words, place + 1, 1) == ("[",)) or not is_name(words[before]):
        return []
    start = before
    while is_name(words[start - 1]) and words[start - 1].text not in {*_NO_TYPES, "const", "static"}:
        start -= 1
    return [] if words[before].text in _NO_TYPES or words[before].text == "auto" else list(words[start : before + 1])


def _refused(at: Piece, message: str) -> InputError:
    assert at.span is not None
    return InputError(Diagnostic("E207", message, at.span))
