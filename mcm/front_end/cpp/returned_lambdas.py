"""Functions that return a lambda, and do nothing else: the lambda in place of their calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.definitions import NUMBERS, bare_type, definitions
from mcm.front_end.cpp.words import closing, is_name, listed, made, replaced, substituted, texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.front_end.cpp.definitions import Definition, Parameter
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece


def with_returned_lambdas(words: Sequence[Piece]) -> Words:
    """The words with lambdas in place of calls of functions that return them."""
    found, _, several = definitions(words)
    functions = {name: one for name, one in found.items() if name not in several and _lambda(one) is not None}
    if not functions:
        return list(words)

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        name = words[number].text
        if name not in functions or texts(words, number + 1, 1) != ("(",) or (number and _is_other(words[number - 1])):
            return None
        last = closing(words, number + 1)
        return _called(words[number], functions, listed(words, number + 2, last)), last + 1

    kept = {id(word) for one in functions.values() for word in one.words}
    return replaced([word for word in words if id(word) not in kept], at)


def _is_other(before: Piece) -> bool:
    """Whether what stands before the name of a function makes it that of a member."""
    return before.text in {".", "->", "::"}


def _lambda(one: Definition) -> Words | None:
    """The lambda that a function returns, and does nothing else; None for other functions."""
    if one.templates or texts(one.body, 1, 2) != ("return", "[") or texts(one.body, len(one.body) - 2, 1) != (";",):
        return None
    value = one.body[2:-2]
    brace = next((n for n in range(closing(value, 0), len(value)) if value[n].text == "{"), len(value))
    captures = {word.text for word in value[: closing(value, 0)]}
    return value if closing(value, brace) == len(value) - 1 and "&" not in captures else None


def _called(word: Piece, functions: Mapping[str, Definition], arguments: list[Words]) -> Words:
    one = functions[word.text]
    value = _lambda(one)
    assert value is not None
    are_plain = all(
        len(argument) == 1 and (is_name(argument[0]) or argument[0].text.isdecimal()) for argument in arguments
    )
    if len(arguments) != len(one.parameters) or not are_plain:
        message = f"'{word.text}', which returns a lambda, is passed names and numbers here, one for each parameter"
        assert word.span is not None
        raise InputError(Diagnostic("E207", message, word.span))
    meant = {each.name: _passed(each, argument) for each, argument in zip(one.parameters, arguments, strict=True)}
    behind = closing(value, 0)
    # What it copies are names of where it stands now.
    return [*(made(sign, value[0]) for sign in "[=]"), *substituted(value[behind + 1 :], meant)]


def _passed(parameter: Parameter, argument: Words) -> Words:
    """What a parameter stands for: a number is one of its type."""
    type_, at = bare_type(parameter.type), argument[0]
    if not {word.text for word in type_} <= NUMBERS:
        return argument
    return [made("(", at), made("(", at), *type_, made(")", at), *argument, made(")", at)]
