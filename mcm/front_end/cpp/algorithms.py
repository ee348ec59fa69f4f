"""Algorithms of the standard library that a host program fills memory with, and loops over ranges: as loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.words import closing, end_of_statement, is_name, listed, made, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_COPIES: Final = frozenset({"copy", "copy_n"})
_FILLS: Final = frozenset({"fill", "iota"})
# What a question begins with, and what one element makes it.
_QUESTIONS: Final = {"all_of": ("true", "false"), "none_of": ("true", "false"), "any_of": ("false", "true")}
_SUMS: Final = frozenset({"accumulate", "reduce"})


def with_loops(words: Sequence[Piece]) -> Words:
    """The words with loops in place of `std::fill`, `std::iota`, and loops over containers."""
    return _Loops().rewritten(words)


class _Loops:
    """Counts the loops, whose variables have names of their own."""

    def __init__(self) -> None:
        self._count = 0

    def rewritten(self, words: Sequence[Piece]) -> Words:
        found: Words = []
        number = 0
        while number < len(words):
            is_first = not found or found[-1].text in {";", "{", "}", ")", "else"}
            filled = _filled(words, number) if is_first else None
            ranged = _ranged(words, number) if words[number].text == "for" else None
            asked = _asked(words, number) if is_first else None
            exchanged = _exchanged(words, number) if is_first else None
            if exchanged is not None:
                one, other = exchanged
                found += self._exchange(one, other, words[number])
                number = end_of_statement(words, number) + 1
            elif filled is not None:
                elements, values, number = filled
                found += self._fill(elements, values)
            elif asked is not None:
                found += self._question(asked, words[number])
                number = end_of_statement(words, number) + 1
            elif ranged is not None:
                declared, container, number = ranged
                found += self._range(declared, container, words, number)
                number = _behind_statement(words, number)
            else:
                found.append(words[number])
                number += 1
        return found

    def _counter(self, at: Piece) -> Piece:
        self._count += 1
        return made(f"element_{self._count}", at)

    def _exchange(self, one: Words, other: Words, at: Piece) -> Words:
        """`{ auto x = one; one = other; other = x; }`."""
        self._count += 1
        held = made(f"exchanged_{self._count}", at)
        sign, end = made("=", at), made(";", at)
        first = [made("{", at), made("auto", at), held, sign, *one, end]
        return [*first, *one, sign, *other, end, *other, sign, held, end, made("}", at)]

    def _head(self, bound: Words, counter: Piece) -> Words:
        """`for (size_t i = 0; i < bound; i++)`."""
        before = [made(text, counter) for text in ("for", "(", "size_t", counter.text, "=", "0", ";", counter.text)]
        behind = [made(text, counter) for text in (";", counter.text, "++", ")")]
        return [*before, made("<", counter), *bound, *behind]

    def _fill(self, elements: tuple[Words, Words], value: Words) -> Words:
        base, bound = elements
        counter = self._counter(base[0])
        kept = [*_indexed(base), *(made(text, counter) for text in ("[", counter.text, "]", "="))]
        return [*self._head(bound, counter), *kept, *_with_step(value, counter), made(";", counter)]

    def _question(self, asked: _Asked, at: Piece) -> Words:
        """`bool ok = std::all_of(v.begin(), v.end(), [](int i) { return i == 3; });`, or a sum."""
        base, bound = asked.elements
        counter = self._counter(at)
        element = [*base, made("[", at), counter, made("]", at)]
        if asked.algorithm in _SUMS:
            # The sum has the type of its first value, whatever the variable has.
            total = made(f"total_{self._count}", at)
            begins = [made("auto", at), total, made("=", at), *asked.rest[0], made(";", at)]
            ends = [*asked.declared, made("=", at), total, made(";", at)]
            return [*begins, *self._head(bound, counter), total, made("+=", at), *element, made(";", at), *ends]
        first, then = _QUESTIONS[asked.algorithm]
        negated = [made("!", at)] if asked.algorithm == "all_of" else []
        begins = [*asked.declared, *(made(text, at) for text in ("=", first, ";"))]
        inner = [made("{", at), *asked.rest[0], made("=", at), *element, made(";", at), made("if", at), made("(", at)]
        condition = [*negated, made("(", at), *asked.rest[1], made(")", at), made(")", at)]
        ends = [asked.declared[-1], *(made(text, at) for text in ("=", then, ";", "}"))]
        return [*begins, *self._head(bound, counter), *inner, *condition, *ends]

    def _range(self, declared: Words, container: Words, words: Sequence[Piece], number: int) -> Words:
        """`for (auto& x : v) …`."""
        counter = self._counter(container[0])
        at = container[0]
        bound = [*(made(text, at) for text in ("std", "::", "size", "(")), *container, made(")", at)]
        element = [*container, made("[", at), counter, made("]", at)]
        body = self.rewritten(words[number : _behind_statement(words, number)])
        opening = [made("{", at), *declared, made("=", at), *element, made(";", at)]
        return [*self._head(bound, counter), *opening, *body, made("}", at)]


def _with_step(value: Words, counter: Piece) -> Words:
    """A value in which a made `+` asks for the number of the element."""
    return [counter if word.text == "<element>" else word for word in value]


def _indexed(base: Words) -> Words:
    """What stands before the brackets of an index."""
    return base if len(base) == 1 else [made("(", base[0]), *base, made(")", base[0])]


def _exchanged(words: Sequence[Piece], number: int) -> tuple[Words, Words] | None:
    """What `std::swap(a, b);` exchanges; None where something else stands."""
    if texts(words, number, 4) != ("std", "::", "swap", "("):
        return None
    last = closing(words, number + 3)
    parts = listed(words, number + 4, last)
    is_plain = not any(word.text in {"++", "--"} for word in words[number:last])
    is_one = len(parts) == 2 and all(parts) and texts(words, last + 1, 1) == (";",)
    return (parts[0], parts[1]) if is_one and is_plain else None


def _copied(parts: list[Words], algorithm: str) -> tuple[tuple[Words, Words], Words] | None:
    """The memory and the number of elements that `std::copy` or `std::copy_n` writes, and the value of each."""
    if algorithm == "copy":
        elements = _elements(parts[0], parts[1])
    else:
        elements = _beginning(parts[0]), [made("(", parts[1][0]), *parts[1], made(")", parts[1][0])]
    if elements is None:
        return None
    at = parts[2][0]
    value = [*_indexed(elements[0]), made("[", at), made("<element>", at), made("]", at)]
    return (_beginning(parts[2]), elements[1]), value


def _beginning(words: Words) -> Words:
    """What `v.begin()` is the beginning of; other places as they are."""
    is_container = [word.text for word in words[-4:]] in ([".", "begin", "(", ")"], [".", "data", "(", ")"])
    return words[:-4] if is_container else words


def _filled(words: Sequence[Piece], number: int) -> tuple[tuple[Words, Words], Words, int] | None:
    """The memory and the number of elements that are filled, the value of each, and the position behind it."""
    start = number + 2 if texts(words, number, 2) == ("std", "::") else number
    if texts(words, start + 1, 1) != ("(",) or words[start].text not in _FILLS | _COPIES:
        return None
    last = closing(words, start + 1)
    parts = listed(words, start + 2, last)
    if len(parts) != 3 or not all(parts) or texts(words, last + 1, 1) != (";",):
        return None
    if words[start].text in _COPIES:
        if start == number:
            # A function of the program, perhaps.
            return None
        copied = _copied(parts, words[start].text)
        return None if copied is None else (*copied, last + 2)
    elements = _elements(parts[0], parts[1])
    if elements is None:
        return None
    value = parts[2]
    if words[start].text == "iota":
        at = value[0]
        value = [made("(", at), *value, made(")", at), made("+", at), made("<element>", at)]
    return elements, value, last + 2


class _Asked(Struct, frozen=True):
    """A variable that an algorithm has the value of: its declaration, the elements, and what else the algorithm takes.

    That is the first value of a sum; of a question, the parameter of the lambda, and what it returns.
    """

    declared: Words
    algorithm: str
    elements: tuple[Words, Words]
    rest: tuple[Words, ...]


def _asked(words: Sequence[Piece], number: int) -> _Asked | None:
    """The variable that an algorithm has the value of; None where something else is declared."""
    end = end_of_statement(words, number)
    sign = next((n for n in range(number, end) if words[n].text in {"=", "(", "{"}), end)
    if texts(words, sign, 3) != ("=", "std", "::") or sign < number + 2:
        return None
    follows = texts(words, sign + 3, 2)
    if len(follows) < 2 or follows[1] != "(" or closing(words, sign + 4) != end - 1:
        return None
    parts = listed(words, sign + 5, end - 1)
    elements = _elements(parts[0], parts[1]) if len(parts) == 3 and all(parts) else None
    if elements is None:
        return None
    declared = list(words[number:sign])
    if follows[0] in _SUMS:
        return _Asked(declared, follows[0], elements, (parts[2],))
    question = _lambda_of(parts[2])
    return _Asked(declared, follows[0], elements, question) if question and follows[0] in _QUESTIONS else None


def _lambda_of(words: Words) -> tuple[Words, ...]:
    """The parameter of a lambda, and what it returns; nothing where it does anything else."""
    if texts(words, 0, 1) != ("[",):
        return ()
    opening = closing(words, 0) + 1
    if texts(words, opening, 1) != ("(",):
        return ()
    last = closing(words, opening)
    body = next((n for n in range(last, len(words)) if words[n].text == "{"), len(words))
    returned = words[body + 2 : end_of_statement(words, body + 1)]
    is_one = texts(words, body + 1, 1) == ("return",) and closing(words, body) == body + 3 + len(returned)
    return (words[opening + 1 : last], returned) if is_one else ()


def _elements(first: Words, last: Words) -> tuple[Words, Words] | None:
    """The memory and the number of elements between two places, `v.begin(), v.end()` or `p, p + n`."""
    one, other = [word.text for word in first], [word.text for word in last]
    if one[-4:] == [".", "begin", "(", ")"] and other[-4:] == [".", "end", "(", ")"] and one[:-4] == other[:-4]:
        return first[:-4], [*first[:-3], made("size", first[-3]), *first[-2:]]
    if other[: len(one)] == one and other[len(one) : len(one) + 1] == ["+"]:
        at = last[len(one)]
        return first, [made("(", at), *last[len(one) + 1 :], made(")", at)]
    return None


def _ranged(words: Sequence[Piece], number: int) -> tuple[Words, Words, int] | None:
    """The declaration and the container of a loop over a range, and the position of its statement."""
    if texts(words, number + 1, 1) != ("(",):
        return None
    last = closing(words, number + 1)
    colon = next((n for n in range(number + 2, last) if words[n].text in {":", ";", "?"}), last)
    if texts(words, colon, 1) != (":",) or not is_name(words[colon - 1]) or colon + 1 >= last:
        return None
    return list(words[number + 2 : colon]), list(words[colon + 1 : last]), last + 1


def _behind_statement(words: Sequence[Piece], number: int) -> int:
    """The position behind the statement that begins at a position."""
    match texts(words, number, 1):
        case ("{",):
            return closing(words, number) + 1
        case ("for" | "while",):
            return _behind_statement(words, closing(words, number + 1) + 1)
        case ("if",):
            behind = _behind_statement(words, closing(words, number + 1) + 1)
            return _behind_statement(words, behind + 1) if texts(words, behind, 1) == ("else",) else behind
        case _:
            return end_of_statement(words, number) + 1
