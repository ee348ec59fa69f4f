"""Arrays of pointers of the host, `int* a[2];` and `std::vector<int*> a(2);`: a pointer for each element.

What an element is has to be known at every use: by a number, or by the counter of a loop, which is written out then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.numbers import no_names, number_of
from mcm.front_end.cpp.words import (
    CHANGING,
    LEAVING,
    behind_statement,
    closing,
    closing_angle,
    end_of_block,
    end_of_statement,
    is_name,
    listed,
    made,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEFORE: Final = frozenset({";", "{", "}"})
_WHOLE: Final = frozenset({"int", "unsigned", "size_t", "auto", "long"})
# How many elements are written out.
_MOST: Final = 64


class Elements(Struct, frozen=True):
    """An array whose elements are variables: the type of an element, the name, the size, and first values."""

    type: Words
    name: Piece
    size: int
    end: int
    values: list[Words] = []

    def declared(self) -> Words:
        """A pointer for each element."""
        at = self.name
        found: Words = []
        for place in range(self.size):
            value = self.values[place] if place < len(self.values) else []
            first = [made("=", at), *value] if value else []
            found += [*self.type, made(name_of(self, place), at), *first, made(";", at)]
        return found


def with_pointers_alone(words: Sequence[Piece]) -> Words:
    """The words with `int* a_0; int* a_1;` in place of `int* a[2];`, where each use says which element is meant."""
    found = list(words)
    number = 0
    while number < len(found):
        array = _declared(found, number) if not number or found[number - 1].text in _BEFORE else None
        if array is not None:
            last = end_of_block(found, array.end)
            behind = alone(written_out(found[array.end + 1 : last], array, found), array, found)
            names = {word.text for word in found}
            if behind is not None and not any(name_of(array, place) in names for place in range(array.size)):
                found[number:last] = [*array.declared(), *behind]
        number += 1
    return found


def name_of(array: Elements, place: int) -> str:
    """The name of the variable that an element is."""
    return f"{array.name.text}_{place}"


def _declared(words: Sequence[Piece], number: int) -> Elements | None:
    """The array of pointers that is declared at a position; None where something else stands."""
    end = end_of_statement(words, number)
    start = number + 2 * (texts(words, number, 2) == ("std", "::"))
    angle = closing_angle(words, start + 1) if texts(words, start + 1, 1) == ("<",) else None
    class_ = words[start].text if start < len(words) else ""
    if class_ in {"vector", "array"} and angle is not None and angle + 1 < end and is_name(words[angle + 1]):
        parts, name = listed(words, start + 2, angle), angle + 1
        type_, behind = parts[0] if parts else [], name + 1
        size = parts[1] if class_ == "array" and len(parts) > 1 else None
        if class_ == "vector" and texts(words, behind, 1) == ("(",) and closing(words, behind) == end - 1:
            size, behind = list(words[behind + 1 : end - 1]), end
    else:
        bracket = next((n for n in range(number, end) if words[n].text in {"[", "=", "(", "{"}), end)
        if texts(words, bracket, 1) != ("[",) or bracket < number + 2:
            return None
        last, name = closing(words, bracket), bracket - 1
        type_, size, behind = list(words[number:name]), list(words[bracket + 1 : last]), last + 1
    is_pointer = len(type_) > 1 and type_[-1].text == "*"
    if not is_pointer or not all(is_name(one) or one.text in {"::", "*"} for one in type_):
        return None
    values = _values(words, behind, end)
    count = len(values or ()) if not size else _number(size, words[:number])
    if values is None or count is None or not len(values) <= count <= _MOST or not count:
        return None
    return Elements(list(type_), words[name], count, end, values)


def _values(words: Sequence[Piece], start: int, end: int) -> list[Words] | None:
    """What the elements begin with, where that is said in braces; None where something else stands."""
    start += texts(words, start, 1) == ("=",)
    if start == end:
        return []
    is_list = texts(words, start, 1) == ("{",) and closing(words, start) == end - 1
    return [part for part in listed(words, start + 1, end - 1) if part] if is_list else None


def _number(value: Sequence[Piece], before: Sequence[Piece]) -> int | None:
    """The number that an expression of numbers and constants before it comes to; None where that is not evident."""
    return number_of(value, lambda name: _constant(name, before)) if value else None


def _constant(name: str, before: Sequence[Piece]) -> int | None:
    """The number that a constant of a name is, wherever one is declared; None where that is not evident."""
    found: set[int | None] = set()
    for number in range(len(before) - 3):
        if texts(before, number, 2) == (name, "=") and before[number - 1].text not in {".", "->"}:
            start = max((n + 1 for n in range(number) if before[n].text in _BEFORE), default=0)
            is_constant = bool({"const", "constexpr"} & set(texts(before, start, number - start)))
            value = next(iter(listed(before, number + 2, end_of_statement(before, number))), [])
            known = number_of(value, lambda inner: _constant(inner, before[:number])) if value else None  # noqa: B023
            found.add(known if is_constant else None)
    return found.pop() if len(found) == 1 else None


def written_out(words: Words, array: Elements, before: Sequence[Piece]) -> Words:
    """The words with the loops over elements of an array written out."""
    found = list(words)
    number = 0
    while number < len(found):
        end = behind_statement(found, number) if texts(found, number, 2) == ("for", "(") else number
        whole = found[number:end]
        if any(word.text == array.name.text for word in whole) and (body := times(whole, array, before)) is not None:
            # The statement of a branch is one.
            is_alone = number > 0 and found[number - 1].text not in _BEFORE
            found[number:end] = [made("{", whole[0]), *body, made("}", whole[0])] if is_alone else body
            continue
        number += 1
    return found


def times(loop: Words, array: Elements, before: Sequence[Piece]) -> Words | None:
    """What is done each time, one behind the other; None where that is not evident."""
    close = closing(loop, 1)
    first = end_of_statement(loop, 2)
    second = end_of_statement(loop, first + 1)
    assigned = next((n for n in range(2, first) if loop[n].text == "="), first)
    counter = loop[assigned - 1].text
    limit = _without_size(loop[first + 3 : second], array)
    begin, end = _number(loop[assigned + 1 : first], before), _number(limit, before)
    steps = {(counter, "++"), ("++", counter), (counter, "+=", "1")}
    is_plain = texts(loop, first + 1, 2) == (counter, "<") and texts(loop, second + 1, close - second - 1) in steps
    body = loop[close + 1 :]
    if not is_plain or begin is None or end is None or end - begin > _MOST or not _is_constant(body, counter):
        return None
    at = loop[0]
    if body and body[0].text == "{" and not _declares(body):
        body = body[1:-1]
    return [
        word
        for time in range(begin, end)
        for word in _with_known_places(substituted(body, {counter: [made(str(time), at)]}, in_place=True), array)
    ]


def _with_known_places(body: Words, array: Elements) -> Words:
    """What is done once, with numbers in indices of the array in place of variables that are such, `int s = 1 % 2;`."""
    known: dict[str, Words] = {}
    for number in range(len(body) - 3):
        name = body[number]
        is_one = number > 0 and body[number - 1].text in _WHOLE and texts(body, number + 1, 1) == ("=",)
        value = number_of(body[number + 2 : end_of_statement(body, number)], no_names) if is_one else None
        if value is not None and not any(_changes(body, n, name.text) for n in range(number + 1, len(body))):
            known[name.text] = [made(str(value), name)]
    found: Words = []
    number = 0
    while number < len(body):
        is_element = body[number].text == array.name.text and texts(body, number + 1, 1) == ("[",)
        last = closing(body, number + 1) if is_element else number
        found += substituted(body[number : last + 1], known, in_place=True) if is_element else [body[number]]
        number = last + 1
    return found


def _changes(body: Sequence[Piece], number: int, name: str) -> bool:
    """Whether a variable changes at a position, or something else is called so, or refers to it."""
    around = (body[number - 1].text, *texts(body, number + 1, 1))
    is_other = is_name(body[number - 1]) and body[number - 1].text not in {"return", "else"}
    return body[number].text == name and (is_other or "&" in around[:1] or not CHANGING.isdisjoint(around))


def _without_size(limit: Words, array: Elements) -> Words:
    name = array.name.text
    written = tuple(word.text for word in limit if word.text not in {"std", "::"})
    if written in {(name, ".", "size", "(", ")"), ("size", "(", name, ")")}:
        return [made(str(array.size), limit[0])]
    return limit


def _is_constant(body: Sequence[Piece], counter: str) -> bool:
    """Whether the counter of a loop is a number in its body, which nothing leaves."""
    for number, word in enumerate(body):
        if word.text in LEAVING:
            return False
        before, behind = texts(body, max(0, number - 1), 1), texts(body, number + 1, 1)
        if word.text == counter and (before[0] in {"++", "--", "&"} or set(behind) & CHANGING):
            return False
        is_captured = (
            word.text == "[" and number and not (is_name(body[number - 1]) or body[number - 1].text in {"]", ")"})
        )
        if is_captured and any(one.text == counter for one in body[number : closing(body, number)]):
            return False
    return True


def _declares(body: Sequence[Piece]) -> bool:
    """Whether a block declares something itself: two names, or a name behind a star, begin one of its statements."""
    number = 1
    while number < len(body) - 1:
        end = end_of_statement(body, number)
        sign = next((n for n in range(number, end) if body[n].text in {"=", "(", "{", "[", "."}), end)
        if sign - number > 1:
            return True
        number = behind_statement(body, number)
    return False


def alone(words: Words, array: Elements, before: Sequence[Piece]) -> Words | None:
    """The words with a pointer in place of each element; None where it is not evident which one is meant."""
    found: Words = []
    number = 0
    while number < len(words):
        word = words[number]
        number += 1
        if word.text != array.name.text or (number > 1 and words[number - 2].text in {".", "->", "::"}):
            found.append(word)
            continue
        follows = texts(words, number, 4)
        if follows == (".", "size", "(", ")"):
            found.append(made(str(array.size), word))
            number += 4
        elif follows[:1] == ("[",):
            last = closing(words, number)
            place = _number(words[number + 1 : last], before)
            if place is None or not 0 <= place < array.size:
                return None
            found.append(made(name_of(array, place), word))
            number = last + 1
        else:
            return None
    return found
