"""Vectors with a `usm_allocator` as pointers to memory that is made by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import (
    behind_statement,
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
    from collections.abc import Mapping, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASS: Final = "usm_allocator"
_MAKES: Final = {"shared": "malloc_shared", "host": "malloc_host"}
# What members of a vector are, of the pointer `{v}` with `{n}` elements.
_MEMBERS: Final = {
    **dict.fromkeys(("data", "begin", "cbegin"), "{v}"),
    **dict.fromkeys(("end", "cend"), "{v} + {n}"),
    "size": "{n}",
    "front": "{v} [ 0 ]",
    "back": "{v} [ {n} - 1 ]",
    "empty": "false",
}


class _Allocator(Struct, frozen=True):
    """A type of allocators, or one of them: the function that makes memory, and the queue that it is passed."""

    makes: str
    queue: Words


class _Vector(Struct, frozen=True):
    """A vector: its name, the number of its elements, and the statements that make its memory."""

    name: Piece
    count: Words
    first: Words


def with_usm_vectors(words: Sequence[Piece]) -> Words:
    """The words with pointers in place of vectors that have a `usm_allocator`."""
    if not any(word.text == _CLASS for word in words):
        return list(words)
    found, allocators = _without_allocators(words)
    number = 0
    while number < len(found):
        vectors = _vectors(found, number, allocators)
        if not vectors:
            number += 1
            continue
        behind = end_of_statement(found, number) + 1
        end = end_of_block(found, behind)
        rest = found[behind:end]
        for one in vectors:
            rest = _with_members(rest, one.name, one.count)
        first = [word for one in vectors for word in one.first]
        found[number:end] = [*first, *rest]
        number += len(first)
    return found


def _type(words: Sequence[Piece], number: int) -> tuple[_Allocator, int] | None:
    """The type `usm_allocator<int, usm::alloc::shared>` at a position, and the position behind it; None for others."""
    number += 2 * (texts(words, number, 2) == ("sycl", "::"))
    angle = closing_angle(words, number + 1) if texts(words, number, 2) == (_CLASS, "<") else None
    if angle is None:
        return None
    parts = listed(words, number + 2, angle)
    makes = _MAKES.get(parts[1][-1].text) if len(parts) > 1 and parts[1] else None
    return None if makes is None else (_Allocator(makes, []), angle + 1)


def _without_allocators(words: Sequence[Piece]) -> tuple[Words, dict[str, _Allocator]]:
    """The words without declarations of allocators, and these by their names."""
    allocators: dict[str, _Allocator] = {}

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        found = _type(words, number)
        if found is None or number == 0 or words[number - 1].text not in {";", "{", "}"}:
            return None
        one, opening = found
        if not is_name(words[opening]) or texts(words, opening + 1, 1) not in {("(",), ("{",)}:
            return None
        last = closing(words, opening + 1)
        queue = listed(words, opening + 2, last)
        if not queue or texts(words, last + 1, 1) != (";",):
            return None
        allocators[words[opening].text] = _Allocator(one.makes, queue[0])
        return [], last + 2

    return replaced(words, at), allocators


def _vectors(words: Sequence[Piece], number: int, allocators: Mapping[str, _Allocator]) -> list[_Vector]:
    """The vectors that a statement at a position declares; none where another one stands."""
    number += 2 * (texts(words, number, 2) == ("std", "::"))
    angle = closing_angle(words, number + 1) if texts(words, number, 2) == ("vector", "<") else None
    if angle is None:
        return []
    closes = [made(">", words[angle])] if words[angle].text == ">>" else []
    inner = [*words[number + 2 : angle], *closes]
    type_, *rest = listed(inner, 0, len(inner))
    allocator = _named(rest[0], allocators) if rest else None
    if allocator is None or not is_name(words[angle + 1]):
        return []
    parts = listed(words, angle + 1, end_of_statement(words, angle))
    return [_vector(part, type_, allocator, allocators) for part in parts]


def _vector(part: Words, type_: Words, allocator: _Allocator, allocators: Mapping[str, _Allocator]) -> _Vector:
    """A vector that is declared, `v(4, 1, a)`."""
    name, queue = part[0], allocator.queue
    arguments = listed(part, 2, len(part) - 1) if texts(part, 1, 1) == ("(",) else []
    if arguments and (made_here := _named(arguments[-1], allocators)) is not None:
        queue = made_here.queue
        arguments = arguments[:-1]
    if not 1 <= len(arguments) <= 2 or not queue:
        message = (
            f"'{name.text}' is a vector in USM, which is made of a number of elements, a value, and an allocator of a "
            "queue: 'std::vector<int, decltype(a)> v(4, 1, a);'"
        )
        raise InputError(_at(name, "E207", message))
    count = arguments[0] if len(arguments[0]) == 1 else [made("(", name), *arguments[0], made(")", name)]
    value = arguments[1] if len(arguments) > 1 else [made("0", name)]
    pattern = (
        f"{{type}} * {{name}} = {allocator.makes} < {{type}} > ( {{count}} , {{queue}} ) ; "
        "for ( size_t {place} = 0 ; {place} < {count} ; {place} ++ ) {name} [ {place} ] = {value} ;"
    )
    place = [made(f"{name.text}_place", name)]
    first = code(name, pattern, type=type_, name=[name], count=count, queue=queue, value=value, place=place)
    return _Vector(name, count, first)


def _at(word: Piece, code: str, message: str) -> Diagnostic:
    assert word.span is not None
    return Diagnostic(code, message, word.span)


def _named(words: Words, allocators: Mapping[str, _Allocator]) -> _Allocator | None:
    """The allocator, or the type of one, that words name: `a`, `decltype(a)`, `usm_allocator<…>(q)`."""
    if texts(words, 0, 2) == ("decltype", "("):
        words = words[2:-1]
    if len(words) == 1:
        return allocators.get(words[0].text)
    found = _type(words, 0)
    if found is None:
        return None
    one, behind = found
    arguments = listed(words, behind + 1, len(words) - 1)
    return _Allocator(one.makes, arguments[0]) if arguments else one


def _with_members(words: Sequence[Piece], name: Piece, count: Words) -> Words:
    """The words with what members of a vector are in place of them."""

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        if texts(words, number, 2) == ("for", "("):
            return _loop(words, number, name, count)
        if words[number].text != name.text or texts(words, number + 1, 1) != (".",):
            return None
        member = texts(words, number + 2, 3)
        if member[1:] != ("(", ")") or member[0] not in _MEMBERS:
            known = ", ".join(f"'{one}'" for one in _MEMBERS)
            message = f"'{member[0]}' of a vector in USM is not part of the litmus language; {known} are"
            raise InputError(_at(words[number + 2], "E203", message))
        return code(words[number], _MEMBERS[member[0]], v=[name], n=count), number + 5

    return replaced(words, at)


def _loop(words: Sequence[Piece], number: int, name: Piece, count: Words) -> tuple[Words, int] | None:
    """A loop over the elements, `for (auto& x : v)`, and the position behind it; None for another one."""
    last = closing(words, number + 1)
    if texts(words, last - 2, 3) != (":", name.text, ")"):
        return None
    behind = behind_statement(words, last + 1)
    pattern = "for ( size_t {place} = 0 ; {place} < {n} ; {place} ++ ) { {declared} = {v} [ {place} ] ; {body} }"
    place = made(f"{name.text}_place", words[number])
    body = _with_members(words[last + 1 : behind], name, count)
    declared = words[number + 2 : last - 2]
    return code(words[number], pattern, place=[place], n=count, declared=list(declared), v=[name], body=body), behind
