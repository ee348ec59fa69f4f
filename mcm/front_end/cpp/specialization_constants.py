"""Specialization constants: each command group has its value of one, which kernels read by their `kernel_handler`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    closing_angle,
    end_of_block,
    end_of_statement,
    is_name,
    listed,
    made,
    replaced,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASS: Final = "specialization_id"
_SET: Final = "set_specialization_constant"
_GET: Final = "get_specialization_constant"
_HANDLER: Final = "kernel_handler"
# What reads memory, or calls: the kernel, which has copies of numbers of the host, would do that itself.
_READING: Final = frozenset({"[", "*", "->", ".", "("})
_BEFORE: Final = frozenset({"constexpr", "static", "inline", "const", "sycl", "::"})


class _Constant(Struct, frozen=True):
    """A constant: its type, and its value where a command group says none."""

    type: Words
    value: Words


def with_values_of_specialization(words: Sequence[Piece]) -> Words:
    """The words with values of command groups in place of specialization constants."""
    if not any(word.text == _CLASS for word in words):
        return list(words)
    constants: dict[str, _Constant] = {}

    def declared(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        found = _declared(words, number)
        if found is None:
            return None
        name, constant = found
        constants[name] = constant
        return [], end_of_statement(words, number) + 1

    rest = replaced(words, declared)
    return _with_values(replaced(rest, _without_handler), constants)


def _declared(words: Sequence[Piece], number: int) -> tuple[str, _Constant] | None:
    """A constant that a statement of the file declares, and its name; None where something else stands."""
    if not begins_statement(words, number):
        return None
    start = number
    while number < len(words) and words[number].text in _BEFORE:
        number += 1
    if texts(words, number, 2) != (_CLASS, "<") or start == number:
        return None
    angle = closing_angle(words, number + 1)
    if angle is None or not is_name(words[angle + 1]):
        return None
    at, end = words[angle + 1], end_of_statement(words, number)
    value = list(words[angle + 3 : end - 1]) if end > angle + 2 else []
    return at.text, _Constant(list(words[number + 2 : angle]), value or [made("0", at)])


def _without_handler(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """The parameters of a kernel without its handler; None where something else stands."""
    if words[number].text != "(" or _HANDLER not in texts(words, number, closing(words, number) - number):
        return None
    last = closing(words, number)
    parts = listed(words, number + 1, last)
    kept = [part for part in parts if not _is_handler(part)]
    if len(kept) == len(parts):
        return None
    found: Words = []
    for part in kept:
        found += [*([made(",", words[number])] if found else []), *part]
    return [words[number], *found, words[last]], last + 1


def _is_handler(part: Sequence[Piece]) -> bool:
    """Whether a parameter is `kernel_handler kh`."""
    first = 2 if texts(part, 0, 2) == ("sycl", "::") else 0
    return texts(part, first, 1) == (_HANDLER,) and all(is_name(word) or word.text == "&" for word in part[first:])


def _with_values(words: Words, constants: dict[str, _Constant]) -> Words:
    """The words with values in place of calls that get them, and nothing in place of those that set them."""
    found = list(words)
    number = 0
    while number < len(found):
        name = _called(found, number, _SET, constants)
        if name is not None:
            start = number - 2
            end, last = end_of_statement(found, number), end_of_block(found, number)
            opening = next(n for n in range(number, end) if found[n].text == "(")
            value = list(found[opening + 1 : closing(found, opening)])
            if any(_called(found, n, _SET, constants) == name for n in range(end, last)):
                raise _error(found[number], f"'{name}' is set here, and once more in this command group: once is")
            if any(word.text in _READING for word in value):
                message = f"'{name}' is set to what is read here: a variable of the host with the value is"
                raise _error(found[number], message)
            inside = _with_known(found[end + 1 : last], {name: value}, constants)
            found[start:last] = inside
            number = start - 1
        number += 1
    return _with_known(found, {name: one.value for name, one in constants.items()}, constants)


def _with_known(words: Sequence[Piece], known: dict[str, Words], constants: dict[str, _Constant]) -> Words:
    """The words with values in place of constants that are known."""

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        follows = texts(words, number, 3)
        is_object = len(follows) == 3 and is_name(words[number]) and follows[1] == "."
        name = _called(words, number + 2, _GET, constants) if is_object else None
        if name is None or name not in known:
            return None
        opening = next(n for n in range(number, len(words)) if words[n].text == "(")
        value = known[name]
        cast = code(words[number], "( ( {type} ) ( {value} ) )", type=constants[name].type, value=value)
        return cast, closing(words, opening) + 1

    return replaced(words, at)


def _called(words: Sequence[Piece], number: int, function: str, constants: dict[str, _Constant]) -> str | None:
    """The constant that a member function is called for, `h.set_specialization_constant<id>(1)`; None for others."""
    if texts(words, number, 2) != (function, "<"):
        return None
    angle = closing_angle(words, number + 1)
    name = None if angle is None else words[angle - 1].text
    return name if name in constants else None


def _error(word: Piece, message: str) -> InputError:
    assert word.span is not None
    return InputError(Diagnostic("E207", message, word.span))
