"""Questions for types, `std::is_same_v<T, int>`, as `true` and `false`, where templates have their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing_angle, listed, made, texts

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
    found: Words = []
    number = 0
    while number < len(words):
        answered = _answer(words, number)
        if answered is None:
            found.append(words[number])
            number += 1
        else:
            holds, behind = answered
            found.append(made("true" if holds else "false", words[number]))
            number = behind
    return found


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
