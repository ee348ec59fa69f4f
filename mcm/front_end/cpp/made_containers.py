"""Containers that are made of others, `std::vector<int> w = v;`, or get their size later, `w.resize(4);`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.elements import code, elements
from mcm.front_end.cpp.pushed_elements import Pushed, pushed
from mcm.front_end.cpp.words import (
    begins_statement,
    closing,
    closing_angle,
    end_of_statement,
    is_balanced,
    is_name,
    listed,
    made,
    replaced,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEFORE: Final = frozenset({";", "{", "}", ")"})
_QUALIFIERS: Final = frozenset({"const", "static"})
# What may come behind all uses of a container.
_GIVING_UP: Final = frozenset({"clear", "shrink_to_fit"})
_SIZED: Final = frozenset({"resize", "assign"})
_LOOP: Final = "for ( size_t {i} = 0 ; {i} < {count} ; {i} ++ )"


def with_containers(words: Sequence[Piece]) -> Words:
    """The words with sizes where containers are declared, and loops over their elements where they are copies."""
    known: set[str] = set()
    arrays = {
        words[angle + 1].text
        for number in range(len(words))
        if texts(words, number, 2) == ("array", "<") and (angle := closing_angle(words, number + 1)) is not None
        if texts(words, angle + 1, 1)
    }
    found = _one_by_one(_without_reserve(words))
    number = count = 0
    while number < len(found):
        declared = _declared(found, number)
        if declared is None:
            changed = _filled(found, number, known, arrays, count + 1)
            if changed is not None:
                count += 1
                found[number : end_of_statement(found, number) + 1] = changed
            number += 1
            continue
        name = declared
        end = end_of_statement(found, number)
        copied = _copied(found, number, name, end, known, count + 1)
        if copied is not None:
            count += 1
            found[number : end + 1] = copied
        elif _is_moved(found, number, name, end):
            continue
        elif end == name + 1 and (added := _pushed(found, number, name)) is not None:
            at = found[name]
            size = code(at, "( {size} )", size=added.size)
            known.add(at.text)
            if is_balanced(found[end : added.start], {"{": "}"}):
                found[added.start : added.end] = [*found[number : name + 1], *size, found[end], *added.statements]
                del found[number : end + 1]
                continue
            if not _is_known(found[:number], added.size):
                number += 1
                continue
            found[added.start : added.end] = added.statements
            found[name + 1 : name + 1] = size
            number = name
            continue
        known.add(found[name].text if copied is None else declared_name(copied))
        number += 1
    return found


def _is_moved(words: Words, number: int, name: int, end: int) -> bool:
    """Whether the declaration of a vector without a size has moved to where that is said, or before the block there."""
    if (later := _later(words, name, end)) is not None:
        sized, last = later
        block = sized
    elif (inner := _inside(words, name, end)) is not None:
        block, sized, last = inner
    else:
        return False
    declared = [*words[number : name + 1], *words[sized + 3 : last + 1], words[end]]
    del words[sized : last + 2]
    words[block:block] = declared
    del words[number : end + 1]
    return True


def _one_by_one(words: Sequence[Piece]) -> Words:
    """The words with vectors declared one by one, where some get their size later: `std::vector<int> v, w(4);`."""

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        name = _begin_of_names(words, number)
        if name is None:
            return None
        end = end_of_statement(words, name)
        parts = listed(words, name, end)
        if end == len(words) or len(parts) < 2 or all(len(part) > 1 for part in parts):
            return None
        return [word for part in parts for word in (*words[number:name], *part, words[end])], end + 1

    return replaced(words, at)


def _pushed(words: Words, number: int, name: int) -> Pushed | None:
    """The statements that give the vector its elements that a declaration of one is followed by."""
    if any(word.text in {"queue", "event"} for word in words[number:name]):
        return None
    return pushed(words, words[name].text, name + 2)


def _without_reserve(words: Sequence[Piece]) -> Words:
    """The words without `v.reserve(n);`, which no element depends on, and `v.clear();` of what is not used again."""

    def reserved(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        is_one = texts(words, number + 1, 1) == (".",) and texts(words, number + 3, 1) == ("(",)
        if not is_one or not is_name(words[number]) or (number and words[number - 1].text not in _BEFORE):
            return None
        member, end = words[number + 2].text, end_of_statement(words, number)
        is_left = member in _GIVING_UP and _is_last(words, number, end)
        return ([], end + 1) if member == "reserve" or is_left else None

    return replaced(words, reserved)


def _is_last(words: Sequence[Piece], number: int, end: int) -> bool:
    """Whether nothing comes behind a statement about a container that uses it, but statements that give it up.

    It stands in the block that declares the container, and so in no loop that comes back.
    """
    name = words[number].text
    first = next(n for n, word in enumerate(words) if word.text == name)
    behind = [n for n in range(end, len(words)) if words[n].text == name]
    gives_up = all(texts(words, n + 1, 1) == (".",) and words[n + 2].text in _GIVING_UP for n in behind)
    return gives_up and is_balanced(words[first:number], {"{": "}"})


def declared_name(words: Words) -> str:
    """The name that a declaration of a container begins with."""
    angle = next(n for n in range(len(words)) if words[n].text == "<")
    behind = closing_angle(words, angle)
    assert behind is not None
    return words[behind + 1].text


def _declared(words: Sequence[Piece], number: int) -> int | None:
    """The position of the name of a vector that is declared at a position; None where another statement begins."""
    name = _begin_of_names(words, number)
    return None if name is None or len(listed(words, name, end_of_statement(words, name))) != 1 else name


def _begin_of_names(words: Sequence[Piece], number: int) -> int | None:
    """The position of the first name where vectors are declared at a position; None where another statement begins."""
    if number and words[number - 1].text not in _BEFORE:
        return None
    while texts(words, number, 1) and words[number].text in _QUALIFIERS:
        number += 1
    number += 2 * (texts(words, number, 2) == ("std", "::"))
    if texts(words, number, 2) != ("vector", "<") or (angle := closing_angle(words, number + 1)) is None:
        return None
    return angle + 1 if texts(words, angle + 1, 1) != () and is_name(words[angle + 1]) else None


def _copied(words: Words, number: int, name: int, end: int, known: set[str], count: int) -> Words | None:
    """A vector of the elements of others, and the loop that copies them; None where it is made of something else."""
    at = words[name]
    value = words[name + 1 : end]
    if texts(value, 0, 1) == ("=",):
        parts = [value[1:]]
    elif value and value[0].text in {"(", "{"} and closing(value, 0) == len(value) - 1:
        parts = listed(value, 1, len(value) - 1)
    else:
        return None
    counter = [made(f"copied_{count}", at)]
    if len(parts) == 1 and len(parts[0]) == 1 and parts[0][0].text in known:
        size = code(at, "std :: size ( {of} )", of=parts[0])
        one = [*parts[0], made("[", at), *counter, made("]", at)]
    elif len(parts) == 2 and value[0].text == "(" and (of := elements(parts[0], parts[1])) is not None:
        size, one = of.count, of.at(counter)
    else:
        return None
    first = number
    while words[first].text in _QUALIFIERS:
        if words[first].text == "const":
            # A buffer of it writes nothing back, which a loop cannot say.
            return None
        first += 1
    pattern = f"{{declared}} ( {{count}} ) ; {_LOOP} {{to}} [ {{i}} ] = {{one}} ;"
    declared, to = words[first : name + 1], [at]
    return code(at, pattern, declared=declared, count=size, i=counter, to=to, one=one)


def _later(words: Words, name: int, end: int) -> tuple[int, int] | None:
    """Where a vector without a size gets it, before it is used in the block that declares it, and the end of that."""
    if end != name + 1:
        return None
    depth = 0
    for number in range(end + 1, len(words)):
        text = words[number].text
        depth += (text == "{") - (text == "}")
        if depth < 0:
            return None
        if text != words[name].text:
            continue
        is_said = depth == 0 and texts(words, number + 1, 1) == (".",) and texts(words, number + 3, 1) == ("(",)
        if not is_said or words[number + 2].text not in _SIZED or words[number - 1].text not in {";", "{", "}"}:
            return None
        return number, closing(words, number + 3)
    return None


def _inside(words: Words, name: int, end: int) -> tuple[int, int, int] | None:
    """Where a vector without a size gets it in a block that is entered in any case, as `_later`, and where that begins.

    The size is made of what is known there.
    """
    place = next((n for n in range(end + 1, len(words)) if words[n].text == words[name].text), len(words))
    is_said = texts(words, place + 1, 2) == (".", "resize") and begins_statement(words, place)
    if end != name + 1 or not is_said:
        return None
    block, depth = place, 0
    for number in range(end + 1, place):
        text = words[number].text
        block = number if text == "{" and depth == 0 else block
        depth += (text == "{") - (text == "}")
        if depth < 0 or text == "return" or (text == "{" and not begins_statement(words, number)):
            return None
    last = closing(words, place + 3)
    is_known = _is_known(words[:block], words[place + 4 : last])
    return (block, place, last) if is_known and len(listed(words, place + 4, last)) == 1 else None


def _is_known(before: Sequence[Piece], size: Sequence[Piece]) -> bool:
    """Whether all that a size is made of is named before."""
    known = {word.text for word in before}
    return all(word.text in known for word in size if is_name(word))


def _filled(words: Words, number: int, known: set[str], arrays: set[str], count: int) -> Words | None:
    """`v.assign(n, x);` and `v.fill(x);` of a container that has its size: each element gets the value."""
    match texts(words, number, 4):
        case (name, ".", "assign" | "fill", "(") if not number or words[number - 1].text in _BEFORE:
            parts = listed(words, number + 4, closing(words, number + 3))
        case _:
            return None
    is_assigned = words[number + 2].text == "assign"
    if len(parts) != (2 if is_assigned else 1) or name not in (known if is_assigned else arrays):
        return None
    at = words[number]
    counter, to = [made(f"filled_{count}", at)], [at]
    size = code(at, "std :: size ( {of} )", of=to)
    return code(at, f"{_LOOP} {{to}} [ {{i}} ] = {{value}} ;", i=counter, count=size, to=to, value=parts[-1])
