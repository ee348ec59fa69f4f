"""Declarations of functions of the host that are defined elsewhere in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.front_end.cpp.definitions import parameter_of
from mcm.front_end.cpp.words import closing, closing_angle, end_of_statement, is_name, listed, texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.front_end.cpp.definitions import Definition, Parameter
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece


def with_prototypes(functions: Mapping[str, Definition], rest: Sequence[Piece]) -> tuple[dict[str, Definition], Words]:
    """Functions with the values that prototypes give parameters, and the other words without these prototypes.

    Those of functions that kernels may call stay: they are functions of the test.
    """
    found = dict(functions)
    kept: Words = []
    number = 0
    while number < len(rest):
        end = end_of_statement(rest, number) + 1
        # What stands in braces is no prototype.
        brace = next((n for n in range(number, min(end, len(rest))) if rest[n].text == "{"), end)
        behind = end if brace == end else closing(rest, brace) + 1
        prototype = None if brace < end else _prototype(list(rest[number:end]))
        one = None if prototype is None else found.get(prototype[0])
        if prototype is None or one is None or not (one.is_of_host or one.templates):
            kept += rest[number:behind]
        else:
            found[one.name.text] = _with_defaults(one, prototype[1])
        number = behind
    return found, kept


def _prototype(words: Words) -> tuple[str, list[Parameter]] | None:
    """The name and the parameters of a function that a statement declares; None where it does something else."""
    start = 0
    if texts(words, 0, 2) == ("template", "<"):
        start = (closing_angle(words, 1) or 0) + 1
    opening = next((n for n in range(start, len(words)) if words[n].text in {"(", "="}), len(words))
    if opening < start + 2 or texts(words, opening, 1) != ("(",) or not is_name(words[opening - 1]):
        return None
    last = closing(words, opening)
    if last != len(words) - 2:
        return None
    return words[opening - 1].text, [parameter_of(part) for part in listed(words, opening + 1, last) if part]


def _with_defaults(one: Definition, declared: Sequence[Parameter]) -> Definition:
    if len(declared) != len(one.parameters):
        return one
    pairs = zip(one.parameters, declared, strict=True)
    return replace(one, parameters=tuple(replace(own, default=own.default or other.default) for own, other in pairs))
