"""Numbers and pointers that a command group declares: variables of the host before the statement that submits it.

`submit` does what the group says at once, so that they have the same values there. A function object that the group
declares stands where the kernel is launched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.classes import KEYS
from mcm.front_end.cpp.definitions import NUMBERS, assigns
from mcm.front_end.cpp.lifted_calls import statement_around
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import (
    begins_statement,
    behind_statement,
    closing,
    end_of_statement,
    is_name,
    made,
    other_name,
    outer,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_TYPES: Final = NUMBERS | {"const", "constexpr", "std", "::"}
# What `auto` may be the value of, behind a name.
_OF_VALUES: Final = frozenset({"[", "+", "-", "*", "/", "%"})


def with_variables_before(words: Sequence[Piece]) -> Words:
    """The words with declarations of command groups before the statements that these are submitted in."""
    found = list(words)
    taken = {word.text for word in words}
    number = 0
    while number < len(found):
        brace = _group(found, number)
        start = None if brace is None else statement_around(found, number)
        if brace is None or start is None:
            number += 1
            continue
        declared, body = _parted(found, brace, taken)
        if declared or len(body) != closing(found, brace) - brace - 1:
            end = closing(found, brace)
            last = behind_statement(found, start)
            whole = [*declared, *found[start : brace + 1], *body, *found[end:last]]
            if not begins_statement(found, start):
                at = found[start]
                whole = [made("{", at), *whole, made("}", at)]
            found[start:last] = whole
            number += len(declared)
        number += 1
    return found


def _group(words: Words, number: int) -> int | None:
    """Where the body of a command group opens that is submitted at a position; None where none is."""
    if texts(words, number, 3) != ("submit", "(", "["):
        return None
    head = closing(words, number + 2) + 1
    brace = closing(words, head) + 1 if texts(words, head, 1) == ("(",) else len(words)
    return brace if texts(words, brace, 1) == ("{",) else None


def _parted(words: Words, brace: int, taken: set[str]) -> tuple[Words, Words]:
    """The declarations in a command group that may stand before it, and the rest of its statements."""
    end = closing(words, brace)
    handler = words[brace - 2].text
    outside = {word.text for word in (*words[:brace], *words[end:])}
    body = _with_objects_launched(list(words[brace + 1 : end]), words)
    # What only the group knows.
    known = {handler}
    declared: Words = []
    kept: Words = []
    while body:
        behind = behind_statement(body, 0)
        statement, rest = body[:behind], body[behind:]
        name = _variable(statement)
        if name is not None and known.isdisjoint(word.text for word in statement):
            text = statement[name].text
            if assigns(rest, text):
                break
            if text in outside:
                other = made(other_name(f"{text}_2", taken), statement[name])
                statement = [*statement[:name], other, *statement[name + 1 :]]
                rest = substituted(rest, {text: [other]}, in_place=True)
            declared += statement
        else:
            of_statement = set(declared_names([made(";", statement[0]), *statement]))
            if texts(statement, 0, 2) != (handler, ".") and not of_statement:
                # What is behind it may see what it does.
                break
            known |= of_statement
            kept += statement
        body = rest
    return declared, [*kept, *body]


def _with_objects_launched(body: Words, words: Words) -> Words:
    """The statements of a group with `f(r, Add(a))` in place of `Add add(a); f(r, add)`."""
    classes = {words[n + 1].text for n in range(len(words) - 1) if words[n].text in KEYS}
    number = 0
    while number < len(body):
        behind = behind_statement(body, number)
        follows = texts(body, number, 3)
        is_object = follows[:1] and follows[0] in classes and follows[2:] in {("(",), ("{",)}
        if is_object and closing(body, number + 2) == behind - 2:
            uses = [n for n in range(behind, len(body)) if body[n].text == follows[1]]
            if len(uses) == 1 and body[uses[0] - 1].text == "," and texts(body, uses[0] + 1, 1) == (")",):
                object_ = [body[number], *body[number + 2 : behind - 1]]
                body = [*body[:number], *body[behind : uses[0]], *object_, *body[uses[0] + 1 :]]
                continue
        number = behind
    return body


def _variable(statement: Words) -> int | None:
    """The position of the only name that a statement declares, a number or a pointer; None of other statements."""
    equals = [n for n in outer(statement, 0, len(statement)) if statement[n].text in {"=", ","}]
    name = equals[0] - 1 if len(equals) == 1 else 0
    if name < 1 or not is_name(statement[name]):
        return None
    value = statement[name + 2 : end_of_statement(statement, name)]
    if not value or value[0].text in {"[", "{"}:
        return None
    before = [word.text for word in statement[:name]]
    if before[-1] == "*":
        is_type = all(is_name(word) or word.text in {"::", "*"} for word in statement[:name])
    elif set(before) <= {"auto", "const"}:
        is_type = is_name(value[0]) and len(value) > 1 and value[1].text in _OF_VALUES
    else:
        is_type = set(before) <= _TYPES and not NUMBERS.isdisjoint(before)
    return name if is_type else None
