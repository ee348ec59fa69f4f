"""References among the parameters of functions of the host that stand in place of their calls.

A name is what is passed, wherever the function names its parameter. An element is the one that it is when the function
is called, `f(x[n++])`; a value is made then, and a kernel has a copy of either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.definitions import NUMBERS, assigns, bare_type
from mcm.front_end.cpp.words import STEPS, closing, is_in_lambda, is_name, made

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_HOST_TASK: Final = "host_task"
_OF_PLACE: Final = frozenset({".", "->", "::"})
_OF_NAMES: Final = frozenset({"std", "sycl", "::"})


def is_bound_at_once(
    argument: Sequence[Piece], type_: Words, body: Sequence[Piece], name: str, several: Collection[str]
) -> bool:
    """Whether it matters that what is passed for a reference to a number is looked for when the function is called.

    `several` are the names that are passed for other parameters, too.
    """
    numbers = {word.text for word in bare_type(type_)} - _OF_NAMES
    if len(argument) < 2 or argument[0].text in {"&", "["} or not numbers or not numbers <= NUMBERS:
        return False
    if not _is_element(argument):
        return "const" in {word.text for word in type_}
    named = {word.text for word in argument if is_name(word)}
    if any(word.text in STEPS or word.text == "(" for word in argument):
        return True
    if any(one in several or assigns(body, one) for one in named):
        return True
    is_in_task = any(word.text == _HOST_TASK for word in body)
    in_lambdas = any(word.text == name and is_in_lambda(body, number) for number, word in enumerate(body))
    return in_lambdas and not is_in_task and not assigns(body, name)


def declared_reference(argument: Words, type_: Words, variable: Piece) -> Words:
    """The declaration of a reference to an element, or of a variable for a value."""
    words = type_ if _is_element(argument) else [word for word in type_ if word.text != "&"]
    return [*words, variable, made("=", variable), *argument, made(";", variable)]


def _is_element(argument: Sequence[Piece]) -> bool:
    """Whether an argument is `x[i]`, `*p` or `p->n`: an object that more decides than a name."""
    number = 0
    while number < len(argument) and argument[number].text == "*":
        number += 1
    is_element = number > 0
    while number < len(argument):
        text = argument[number].text
        if text == "[":
            number = closing(argument, number)
            is_element = True
        elif not is_name(argument[number]) and text not in _OF_PLACE:
            return False
        is_element |= text == "->"
        number += 1
    return is_element
