"""Names that a file gives: to values that never change, and to types with arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.definitions import assigns, calls, definitions
from mcm.front_end.cpp.words import (
    behind_definition,
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

# Types of the language whose names are words that variables of C++ may have.
_TYPE_NAMES: Final = ("half",)
# What stands before a name that is used, and what may follow one that is declared.
_NO_TYPES: Final = frozenset({"return", "else", "case", "do"})
_BEHIND_NAMES: Final = frozenset({"=", ";", ",", ")", "{", "["})
_CONTAINERS: Final = frozenset({"vector", "array"})
# What a declaration of a number in a file begins with, beside its type.
_STATIC: Final = frozenset({"static", "inline"})
_TYPES: Final = frozenset(
    {"int", "unsigned", "long", "short", "char", "size_t", "bool", "float", "double", "int32_t", "uint32_t", "int64_t"}
)


def with_constants(words: Sequence[Piece]) -> Words:
    """The words with `const` before the numbers of a file that nothing changes: `size_t n = 4;`."""
    found: Words = []
    number = 0
    while number < len(words):
        end = end_of_statement(words, number)
        name = _number(words, number, end)
        if name is not None and not _changes([*words[:number], *words[end:]], name):
            found.append(made("const", words[number]))
            number += words[number].text in _STATIC
        behind = behind_definition(words, number, end) if name is None else end + 1
        found += words[number:behind]
        number = behind
    return found


def _changes(words: Sequence[Piece], name: str) -> bool:
    """Whether a variable may change: it is assigned, read into, or passed by reference."""
    if assigns(words, name) or any(texts(words, n, 2) == (">>", name) for n in range(len(words))):
        return True
    functions, _, _ = definitions(words)
    return any(
        parameter.is_reference and [word.text for word in argument] == [name]
        for function in functions.values()
        for _, opening, last in calls(words, function.name.text)
        for parameter, argument in zip(function.parameters, listed(words, opening + 1, last), strict=False)
    )


def _number(words: Sequence[Piece], number: int, end: int) -> str | None:
    """The name of a number that is declared with a value; None where something else stands."""
    while texts(words, number, 1) and words[number].text in _STATIC:
        number += 1
    if texts(words, number, 2) == ("std", "::"):
        number += 2
    start = number
    while texts(words, number, 1) and words[number].text in _TYPES:
        number += 1
    follows = texts(words, number, 2)
    is_one = number > start and len(follows) == 2 and is_name(words[number]) and follows[1] in {"=", "{"}
    return follows[0] if is_one and len(listed(words, number, end)) == 1 else None


def with_own_names(words: Sequence[Piece]) -> Words:
    """The words with other names for variables that are called as types of the language are: `int half = n / 2;`.

    A file that uses such a type too is left as it is.
    """
    found = list(words)
    for type_ in _TYPE_NAMES:
        places = [number for number, word in enumerate(words) if word.text == type_]
        is_declared = any(number and words[number - 1].text in {*_TYPES, "auto"} for number in places)
        is_type = any(_is_type(words, number) for number in places)
        if is_declared and not is_type:
            for number in places:
                found[number] = made(f"{type_}_", words[number])
    return found


def _is_type(words: Sequence[Piece], number: int) -> bool:
    """Whether a word may be a type: before a name or a parenthesis, or among the arguments of a template."""
    before = words[number - 1].text if number else ""
    follows = words[number + 1] if number + 1 < len(words) else None
    if follows is None or follows.text == "(":
        return follows is not None
    pair = (before, follows.text)
    return is_name(follows) or pair in {("<", ","), ("<", ">"), (",", ">")}


def with_own_counters(words: Sequence[Piece]) -> Words:
    """The words with names of their own for counters of loops that hide a variable: `for (int n = 0; …; n++)`.

    Whether a variable changes is asked by its name, and what a counter does is nothing that the hidden one does.
    """
    found = list(words)
    for number in range(len(words)):
        if texts(words, number, 2) != ("for", "("):
            continue
        last = closing(words, number + 1)
        sign = next((n for n in range(number + 2, last) if words[n].text in {"=", ":", ";", "{", "("}), last)
        name = words[sign - 1]
        is_declared = sign > number + 3 and is_name(name) and words[sign].text in {"=", ":"}
        if is_declared and _is_around(found, number, found[sign - 1].text):
            for place in range(number + 2, min(behind_statement(words, number), len(words))):
                if found[place].text == name.text and found[place - 1].text not in {".", "->", "::"}:
                    found[place] = made(f"{name.text}_of_{number}", found[place])
    return found


def _is_around(words: Sequence[Piece], number: int, name: str) -> bool:
    """Whether a variable of a name is declared before a position, and lives there."""
    depth = lowest = 0
    position = number - 1
    while position > 0:
        text = words[position].text
        if text == ")" and words[position + 1].text == "{" and depth == lowest:
            # Parameters live in the body behind them.
            position -= 1
            continue
        depth += (text in {"}", ")"}) - (text in {"{", "("})
        lowest = min(lowest, depth)
        before, behind = words[position - 1], words[position + 1].text
        is_declaration = (is_name(before) and before.text not in _NO_TYPES) or before.text in {"*", "&", ">"}
        if text == name and depth == lowest and is_declaration and behind in _BEHIND_NAMES:
            return True
        position -= 1
    return False


def with_types(words: Sequence[Piece]) -> Words:
    """The words with types in place of names for them with arguments: `template <typename T> using ref = …<T>;`.

    So are names for containers, `using Ints = std::vector<int>;`, up to the end of their block.
    """
    found: Words = []
    known: dict[str, tuple[tuple[str, ...], Words]] = {}
    words = _without_names_of_containers(words)
    number = 0
    while number < len(words):
        named = _named(words, number)
        angle = closing_angle(words, number + 1) if words[number].text in known else None
        if named is not None:
            name, parameters, type_ = named
            known[name] = parameters, with_types(type_)
            number = end_of_statement(words, number) + 1
        elif angle is not None and texts(words, number + 1, 1) == ("<",):
            parameters, type_ = known[words[number].text]
            given = listed(words, number + 2, angle)
            found += substituted(type_, dict(zip(parameters, given, strict=False)))
            number = angle + 1
        else:
            found.append(words[number])
            number += 1
    return found


def _named(words: Sequence[Piece], number: int) -> tuple[str, tuple[str, ...], Words] | None:
    """A name for a type, the parameters of its template, and the type; None where something else stands."""
    if texts(words, number, 2) != ("template", "<"):
        return None
    angle = closing_angle(words, number + 1)
    if angle is None or texts(words, angle + 1, 1) != ("using",) or texts(words, angle + 3, 1) != ("=",):
        return None
    parameters = tuple(part[-1].text for part in listed(words, number + 2, angle) if part)
    return words[angle + 2].text, parameters, list(words[angle + 4 : end_of_statement(words, number)])


def _without_names_of_containers(words: Sequence[Piece]) -> Words:
    """The words with containers in place of names for them: passes ask what is one by its class."""
    found = list(words)
    number = 0
    while number < len(found):
        named = _container(found, number)
        if named is None:
            number += 1
            continue
        name, type_ = named
        end, last = end_of_statement(found, number) + 1, end_of_block(found, number)
        found[number:last] = substituted(found[end:last], {name: type_}, in_place=True)
    return found


def _container(words: Sequence[Piece], number: int) -> tuple[str, Words] | None:
    """A name for a container and the container, where a statement gives it one; None where another one stands."""
    end = end_of_statement(words, number)
    if texts(words, number, 1) == ("typedef",):
        name, type_ = words[end - 1], words[number + 1 : end - 1]
    elif texts(words, number, 1) == ("using",) and texts(words, number + 2, 1) == ("=",):
        name, type_ = words[number + 1], words[number + 3 : end]
    else:
        return None
    is_of_template = number > 0 and words[number - 1].text == ">"
    is_one = {word.text for word in type_} & _CONTAINERS and type_[-1].text in {">", ">>"} and is_name(name)
    return (name.text, list(type_)) if is_one and not is_of_template else None
