"""Functions of classes that are templates: a function for each list of arguments that a call says, or has types for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.classes import KEYS, class_at, end_of_member
from mcm.front_end.cpp.definitions import bound, declared_type, definitions, evident_type
from mcm.front_end.cpp.numbers import no_names, with_chosen
from mcm.front_end.cpp.template_numbers import with_number
from mcm.front_end.cpp.words import closing, closing_angle, is_name, listed, made, substituted, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.front_end.cpp.definitions import Definition
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# How many functions such templates may become: one may need others.
_MOST_INSTANCES: Final = 200


class _Template(Struct, frozen=True):
    """A function of a class that is a template, and where it stands."""

    class_: str
    start: int
    end: int
    definition: Definition


def with_member_functions(words: Sequence[Piece]) -> Words:
    """The words with functions in place of those of classes that are templates."""
    found = list(words)
    names: dict[tuple[str, ...], str] = {}
    number = 0
    while templates := list(_templates(found)):
        place = _next_call(found, templates, number)
        if place is None:
            break
        template = _meant(found, place, templates)
        given, behind = _arguments(found, place, template)
        key = (template.class_, template.definition.name.text, *(word.text for one in given.values() for word in one))
        is_new = key not in names
        name = names.setdefault(key, f"{template.definition.name.text}_{len(names) + 1}")
        if len(names) > _MOST_INSTANCES:
            raise _error(found[place], f"'{found[place].text}' has too many instances of its template")
        first = place - 1 if texts(found, place - 1, 1) == ("template",) else place
        found[first:behind] = [made(name, found[place])]
        number = first + 1
        if is_new:
            one = _instance(template.definition, name, given)
            at = template.start if template.start < first else template.start - (behind - first - 1)
            found[at:at] = one
            # What the function calls is looked for, too.
            number = min(at, number)
    for template in reversed(list(_templates(found))):
        del found[template.start : template.end]
    return found


def _templates(words: Sequence[Piece]) -> Iterator[_Template]:
    """The functions of classes that are templates, one of each name in a class."""
    number = 0
    while number < len(words):
        one, behind = class_at(words, number) if words[number].text in KEYS else (None, number)
        if one is None:
            number += 1
            continue
        place = behind - len(one.body) + 1
        while place < behind - 1:
            end = place + end_of_member(words[place:behind], 0)
            if texts(words, place, 2) == ("template", "<"):
                functions, _, several = definitions(words[place:end])
                for definition in functions.values():
                    if not several and definition.templates:
                        yield _Template(one.name.text, place, end, definition)
            place = end
        number = behind


def _next_call(words: Sequence[Piece], templates: Sequence[_Template], start: int) -> int | None:
    """The next position at which such a function is called outside of a template of a class."""
    names = {one.definition.name.text for one in templates}
    for number in range(start, len(words)):
        if words[number].text not in names or any(one.start <= number < one.end for one in templates):
            continue
        before = words[number - 1]
        is_call = texts(words, number + 1, 1) in {("(",), ("<",)}
        if is_call and (before.text == "template" or not is_name(before) or before.text in {"return", "else"}):
            return number
    return None


def _meant(words: Sequence[Piece], place: int, templates: Sequence[_Template]) -> _Template:
    """The template that a call means: of the class of its object, where several classes have one of the name."""
    fitting = [one for one in templates if one.definition.name.text == words[place].text]
    if len(fitting) > 1:
        point = place - 2 if texts(words, place - 1, 1) == ("template",) else place - 1
        owner = words[point - 1].text if words[point].text in {".", "->", "::"} else ""
        type_ = [word.text for word in declared_type(_unit(words, place), owner)]
        around = next((one.class_ for one in fitting if not owner and _is_inside(words, place, one.class_)), "")
        fitting = [one for one in fitting if one.class_ in {owner, around, *type_}]
    if len(fitting) != 1:
        raise _error(words[place], f"of which class '{words[place].text}' is called here is not evident")
    return fitting[0]


def _is_inside(words: Sequence[Piece], place: int, name: str) -> bool:
    """Whether a position is in the class of a name."""
    for number in range(place):
        if words[number].text in KEYS and texts(words, number + 1, 2) == (name, "{"):
            return place < closing(words, number + 2)
    return False


def _unit(words: Sequence[Piece], place: int) -> Words:
    """The words before a position from where the function, or the class, begins around it."""
    depth = start = 0
    for number in range(place):
        depth += (words[number].text == "{") - (words[number].text == "}")
        if depth == 0 and words[number].text in {";", "}"}:
            start = number + 1
    return list(words[start:place])


def _arguments(words: Sequence[Piece], place: int, template: _Template) -> tuple[dict[str, Words], int]:
    """What the parameters of the template stand for in a call, and the position of what is passed."""
    definition = template.definition
    given: dict[str, Words] = {}
    opening = place + 1
    if texts(words, opening, 1) == ("<",) and (angle := closing_angle(words, opening)) is not None:
        given = dict(zip(definition.templates, listed(words, opening + 1, angle), strict=False))
        opening = angle + 1
    passed = listed(words, opening + 1, closing(words, opening))
    before = _unit(words, place)
    classes = {words[n + 1].text for n in range(len(words) - 1) if words[n].text in KEYS}
    for parameter, argument in zip(definition.parameters, passed, strict=False):
        found = bound(parameter.type, evident_type(before, argument, classes), definition.templates)
        given = {**(found or {}), **given}
    for name, default in definition.defaults.items():
        given.setdefault(name, substituted(default, given))
    for name in definition.templates:
        if name not in given:
            call = definition.name.text
            message = f"what '{name}' stands for in this call of '{call}' is not evident: write it, '{call}<…>(…)'"
            raise _error(words[place], message)
    return {name: with_number(given[name], no_names) for name in definition.templates}, opening


def _instance(definition: Definition, name: str, given: dict[str, Words]) -> Words:
    """The function that a template is for some arguments."""
    signature = [*definition.signature, *definition.behind]
    body = with_chosen(substituted(definition.body, given))
    head = substituted(definition.head, given)
    return [*head, made(name, definition.name), *substituted(signature, given), *body]


def _error(word: Piece, message: str) -> InputError:
    assert word.span is not None
    return InputError(Diagnostic("E207", message, word.span))
