"""What structures say by functions that only return it, `p.size()`, and by objects without names, `S{0, 4}.e`.

Sizes are made of such, and a size is a constant expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.classes import class_at, end_of_member
from mcm.front_end.cpp.host_classes import data_members
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    end_of_block,
    has_owner,
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

_OPERATORS: Final = frozenset({"+", "-", "*", "/", "%", "(", ")"})
_BEHIND_NAMES: Final = frozenset({";", "{", "=", "(", ","})
_SILENT: Final = frozenset({"const", "inline", "constexpr", "std", "::", "[", "]", "nodiscard", "public", ":"})
_QUALIFIERS: Final = frozenset({"const", "noexcept"})
_ENDS_HEAD: Final = frozenset({"{", ";"})


class _Asked(Struct, frozen=True):
    """A structure: its members with their types, and what functions return that do nothing else, with its type.

    One `is_made` by a constructor is not made of a value for each member.
    """

    data: dict[str, tuple[str, ...]]
    returned: dict[str, tuple[tuple[str, ...], Words]]
    is_made: bool


def with_asked_members(words: Sequence[Piece]) -> Words:
    """The words with `(p.e - p.b)` in place of `p.size()` for a variable `p` of a structure of the program."""
    structures = _structures(words)
    if not any(one.returned for one in structures.values()):
        return list(words)
    found = list(words)
    for number in reversed(range(1, len(found))):
        one = structures.get(found[number].text)
        place = None if one is None else _declared(found, number)
        if one is None or place is None:
            continue
        name, start, end = place
        scope = found[start:end]
        if name in declared_names(scope):
            continue
        found[start:end] = replaced(scope, lambda inner, at, name=name, one=one: _asked(inner, at, name, one))  # type: ignore[misc]
    return found


def with_members_of_values(words: Sequence[Piece]) -> Words:
    """The words with the value of a member in place of what is asked of an object without a name, `S{0, 4}.e`."""
    structures = {name: one for name, one in _structures(words).items() if not one.is_made}
    return replaced(words, lambda inner, number: _of_value(inner, number, structures)) if structures else list(words)


def _structures(words: Sequence[Piece]) -> dict[str, _Asked]:
    found: dict[str, _Asked] = {}
    number = 0
    while number < len(words):
        one, behind = class_at(words, number)
        number = max(behind, number + 1)
        if one is not None and not one.templates:
            found[one.name.text] = _asked_of(one.name.text, one.body)
    return found


def _asked_of(name: str, body: Words) -> _Asked:
    data: dict[str, tuple[str, ...]] = {}
    functions: list[tuple[str, tuple[str, ...], Words]] = []
    is_made = False
    place = 1
    while place < len(body) - 1:
        end = end_of_member(body, place)
        member = body[place:end]
        place = end
        opening = next((n for n, word in enumerate(member) if word.text == "("), None)
        if opening is None:
            is_apart = any(word.text in {"static", "=", "{", "&", "["} for word in member)
            is_made |= is_apart
            data |= {one.name.text: _type(one.before) for one in data_members(member) if not one.behind}
        elif member[opening - 1].text == name:
            is_made = True
        else:
            functions.append((member[opening - 1].text, _type(member[: opening - 1]), _returned(member, opening)))
    names = [one for one, _, _ in functions]
    returned = {
        one: (type_, value)
        for one, type_, value in functions
        if value and names.count(one) == 1 and all(not is_name(word) or word.text in data for word in value)
    }
    return _Asked(data, returned, is_made)


def _type(words: Sequence[Piece]) -> tuple[str, ...]:
    return tuple(word.text for word in words if word.text not in _SILENT)


def _returned(member: Words, opening: int) -> Words:
    """What a function without parameters returns that does nothing else; nothing of others."""
    brace = closing(member, opening) + 1
    while brace < len(member) and member[brace].text in _QUALIFIERS:
        brace += 1
    if texts(member, opening + 1, 1) != (")",) or texts(member, brace, 2) != ("{", "return"):
        return []
    last = closing(member, brace)
    value = member[brace + 2 : last - 1]
    is_whole = texts(member, last - 1, 1) == (";",) and ";" not in {word.text for word in value}
    is_pure = all(is_name(word) or word.text.isdigit() or word.text in _OPERATORS for word in value)
    return value if is_whole and is_pure else []


def _declared(words: Sequence[Piece], number: int) -> tuple[str, int, int] | None:
    """The variable, or parameter, that a class stands before, and where its scope begins and ends; None for none."""
    name = number + 1 + (texts(words, number + 1, 1) == ("&",))
    before = number - (words[number - 1].text == "const")
    behind = texts(words, name + 1, 1)
    if not behind or not is_name(words[name]):
        return None
    if begins_statement(words, before) and behind[0] in _BEHIND_NAMES:
        return words[name].text, name + 1, end_of_block(words, name + 1)
    if words[before - 1].text not in {"(", ","} or behind[0] not in {",", ")"}:
        return None
    last = _end_of_list(words, name)
    brace = next((n for n in range(last, len(words)) if words[n].text in _ENDS_HEAD), len(words))
    is_body = texts(words, brace, 1) == ("{",) and ":" not in {word.text for word in words[last:brace]}
    return (words[name].text, brace, closing(words, brace) + 1) if is_body else None


def _end_of_list(words: Sequence[Piece], number: int) -> int:
    """The position of the bracket that closes the list of parameters around a position."""
    depth = 0
    for position in range(number, len(words)):
        depth += (words[position].text in {"(", "[", "{"}) - (words[position].text in {")", "]", "}"})
        if depth < 0:
            return position
    return len(words)


def _asked(words: Sequence[Piece], number: int, name: str, one: _Asked) -> tuple[Words, int] | None:
    """The value of a function of a variable, and the position behind its call; None where something else stands."""
    follows = texts(words, number, 5)
    if follows[:2] != (name, ".") or follows[3:] != ("(", ")") or follows[2] not in one.returned:
        return None
    if has_owner(words, number):
        return None
    type_, value = one.returned[follows[2]]
    at = words[number + 2]
    members: Words = []
    for word in value:
        own = [words[number], words[number + 1]] if is_name(word) else []
        members += [*own, made(word.text, at)]
    same = len(value) == 1 and type_ in {("auto",), one.data.get(value[0].text)}
    return (members if same else _converted(type_, members, at)), number + 5


def _converted(type_: tuple[str, ...], value: Words, at: Piece) -> Words:
    """A value as one of a type, where a word says that."""
    inner = [made("(", at), *value, made(")", at)]
    if type_ == ("auto",) or "*" in type_:
        return inner
    return [*(made(text, at) for text in ("(", "(", *type_, ")")), *inner, made(")", at)]


def _of_value(words: Sequence[Piece], number: int, structures: Mapping[str, _Asked]) -> tuple[Words, int] | None:
    """The value of a member of an object without a name, and the position behind that; None for anything else."""
    name = number + (words[number].text == "struct")
    one = structures.get(words[name].text) if name < len(words) else None
    if one is None or texts(words, name + 1, 1) != ("{",):
        return None
    last = closing(words, name + 1)
    follows = texts(words, last + 1, 3)
    given = listed(words, name + 2, last)
    if len(follows) < 3 or follows[0] != "." or follows[1] not in one.data or follows[2] == "(":
        return None
    place = list(one.data).index(follows[1])
    is_plain = all(len(part) == 1 and (is_name(part[0]) or part[0].text.isdigit()) for part in given)
    if not is_plain or len(given) != len(one.data):
        return None
    return _converted(one.data[follows[1]], given[place], words[last + 2]), last + 3
