"""Calls of functions of the host: the statements that they stand in, and what they return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.definitions import OF_OBJECT
from mcm.front_end.cpp.words import end_of_statement, is_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.definitions import Definition
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEFORE_STATEMENTS: Final = frozenset({";", "{", "}", ")", "else"})
_NO_RESULT: Final = frozenset({"static", "inline", "const", "constexpr", OF_OBJECT})
# Commands that may use variables of the function that enqueues them.
_USE_VARIABLES: Final = frozenset({"memcpy", "copy", "host_task"})


class ValueOfCall(Struct, frozen=True):
    """The statement that a call is the value of: where it begins and ends, the variable that has the value, if any.

    `behind` is what stands behind the call, `.wait()`.
    """

    start: int
    end: int
    name: Piece | None = None
    type: Words = []
    is_declared: bool = False
    behind: Words = []


def value_around(words: Sequence[Piece], number: int, last: int) -> ValueOfCall | None:
    """The statement of a call: by itself, or as the value of a variable; None where it stands elsewhere."""
    end = end_of_statement(words, last)
    behind = list(words[last + 1 : end])
    if behind and behind[0].text != ".":
        return None
    if not number or words[number - 1].text in _BEFORE_STATEMENTS:
        return ValueOfCall(number, end, behind=behind)
    if number < 3 or words[number - 1].text != "=" or not is_name(words[number - 2]):
        return None
    start = number - 2
    while start and words[start - 1].text not in _BEFORE_STATEMENTS:
        start -= 1
    type_ = list(words[start : number - 2])
    # A reference, a pointer or a constant is another declaration.
    if any(not (is_name(word) or word.text == "::") or word.text in {"const", "constexpr"} for word in type_):
        return None
    return ValueOfCall(start, end, words[number - 2], type_, is_declared=bool(type_), behind=behind)


def may_leave_variables(definition: Definition) -> bool:
    """Whether a function may return the event of a command that uses a variable of it, which ends before a wait."""
    is_event = any(word.text == "event" for word in result_of(definition))
    return is_event and any(word.text in _USE_VARIABLES for word in definition.body)


def result_of(definition: Definition) -> Words:
    """The type of what a function returns."""
    return [word for word in definition.head if word.text not in _NO_RESULT]
