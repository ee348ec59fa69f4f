"""Local memory that functions of the device make: that of the kernels that call them, which pass a pointer to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.front_end.cpp.definitions import definitions
from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.group_memory import STATIC, Made, all_made, asks_for_memory, begun
from mcm.front_end.cpp.launch_calls import launch_calls
from mcm.front_end.cpp.words import (
    closing,
    is_member,
    made,
    replaced,
    substituted,
    texts,
    with_first_arguments,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.front_end.cpp.definitions import Definition
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_MAIN: Final = "main"


class _Memory(Struct, frozen=True):
    """Memory that a function makes: the name that all functions and kernels have for it, and what it consists of."""

    name: Piece
    made: Made

    @property
    def length(self) -> Words:
        """The number of its elements."""
        return self.made.lengths[0] if self.made.lengths else [made("1", self.name)]


def with_memory_passed(words: Sequence[Piece]) -> Words:
    """The words with parameters of functions in place of local memory that they make."""
    found = list(words)
    if not asks_for_memory(found):
        return found
    functions, _, _ = definitions(found)
    memory = dict(_made_by(functions))
    needed = _needed(functions, memory)
    if not memory or not _are_all_known(found, functions, needed):
        return found
    for launch in reversed(launch_calls(found)):
        start, end = launch.body
        declared = [word for one in _called(found[start:end], needed) for word in _declaration(one)]
        found[start + 1 : start + 1] = declared
    return _with_parameters(_without_making(found, memory), needed)


def _made_by(functions: Mapping[str, Definition]) -> Iterator[tuple[str, list[_Memory]]]:
    """What functions of the device make, where each is a name for an object, or an array of one dimension."""
    for name, one in functions.items():
        if name == _MAIN or one.is_of_host:
            continue
        found = [
            _Memory(made(f"{each.name.text}_of_{name}", each.name), each)
            for each in all_made(one.body, 0, len(one.body))
        ]
        is_plain = all(not each.made.is_pointer and len(each.made.lengths) < 2 for each in found)
        if found and is_plain and not one.templates:
            yield name, found


def _needed(functions: Mapping[str, Definition], memory: Mapping[str, list[_Memory]]) -> dict[str, list[_Memory]]:
    """The memory that functions make, and that of those which they call."""
    found = dict(memory)
    while True:
        others = {
            name: _called(one.body, found)
            for name, one in functions.items()
            if name not in found and name != _MAIN and not one.is_of_host
        }
        others = {name: called for name, called in others.items() if called}
        if not others:
            return found
        found |= others


def _called(body: Words, needed: Mapping[str, list[_Memory]]) -> list[_Memory]:
    """The memory of the functions that a body calls."""
    names = sorted({word.text for n, word in enumerate(body) if _is_call(body, n, needed)})
    return [*{each.name.text: each for name in names for each in needed[name]}.values()]


def _are_all_known(words: Words, functions: Mapping[str, Definition], needed: Mapping[str, list[_Memory]]) -> bool:
    """Whether only functions and kernels that stand where they are launched call these functions."""
    inside = sum(_is_call(functions[name].body, n, needed) for name in needed for n in range(len(functions[name].body)))
    inside += sum(
        _is_call(words, n, needed) for launch in launch_calls(words) for n in range(launch.body[0], launch.body[1])
    )
    named = sum(word.text in needed for word in words)
    return named == inside + len(needed) and all(not functions[name].templates for name in needed)


def _is_call(words: Sequence[Piece], number: int, needed: Mapping[str, list[_Memory]]) -> bool:
    return words[number].text in needed and texts(words, number + 1, 1) == ("(",) and not is_member(words, number)


def _declaration(one: _Memory) -> Words:
    """Memory of a kernel, for what a function makes."""
    pattern = f"sycl :: {STATIC} < {{element}} [ {{length}} ] > {{name}} ;"
    return code(one.name, pattern, element=one.made.element, length=one.length, name=[one.name])


def _without_making(words: Words, memory: Mapping[str, list[_Memory]]) -> Words:
    """The words with pointers in place of what functions make."""
    found = list(words)
    functions, _, _ = definitions(words)
    for name, all_ in memory.items():
        start = next(n for n, word in enumerate(found) if word is functions[name].name)
        brace = next(n for n in range(closing(found, start + 1), len(found)) if found[n].text == "{")
        body = found[brace : closing(found, brace) + 1]
        for one in reversed(all_):
            at = one.name
            named = [at] if one.made.lengths else code(at, "{name} [ 0 ]", name=[at])
            rest = substituted(body[one.made.end :], {one.made.name.text: named})
            body = [*body[: one.made.start], *begun(replace(one.made, name=at)), *rest]
        found[brace : closing(found, brace) + 1] = body
    return found


def _with_parameters(words: Words, needed: Mapping[str, list[_Memory]]) -> Words:
    """The words with pointers as first parameters of functions, and in their calls."""
    functions, _, _ = definitions(words)
    defined = {id(one.name) for name, one in functions.items() if name in needed}

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        if not _is_call(words, number, needed):
            return None
        word = words[number]
        types = [code(word, "{type} *", type=one.made.element) for one in needed[word.text]]
        is_definition = id(word) in defined
        passed = [
            [*(type_ if is_definition else []), made(one.name.text, word)]
            for one, type_ in zip(needed[word.text], types, strict=True)
        ]
        return with_first_arguments(words, number, passed, at)

    return replaced(words, at)
