"""Buffers that write their elements elsewhere than where they come from, `b.set_final_data(p);`, or nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.elements import code, element, place
from mcm.front_end.cpp.words import closing, end_of_block, end_of_statement, is_name, listed, made, texts

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_OPENING: Final = frozenset({"(", "{"})
_BEGINS: Final = ("begin", "cbegin")


def without_final_data(words: Words) -> Words:
    """The words without `b.set_final_data(nullptr);`: the memory that the buffer is made of is const to it.

    Where it is `b.set_final_data(p);`, the end of the block of the buffer copies its elements there.
    """
    found: Words = []
    kept: set[int] = set()
    behind: dict[int, Words] = {}
    number = 0
    while number < len(words):
        follows = texts(words, number, 4)
        is_asked = follows[1:2] == (".",) and follows[3:] == ("(",)
        if not is_asked or follows[2] not in {"set_final_data", "set_write_back"}:
            found.append(words[number])
            number += 1
            continue
        last = closing(words, number + 3)
        target = list(words[number + 4 : last])
        given = [word.text for word in target]
        declared = _declared(found, follows[0])
        if declared is not None and given in (["nullptr"], ["NULL"], ["false"]):
            kept.add(declared)
        elif declared is not None and follows[2] == "set_final_data" and given:
            kept.add(declared)
            behind[declared] = _copy(words[number], declared, target)
        elif given not in ([], ["true"]):
            message = f"where '{follows[0]}' writes its elements is said behind its declaration, by a name or 'nullptr'"
            raise InputError(_at(words[number + 2], message))
        number = end_of_statement(words, number) + 1
    changed = _of_const(found, kept)
    for declared, copy in sorted(behind.items()):
        end = end_of_block(found, declared)
        changed[end] = [*copy, *changed.get(end, found[end : end + 1])]
    return [one for number, word in enumerate(found) for one in changed.get(number, [word])]


def _declared(words: Words, name: str) -> int | None:
    """The position of the name of the last buffer that is declared with it."""
    for number in range(len(words) - 1, 0, -1):
        if words[number].text == name and words[number - 1].text in {">", "buffer", "auto"}:
            return number
    return None


def _at(word: Piece, message: str) -> Diagnostic:
    assert word.span is not None
    return Diagnostic("E207", message, word.span)


def _copy(buffer: Piece, declared: int, target: Words) -> Words:
    """The statement that copies the elements of a buffer."""
    to = place(target)
    if to is None:
        message = f"'{buffer.text}' writes its elements to a container, an array or a pointer that has a name"
        raise InputError(_at(buffer, message))
    number = [made(f"final_{declared}", buffer)]
    pattern = (
        "{ host_accessor {name} ( {of} , read_only ) ; "
        "for ( size_t {i} = 0 ; {i} < {of} . size ( ) ; {i} ++ ) {to} = {name} [ {i} ] ; }"
    )
    name = [made(f"final_accessor_{declared}", buffer)]
    return code(buffer, pattern, name=name, of=[buffer], i=number, to=element(*to, number))


def _of_const(words: Words, names: Collection[int]) -> dict[int, Words]:
    """Words in place of some, by which buffers are made of memory that is const to them: `buffer b(as_const(p), r)`."""
    changed: dict[int, Words] = {}
    for name in names:
        opening = next(n for n in range(name, len(words)) if words[n].text in {*_OPENING, ";"})
        last = closing(words, opening)
        parts = listed(words, opening + 1, last) if words[opening].text != ";" else []
        first = [one.text for one in parts[0]] if parts else []
        if "range" in first or (len(first) == 1 and first[0].isdigit()):
            # One of its own memory writes nothing back.
            continue
        if len(first) > 1 and first[-4:] in [[".", begins, "(", ")"] for begins in _BEGINS]:
            # One of what lies between two places has a copy of it.
            continue
        if not first or not is_name(parts[0][0]) or first[1:] not in ([], [".", "data", "(", ")"]):
            message = f"a buffer that writes elsewhere is of a container or an array, found '{' '.join(first)}'"
            raise InputError(_at(words[opening], message))
        at = words[opening + 1]
        changed[opening + 1] = [made("as_const", at), made("(", at), at, made(")", at)]
    return changed
