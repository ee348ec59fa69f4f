"""Variables of functions that live as long as the program, `queue& here() { static queue q; return q; }`.

They are variables of the file. A function that does nothing but return one is a name for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.definitions import definitions
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    end_of_statement,
    is_in_lambda,
    is_name,
    made,
    replaced,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.front_end.cpp.definitions import Definition
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_MAIN: Final = "main"
_STATIC: Final = "static"
_CONSTANT: Final = frozenset({"const", "constexpr"})
_BEHIND_NAMES: Final = frozenset({"=", "{", "(", ";"})
_NO_CALLS: Final = frozenset({".", "->", "::", "&", "*", ">"})


def with_statics_of_file(words: Sequence[Piece]) -> Words:
    """The words with variables of the file in place of those of functions that are `static`."""
    found = list(words)
    names: dict[str, Piece] = {}
    functions, _, _ = definitions(words)
    for one in functions.values():
        if one.name.text == _MAIN or one.templates:
            continue
        start = next(n for n, word in enumerate(found) if word is one.name)
        opening = closing(found, start + 1)
        while found[opening].text != "{":
            opening += 1
        body = found[opening : closing(found, opening) + 1]
        declared, left = _apart(body, one, functions)
        found[opening : opening + len(body)] = left
        first = start - len(one.head)
        found[first:first] = declared
        returns_it = texts(left, 1, 1) == ("return",) and texts(left, 3, 2) == (";", "}")
        if (declared or _refers(one)) and not one.parameters and returns_it:
            names[one.name.text] = left[2]

    def called(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        """The variable in place of a call of the function that returns it."""
        name = names.get(words[number].text)
        before = words[number - 1] if number else None
        if name is None or before is None or texts(words, number + 1, 2) != ("(", ")"):
            return None
        is_type = is_name(before) and before.text != "return"
        return None if is_type or before.text in _NO_CALLS else ([made(name.text, words[number])], number + 3)

    return replaced(found, called)


def _refers(one: Definition) -> bool:
    """Whether a function returns a reference: what it returns outlives it."""
    return texts(one.head, len(one.head) - 1, 1) == ("&",)


def _apart(body: Words, one: Definition, functions: Collection[str]) -> tuple[Words, Words]:
    """The declarations of such variables of a function, with names of their own, and the body without them.

    What is const, and begins with the same value in each call, is a variable of the call.
    """
    own = {*declared_names(body), *(parameter.name for parameter in one.parameters), *functions}
    declared: Words = []
    left: Words = []
    meant: dict[str, Words] = {}
    number = 0
    while number < len(body):
        end = end_of_statement(body, number) if body[number].text == _STATIC else number
        name = _variable(body, number, end, own)
        if name is None:
            left.append(body[number])
            number += 1
            continue
        if any(word.text in _CONSTANT for word in body[number:end]):
            left += body[number + 1 : end + 1]
            number = end + 1
            continue
        meant[name.text] = [made(f"{name.text}_of_{one.name.text}", name)]
        declared += substituted(body[number : end + 1], meant)
        number = end + 1
    return declared, substituted(left, meant)


def _variable(body: Words, number: int, end: int, own: set[str]) -> Piece | None:
    """The name of a variable whose declaration begins at a position, and says nothing of others of the function."""
    if end == number or not begins_statement(body, number) or is_in_lambda(body, number):
        return None
    sign = next((n for n in range(number, end + 1) if body[n].text in _BEHIND_NAMES), end)
    name = body[sign - 1]
    inside = body[number:end]
    is_one = is_name(name) and sign > number + 2
    refers = any(word.text in own - {name.text} for word in inside)
    is_once = sum(word.text == name.text for word in inside) == 1
    return name if is_one and is_once and not refers else None
