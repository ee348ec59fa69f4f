"""Numbers that the arguments of templates come to: `std::array<int, 2 * n>`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.constant_names import ConstantNames
from mcm.front_end.cpp.numbers import no_functions, number_of
from mcm.front_end.cpp.words import closing_angle, listed, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.numbers import Known
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# Classes of the language whose templates take numbers.
_CLASSES: Final = frozenset({"array", "vec", "marray"})


def with_numbers(words: Sequence[Piece]) -> Words:
    """The words with numbers for what the arguments of templates come to: `std::array<int, 2 * n>`."""
    names = _CLASSES | _templates(words)
    if not any(word.text in names for word in words):
        return list(words)
    constants = ConstantNames(words, no_functions)
    return replaced(words, lambda words, number: _folded(words, number, names, constants.at(number)))


def _folded(words: Sequence[Piece], number: int, names: frozenset[str], known: Known) -> tuple[Words, int] | None:
    """A template with its arguments that begins at a position, and the position behind it; None for anything else."""
    if words[number].text not in names or texts(words, number + 1, 1) != ("<",):
        return None
    angle = closing_angle(words, number + 1)
    if angle is None or _closes_inner(words[number + 2 : angle + 1]):
        return None
    found = list(words[number : number + 2])
    for place, part in enumerate(listed(words, number + 2, angle)):
        found += [made(",", words[angle])] * (place > 0)
        found += with_number(replaced(part, lambda words, inner: _folded(words, inner, names, known)), known)
    return [*found, words[angle]], angle + 1


def _closes_inner(words: Sequence[Piece]) -> bool:
    """Whether the `>>` at the end closes the arguments of an argument, too, which are looked at by themselves."""
    return words[-1].text == ">>" and sum({"<": 1, ">": -1, ">>": -2}.get(word.text, 0) for word in words) == -1


def with_number(part: Words, known: Known) -> Words:
    """An argument, as the number that it comes to if it is one."""
    number = number_of(part, known)
    return part if number is None or not part else [made(str(number), part[0])]


def _templates(words: Sequence[Piece]) -> set[str]:
    """The names of the classes and functions of a program that are templates."""
    found: set[str] = set()
    for number in range(len(words)):
        if texts(words, number, 2) != ("template", "<") or (angle := closing_angle(words, number + 1)) is None:
            continue
        opening = next((n for n in range(angle + 1, len(words)) if words[n].text in {"(", "{", ";"}), len(words))
        is_class = texts(words, angle + 1, 1) in {("class",), ("struct",)}
        found.update(texts(words, angle + 2 if is_class else opening - 1, 1))
    return found
