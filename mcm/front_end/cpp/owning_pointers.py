"""`std::unique_ptr` and `std::shared_ptr` of one owner as pointers whose memory is given back at the end of the block.

One that owns a queue, or a buffer, is that object.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.allocations import ALLOCATORS
from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.ends_of_objects import at_end
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    closing_angle,
    end_of_block,
    end_of_statement,
    has_owner,
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

_POINTERS: Final = frozenset({"unique_ptr", "shared_ptr"})
_MAKERS: Final = frozenset({"make_unique", "make_shared"})
_QUEUE: Final = "queue"
_BUFFER: Final = "buffer"
# What gives the memory to another owner, or gives it back earlier, and what asks for it.
_GIVING: Final = frozenset({"reset", "release", "swap", "use_count"})


_EARLY: Final = (
    "'{name}' owns a queue or a buffer that another one takes over, or that ends before its block: one with a block of "
    "its own is part of the litmus language, and so is '{name}.reset();', where nothing behind it names a variable "
    "that is declared before it"
)


class _Owner(Struct, frozen=True):
    """A pointer that owns memory: its name, the type of the elements, the value of a pointer, and what gives it back.

    `value` is what a queue or a buffer is made of, where it owns one.
    """

    name: Piece
    type: Words
    value: Words
    ended: Words

    @property
    def is_object(self) -> bool:
        """Whether it owns a queue or a buffer."""
        return _is_object(self.type)


def _is_object(type_: Words) -> bool:
    return type_[-1].text == _QUEUE or any(word.text == _BUFFER for word in type_)


def with_plain_pointers(words: Sequence[Piece]) -> Words:
    """The words with pointers, queues and buffers in place of what owns them."""
    found = _with_late_values(words)
    for number in reversed(range(len(found))):
        one = _declared(found, number)
        if one is None:
            continue
        end = end_of_statement(found, number)
        last = end_of_block(found, end)
        rest = found[end + 1 : last]
        if one.is_object and (place := _reset(rest, one.name.text)) is not None:
            # It ends there, as at the end of a block.
            inner = replaced(rest[:place], partial(_use, one))
            block = [made("{", one.name), *_declaration(one), *inner, made("}", one.name)]
            found[number:last] = [*block, *rest[place + 6 :]]
            continue
        ended = [] if _is_main(found, last) or one.is_object else one.ended
        if not _keeps(rest, one.name.text):
            if one.is_object and one.name.span is not None:
                raise InputError(Diagnostic("E207", _EARLY.format(name=one.name.text), one.name.span))
            continue
        rest = replaced(rest, partial(_use, one))
        found[number:last] = [*_declaration(one), *at_end(ended), *rest]
    return found


def _with_late_values(words: Sequence[Piece]) -> Words:
    """The words with `std::unique_ptr<buffer<int>> p;` where its value is assigned, in the same block."""
    found = list(words)
    for number in reversed(range(len(found))):
        first = number + 2 * (texts(found, number, 2) == ("std", "::"))
        if not texts(found, first, 1) or found[first].text not in _POINTERS or not begins_statement(found, number):
            continue
        angle = closing_angle(found, first + 1) if texts(found, first + 1, 1) == ("<",) else None
        if angle is None or texts(found, angle + 2, 1) != (";",):
            continue
        name, last = found[angle + 1], end_of_block(found, angle + 2)
        places = [n for n in range(angle + 3, last) if found[n].text == name.text]
        is_block = bool(places) and end_of_block(found, places[0]) == last and begins_statement(found, places[0])
        if is_block and texts(found, places[0] + 1, 1) == ("=",):
            found[places[0] : places[0]] = [made("auto", name)]
            del found[number : angle + 3]
    return found


def _reset(rest: Sequence[Piece], name: str) -> int | None:
    """Where an owner gives up its object, in its own block, and is not named behind; None where it does not.

    What is declared before is not named behind it either.
    """
    places = [number for number, word in enumerate(rest) if word.text == name]
    place = places[-1] if places else 0
    if not places or texts(rest, place, 6) != (name, ".", "reset", "(", ")", ";") or not begins_statement(rest, place):
        return None
    before = rest[:place]
    depth = sum((word.text == "{") - (word.text == "}") for word in before)
    # Declarations stand behind a bracket or a semicolon.
    declared = declared_names([made("{", rest[place]), *before])
    is_free = {word.text for word in rest[place + 6 :]}.isdisjoint(declared)
    return place if depth == 0 and is_free and _keeps(before, name) else None


def _declaration(one: _Owner) -> Words:
    pattern = "{type} {name} {value} ;" if one.is_object else "{type} * {name} = {value} ;"
    return code(one.name, pattern, type=one.type, name=[one.name], value=one.value)


def _declared(words: Sequence[Piece], number: int) -> _Owner | None:
    """What a statement that begins at a position declares; None where another one stands."""
    if not begins_statement(words, number):
        return None
    end = end_of_statement(words, number)
    if (queue := _made_queue(words, number, end)) is not None:
        return queue
    first = number + 2 * (texts(words, number, 2) == ("std", "::"))
    name = first + 1
    if texts(words, first, 1)[:1] and words[first].text in _POINTERS and texts(words, first + 1, 1) == ("<",):
        angle = closing_angle(words, first + 1)
        name = len(words) if angle is None else angle + 1
    elif texts(words, first, 1) != ("auto",):
        return None
    if name >= end or not is_name(words[name]):
        return None
    if texts(words, name + 1, 1) == ("=",):
        return _of_maker(words[name], words[name + 2 : end])
    opening = name + 1
    is_owner = words[first].text in _POINTERS and texts(words, opening, 1) in {("(",), ("{",)}
    if not is_owner or closing(words, opening) != end - 1:
        return None
    parts = listed(words, opening + 1, end - 1)
    type_ = _element(listed(words, first + 2, name - 1)[0])
    return _of_value(words[name], type_, parts[0]) if parts else None


def _made_queue(words: Sequence[Piece], number: int, end: int) -> _Owner | None:
    """`queue* q = new queue(…)`: who deletes it does not wait for its commands."""
    first = number + 2 * (texts(words, number, 2) == ("sycl", "::"))
    if texts(words, first, 2) != (_QUEUE, "*") or texts(words, first + 3, 2) != ("=", "new"):
        return None
    made_of = first + 5 + 2 * (texts(words, first + 5, 2) == ("sycl", "::"))
    value = list(words[made_of + 1 : end])
    is_whole = texts(words, made_of, 1) == (_QUEUE,) and (not value or closing(value, 0) == len(value) - 1)
    inner = value if len(value) > 2 else []
    return _Owner(words[first + 2], list(words[number : first + 1]), inner, []) if is_whole else None


def _element(type_: Words) -> Words:
    """The type of the elements: `int` of `int[]`."""
    return type_[:-2] if texts(type_, len(type_) - 2, 2) == ("[", "]") else type_


def _of_maker(name: Piece, value: Sequence[Piece]) -> _Owner | None:
    """`std::make_unique<int[]>(4)`, a value; None for other values."""
    first = 2 * (texts(value, 0, 2) == ("std", "::"))
    if not texts(value, first, 1) or value[first].text not in _MAKERS or texts(value, first + 1, 1) != ("<",):
        return None
    angle = closing_angle(value, first + 1)
    if angle is None or texts(value, angle + 1, 1) != ("(",) or closing(value, angle + 1) != len(value) - 1:
        return None
    written, inner = list(value[first + 2 : angle]), list(value[angle + 2 : -1])
    written += [made(">", value[angle])] if value[angle].text == ">>" else []
    type_ = _element(written)
    if _is_object(type_):
        return _Owner(name, type_, code(name, "( {inner} )", inner=inner) if inner else [], [])
    pattern = "new {type} [ {inner} ] ( )" if type_ != written else "new {type} [ 1 ] { {inner} }"
    return _Owner(name, type_, code(name, pattern, type=type_, inner=inner), _deleted(name))


def _of_value(name: Piece, type_: Words, value: Words) -> _Owner | None:
    """`new int[4]`, or USM, a value; None for other values."""
    if texts(value, 0, 1) == ("new",) and _is_object(type_):
        return _Owner(name, type_, made_of, []) if (made_of := _of_new(type_, value)) is not None else None
    if texts(value, 0, 1) == ("new",):
        return _Owner(name, type_, value, _deleted(name)) if value[-1].text == "]" else None
    first = 2 * (texts(value, 0, 2) == ("sycl", "::"))
    angle = closing_angle(value, first + 1) if texts(value, first + 1, 1) == ("<",) else None
    if value[first].text not in ALLOCATORS or angle is None or closing(value, angle + 1) != len(value) - 1:
        return None
    passed = listed(value, angle + 2, len(value) - 1)[1:]
    where = [word for part in passed for word in (made(",", name), *part)]
    return _Owner(name, type_, value, code(name, "sycl :: free ( {name} {where} ) ;", name=[name], where=where))


def _of_new(type_: Words, value: Words) -> Words | None:
    """What a queue or a buffer is made of, `new queue(d)`; None where another class is made."""
    wanted, behind = [word.text for word in type_], len(type_) + 1
    written = [word.text for word in value[1:behind]]
    if written != wanted:
        return None
    inner = value[behind + 1 : -1]
    is_whole = behind == len(value) or closing(value, behind) == len(value) - 1
    return (code(value[0], "( {inner} )", inner=inner) if inner else []) if is_whole else None


def _deleted(name: Piece) -> Words:
    return code(name, "delete [ ] {name} ;", name=[name])


def _is_main(words: Sequence[Piece], last: int) -> bool:
    """Whether a brace closes the body of `main`, whose end is not looked at."""
    main = next((n for n in range(len(words)) if texts(words, n, 2) == ("main", "(")), None)
    return main is not None and closing(words, closing(words, main + 1) + 1) == last


def _keeps(rest: Sequence[Piece], name: str) -> bool:
    """Whether the memory stays with its owner until the end of the block."""
    for number, word in enumerate(rest):
        if word.text != name:
            continue
        is_given = texts(rest, number + 1, 1) == (".",) and rest[number + 2].text in _GIVING
        is_assigned = texts(rest, number + 1, 1) == ("=",) and rest[number - 1].text != "*"
        if is_given or is_assigned or texts(rest, number - 2, 2) == ("move", "("):
            return False
    return True


def _use(one: _Owner, words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """What stands in place of `p.get()`, and of `*p` and `p->` where `p` is a queue or a buffer."""
    name = one.name.text
    if one.is_object and texts(words, number, 3) == ("delete", name, ";"):
        return [], number + 3
    if one.is_object and texts(words, number, 2) == ("*", name):
        return [words[number + 1]], number + 2
    if words[number].text != name or has_owner(words, number):
        return None
    if texts(words, number + 1, 4) == (".", "get", "(", ")"):
        return [*([made("&", words[number])] if one.is_object else []), words[number]], number + 5
    if one.is_object and texts(words, number + 1, 1) == ("->",):
        return [words[number], made(".", words[number + 1])], number + 2
    return None
