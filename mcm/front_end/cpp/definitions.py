"""The functions that a program defines, and what of it `main` reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.ends import EXITS
from mcm.front_end.cpp.words import (
    CHANGING,
    STEPS,
    closing,
    closing_angle,
    closing_head,
    is_followed,
    is_member,
    is_name,
    listed,
    made,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# What only host code has: classes, what it calls, and containers where they are passed. Functions with these are put in
# place of their calls.
_CLASSES: Final = frozenset({"queue", "buffer", "vector", "host_accessor"})
_CALLED: Final = EXITS | {"submit", "parallel_for", "single_task", "rand"}
# Before a function of an object of the host, which is no function of the file.
OF_OBJECT: Final = "of_object"
_KEYWORDS: Final = frozenset({"new", "delete"})
_OF_ELEMENTS: Final = frozenset({"accessor", "local_accessor", "host_accessor", "vector", "array"})
_CONTAINERS: Final = frozenset({"array"})
_BEFORE_TYPES: Final = frozenset({"const", "constexpr", "static"})
# Words of which a type may have several, or only one.
_INTEGERS: Final = frozenset({"unsigned", "signed", "long", "short", "int", "char"})
# The words that types of numbers are made of.
NUMBERS: Final = _INTEGERS | {
    *("float", "double", "half", "bool", "size_t", "ptrdiff_t"),
    *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}


# A number of fewer digits is one of `int`.
_DIGITS_OF_INT: Final = 10


class Parameter(Struct, frozen=True):
    """A parameter of a function: the words of its type, with `&`, its name, and its value where none is passed."""

    type: Words
    name: str
    default: Words = []

    @property
    def is_reference(self) -> bool:
        """Whether it is another name for what is passed."""
        return any(word.text == "&" for word in self.type)


class Definition(Struct, frozen=True):
    """A function with its body; `head` is all before its name, `templates` the names of its template's parameters.

    `defaults` is what those of them stand for that a call says nothing of, `behind` what stands before the body.
    """

    name: Piece
    templates: tuple[str, ...]
    head: Words
    parameters: tuple[Parameter, ...]
    signature: Words
    body: Words
    defaults: dict[str, Words] = {}
    behind: Words = []

    @property
    def is_of_host(self) -> bool:
        """Whether only host code can call it."""
        words = [*self.signature, *self.body]
        return (
            _names_class(words, _CLASSES)
            or _names_class(self.signature, _CONTAINERS)
            or any(word.text in _KEYWORDS for word in self.body)
            or self.is_of_object
            or any(word.text in _CALLED and texts(words, n + 1, 1) in {("(",), ("<",)} for n, word in enumerate(words))
        )

    @property
    def is_of_object(self) -> bool:
        """Whether it is a function of an object of the host, whose members it names as they are."""
        return any(word.text == OF_OBJECT for word in self.head)

    @property
    def words(self) -> Words:
        """The function as it stands, without its template."""
        return [*self.head, self.name, *self.signature, *self.body]


def _names_class(words: Sequence[Piece], classes: Collection[str]) -> bool:
    """Whether some of these classes are named, and not variables that are called as they are: `queue[i]`."""
    for number, word in enumerate(words):
        if word.text not in classes or is_member(words, number):
            continue
        behind = words[number + 1] if number + 1 < len(words) else None
        is_qualified = number > 0 and words[number - 1].text == "::"
        if is_qualified or (behind is not None and (behind.text in {"<", "&"} or is_name(behind))):
            return True
    return False


def definitions(words: Sequence[Piece]) -> tuple[dict[str, Definition], Words, dict[str, Piece]]:
    """The functions of a program by their names, `main` too, the words of everything else, and names of several."""
    found: dict[str, Definition] = {}
    several: dict[str, Piece] = {}
    rest: Words = []
    start = number = 0
    while number < len(words):
        text = words[number].text
        if text == "{":
            opening = number
            definition = _definition(words, start, opening)
            number = closing(words, number)
            if definition is None and any(word.text == "operator" for word in words[start:opening]):
                # Operators are functions that no name calls.
                rest += words[start : number + 1]
                start = number + 1
            if definition is not None:
                if definition.name.text in found:
                    several[definition.name.text] = definition.name
                found[definition.name.text] = definition
                start = number + 1
        elif text == "(":
            # Parameters may have braces for values: `const std::vector<event>& deps = {}`.
            number = closing(words, number)
        elif text == ";":
            rest += words[start : number + 1]
            start = number + 1
        number += 1
    return found, [*rest, *words[start:]], several


def _definition(words: Sequence[Piece], start: int, opening: int) -> Definition | None:
    """The function whose body begins at a position; None where something else is in braces."""
    templates: tuple[str, ...] = ()
    defaults: dict[str, Words] = {}
    if texts(words, start, 2) == ("template", "<"):
        angle = closing_head(words, start + 1)
        if angle is None:
            return None
        templates, defaults = _templates(words[start + 2 : angle + 1])
        start = angle + 1
    bracket = next((n for n in range(start, opening) if words[n].text == "("), opening)
    if bracket <= start + 1 or bracket == opening or not is_name(words[bracket - 1]):
        return None
    last = closing(words, bracket)
    if any(words[n].text in {"=", "struct", "class"} for n in (*range(start, bracket), *range(last + 1, opening))):
        return None
    signature, of_any_type = _with_named_types(words[bracket : last + 1])
    parameters = tuple(parameter_of(part) for part in listed(signature, 1, len(signature) - 1) if part)
    return Definition(
        words[bracket - 1],
        (*templates, *of_any_type),
        list(words[start : bracket - 1]),
        parameters,
        signature,
        list(words[opening : closing(words, opening) + 1]),
        defaults,
        list(words[last + 1 : opening]),
    )


def _templates(words: Sequence[Piece]) -> tuple[tuple[str, ...], dict[str, Words]]:
    """The parameters of a template, and what those stand for that have values: `typename T, int N = 4>`."""
    # `>>` closes the arguments of the last value, too.
    inner = [*words[:-1], *([made(">", words[-1])] if words[-1].text == ">>" else [])]
    names: list[str] = []
    defaults: dict[str, Words] = {}
    for part in listed(inner, 0, len(inner)):
        sign = next((n for n, word in enumerate(part) if word.text == "="), len(part))
        if sign:
            names.append(part[sign - 1].text)
            defaults |= {names[-1]: part[sign + 1 :]} if sign < len(part) else {}
    return tuple(names), defaults


def _with_named_types(signature: Sequence[Piece]) -> tuple[Words, tuple[str, ...]]:
    """The parameters of a function with a name for each `auto`, and these names: those of its template (dcl.fct/22)."""
    found: Words = []
    names: list[str] = []
    for word in signature:
        if word.text == "auto":
            names.append(f"auto_{len(names) + 1}")
            found.append(made(names[-1], word))
        else:
            found.append(word)
    return found, tuple(names)


def parameter_of(words: Words) -> Parameter:
    """A parameter of a function; `int a[]` is a pointer."""
    bracket = next((n for n, word in enumerate(words) if word.text in {"[", "="}), len(words))
    stars = [made("*", words[bracket])] if texts(words, bracket, 1) == ("[",) else []
    equals = next((n for n, word in enumerate(words) if word.text == "="), len(words))
    return Parameter([*words[: bracket - 1], *stars], words[bracket - 1].text, words[equals + 1 :])


def declared_type(words: Sequence[Piece], name: str) -> Words:
    """The type that a variable is declared with, without `const` and references; nothing where that is not found."""
    for number, word in enumerate(words):
        if word.text != name or not number:
            continue
        start = _begin_of_declaration(words, number)
        end = _behind_type(words, start)
        if start < end <= number and texts(words, end, 1) and is_name(words[end]):
            found = bare_type(words[start:end])
            # What `auto` stands for follows from expressions.
            return [] if any(word.text == "auto" for word in found) else found
    return []


def _begin_of_declaration(words: Sequence[Piece], number: int) -> int:
    """Where the declaration begins that a name may be declared in: of a parameter, each has a type of its own."""
    start, depth = number, 0
    comma = None
    while start and words[start - 1].text not in {";", "{", "}"} and (depth or words[start - 1].text != "("):
        start -= 1
        text = words[start].text
        # A `<` may be a comparison.
        depth = max(0, depth + (text in {")", "]", ">"}) - (text in {"(", "[", "<"}))
        comma = start + 1 if text == "," and depth == 0 and comma is None else comma
    is_parameter = start > 0 and words[start - 1].text == "(" and (start < 2 or words[start - 2].text != "for")
    return comma if is_parameter and comma is not None else start


def evident_type(before: Sequence[Piece], argument: Words, classes: Collection[str]) -> Words:
    """The type of what a call passes: a variable, a number, an object of a class, a pointer that is moved, or
    what it points to, `x[i]`.
    """
    if not argument:
        return []
    first, number = argument[0], 1
    if texts(argument, 1, 1) == ("<",) and (angle := closing_angle(argument, 1)) is not None:
        number = angle + 1
    if first.text in classes and number < len(argument) and argument[number].text in {"{", "("}:
        return argument[:number] if closing(argument, number) == len(argument) - 1 else []
    if len(argument) == 1 and (scalar := _type_of_number(first.text)):
        return [made(scalar, first)]
    if (converted := _type_of_conversion(argument)) is not None:
        return converted
    if group := _type_of_group(before, argument):
        return group
    if first.text == "&" and len(argument) > 1 and is_name(argument[1]):
        pointed = evident_type(before, argument[1:], classes)
        return [*pointed, made("*", first)] if pointed else []
    if first.text == "*" and len(argument) == 2:
        return _type_of_element(declared_type(before, argument[1].text))
    if not is_name(first):
        return []
    found = declared_type(before, first.text)
    is_pointer = texts(found, len(found) - 1, 1) == ("*",)
    if texts(argument, 1, 1) == ("[",) and closing(argument, 1) == len(argument) - 1:
        return _type_of_element(found)
    is_moved = is_pointer and texts(argument, 1, 1) in {("+",), ("-",)}
    return found if len(argument) == 1 or is_moved else []


def _type_of_group(before: Sequence[Piece], argument: Words) -> Words:
    """The type of `it.get_group()` and `it.get_sub_group()`, or of a variable that is that; none of anything else."""
    if len(argument) == 1:
        begun = ("auto", argument[0].text, "=")
        place = next((n for n in reversed(range(len(before))) if texts(before, n, 3) == begun), None)
        argument = [] if place is None else list(before[place + 3 : place + 8])
    if texts(argument, 1, 1) != (".",) or texts(argument, 3, 2) != ("(", ")") or len(argument) != len("i.g()"):
        return []
    item = declared_type(before, argument[0].text)
    if texts(item, 0, 2) != ("nd_item", "<") or argument[2].text not in {"get_group", "get_sub_group"}:
        return []
    at = argument[0]
    return [made("sub_group", at)] if argument[2].text == "get_sub_group" else [made("group", at), *item[1:]]


def _type_of_element(found: Words) -> Words:
    """The type of an element of what is of a type: of a pointer, an accessor, a container; none of anything else."""
    if texts(found, len(found) - 1, 1) == ("*",):
        return found[:-1]
    place = next((n for n, word in enumerate(found) if word.text in _OF_ELEMENTS), None)
    angle = closing_angle(found, place + 1) if place is not None and texts(found, place + 1, 1) == ("<",) else None
    return [] if place is None or angle is None else listed(found, place + 2, angle)[0]


def _type_of_conversion(argument: Words) -> Words | None:
    """The type that a conversion is to, `static_cast<int>(x)`, `int(x)`, `T{}` of numbers; None for anything else."""
    if texts(argument, 0, 2) == ("static_cast", "<"):
        angle = closing_angle(argument, 1)
        is_whole = angle is not None and closing(argument, angle + 1) == len(argument) - 1
        return argument[2:angle] if is_whole else None
    number = next((n for n, word in enumerate(argument) if word.text not in NUMBERS), len(argument))
    is_one = number > 0 and texts(argument, number, 1) in {("(",), ("{",)}
    return argument[:number] if is_one and closing(argument, number) == len(argument) - 1 else None


def _type_of_number(text: str) -> str:
    """The type of a number as it is written; "" for what is none, or has another suffix than those.

    >>> _type_of_number("1"), _type_of_number("1.5f"), _type_of_number("2."), _type_of_number("true")
    ('int', 'float', 'double', 'bool')
    >>> _type_of_number("3u"), _type_of_number("3l")
    ('unsigned', '')
    """
    if text in {"true", "false"}:
        return "bool"
    if text.isdecimal():
        return "int" if len(text) < _DIGITS_OF_INT else ""
    if text[:-1].isdecimal() and text[-1] in "uU":
        return "unsigned" if len(text) <= _DIGITS_OF_INT else ""
    if not text[:1].isdecimal() and not text.startswith("."):
        return ""
    digits = text.rstrip("fF").replace(".", "", 1)
    is_fraction = digits.isdecimal() and "." in text
    return ("float" if text[-1] in "fF" else "double") if is_fraction else ""


def _behind_type(words: Sequence[Piece], start: int) -> int:
    number = start
    while number < len(words) and words[number].text in _BEFORE_TYPES | _INTEGERS:
        number += 1
    # `long x` has its type already.
    if number == start or words[number - 1].text not in _INTEGERS or texts(words, number, 1) == ("double",):
        number += number < len(words) and is_name(words[number])
    while texts(words, number, 1) == ("::",):
        number += 2
    if texts(words, number, 1) == ("<",) and (angle := closing_angle(words, number)) is not None:
        number = angle + 1
    while number < len(words) and words[number].text in {"*", "&"}:
        number += 1
    return number


def bare_type(words: Sequence[Piece]) -> Words:
    """A type without qualifiers, references, and the namespace that it is in."""
    found = [word for word in words if word.text not in {"const", "constexpr", "static", "&"}]
    while texts(found, 1, 1) == ("::",):
        found = found[2:]
    return found


def bound(pattern: Sequence[Piece], type_: Sequence[Piece], names: Sequence[str]) -> dict[str, Words] | None:
    """What the parameters of a template stand for where a type is that of an argument; None where it does not fit."""
    one, other = bare_type(pattern), bare_type(type_)
    if not other:
        return None
    if len(one) == 1 and one[0].text in names:
        return {one[0].text: other}
    found: dict[str, Words] = {}
    if texts(one, 1, 1) == ("<",) and texts(other, 1, 1) == ("<",) and one[0].text == other[0].text:
        parts = listed(one, 2, len(one) - 1)
        for part, argument in zip(parts, listed(other, 2, len(other) - 1), strict=False):
            inner = bound(part, argument, names)
            if inner is None:
                return None
            found |= inner
        return found
    if one and other and one[-1].text == other[-1].text == "*":
        return bound(one[:-1], other[:-1], names)
    return found if [word.text for word in one] == [word.text for word in other] else None


def calls(words: Sequence[Piece], name: str) -> list[tuple[int, int, int]]:
    """Where a function is called: the positions of its name, of the bracket that opens, and of the one that closes."""
    found: list[tuple[int, int, int]] = []
    for number, word in enumerate(words):
        if word.text != name or is_member(words, number):
            continue
        opening = number + 1
        if texts(words, opening, 1) == ("<",):
            angle = closing_angle(words, opening)
            opening = number + 1 if angle is None else angle + 1
        if texts(words, opening, 1) == ("(",):
            found.append((number, opening, closing(words, opening)))
    return found


def assigns(words: Sequence[Piece], name: str) -> bool:
    """Whether a variable may change: it is assigned, or its address is taken."""
    for number, word in enumerate(words):
        if word.text == name and words[number - 1].text == "&" and words[number - 2].text in {"(", ",", "="}:
            return True
        is_stepped = number > 0 and words[number - 1].text in STEPS
        is_assigned = not CHANGING.isdisjoint(texts(words, number + 1, 1)) and not is_followed(words, number)
        if word.text == name and (is_stepped or is_assigned):
            return True
    return False
