"""The work-item that asks who it is, `this_work_item::get_nd_item<1>()`: that of the kernel, by a name.

A function that asks is passed the work-item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.definitions import definitions
from mcm.front_end.cpp.launch_calls import launch_calls
from mcm.front_end.cpp.words import (
    closing,
    closing_angle,
    is_name,
    listed,
    made,
    replaced,
    texts,
    with_first_arguments,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from mcm.front_end.cpp.launch_calls import LaunchCall
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# What is asked for, and what the work-item says of it; those of before SYCL 2020 revision 8 stand in `experimental`.
_ASKED: Final = {
    "get_nd_item": "",
    "get_work_group": "get_group",
    "get_sub_group": "get_sub_group",
    "this_nd_item": "",
    "this_group": "get_group",
    "this_sub_group": "get_sub_group",
}
_NAMESPACES: Final = frozenset({"this_work_item", "experimental"})
_ITEM: Final = "this_item_of_kernel"


def with_items_passed(words: Sequence[Piece]) -> Words:
    """The words with the work-item of the kernel in place of questions for it."""
    found = list(words)
    if not any(_asked_at(found, number) for number in range(len(found))):
        return found
    asking = _functions_that_ask(found)
    for launch in reversed(launch_calls(found)):
        start, end = launch.body
        if _asks(found[start:end], asking):
            found = _in_kernel(found, launch, asking)
    return _in_functions(found, asking)


def _asked_at(words: Sequence[Piece], number: int) -> tuple[str, Words, int] | None:
    """What is asked for at a position, of how many dimensions, and the position behind it."""
    start = number
    while len(follows := texts(words, number, 2)) == 2 and follows[1] == "::" and is_name(words[number]):
        number += 2
    is_asked = number > start and words[number - 2].text in _NAMESPACES and words[number].text in _ASKED
    if not is_asked or (start and words[start - 1].text in {"::", ".", "->"}):
        return None
    name, behind, dimensions = words[number].text, number + 1, []
    if texts(words, behind, 1) == ("<",) and (angle := closing_angle(words, behind)) is not None:
        dimensions = list(words[behind + 1 : angle])
        behind = angle + 1
    return (name, dimensions, behind + 2) if texts(words, behind, 2) == ("(", ")") else None


def _asks(words: Sequence[Piece], asking: Collection[str]) -> bool:
    """Whether a body asks for the work-item, or calls a function that does."""
    return any(
        _asked_at(words, n) is not None or (word.text in asking and _is_call(words, n)) for n, word in enumerate(words)
    )


def _is_call(words: Sequence[Piece], number: int) -> bool:
    return texts(words, number + 1, 1) in {("(",), ("<",)} and words[number - 1].text not in {".", "->"}


def _functions_that_ask(words: Sequence[Piece]) -> dict[str, Words]:
    """The functions of the device that ask, or call others that do, and the dimensions that they ask for."""
    functions, _, _ = definitions(words)
    found: dict[str, Words] = {}
    while True:
        others = {
            name: _dimensions(one.body, found)
            for name, one in functions.items()
            if name not in found and not one.is_of_host and name != "main" and _asks(one.body, found)
        }
        if not others:
            return found
        found |= others


def _dimensions(body: Sequence[Piece], known: dict[str, Words]) -> Words:
    """The dimensions of the work-item that a body asks for; a sub-group says nothing of them."""
    for number, word in enumerate(body):
        asked = _asked_at(body, number)
        if asked is not None and asked[1]:
            return asked[1]
        if word.text in known and _is_call(body, number):
            return known[word.text]
    return [made("1", body[0])]


def _with_item(words: Sequence[Piece], item: str, asking: Collection[str]) -> Words:
    """The words of a body in which the work-item has a name."""

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        asked = _asked_at(words, number)
        if asked is not None:
            member = _ASKED[asked[0]]
            called = [made(text, words[number]) for text in ((".", member, "(", ")") if member else ())]
            return [made(item, words[number]), *called], asked[2]
        if words[number].text not in asking or not _is_call(words, number):
            return None
        return with_first_arguments(words, number, [[made(item, words[number])]], at)

    return replaced(words, at)


def _in_kernel(words: Words, launch: LaunchCall, asking: Collection[str]) -> Words:
    """The words with a name for the work-item of one kernel."""
    start, end = launch.body
    body = _with_item(words[start:end], item := _item_of(words, launch), asking)
    found = [*words[:start], *body, *words[end:]]
    if launch.brackets is not None and not any(word.text == item for word in words[slice(*launch.brackets)]):
        found.insert(launch.brackets[1], made(item, words[launch.name]))
    return found


def _item_of(words: Words, launch: LaunchCall) -> str:
    """The name of the parameter of a kernel; one that is made up where it has none."""
    if launch.brackets is None:
        return _ITEM
    parameter = (listed(words, launch.brackets[0] + 1, launch.brackets[1]) or [[]])[0]
    is_named = len(parameter) > 1 and is_name(parameter[-1]) and parameter[-2].text != "::"
    return parameter[-1].text if is_named else _ITEM


def _in_functions(words: Words, asking: dict[str, Words]) -> Words:
    """The words with the work-item as first parameter of functions that ask."""
    functions, _, _ = definitions(words)
    found = list(words)
    for name, dimensions in asking.items():
        one = functions[name]
        start = next(n for n, word in enumerate(found) if word is one.name)
        last = closing(found, start + 1)
        brace = next(n for n in range(last, len(found)) if found[n].text == "{")
        end = closing(found, brace)
        body = _with_item(found[brace:end], _ITEM, asking)
        at = one.name
        head = [made(text, at) for text in ("sycl", "::", "nd_item", "<")]
        inner = found[start + 2 : last]
        is_empty = not inner or [word.text for word in inner] == ["void"]
        comma = [] if is_empty else [made(",", at)]
        parameter = [*head, *dimensions, made(">", at), made(_ITEM, at), *comma]
        found[start + 2 : end] = [*parameter, *([] if is_empty else inner), *found[last:brace], *body]
    return found
