"""Where objects of the host end: what their destructors do is done where their blocks are left, the last one first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.members_of_objects import in_object
from mcm.front_end.cpp.returns import with_ends
from mcm.front_end.cpp.words import closing, end_of_block, end_of_statement, is_in_lambda, made, texts
from mcm.sycl.held_buffers import AT_END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.members_of_objects import HostObject
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_LEAVING: Final = frozenset({"return", "break", "continue", "goto"})
_MARK: Final = ("if", "(", AT_END, ")", "{")


def end_of(one: HostObject) -> Words:
    """The statement behind the declaration of an object that says what is done where its block is left."""
    destructor = one.class_.destructor
    if destructor is None:
        return []
    body = with_ends(destructor.body, f"~{one.class_.name}", lambda value: value)
    return at_end(in_object(body, one, {})[1:-1])


def at_end(statements: Words) -> Words:
    """The statement that says what is done where the block that it stands in is left."""
    if not statements:
        return []
    at, last = statements[0], statements[-1]
    return [*(made(word, at) for word in _MARK), *statements, made("}", last)]


def with_ends_behind(words: Sequence[Piece]) -> Words:
    """The words with what is done at ends behind a block, where nothing leaves the block before its end.

    What ends in the block ends before it. Elsewhere it stays where it is, and is done wherever the block is left.
    """
    found = list(words)
    for number in reversed(range(len(found))):
        if texts(found, number, len(_MARK)) != _MARK:
            continue
        opening = number + len(_MARK) - 1
        behind = closing(found, opening) + 1
        end = end_of_block(found, behind)
        inner, last = _last(found[behind:end])
        if any(word.text in _LEAVING and not is_in_lambda(inner, n) for n, word in enumerate(inner)):
            continue
        at = found[number]
        found[number:end] = [made("{", at), *inner, made("}", at), *found[opening:behind], *last]
    return found


def _last(words: Words) -> tuple[Words, Words]:
    """The rest of a block without a last `return x;`, whose value is read where it stands, and what returns."""
    start = next((n for n in range(len(words)) if words[n].text == "return" and not is_in_lambda(words, n)), len(words))
    end = end_of_statement(words, start)
    if start == len(words) or end != len(words) - 1 or end_of_block(words, start) != len(words):
        return words, []
    if start and words[start - 1].text not in {";", "{", "}"}:
        return words, []
    at = words[start]
    value = words[start + 1 : end]
    read = [made("+", at), made("(", at), *value, made(")", at), words[end]]
    is_read = any(not word.text[0].isdecimal() and not word.text.startswith("EXIT_") for word in value)
    return [*words[:start], *(read if is_read else [])], [at, made("0", at), words[end]]
