"""The texts that a program is run with, and the numbers that functions of the library make of texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# What a function makes of a text: how numbers of its type end.
_WHOLE: Final = {
    **dict.fromkeys(("atoi", "stoi"), ""),
    **dict.fromkeys(("atol", "stol", "strtol", "atoll", "stoll", "strtoll", "strtoimax"), "l"),
    **dict.fromkeys(("stoul", "strtoul", "stoull", "strtoull", "strtoumax"), "ul"),
}
_FRACTIONS: Final = {**dict.fromkeys(("atof", "stod", "strtod", "stold", "strtold"), ""), "stof": "f", "strtof": "f"}
# These throw where a text does not begin with a number; the others make 0 of it.
_THROWING: Final = frozenset({"stoi", "stol", "stoll", "stoul", "stoull", "stof", "stod", "stold"})
CONVERSIONS: Final = frozenset({*_WHOLE, *_FRACTIONS})
_DIGITS: Final = {10: "[0-9]+", 16: "(?:0[xX])?[0-9a-fA-F]+", 8: "[0-7]+", 2: "[01]+"}
_FRACTION: Final = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_ESCAPES: Final = {"n": "\n", "t": "\t", "0": "\0", "r": "\r"}


class RunTexts(Struct, frozen=True):
    """What `argv` holds: the name of the program, and its arguments."""

    all: tuple[str, ...]

    @property
    def count(self) -> int:
        """What `argc` is."""
        return len(self.all)

    @property
    def told(self) -> str:
        """How the program is run, in words."""
        given = " ".join(self.all[1:])
        return f"with the arguments '{given}'" if given else "without arguments"


def converted(name: str, text: str, base: int = 10) -> str | None:
    """The number that a function makes of a text, as it is written in C++; None where it throws.

    >>> converted("atoi", "12 steps"), converted("stoul", "0x10", 16), converted("atof", "2"), converted("stoi", "x")
    ('12', '16ul', '2.0', None)
    """
    if name in _FRACTIONS:
        found = _FRACTION.match(text)
        if found is None and name in _THROWING:
            return None
        return _negated(f"{float(found[1]) if found else 0.0!r}{_FRACTIONS[name]}")
    if base == 0:
        base = 16 if text.lstrip(" +-")[:2].lower() == "0x" else 8 if text.lstrip(" +-")[:1] == "0" else 10
    found = re.match(rf"\s*([+-]?{_DIGITS.get(base, '[0-9]+')})", text)
    if found is None and name in _THROWING:
        return None
    return _negated(f"{int(found[1], base) if found else 0}{_WHOLE[name]}")


def options_of(form: str, arguments: Sequence[str]) -> list[tuple[str, str]] | None:
    """The options that `getopt` finds, each with the text behind it; None where one is not known, or has none.

    >>> options_of("n:v", ["-n", "4", "-v"]), options_of("n:", ["-n4"]), options_of("n:", ["-x"])
    ([('n', '4'), ('v', '')], [('n', '4')], None)
    """
    found: list[tuple[str, str]] = []
    left = list(arguments)
    while left:
        word = left.pop(0)
        if word == "--":
            break
        letters = word[1:] if word.startswith("-") else ""
        while letters:
            letter, letters = letters[0], letters[1:]
            place = form.find(letter)
            if place < 0 or letter == ":":
                return None
            text = ""
            if form[place + 1 : place + 2] == ":":
                if not (letters or left):
                    return None
                text, letters = letters or left.pop(0), ""
            found.append((letter, text))
    return found


def _negated(number: str) -> str:
    return f"( {number} )" if number.startswith("-") else number


def written(text: str) -> str:
    """A text as it is written in a program."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def read(literal: str) -> str:
    """The text that a literal stands for, `"-n"` or `'n'`."""
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), literal[1:-1])


def compared(one: str, other: str) -> int:
    """What `strcmp` says of two texts: less than 0, 0, or more."""
    return (one > other) - (one < other)


# What functions of the library say of texts, by their names.
QUESTIONS: Final[dict[str, Callable[..., int]]] = {
    "strcmp": compared,
    "strcasecmp": lambda one, other: compared(one.lower(), other.lower()),
    "strncmp": lambda one, other, count: compared(one[:count], other[:count]),
    "strlen": len,
    "isdigit": lambda letter: int(chr(letter).isdigit()),
}
# What members of texts say.
MEMBERS: Final[dict[str, Callable[..., int]]] = {
    "compare": compared,
    "size": len,
    "length": len,
    "empty": lambda text: int(not text),
    "starts_with": lambda text, begin: int(text.startswith(begin)),
}
