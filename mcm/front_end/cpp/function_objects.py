"""Function objects as kernels: in `parallel_for(r, Add(a))`, the lambda that `operator()` is, of what it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.definitions import Parameter, parameter_of
from mcm.front_end.cpp.words import closing, closing_angle, is_name, listed, made, substituted, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_KEYS: Final = frozenset({"class", "struct"})


class _FunctionObject(Struct, frozen=True):
    """A class with a call operator: what members are made of, by the constructor's parameters, and the operator."""

    templates: tuple[str, ...]
    members: dict[str, Words]
    parameters: tuple[str, ...]
    signature: Words
    body: Words


def with_lambdas(words: Sequence[Piece]) -> Words:
    """The words with lambdas in place of function objects, whose classes are left out."""
    known: dict[str, _FunctionObject] = {}
    rest: Words = []
    number = 0
    while number < len(words):
        found = _class(words, number)
        if found is None:
            rest.append(words[number])
            number += 1
        else:
            name, known[name], number = found
    return _used(rest, known) if known else list(words)


def _class(words: Sequence[Piece], number: int) -> tuple[str, _FunctionObject, int] | None:
    """The function object that is defined at a position, and the position behind it."""
    templates: tuple[str, ...] = ()
    if texts(words, number, 2) == ("template", "<") and (angle := closing_angle(words, number + 1)) is not None:
        templates = tuple(part[-1].text for part in listed(words, number + 2, angle) if part)
        number = angle + 1
    match texts(words, number, 3):
        case (key, name, "{") if key in _KEYS:
            end = closing(words, number + 2)
            inner = words[number + 3 : end]
            operator = next((n for n, word in enumerate(inner) if word.text == "operator"), len(inner))
            if texts(inner, operator, 3) != ("operator", "(", ")"):
                return None
            return name, _read(name, templates, inner, operator), end + 2
        case _:
            return None


def _read(name: str, templates: tuple[str, ...], inner: Sequence[Piece], operator: int) -> _FunctionObject:
    """The parts of a class: access words and other members are left out."""
    members: dict[str, Words] = {}
    given: dict[str, Words] = {}
    parameters: list[Parameter] | None = None
    signature: Words = []
    body: Words = []
    number = 0
    while number < len(inner):
        text = inner[number].text
        if text in {"public", "private", "protected"} and texts(inner, number + 1, 1) == (":",):
            number += 2
        elif text == name and texts(inner, number + 1, 1) == ("(",):
            last = closing(inner, number + 1)
            parameters = [parameter_of(part) for part in listed(inner, number + 2, last) if part]
            given, number = _initialised(inner, last + 1)
        else:
            end = min(_end_of_member(inner, number), len(inner))
            if number <= operator < end:
                opening = operator + 3
                while texts(inner, opening, 1) == ("[",):
                    opening = closing(inner, opening) + 1
                last = closing(inner, opening)
                signature = list(inner[opening : last + 1])
                begin = next((n for n in range(last, end) if inner[n].text == "{"), end)
                body = list(inner[begin : closing(inner, begin) + 1])
            elif text not in {"using", "typedef"}:
                declared = [word for word in inner[number:end] if is_name(word)]
                members |= {word.text: [] for word in declared[-1:]}
            number = end
    names = tuple(members) if parameters is None else tuple(one.name for one in parameters)
    made_of = {one: given.get(one, [made(one, inner[0])]) for one in members}
    return _FunctionObject(templates, made_of, names, signature, body)


def _initialised(inner: Sequence[Piece], number: int) -> tuple[dict[str, Words], int]:
    """What a constructor makes members of, and the position behind its body."""
    given: dict[str, Words] = {}
    while number < len(inner) and inner[number].text != "{":
        if is_name(inner[number]) and texts(inner, number + 1, 1) in {("(",), ("{",)}:
            last = closing(inner, number + 1)
            given[inner[number].text] = list(inner[number + 2 : last])
            number = last
        number += 1
    return given, closing(inner, number) + 1


def _end_of_member(inner: Sequence[Piece], number: int) -> int:
    """The position behind a member: its semicolon, or the body of a function."""
    has_parameters = False
    while number < len(inner):
        text = inner[number].text
        if text == ";":
            return number + 1
        if text == "{" and has_parameters:
            return closing(inner, number) + 1
        has_parameters = has_parameters or text == "("
        number = closing(inner, number) + 1 if text in {"(", "{", "["} else number + 1
    return number


def _used(words: Sequence[Piece], known: dict[str, _FunctionObject]) -> Words:
    """The words with lambdas where objects of these classes are made."""
    found: Words = []
    number = 0
    while number < len(words):
        made_here = known.get(words[number].text)
        opening = number + 1
        angle = closing_angle(words, opening) if texts(words, opening, 1) == ("<",) else None
        opening = opening if angle is None else angle + 1
        if made_here is None or texts(words, opening, 1) not in {("(",), ("{",)}:
            found.append(words[number])
            number += 1
            continue
        last = closing(words, opening)
        arguments = listed(words, opening + 1, last)
        templates = [] if angle is None else listed(words, number + 2, angle)
        found += _lambda(made_here, arguments, templates, words[number])
        number = last + 1
    return found


def _lambda(one: _FunctionObject, arguments: list[Words], templates: list[Words], at: Piece) -> Words:
    """The lambda that an object is: names and literals stand in place of its members."""
    is_plain = all(len(argument) == 1 for argument in arguments)
    if len(arguments) != len(one.parameters) or not is_plain:
        assert at.span is not None
        message = (
            f"an object of '{at.text}' is made of {len(one.parameters)} names and numbers here: "
            "a lambda, '[=](nd_item<1> it) { … }', is"
        )
        raise InputError(Diagnostic("E207", message, at.span))
    passed = dict(zip(one.parameters, arguments, strict=True))
    types = dict(zip(one.templates, templates, strict=False))
    members = {name: substituted(words, passed) for name, words in one.members.items()}
    inner = [made(text, at) for text in ("[", "=", "]")]
    return [*inner, *substituted(one.signature, types), *substituted(substituted(one.body, types), members)]
