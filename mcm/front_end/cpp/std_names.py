"""Names of the standard library as they are qualified: behind `using namespace std;`, and `begin(v)` of containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.constant_names import NO_TYPES
from mcm.front_end.cpp.words import closing_angle, is_name, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# What is called, or has arguments for its template; what SYCL has too is left as it stands.
_CALLED: Final = frozenset(
    {
        *("accumulate", "copy", "copy_n", "count", "count_if", "equal", "fill", "fill_n", "for_each", "generate"),
        "generate_n",
        *("inner_product", "iota", "is_sorted", "make_pair", "max_element", "min_element", "numeric_limits", "pair"),
        *("partial_sum", "reverse", "setfill", "setprecision", "setw", "sort", "swap", "transform", "greater", "less"),
    }
)
# What is said of a container by its name, `begin(v)`.
_OF_CONTAINERS: Final = frozenset({"begin", "end", "cbegin", "cend"})
_MANIPULATORS: Final = frozenset(
    {
        *("boolalpha", "dec", "defaultfloat", "fixed", "flush", "hex", "left", "noboolalpha", "oct", "right"),
        *("scientific", "showpoint"),
    }
)
_NOT_BEFORE: Final = frozenset({".", "->", "::"})


def with_std_names(words: Sequence[Piece]) -> Words:
    """The words with `std::` before what the standard library has, and the program does not."""
    is_used = any(texts(words, n, 3) == ("using", "namespace", "std") for n in range(len(words)))
    own = {words[number].text for number in range(1, len(words)) if _is_own(words, number)}

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        text = words[number].text
        if text in own or (number and words[number - 1].text in _NOT_BEFORE):
            return None
        if (forwarded := _forwarded(words, number)) is not None:
            return forwarded
        if _is_found_by_argument(words, number):
            return [made("std", words[number]), made("::", words[number]), words[number]], number + 1
        if not is_used:
            return None
        behind = texts(words, number + 1, 1)
        is_shown = number > 0 and words[number - 1].text == "<<" and behind in {("<<",), (";",)}
        if (text in _CALLED and behind in {("(",), ("<",)}) or (text in _MANIPULATORS and is_shown):
            return [made("std", words[number]), made("::", words[number]), words[number]], number + 1
        return None

    return replaced(words, at)


def _forwarded(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """The name that is passed on, `std::forward<F>(f)`, and the position behind the call."""
    start = number + 2 * (texts(words, number, 2) == ("std", "::"))
    if texts(words, start, 2) != ("forward", "<") or (angle := closing_angle(words, start + 1)) is None:
        return None
    follows = texts(words, angle + 1, 3)
    is_call = len(follows) == 3 and (follows[0], follows[2]) == ("(", ")")
    return ([words[angle + 2]], angle + 4) if is_call else None


def _is_found_by_argument(words: Sequence[Piece], number: int) -> bool:
    """Whether a function is called that is found without its namespace, as that is the one of its argument."""
    follows = texts(words, number, 4)
    return len(follows) == 4 and follows[0] in _OF_CONTAINERS and (follows[1], follows[3]) == ("(", ")")


def _is_own(words: Sequence[Piece], number: int) -> bool:
    """Whether a name may be declared where it stands; a manipulator stands behind `<<`, and nowhere else."""
    text, before = words[number].text, words[number - 1]
    if text in _MANIPULATORS:
        return before.text not in {"<<", "::"}
    is_reference = before.text in {"&", "*"} and texts(words, number + 1, 1) in {("=",), (",",), (")",), (";",)}
    return is_reference or (is_name(before) and before.text not in NO_TYPES)
