"""Classes whose objects only the host has: those with queues, buffers and containers, or functions that enqueue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.front_end.cpp.classes import class_at, end_of_member
from mcm.front_end.cpp.definitions import Parameter, parameter_of
from mcm.front_end.cpp.words import closing, closing_angle, is_name, listed, substituted, texts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mcm.front_end.cpp.classes import Class
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_OF_HOST: Final = frozenset({"queue", "buffer", "vector", "event"})
_LAUNCHES: Final = frozenset({"submit", "parallel_for", "single_task", "memcpy", "malloc_shared", "malloc_device"})
_NO_FUNCTIONS: Final = (("=", "delete"), ("=", "default"))
_ELEMENTS: Final = {"[": ("operator", "[", "]", "("), "(": ("operator", "(", ")", "(")}
_STATIC: Final = frozenset({"static", "inline", "mutable"})


class Data(Struct, frozen=True):
    """A member that is no function: what stands before its name, and behind it without a value; what it begins with."""

    name: Piece
    before: Words
    behind: Words
    initial: Words


class Function(Struct, frozen=True):
    """A function of a class: what stands before its name, and what a constructor says of members."""

    name: Piece
    before: Words
    signature: Words
    parameters: tuple[Parameter, ...]
    body: Words
    initials: dict[str, Words]


class HostClass(Struct, frozen=True):
    """A class: the parameters of its template, where its definition is, its members, and its destructor, if any.

    `elements` are its `operator[]` and `operator()`, by the brackets.
    """

    name: str
    templates: tuple[str, ...]
    start: int
    end: int
    data: tuple[Data, ...]
    functions: dict[str, Function]
    constructors: tuple[Function, ...]
    destructor: Function | None
    elements: dict[str, Function]


def host_classes(words: Sequence[Piece]) -> Iterator[HostClass]:
    """The classes of a program whose objects only the host has, and of which no function has several meanings.

    A class that has an object of one of these among its members is one of these.
    """
    found = list(_classes(words))
    names = set(_OF_HOST)
    while fresh := {one.name for one in found if _is_of_host(one, names)} - names:
        names |= fresh
    yield from (one for one in found if one.name in names)


def _is_of_host(one: HostClass, names: Collection[str]) -> bool:
    called = (*one.functions.values(), *one.constructors)
    has_member = any(word.text in names for each in one.data for word in each.before)
    return has_member or any(word.text in _LAUNCHES for function in called for word in function.body)


def _classes(words: Sequence[Piece]) -> Iterator[HostClass]:
    number = 0
    while number < len(words):
        one, behind = class_at(words, number)
        if one is None:
            number += 1
            continue
        found = _host_class(one, number, behind)
        if found is not None:
            yield found
        number = behind


def instance(one: HostClass, arguments: Sequence[Words]) -> HostClass:
    """A class whose template has arguments."""
    given = dict(zip(one.templates, arguments, strict=True))

    def of(function: Function) -> Function:
        return Function(
            function.name,
            substituted(function.before, given),
            substituted(function.signature, given),
            tuple(
                replace(each, type=substituted(each.type, given), default=substituted(each.default, given))
                for each in function.parameters
            ),
            substituted(function.body, given),
            {name: substituted(words, given) for name, words in function.initials.items()},
        )

    data = (
        Data(each.name, *(substituted(words, given) for words in (each.before, each.behind, each.initial)))
        for each in one.data
    )
    return replace(
        one,
        data=tuple(data),
        functions={name: of(each) for name, each in one.functions.items()},
        constructors=tuple(map(of, one.constructors)),
        destructor=None if one.destructor is None else of(one.destructor),
        elements={sign: of(each) for sign, each in one.elements.items()},
    )


def _host_class(one: Class, start: int, behind: int) -> HostClass | None:
    data: list[Data] = []
    functions: dict[str, Function] = {}
    constructors: list[Function] = []
    destructor: Function | None = None
    operators: dict[str, list[Function]] = {}
    number = 1
    while number < len(one.body) - 1:
        end = end_of_member(one.body, number)
        member = one.body[number:end]
        number = end
        function = _function(member)
        if texts(member, len(member) - 3, 2) in _NO_FUNCTIONS:
            continue
        if (element := _operator_of_elements(member)) is not None:
            operators.setdefault(element[0], []).append(element[1])
        elif function is None:
            data += data_members(member)
        elif texts(member, 0, 1) == ("~",):
            destructor = function
        elif function.name.text == one.name.text:
            constructors.append(function)
        elif _is_same(functions.get(function.name.text), function):
            # One for objects that are const.
            continue
        elif function.name.text in functions or "operator" in (word.text for word in member):
            return None
        else:
            functions[function.name.text] = function
    templates = tuple(name for name, _ in one.templates)
    # One for objects that are const has another meaning where it does something else.
    elements = {sign: found[0] for sign, found in operators.items() if all(_is_same(found[0], one) for one in found)}
    return HostClass(
        one.name.text, templates, start, behind, tuple(data), functions, tuple(constructors), destructor, elements
    )


def _is_same(one: Function | None, other: Function) -> bool:
    """Whether two functions do the same, one of them perhaps for objects that are const."""
    return one is not None and [word.text for word in one.body] == [word.text for word in other.body]


def _function(member: Sequence[Piece]) -> Function | None:
    """A function that a class defines; None for other members."""
    sign = _first_sign(member)
    if sign is None or member[sign].text != "(" or not is_name(member[sign - 1]):
        return None
    last = closing(member, sign)
    signature = list(member[sign : last + 1])
    parameters = tuple(parameter_of(part) for part in listed(signature, 1, len(signature) - 1) if part)
    initials: dict[str, Words] = {}
    brace = last + 1
    if texts(member, brace, 1) == (":",):
        brace += 1
        while brace + 1 < len(member) and is_name(member[brace]):
            closes = closing(member, brace + 1)
            initials[member[brace].text] = list(member[brace + 1 : closes + 1])
            brace = closes + 1 + (texts(member, closes + 1, 1) == (",",))
    else:
        brace = next((n for n in range(brace, len(member)) if member[n].text == "{"), len(member))
    if texts(member, brace, 1) != ("{",):
        return None
    body = list(member[brace : closing(member, brace) + 1])
    before = [word for word in member[: sign - 1] if word.text not in {*_STATIC, "~", "explicit", "virtual"}]
    return Function(member[sign - 1], before, signature, parameters, body, initials)


def _operator_of_elements(member: Sequence[Piece]) -> tuple[str, Function] | None:
    """The function that finds an element, `T& operator[](size_t i) { return p[i]; }`; None for other members."""
    for sign, signs in _ELEMENTS.items():
        place = next((n for n in range(len(member)) if texts(member, n, 4) == signs), None)
        function = None if place is None else _function([*member[: place + 1], *member[place + 3 :]])
        if function is not None:
            return sign, function
    return None


def _first_sign(member: Sequence[Piece]) -> int | None:
    """The position of the first bracket, or the first sign, that stands behind the first name that is declared."""
    number = 0
    while number < len(member):
        if member[number].text == "<" and (angle := closing_angle(member, number)) is not None:
            number = angle
        elif member[number].text in {"(", "=", "{", "[", ",", ";"}:
            return number or None
        number += 1
    return None


def data_members(member: Sequence[Piece]) -> Iterator[Data]:
    """The members that a declaration gives a class."""
    sign = _first_sign(member)
    if sign is None or texts(member, 0, 1) == (";",):
        return
    name = sign - 1
    first = name
    while first and member[first - 1].text in {"*", "&"}:
        first -= 1
    type_ = [word for word in member[:first] if word.text not in _STATIC]
    for part in listed(member, first, len(member) - 1):
        place = next((n for n, word in enumerate(part) if is_name(word) and word.text != "const"), None)
        if place is None or not (type_ or place):
            continue
        begins = next((n for n in range(place, len(part)) if part[n].text in {"=", "{"}), len(part))
        yield Data(part[place], [*type_, *part[:place]], part[place + 1 : begins], part[begins:])
