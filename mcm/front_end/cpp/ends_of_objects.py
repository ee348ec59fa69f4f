"""Where objects of the host end, in the reverse order of their declarations: what their destructors do stands there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.members_of_objects import in_object
from mcm.front_end.cpp.words import end_of_statement, is_in_lambda, made, outer, texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.front_end.cpp.members_of_objects import HostObject
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# Before the name of an object as a whole: it ends here.
_END: Final = "<end>"
# What waits for commands where it ends.
_WAITING: Final = frozenset({"buffer", "host_accessor"})


def with_ends_of(words: Words, one: HostObject, owner: HostObject | None) -> Words:
    """The rest of the block of an object with marks where it ends: right behind the object that it is a member of."""
    if one.class_.destructor is None:
        return words
    inner, last = _last(words)
    if not _marks(inner) and any(words[n].text in _WAITING for n in outer(words, 0, len(inner))):
        # What ends before the object waits where it ends.
        at = one.name
        inner = _marked_everywhere(inner, one, owner)
        ends = _marks(inner)
        return [made("{", at), *inner[: len(inner) - len(ends)], made("}", at), *ends, *last]
    return _marked_everywhere(words, one, owner)


def _last(words: Words) -> tuple[Words, Words]:
    """The words without a last statement that returns a number, and that statement."""
    for count in (3, 2):
        follows = texts(words, len(words) - count, count)
        if follows[:1] == ("return",) and follows[-1] == ";" and (count < 3 or follows[1].isdecimal()):
            return words[:-count], words[-count:]
    return words, []


def _marked_everywhere(words: Words, one: HostObject, owner: HostObject | None) -> Words:
    """Some words with a mark for the object before each return, and at the end where they come to it."""
    mark = made(_END + one.whole, one.name)
    behind = None if owner is None else _END + owner.whole
    found: Words = []
    number = 0
    is_over = False
    while number < len(words):
        if words[number].text != "return" or is_in_lambda(words, number):
            found.append(words[number])
            number += 1
            continue
        end = end_of_statement(words, number)
        value = words[number + 1 : end]
        at = words[number]
        marks = _marks(found)
        del found[len(found) - len(marks) :]
        marked = _marked(marks, mark, behind)
        if len(value) <= 1:
            left = [*marked, *words[number : end + 1]]
        else:
            name = made(f"{one.name.text}_returned", at)
            left = [made("auto", at), name, made("=", at), *value, made(";", at), *marked, at, name, made(";", at)]
        found += [made("{", at), *left, made("}", at)]
        number = end + 1
        is_over = number == len(words)
    if is_over:
        return found
    marks = _marks(found)
    return [*found[: len(found) - len(marks)], *_marked(marks, mark, behind)]


def with_destructors(words: Sequence[Piece], objects: Mapping[str, HostObject]) -> Words:
    """The words with what the destructors of objects, by their names as wholes, do in place of marks of their ends."""
    found: Words = []
    for word in words:
        one = objects[word.text.removeprefix(_END)] if word.text.startswith(_END) else None
        destructor = None if one is None else one.class_.destructor
        found += [word] if one is None or destructor is None else in_object(destructor.body, one, {})
    return found


def _marks(words: Words) -> Words:
    """The marks that some words end with."""
    number = len(words)
    while number and words[number - 1].text.startswith(_END):
        number -= 1
    return words[number:]


def _marked(marks: Words, mark: Piece, behind: str | None) -> Words:
    place = next((n + 1 for n, word in enumerate(marks) if word.text == behind), 0)
    return [*marks[:place], mark, *marks[place:]]
