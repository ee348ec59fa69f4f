"""What stands beside the functions of a program, without classes that nothing names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.front_end.cpp.words import closing, closing_angle, end_of_statement, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece


def mentioned(rest: Sequence[Piece], words: Sequence[Piece]) -> Words:
    """What stands beside functions, without classes that nothing names."""
    parts = list(_parts(rest))
    names = {word.text for word in words}
    names |= {word.text for name, part in parts if name is None for word in part}
    kept: set[str] = set()
    while fresh := {name for name, _ in parts if name is not None and name in names} - kept:
        kept |= fresh
        names |= {word.text for name, part in parts if name in fresh for word in part}
    return [word for name, part in parts if name is None or name in kept for word in part]


def _parts(rest: Sequence[Piece]) -> Iterator[tuple[str | None, Words]]:
    """What stands beside functions, one part after the other, each class with its name."""
    number = 0
    while number < len(rest):
        start = number
        if texts(rest, number, 2) == ("template", "<") and (angle := closing_angle(rest, number + 1)) is not None:
            number = angle + 1
        follows = texts(rest, number, 2)
        is_class = len(follows) == 2 and follows[0] in {"class", "struct"}
        is_operator = any(word.text == "operator" for word in rest[number : _opening(rest, number)])
        number = closing(rest, _opening(rest, number)) + 1 if is_operator else end_of_statement(rest, number) + 1
        yield (follows[1] if is_class and not is_operator else None), list(rest[start:number])


def _opening(words: Sequence[Piece], number: int) -> int:
    """The position of the brace that opens before the end of a statement."""
    while number < len(words) and words[number].text not in {"{", ";"}:
        number += 1
    return number
