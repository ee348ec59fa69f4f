"""Random numbers of C++ in terms of `rand()`: engines, and distributions such as `uniform_int_distribution<int>`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import (
    closing,
    closing_angle,
    end_of_statement,
    is_member,
    is_name,
    listed,
    made,
    replaced,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_ENGINES: Final = frozenset(
    {"random_device", "mt19937", "mt19937_64", "default_random_engine", "minstd_rand", "minstd_rand0", "ranlux48"}
)
_INTEGERS: Final = "uniform_int_distribution"
_DISTRIBUTIONS: Final = {_INTEGERS: "int", "uniform_real_distribution": "double", "normal_distribution": "double"}
_LARGEST: Final = "32767"


class _Distribution(Struct, frozen=True):
    """A distribution: the type of its numbers, and what they lie between."""

    kind: str
    type: Words
    bounds: list[Words]


def with_random_numbers(words: Sequence[Piece]) -> Words:
    """The words with `rand()` in place of what engines and distributions give."""
    engines: set[str] = set()
    distributions: dict[str, _Distribution] = {}

    def meant(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        at = words[number]
        if is_member(words, number):
            return None
        if at.text == "RAND_MAX":
            return [made(_LARGEST, at)], number + 1
        if (end := _declared(words, number, engines, distributions)) is not None:
            return [], end
        follows = texts(words, number + 1, 3)
        if at.text in engines and follows[:2] == ("(", ")"):
            return code(at, "std :: rand ( )"), number + 3
        if at.text in distributions and follows[:1] == ("(",) and follows[2:] == (")",) and follows[1] in engines:
            return _number(at, distributions[at.text]), number + 4
        return None

    return replaced(words, meant)


def _declared(
    words: Sequence[Piece], number: int, engines: set[str], distributions: dict[str, _Distribution]
) -> int | None:
    """The position behind the declaration of an engine or a distribution, which is noted; None for anything else."""
    if number and words[number - 1].text not in {";", "{", "}"}:
        return None
    place = number
    while texts(words, place, 1) in {("static",), ("thread_local",), ("const",)}:
        place += 1
    place += 2 * (texts(words, place, 2) == ("std", "::"))
    class_ = texts(words, place, 1)
    end = end_of_statement(words, place) + 1
    if class_ and class_[0] in _ENGINES and is_name(words[place + 1]):
        engines.add(words[place + 1].text)
        return end
    angle = closing_angle(words, place + 1) if texts(words, place + 1, 1) == ("<",) else place
    if not class_ or class_[0] not in _DISTRIBUTIONS or angle is None or not is_name(words[angle + 1]):
        return None
    at = words[place]
    type_ = list(words[place + 2 : angle]) or [made(_DISTRIBUTIONS[at.text], at)]
    has_bounds = texts(words, angle + 2, 1) in {("(",), ("{",)}
    bounds = listed(words, angle + 3, closing(words, angle + 2)) if has_bounds else []
    distributions[words[angle + 1].text] = _Distribution(at.text, type_, bounds)
    return end


def _number(at: Piece, one: _Distribution) -> Words:
    """A number of a distribution."""
    if one.kind not in {_INTEGERS, "uniform_real_distribution"} or (one.kind == _INTEGERS and len(one.bounds) < 2):
        return code(at, "( ( {type} ) ( std :: rand ( ) % 8 ) )", type=one.type)
    low, high = one.bounds if len(one.bounds) == 2 else ([made("0", at)], [made("1", at)])
    pattern = "( ( {type} ) ( ( {low} ) + ( ( {high} ) - ( {low} ) ) * ( std :: rand ( ) % 8 ) / 8.0 ) )"
    if one.kind == _INTEGERS:
        pattern = "( ( {type} ) ( ( {low} ) + std :: rand ( ) % ( ( {high} ) - ( {low} ) + 1 ) ) )"
    return code(at, pattern, type=one.type, low=low, high=high)
