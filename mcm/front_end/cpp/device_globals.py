"""Variables of the device that outlive kernels, `device_global<int> count;`: memory of the initial state.

Each device has one of its own, so programs that name several devices are refused. A function that names one is passed a
pointer to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.constant_names import ConstantNames
from mcm.front_end.cpp.definitions import definitions
from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.numbers import no_functions
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.template_numbers import with_number
from mcm.front_end.cpp.words import (
    behind_arguments,
    closing,
    closing_angle,
    end_of_statement,
    has_owner,
    is_member,
    is_name,
    listed,
    made,
    replaced,
    start_of_statement,
    texts,
    with_commas,
    with_first_arguments,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.front_end.cpp.numbers import Known
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASS: Final = "device_global"
# What a declaration of the initial state begins with, until it is taken there.
_MARK: Final = "memory_of_each_device"
_MAIN: Final = "main"
_SELECTORS: Final = ("cpu_selector", "gpu_selector", "accelerator_selector")
_COMMANDS: Final = frozenset({"memcpy", "copy", "fill", "memset"})
_OWN: Final = frozenset({".", "->", "::"})


class _Global(Struct, frozen=True):
    """A variable of the device: its name, the type of an element, their number where it is an array, its values."""

    name: Piece
    element: Words
    length: Words | None
    initial: Words


def with_memory_of_devices(words: Sequence[Piece]) -> Words:
    """The words with memory of the initial state, behind a mark, in place of variables of the device."""
    found: Words = []
    known: dict[str, _Global] = {}
    constants = ConstantNames(words, no_functions)
    number = 0
    while number < len(words):
        one = _declared(words, number, constants.at(number)) if words[number].text == _CLASS else None
        if one is None:
            found.append(words[number])
            number += 1
            continue
        known[one.name.text] = one
        start = start_of_statement(words, number)
        del found[len(found) - (number - start) :]
        found += _initial(one)
        number = end_of_statement(words, number) + 1
    if not known:
        return found
    _check(found, known)
    asking = _functions_that_name(found, known)
    return _with_parameters(replaced(found, lambda words, n: _used(words, n, known)), asking, known)


def taken_apart(words: Sequence[Piece]) -> tuple[list[Words], Words]:
    """The declarations behind marks, which the initial state has, and the other words."""
    initial: list[Words] = []
    found: Words = []
    number = 0
    while number < len(words):
        if words[number].text == _MARK:
            end = end_of_statement(words, number)
            initial.append(list(words[number + 1 : end]))
            number = end + 1
        else:
            found.append(words[number])
            number += 1
    return initial, found


def _declared(words: Sequence[Piece], number: int, constants: Known) -> _Global | None:
    """The variable that is declared at a position."""
    angle = closing_angle(words, number + 1) if texts(words, number + 1, 1) == ("<",) else None
    if angle is None or not texts(words, angle + 1, 1) or not is_name(words[angle + 1]):
        return None
    type_ = listed(words, number + 2, angle)[0]
    bracket = next((n for n, word in enumerate(type_) if word.text == "["), len(type_))
    behind = closing(type_, bracket) if bracket < len(type_) else bracket
    if behind < len(type_) - 1:
        return None
    end = end_of_statement(words, angle)
    initial = [word for word in words[angle + 2 : end] if word.text != "="]
    length = with_number(type_[bracket + 1 : behind], constants) if bracket < len(type_) else None
    if length is not None and not length[0].text.isdecimal():
        message = f"expected a constant size, found '{length[0].text}'"
        assert length[0].span is not None
        raise InputError(Diagnostic("E212", message, length[0].span))
    return _Global(words[angle + 1], type_[:bracket], length, initial)


def _initial(one: _Global) -> Words:
    """The declaration in the initial state: what nothing is said of is 0."""
    at = one.name
    value = one.initial if len(one.initial) > 2 else code(at, "{ 0 }")
    length = one.length or [made("1", at)]
    pattern = f"{_MARK} malloc_device {{element}} {{name}} [ {{length}} ] = {{value}} ;"
    return code(at, pattern, element=one.element, name=[at], length=length, value=value)


def _check(words: Sequence[Piece], known: Mapping[str, _Global]) -> None:
    """InputError where there are several devices, or where a name means something else, too."""
    written = {word.text.removesuffix("_v") for word in words}
    is_several = sum(one in written for one in _SELECTORS) > 1
    functions, _, _ = definitions(words)
    own = {name for one in functions.values() for name in declared_names(one.body)}
    own |= {parameter.name for one in functions.values() for parameter in one.parameters}
    for one in known.values():
        if is_several or one.name.text in own:
            why = "and there are several here" if is_several else "and something else is called so, too"
            message = (
                f"'{one.name.text}' is a variable of each device, {why}: not part of the litmus language; memory that "
                f"'main' makes and kernels are passed, 'int* {one.name.text} = malloc_device<int>(1, q);', is"
            )
            assert one.name.span is not None
            raise InputError(Diagnostic("E207", message, one.name.span))


# --- functions --------------------------------------------------------------------------------------------------------


def _functions_that_name(words: Sequence[Piece], known: Mapping[str, _Global]) -> dict[str, list[str]]:
    """The functions of the device that name variables, or call others that do, each with the names."""
    functions, _, _ = definitions(words)
    found: dict[str, list[str]] = {}
    while True:
        before = {name: len(names) for name, names in found.items()}
        for name, one in functions.items():
            if name == _MAIN or one.is_of_host:
                continue
            written = {word.text for n, word in enumerate(one.body) if one.body[n - 1].text not in _OWN}
            called = {each for other in written & found.keys() for each in found[other]}
            if named := sorted((written & known.keys()) | called):
                found[name] = named
        if before == {name: len(names) for name, names in found.items()}:
            return found


def _with_parameters(words: Words, asking: Mapping[str, list[str]], known: Mapping[str, _Global]) -> Words:
    """The words with pointers to variables as first parameters of functions that name them, and in their calls."""
    definitions_of = {id(one.name) for one in definitions(words)[0].values() if one.name.text in asking}

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        word = words[number]
        if word.text not in asking or is_member(words, number):
            return None
        if texts(words, behind_arguments(words, number + 1), 1) != ("(",):
            return None
        is_definition = id(word) in definitions_of
        passed = [
            [*known[name].element, made("*", word), made(name, word)] if is_definition else [made(name, word)]
            for name in asking[word.text]
        ]
        return with_first_arguments(words, number, passed, at)

    return replaced(words, at)


# --- uses -------------------------------------------------------------------------------------------------------------


def _used(words: Sequence[Piece], number: int, known: Mapping[str, _Global]) -> tuple[Words, int] | None:
    """What stands for a variable of the device where it is used, and for a command that copies it."""
    word = words[number]
    if word.text in _COMMANDS and is_member(words, number):
        return _command(words, number, known)
    if word.text == _MARK:
        end = end_of_statement(words, number)
        return list(words[number:end]), end
    one = known.get(word.text)
    if one is None or has_owner(words, number):
        return None
    behind = number + 1 + 4 * (texts(words, number + 1, 4) == (".", "get", "(", ")"))
    if one.length is not None:
        return [word], behind
    if texts(words, behind, 1) == ("->",):
        return code(word, "{name} [ 0 ] .", name=[word]), behind + 1
    return code(word, "{name} [ 0 ]", name=[word]), behind


def _command(words: Sequence[Piece], number: int, known: Mapping[str, _Global]) -> tuple[Words, int] | None:
    """A command that copies to or from a variable: all of it, where nothing else is said."""
    opening = behind_arguments(words, number + 1)
    last = closing(words, opening) if texts(words, opening, 1) == ("(",) else opening
    parts = listed(words, opening + 1, last)
    place = next((n for n, part in enumerate(parts[:2]) if len(part) == 1 and part[0].text in known), None)
    if place is None:
        return None
    at, one = words[number], known[parts[place][0].text]
    count = one.length or [made("1", at)]
    if at.text == "memcpy" and len(parts) == 2:
        parts.append(code(at, "( {count} ) * sizeof ( {element} )", count=count, element=one.element))
    elif at.text == "copy" and len(parts) == 2:
        parts.append(count)
    elif at.text == "copy" and len(parts) == 4:
        parts[place] = code(at, "{name} + ( {start} )", name=parts[place], start=parts.pop())
    joined = with_commas(parts, at)
    return [*words[number : opening + 1], *joined, words[last]], last + 1
