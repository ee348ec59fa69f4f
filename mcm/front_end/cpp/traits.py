"""Questions for types, `std::is_same_v<T, int>`, as `true` and `false`, where templates have their arguments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing, closing_angle, listed, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_SAME: Final = "is_same"
_FLOATING: Final = frozenset({"float", "double", "half"})
_CHARACTERS: Final = frozenset({"char", "signed char", "unsigned char"})
_WHOLE: Final = _CHARACTERS | {"bool", "int", "short", "long", "unsigned int", "unsigned short", "unsigned long"}
# Other spellings of the types of the language.
_SPELLED: Final = {
    "unsigned": "unsigned int",
    "signed": "int",
    "signed int": "int",
    "long long": "long",
    "long int": "long",
    "uint": "unsigned int",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "ulong": "unsigned long",
    "int8_t": "signed char",
    "int16_t": "short",
    "int32_t": "int",
    "int64_t": "long",
    "ptrdiff_t": "long",
    "uint8_t": "unsigned char",
    "uint16_t": "unsigned short",
    "uint32_t": "unsigned int",
    "uint64_t": "unsigned long",
    "size_t": "unsigned long",
    "unsigned long long": "unsigned long",
}
# What the limits of a type begin with in C.
_LIMITS: Final = {
    "int": "INT",
    "unsigned int": "UINT",
    "long": "LONG",
    "unsigned long": "ULONG",
    "short": "SHRT",
    "unsigned short": "USHRT",
    "char": "CHAR",
    "signed char": "SCHAR",
    "unsigned char": "UCHAR",
    "float": "FLT",
    "double": "DBL",
}
# The same of types of a width, `INT32_MAX`.
_WIDTHS: Final = re.compile(r"(?P<type>U?INT(?:8|16|32|64)|SIZE)_(?P<end>MAX|MIN)")
_OF_WIDTH: Final = {
    "INT8": "CHAR",
    "INT16": "SHRT",
    "INT32": "INT",
    "INT64": "LONG",
    "SIZE": "ULONG",
    "UINT8": "UCHAR",
    "UINT16": "USHRT",
    "UINT32": "UINT",
    "UINT64": "ULONG",
}
_OF_ONE: Final[dict[str, Callable[[str], bool]]] = {
    "is_floating_point": lambda type_: type_ in _FLOATING,
    "is_integral": lambda type_: type_ in _WHOLE,
    "is_arithmetic": lambda type_: type_ in _WHOLE | _FLOATING,
    "is_pointer": lambda type_: type_.endswith("*"),
    "is_signed": lambda type_: type_ in _FLOATING | _WHOLE and not type_.startswith(("unsigned", "bool")),
    "is_unsigned": lambda type_: type_.startswith(("unsigned", "bool")),
}


def with_traits(words: Sequence[Piece]) -> Words:
    """The words with what questions for types come to in place of them, where all types are those of the language."""
    return replaced(words, _comes_to)


def _comes_to(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """What a question comes to, as a word, and the position behind it; None where there is none, or no answer."""
    if (width := _WIDTHS.fullmatch(words[number].text)) is not None:
        return [made(f"{_OF_WIDTH[width['type']]}_{width['end']}", words[number])], number + 1
    answered = _answer(words, number)
    if answered is None:
        return _limit(words, number) or _extreme(words, number)
    holds, behind = answered
    return [made("true" if holds else "false", words[number])], behind


def _limit(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`std::numeric_limits<int>::max()` as `INT_MAX`, and the position behind it; None where something else stands."""
    opening = number + 1 + 2 * (texts(words, number, 2) == ("std", "::"))
    if texts(words, opening - 1, 2) != ("numeric_limits", "<"):
        return None
    angle = closing_angle(words, opening)
    asked = () if angle is None else texts(words, angle + 1, 4)
    if angle is None or len(asked) < 4 or (asked[0], *asked[2:]) != ("::", "(", ")"):
        return None
    type_ = _type(list(words[opening + 1 : angle]))
    prefix = _LIMITS.get(type_)
    if prefix is None:
        return None
    is_floating, is_unsigned = type_ in _FLOATING, type_.startswith("unsigned")
    least = (
        f"( - {prefix}_MAX )" if is_floating else f"( {prefix}_MAX - {prefix}_MAX )" if is_unsigned else f"{prefix}_MIN"
    )
    known = {
        "max": f"{prefix}_MAX",
        "lowest": least,
        "min": f"{prefix}_MIN" if is_floating else least,
        **({"infinity": f"( ( {type_} ) INFINITY )", "epsilon": f"{prefix}_EPSILON"} if is_floating else {}),
    }
    value = known.get(asked[1])
    return None if value is None else ([made(one, words[number]) for one in value.split()], angle + 5)


def _extreme(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`std::max<int>(a, b)`, `std::max({a, b, c})` and `clamp<int>(a, b, c)` as calls of numbers; None for others."""
    follows = texts(words, number, 3)
    if follows[:2] not in {("std", "::"), ("sycl", "::")} or follows[2:] not in {("min",), ("max",), ("clamp",)}:
        return None
    count = 3 if follows[2] == "clamp" else 2
    opening, type_ = number + 3, []
    if texts(words, opening, 1) == ("<",) and (angle := closing_angle(words, opening)) is not None:
        opening, type_ = angle + 1, list(words[opening + 1 : angle])
    is_list = texts(words, opening, 2) == ("(", "{")
    if texts(words, opening, 1) != ("(",) or not (type_ or is_list) or (type_ and not _is_known(_type(type_))):
        return None
    last = closing(words, opening)
    parts = listed(words, opening + 1 + is_list, last - is_list)
    if len(parts) < 2 or not all(parts) or (not is_list and len(parts) != count):
        return None
    at = words[number]
    if type_:
        parts = [[made("(", at), *type_, made(")", at), made("(", at), *part, made(")", at)] for part in parts]
    if follows[2] == "clamp":
        given = [word for part in parts for word in (made(",", at), *with_traits(part))][1:]
        return [*words[number : number + 3], made("(", at), *given, made(")", at)], last + 1
    *others, found = [with_traits(part) for part in parts]
    for part in reversed(others):
        found = [*words[number : number + 3], made("(", at), *part, made(",", at), *found, made(")", at)]
    return found, last + 1


def _answer(words: Sequence[Piece], number: int) -> tuple[bool, int] | None:
    """Whether a question for types that begins at a position holds, and the position behind it; None for others."""
    follows = texts(words, number, 4)
    if len(follows) < 4 or follows[:2] != ("std", "::") or follows[3] != "<":
        return None
    name, is_value = follows[2].removesuffix("_v"), follows[2].endswith("_v")
    angle = closing_angle(words, number + 3)
    if angle is None or not (name == _SAME or name in _OF_ONE):
        return None
    behind = angle + 1
    if not is_value:
        asked = texts(words, behind, 2)
        if asked not in {("::", "value"), ("{", "}"), ("(", ")")}:
            return None
        behind += 2
    types = [_type(one) for one in listed(words, number + 4, angle)]
    if len(types) != (2 if name == _SAME else 1) or not all(map(_is_known, types)):
        return None
    return (types[0] == types[1] if name == _SAME else _OF_ONE[name](types[0])), behind


def _type(words: Words) -> str:
    """A type as it is spelled first, without the namespace that it may stand in."""
    spelled = " ".join(word.text for word in words if word.text not in {"std", "sycl", "::"})
    base, star, rest = spelled.partition(" *")
    return _SPELLED.get(base, base) + star + rest


def _is_known(type_: str) -> bool:
    return type_.partition(" *")[0] in _WHOLE | _FLOATING
