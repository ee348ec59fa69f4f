"""Variables of a file that change, `int* x;`, `queue q;` outside functions: they are variables of `main`.

Functions that name them are functions of the host, which stand in place of their calls. Kernels may not name them
(SYCL 2020, 5.4: a variable with static storage duration that is no constant is not accessed in device functions).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.definitions import NUMBERS, OF_OBJECT, definitions
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import (
    behind_arguments,
    behind_definition,
    closing,
    closing_angle,
    end_of_statement,
    is_in_lambda,
    is_name,
    listed,
    made,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mcm.front_end.cpp.definitions import Definition
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_MAIN: Final = "main"
_STORAGE: Final = frozenset({"static", "inline"})
_CONSTANT: Final = frozenset({"const", "constexpr"})
_CLASSES: Final = frozenset({"queue", "vector", "array", "event", "string"})
_NO_DECLARATIONS: Final = frozenset(
    {"using", "typedef", "template", "struct", "class", "enum", "union", "namespace", "extern", "friend", "return"}
)
_LAUNCHES: Final = frozenset({"parallel_for", "single_task", "parallel_for_work_group"})
_DEVICE_GLOBAL: Final = "device_global"
_NAMESPACES: Final = frozenset({"std", "sycl"})


class _Variable(Struct, frozen=True):
    """A variable of a file: its name, and its declaration as a statement of `main`."""

    name: Piece
    declaration: Words


def with_variables_of_file(words: Sequence[Piece]) -> Words:
    """The words with declarations in `main` in place of those of variables of the file that may change."""
    _check_devices(words)
    functions, _, _ = definitions(words)
    main = functions.get(_MAIN)
    if main is None:
        return list(words)
    rest, variables = _without_variables(words, main)
    if not variables:
        return list(words)
    naming = {name: one for name, one in functions.items() if name != _MAIN and _names_any(one, variables)}
    _check_kernels(rest, variables.keys() | naming.keys())
    return _with_declarations(_marked(rest, naming), variables)


def _check_devices(words: Sequence[Piece]) -> None:
    """InputError for a variable that each device has one of, which stays from kernel to kernel."""
    for number, word in enumerate(words):
        angle = closing_angle(words, number + 1) if texts(words, number, 2) == (_DEVICE_GLOBAL, "<") else None
        if angle is not None and word.span is not None and is_name(words[angle + 1]):
            name = words[angle + 1].text
            message = (
                f"'{name}' is a variable of each device: this is C++, but not part of the litmus language; memory that "
                f"'main' makes and kernels are passed, 'int* {name} = malloc_device<int>(1, q);', is"
            )
            raise InputError(Diagnostic("E207", message, word.span))


def _without_variables(words: Sequence[Piece], main: Definition) -> tuple[Words, dict[str, _Variable]]:
    """The words without declarations of such variables; those whose names `main` gives to others stay."""
    own = {*declared_names(main.body), *(one.name for one in main.parameters)}
    found: Words = []
    variables: dict[str, _Variable] = {}
    number = 0
    while number < len(words):
        end = end_of_statement(words, number)
        declared = list(_declared(words, number, end))
        if declared and not any(one.name.text in own and _hides(main, one.name.text) for one in declared):
            variables |= {one.name.text: one for one in declared}
            number = end + 1
            continue
        behind = behind_definition(words, number, end)
        found += words[number:behind]
        number = behind
    return found, variables


def _hides(main: Definition, name: str) -> bool:
    """Whether `main` has a variable of a name, but for those of lambdas."""
    body = main.body
    places = (n for n, word in enumerate(body) if word.text == name and n and _is_type_before(body[n - 1]))
    return any(one.name == name for one in main.parameters) or any(not is_in_lambda(body, n) for n in places)


def _is_type_before(word: Piece) -> bool:
    return (is_name(word) and word.text not in {"return", "else", "case"}) or word.text in {"*", "&", ">", ","}


def _declared(words: Sequence[Piece], start: int, end: int) -> Iterator[_Variable]:
    """The variables that a declaration of the file declares; none where something else stands."""
    number = start
    while number < end and words[number].text in _STORAGE:
        number += 1
    if number >= end or words[number].text in _NO_DECLARATIONS or not is_name(words[number]):
        return
    first = _behind_type(words, number)
    if first is None or any(word.text in _CONSTANT for word in words[number:first]):
        return
    type_ = words[number:first]
    is_number = all(word.text in NUMBERS or word.text in {"std", "::"} for word in type_)
    for part in listed(words, first, end):
        place = next((n for n, word in enumerate(part) if word.text != "*"), len(part))
        if place == len(part) or not is_name(part[place]):
            return
        behind = texts(part, place + 1, 1)
        if behind not in {(), ("=",), ("{",), ("[",), ("(",)} or (behind == ("(",) and not _is_made(part, place + 1)):
            return
        at = part[place]
        # What the file says nothing of begins with 0.
        zero = "nullptr" if place else "0" if is_number else ""
        initial = [made("=", at), made(zero, at)] if zero and not behind else []
        if behind == ("[",) and part[-1].text == "]":
            initial = [made("=", at), made("{", at), made("0", at), made("}", at)]
        yield _Variable(at, [*type_, *part, *initial, made(";", at)])


def _is_made(part: Words, opening: int) -> bool:
    """Whether brackets behind a name have what an object is made of, and no parameters of a function."""
    if closing(part, opening) != len(part) - 1 or opening == len(part) - 2:
        return False
    for one in listed(part, opening + 1, len(part) - 1):
        before = one[-2] if len(one) > 1 else one[-1]
        if before.text in {*NUMBERS, "&", "*", ">"} or (len(one) > 1 and is_name(before)):
            return False
    return True


def _behind_type(words: Sequence[Piece], number: int) -> int | None:
    """The position behind the type of numbers, queues or containers that stands at a position; None for others."""
    while len(follows := texts(words, number, 2)) == 2 and follows[0] in _NAMESPACES and follows[1] == "::":
        number += 2
    if texts(words, number, 1) and words[number].text in _CLASSES:
        angle = closing_angle(words, number + 1) if texts(words, number + 1, 1) == ("<",) else None
        return number + 1 if angle is None else angle + 1
    first = number
    while number < len(words) and words[number].text in NUMBERS:
        number += 1
    return number if number > first else None


# --- who names them ---------------------------------------------------------------------------------------------------


def _names_any(one: Definition, variables: Mapping[str, _Variable]) -> bool:
    """Whether a function names a variable of the file, and not one of its own that is called so."""
    own = {*declared_names(one.body), *(parameter.name for parameter in one.parameters)}
    named = {word.text for n, word in enumerate(one.body) if n and one.body[n - 1].text not in {".", "->", "::"}}
    return not named.isdisjoint(variables.keys() - own)


def _marked(words: Sequence[Piece], naming: Mapping[str, Definition]) -> Words:
    """The words with some functions as functions of the host."""
    found = list(words)
    for one in naming.values():
        start = next((n for n, word in enumerate(found) if word is one.name), None)
        if start is not None:
            begin = start - len(one.head)
            found.insert(begin, made(OF_OBJECT, one.name))
    return found


def _with_declarations(words: Sequence[Piece], variables: Mapping[str, _Variable]) -> Words:
    """The words with the variables at the beginning of `main`."""
    main = next(n for n in range(len(words)) if texts(words, n, 2) == (_MAIN, "("))
    opening = next(n for n in range(main, len(words)) if words[n].text == "{")
    declared = [word for one in variables.values() for word in one.declaration]
    return [*words[: opening + 1], *declared, *words[opening + 1 :]]


def _check_kernels(words: Sequence[Piece], names: AbstractSet[str]) -> None:
    """InputError for a kernel that names a variable of the file, or a function that does."""
    for number in range(len(words)):
        if words[number].text not in _LAUNCHES:
            continue
        opening = behind_arguments(words, number + 1)
        if texts(words, opening, 1) != ("(",):
            continue
        last = closing(words, opening)
        lambda_ = next((n for n in range(opening, last) if words[n].text == "["), last)
        brace = next((n for n in range(lambda_, last) if words[n].text == "{"), last)
        inside = words[brace:last]
        own = {*declared_names(inside), *(word.text for word in words[lambda_:brace])}
        for place, word in enumerate(inside):
            if word.text in names - own and inside[place - 1].text not in {".", "->", "::"}:
                is_call = texts(inside, place + 1, 1) == ("(",)
                what = "a function that names a variable of the file" if is_call else "a variable of the file"
                message = (
                    f"'{word.text}' is {what}, which a kernel cannot access (SYCL 2020, 5.4): a copy of the function "
                    f"around the kernel, 'auto copy = {word.text}{'()' if is_call else ''};', is"
                )
                assert word.span is not None
                raise InputError(Diagnostic("E207", message, word.span))
