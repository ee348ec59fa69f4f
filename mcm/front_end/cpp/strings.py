"""Texts of a program, `std::string name = "a";`: no memory that the model is about, and only shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import end_of_statement, is_name, made, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_QUALIFIERS: Final = frozenset({"const", "constexpr", "static"})
_BEFORE: Final = frozenset({";", "{", "}", ")"})
_BEHIND_NAMES: Final = frozenset({"=", "(", "{", ";", "["})
# What a device, a platform or an exception calls itself.
_NAMES: Final = frozenset({"name", "vendor", "version", "driver_version", "what"})


def without_strings(words: Sequence[Piece]) -> tuple[Words, frozenset[str]]:
    """The words with output in place of declarations and changes of texts, and the names of these.

    What a text is made of is read as if it were shown: `std::string s = std::to_string(*x);`.
    """
    found: Words = []
    names: set[str] = set()
    number = 0
    while number < len(words):
        is_first = not found or found[-1].text in _BEFORE
        name = _declared(words, number) if is_first else None
        if is_first and words[number].text in names and texts(words, number + 1, 1) in {("=",), ("+=",)}:
            name = words[number].text
        if name is None:
            found.append(words[number])
            number += 1
        else:
            names.add(name)
            end = end_of_statement(words, number)
            place = next(n for n in range(number, end) if words[n].text == name) + 1
            at = words[number]
            value = [one for one in words[place:end] if one.text not in {"=", "+="}]
            found += [made(one, at) for one in ("std", "::", "cout", "<<", "0")]
            found += [made("<<", at), *value] if value else []
            found += words[end : end + 1]
            number = end + 1
    return found, frozenset(names)


def _declared(words: Sequence[Piece], number: int) -> str | None:
    """The name of a text that is declared at a position; None where something else stands."""
    while texts(words, number, 1) and words[number].text in _QUALIFIERS:
        number += 1
    match texts(words, number, 5):
        case ("std", "::", "string" | "string_view", name, behind) if behind in _BEHIND_NAMES and is_name(
            words[number + 3]
        ):
            return name
        case ("char", "*", name, "=" | "{", _):
            return name if _is_text(words, number + 4) else None
        case ("char", "*", "const", name, "="):
            return name if _is_text(words, number + 5) else None
        case ("char", name, "[", "]", "="):
            return name if _is_text(words, number + 5) else None
        case ("auto", name, "=" | "{" | "(", *_):
            return name if _is_text(words, number + 3) or _asks_for_name(words, number + 3) else None
        case _:
            return None


def _is_text(words: Sequence[Piece], number: int) -> bool:
    return number < len(words) and words[number].text.startswith('"')


def _asks_for_name(words: Sequence[Piece], number: int) -> bool:
    """Whether a value is what something calls itself: `dev.get_info<info::device::name>()`."""
    value = [word.text for word in words[number : end_of_statement(words, number)]]
    if "get_info" not in value or "<" not in value:
        return False
    asked = value[value.index("<") : value.index(">")] if ">" in value else []
    return len(asked) > 1 and asked[-1] in _NAMES
