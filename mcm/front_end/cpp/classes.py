"""Classes of a program as those of a test: instances of templates, members that are defined outside, nested classes."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.numbers import no_names
from mcm.front_end.cpp.specializations import specializations
from mcm.front_end.cpp.template_numbers import with_number
from mcm.front_end.cpp.words import closing, closing_angle, is_name, listed, made, substituted, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

KEYS: Final = frozenset({"class", "struct"})
_ACCESS: Final = frozenset({"public", "private", "protected"})
# How many instances of templates a program may have: one may need others.
_MOST_INSTANCES: Final = 200


class Class(Struct):
    """A class that a program defines: the parameters of its template, each with what it is where nothing is said."""

    name: Piece
    key: Piece
    templates: list[tuple[str, Words]]
    body: Words


def with_structures(words: Sequence[Piece]) -> Words:
    """The words with structures in place of classes that are no templates."""
    if not any(word.text in KEYS for word in words):
        return list(words)
    words = _with_members_inside(_without_nested(words))
    found: Words = []
    number = 0
    while number < len(words):
        one, behind = class_at(words, number)
        if one is None:
            found.append(words[number])
            number += 1
        else:
            found += words[number:behind] if one.templates else _structure(one, one.name, one.body)
            number = behind
    return found


def with_instances(words: Sequence[Piece]) -> Words:
    """The words with structures in place of the instances of classes that are templates, each before what uses it."""
    found: Words = []
    templates: dict[str, Class] = {}
    number = 0
    while number < len(words):
        one, behind = class_at(words, number)
        if one is None or not one.templates:
            found.append(words[number])
            number += 1
        else:
            templates[one.name.text] = one
            number = behind + (texts(words, behind, 1) == (";",))
    special, found = specializations(found, templates)
    return _Instances(templates, special).expanded(_with_single_angles(found, templates)) if templates else found


def _with_single_angles(words: Words, templates: dict[str, Class]) -> Words:
    """The words with `> >` in place of the `>>` that ends the arguments of a template of the program."""
    for one in templates.values():
        one.body = _split_angles(one.body, templates)
    return _split_angles(words, templates)


def _split_angles(words: Words, templates: dict[str, Class]) -> Words:
    found = list(words)
    for number in range(len(words) - 1, -1, -1):
        if found[number].text in templates and texts(found, number + 1, 1) == ("<",):
            angle = closing_angle(found, number + 1)
            if angle is not None and found[angle].text == ">>":
                found[angle : angle + 1] = [made(">", found[angle]), made(">", found[angle])]
    return found


# --- one class --------------------------------------------------------------------------------------------------------


def class_at(words: Sequence[Piece], number: int) -> tuple[Class | None, int]:
    """The class that is defined at a position, and the position behind it."""
    start = number
    templates: list[tuple[str, Words]] = []
    if texts(words, number, 2) == ("template", "<") and (angle := _closing_parameters(words, number + 1)) is not None:
        # `>>` closes the arguments of the last value, too.
        inner = [*words[number + 2 : angle], *([made(">", words[angle])] if words[angle].text == ">>" else [])]
        templates = [_parameter(part) for part in listed(inner, 0, len(inner)) if part]
        number = angle + 1
    if number >= len(words) or words[number].text not in KEYS or (start and words[start - 1].text == "enum"):
        return None, start
    opening = _behind_name(words, number)
    follows = texts(words, opening, 1)
    if inherits(words, number):
        message = (
            f"'{words[number + 1].text}' inherits from another class, which is not part of the litmus language: "
            "a member of that class is"
        )
        raise InputError(_at(words[opening], message))
    if follows != ("{",) or not is_name(words[number + 1]):
        return None, start
    end = closing(words, opening)
    body = list(words[opening : end + 1])
    # What is declared behind the brace stays there.
    behind = end + 1
    return Class(words[number + 1], words[number], templates, body), behind


def inherits(words: Sequence[Piece], number: int) -> bool:
    """Whether a class begins at a position, behind parameters of a template, that inherits from another one."""
    is_class = number + 1 < len(words) and words[number].text in KEYS and is_name(words[number + 1])
    return is_class and texts(words, _behind_name(words, number), 1) == (":",)


def _behind_name(words: Sequence[Piece], number: int) -> int:
    """The position behind the name of a class whose key is at a position."""
    return number + 2 + (texts(words, number + 2, 1) == ("final",))


def _closing_parameters(words: Sequence[Piece], opening: int) -> int | None:
    """The position of the `>` behind the parameters of a template, of which each may have a value by itself."""
    depth = 0
    for number in range(opening, len(words)):
        depth += {"<": 1, ">": -1, ">>": -2}.get(words[number].text, 0)
        if depth <= 0:
            return number
        if words[number].text in {"{", ";"}:
            return None
    return None


def _parameter(part: Words) -> tuple[str, Words]:
    """The name of a parameter of a template, and what it is by itself."""
    sign = next((number for number, word in enumerate(part) if word.text == "="), len(part))
    return part[sign - 1].text, list(part[sign + 1 :])


def _structure(one: Class, name: Piece, body: Sequence[Piece]) -> Words:
    """The structure that a class is."""
    return [made("struct", one.key), name, *_without_silent_members(body, one.name.text)]


def _without_silent_members(body: Sequence[Piece], name: str) -> Words:
    """The body of a class without access, and without functions that are deleted, or the language makes itself."""
    found: Words = [body[0]]
    number = 1
    while number < len(body) - 1:
        text = body[number].text
        if text in _ACCESS and texts(body, number + 1, 1) == (":",):
            number += 2
            continue
        end = end_of_member(body, number)
        member = body[number:end]
        last = texts(member, max(0, len(member) - 3), 3)
        first = next((word for word in member if word.text in {"virtual", "override"}), None)
        if first is not None:
            message = (
                f"'{first.text}': functions that a class inherits, or hands on, are not part of the litmus language"
            )
            raise InputError(_at(first, message))
        operator = next((n for n, word in enumerate(member) if word.text in {"operator", "{"}), 0)
        if texts(member, operator, 1) == ("operator",) and operator + 1 < len(member) and is_name(member[operator + 1]):
            message = "a conversion, 'operator int()', is not part of the litmus language: a function with a name is"
            raise InputError(_at(member[operator], message))
        is_copy = last == ("=", "default", ";") and texts(member, 0, 5)[:3] != (name, "(", ")")
        if (
            last == ("=", "delete", ";")
            or is_copy
            or texts(member, 0, 2) in {("friend", "class"), ("friend", "struct")}
        ):
            number = end
            continue
        found += member
        number = end
    return [*found, body[-1]]


def end_of_member(body: Sequence[Piece], number: int) -> int:
    """The position behind a member: its semicolon, or the body of a function."""
    has_parameters = False
    initials = False
    while number < len(body):
        text = body[number].text
        if text == ";":
            return number + 1
        if text == "{" and has_parameters and not (initials and _begins_initial(body, number)):
            behind = closing(body, number) + 1
            return behind + (texts(body, behind, 1) == (";",))
        initials = initials or (has_parameters and text == ":")
        has_parameters = has_parameters or text == "("
        number = closing(body, number) + 1 if text in {"(", "{", "["} else number + 1
    return number


def _begins_initial(body: Sequence[Piece], number: int) -> bool:
    """Whether a brace is that of a member before the body of a constructor, `: x{1} { … }`."""
    return is_name(body[number - 1])


def _at(word: Piece, message: str) -> Diagnostic:
    assert word.span is not None
    return Diagnostic("E207", message, word.span)


# --- members that are defined outside, classes in classes -------------------------------------------------------------


def _with_members_inside(words: Sequence[Piece]) -> Words:
    """The words with the definitions of members in place of their declarations: `int Vec::norm() const { … }`."""
    defined, rest = _outside(words)
    return _with_classes(rest, lambda one: ([], _completed(one, defined)))


def _with_classes(words: Sequence[Piece], rewrite: Callable[[Class], tuple[Words, Words]]) -> Words:
    """The words with what `rewrite` gives for each class: words that stand before it, and its body."""
    found: Words = []
    number = 0
    while number < len(words):
        one, behind = class_at(words, number)
        if one is None:
            found.append(words[number])
            number += 1
            continue
        before, body = rewrite(one)
        found += [*before, *words[number : behind - len(one.body)], *body]
        number = behind
    return found


def _outside(words: Sequence[Piece]) -> tuple[dict[tuple[str, ...], Words], Words]:
    """The definitions of members outside classes, by what stands before their bodies, and the other words."""
    found: dict[tuple[str, ...], Words] = {}
    rest: Words = []
    start = number = 0
    while number < len(words):
        text = words[number].text
        if text == "{":
            end = closing(words, number)
            qualified = next(
                (n for n in range(start, number) if words[n].text == "::" and _names_member(words, n, number)), None
            )
            key = None if qualified is None else _key(words[start:number], qualified - start)
            if key is not None:
                found[key] = list(words[number : end + 1])
                if qualified is not None:
                    # Members before the body of a constructor.
                    found[key] = [*_initials(words, qualified, number), *found[key]]
                start = end + 1
                number = end
            else:
                rest += words[start : end + 1]
                start = end + 1
                number = end
        elif text == ";":
            rest += words[start : number + 1]
            start = number + 1
        number += 1
    return found, [*rest, *words[start:]]


def _names_member(words: Sequence[Piece], number: int, end: int) -> bool:
    """Whether `::` stands between a class and the function of it that is defined."""
    follows = texts(words, number + 1, 2)
    if (
        len(follows) < 2
        or number + 2 >= end
        or not number
        or not (is_name(words[number - 1]) or words[number - 1].text == ">")
    ):
        return False
    return follows[0] in {"operator", "~"} or (follows[1] == "(" and is_name(words[number + 1]))


def _key(head: Sequence[Piece], qualified: int) -> tuple[str, ...] | None:
    """What the declaration of a member in its class is: the class, the name of the function, the types it takes."""
    name = next((n for n in range(qualified - 1, -1, -1) if is_name(head[n])), None)
    if head[qualified - 1].text == ">":
        depth = 0
        for position in range(qualified - 1, -1, -1):
            depth += {">": 1, "<": -1}.get(head[position].text, 0)
            if depth == 0:
                name = position - 1
                break
    if name is None:
        return None
    return (head[name].text, *_signature(head[qualified + 1 :]))


def _signature(words: Sequence[Piece]) -> tuple[str, ...]:
    """The name of a function, and the words of its parameters but for their names."""
    opening = (
        3
        if texts(words, 0, 3) == ("operator", "(", ")")
        else next((number for number, word in enumerate(words) if word.text == "("), len(words))
    )
    last = closing(words, opening)
    types: list[str] = []
    for part in listed(words, opening + 1, last):
        sign = next((number for number, word in enumerate(part) if word.text == "="), len(part))
        kept = part[:sign]
        if len(kept) > 1 and is_name(kept[-1]):
            kept = kept[:-1]
        types += [*(word.text for word in kept), ","]
    is_const = "const" in texts(words, last + 1, 1)
    return (*(word.text for word in words[:opening]), *types, "const" * is_const)


def _initials(words: Sequence[Piece], qualified: int, opening: int) -> Words:
    bracket = next(n for n in range(qualified, opening) if words[n].text == "(")
    if texts(words, qualified + 1, 3) == ("operator", "(", ")"):
        bracket = qualified + 4
    last = closing(words, bracket)
    return [word for word in words[last + 1 : opening] if word.text != "const"]


def _completed(one: Class, defined: dict[tuple[str, ...], Words]) -> Words:
    """The body of a class, where functions that are defined outside have their bodies."""
    found: Words = [one.body[0]]
    number = 1
    while number < len(one.body) - 1:
        if one.body[number].text in _ACCESS and texts(one.body, number + 1, 1) == (":",):
            number += 2
            continue
        end = end_of_member(one.body, number)
        member = one.body[number:end]
        begin = _begin_of_name(member)
        body = None if begin is None else defined.get((one.name.text, *_signature(member[begin:])))
        found += member if body is None or member[-1].text != ";" else [*member[:-1], *body]
        number = end
    return [*found, one.body[-1]]


def _begin_of_name(member: Sequence[Piece]) -> int | None:
    """Where the name of a function stands in its declaration; None where none is declared."""
    bracket = next((number for number, word in enumerate(member) if word.text == "("), None)
    if bracket is None or not bracket:
        return None
    operator = next((number for number, word in enumerate(member[: bracket + 1]) if word.text == "operator"), None)
    if operator is not None:
        return operator
    return bracket - 1 - (texts(member, bracket - 2, 1) == ("~",) and bracket > 1)


def _without_nested(words: Sequence[Piece]) -> Words:
    """The words with classes before the classes that they are defined in, and names without these before them."""
    moved: dict[str, set[str]] = {}

    def moves(one: Class) -> tuple[Words, Words]:
        inner, body = _nested(one)
        moved.setdefault(one.name.text, set()).update(part[1].text for part in inner)
        return list(chain.from_iterable(inner)), body

    found = _with_classes(words, moves)
    if not any(moved.values()):
        return list(words)
    rest: Words = []
    number = 0
    while number < len(found):
        follows = texts(found, number, 3)
        if len(follows) == 3 and follows[1] == "::" and follows[2] in moved.get(follows[0], set()):
            number += 2
            continue
        rest.append(found[number])
        number += 1
    # Those have classes, too.
    return _without_nested(rest)


def _nested(one: Class) -> tuple[list[Words], Words]:
    """The classes that a class defines in itself, and its body without them."""
    inner: list[Words] = []
    body: Words = [one.body[0]]
    number = 1
    while number < len(one.body) - 1:
        found, behind = class_at(one.body, number)
        depth = number if found is None else behind
        if found is None:
            end = end_of_member(one.body, number) if one.body[number].text not in _ACCESS else number + 2
            body += one.body[number:end]
            number = end
            continue
        if found.templates or one.templates or texts(one.body, depth, 1) != (";",):
            message = (
                f"'{found.name.text}' is defined in a class, where only a class that is no template, and has a name, is"
            )
            raise InputError(_at(found.name, message))
        inner.append(list(one.body[number : depth + 1]))
        number = depth + 1
    return inner, [*body, one.body[-1]]


# --- templates --------------------------------------------------------------------------------------------------------


class _Instances:
    """Makes instances of templates of classes, each before what uses it first."""

    def __init__(self, templates: dict[str, Class], special: dict[tuple[str, ...], Words]) -> None:
        self._templates: Final = templates
        self._special: Final = special
        self._names: Final[dict[tuple[str, ...], str]] = {}
        self._made: Words = []

    def expanded(self, words: Sequence[Piece]) -> Words:
        """The words with names of instances, which are defined before the part of the program that uses them."""
        found: Words = []
        start = number = 0
        while number < len(words):
            text = words[number].text
            number = closing(words, number) if text in {"{", "("} else number
            is_end = text == ";" or (text == "{" and texts(words, number + 1, 1) != (";",))
            if is_end:
                found += self._part(words[start : number + 1])
                start = number + 1
            number += 1
        return [*found, *self._part(words[start:])]

    def _part(self, words: Sequence[Piece]) -> Words:
        replaced = self._replaced(words)
        made_before, self._made = self._made, []
        return [*made_before, *replaced]

    def _replaced(self, words: Sequence[Piece]) -> Words:
        found: Words = []
        number = 0
        while number < len(words):
            one = self._templates.get(words[number].text)
            angle = None
            if one is not None and texts(words, number + 1, 1) == ("<",):
                angle = closing_angle(words, number + 1)
            if one is None or angle is None:
                if one is not None:
                    message = f"what '{one.name.text}' is made of is not evident: write it, '{one.name.text}<int>'"
                    raise InputError(_at(words[number], message))
                found.append(words[number])
                number += 1
                continue
            arguments = [self._replaced(part) for part in listed(words, number + 2, angle)]
            found.append(made(self._instance(one, arguments), words[number]))
            number = angle + 1
        return found

    def _instance(self, one: Class, arguments: list[Words]) -> str:
        """The name of an instance of a template."""
        given: dict[str, Words] = {}
        for place, (name, default) in enumerate(one.templates):
            meant = arguments[place] if place < len(arguments) else substituted(default, given)
            if not meant:
                message = f"'{one.name.text}' takes {len(one.templates)} arguments, found {len(arguments)}"
                raise InputError(_at(one.name, message))
            given[name] = with_number(meant, no_names)
        key = (one.name.text, *(" ".join(word.text for word in words) for words in given.values()))
        if key in self._names:
            return self._names[key]
        if len(self._names) > _MOST_INSTANCES:
            raise InputError(_at(one.name, f"'{one.name.text}' has too many instances"))
        letters = "_".join("".join(letter if letter.isalnum() else "_" for letter in part) for part in key)
        name = letters if letters not in self._names.values() else f"{letters}_{len(self._names)}"
        self._names[key] = name
        whole = self._special.get(key, _own_arguments(one))
        body = substituted(_without_silent_members(whole, one.name.text), {} if key in self._special else given)
        body = [
            # With arguments of its own it is another instance.
            made(name, word) if word.text == one.name.text and texts(body, number + 1, 1) != ("<",) else word
            for number, word in enumerate(body)
        ]
        replaced = self._replaced(body)
        self._made += [made("struct", one.key), made(name, one.name), *replaced, made(";", one.name)]
        return name


def _own_arguments(one: Class) -> Words:
    """The body of a template without its own arguments behind its name."""
    found: Words = []
    number = 0
    while number < len(one.body):
        found.append(one.body[number])
        if one.body[number].text == one.name.text and texts(one.body, number + 1, 1) == ("<",):
            angle = closing_angle(one.body, number + 1)
            inside = [] if angle is None else [word.text for word in one.body[number + 2 : angle] if word.text != ","]
            if angle is not None and inside == [name for name, _ in one.templates]:
                number = angle
        number += 1
    return found
