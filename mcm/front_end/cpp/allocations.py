"""Pointers of the host that get memory in statements of their own: each is declared where its memory is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import (
    LEAVING,
    closing,
    closing_angle,
    end_of_block,
    end_of_statement,
    is_balanced,
    is_followed,
    is_name,
    listed,
    made,
    substituted,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

ALLOCATORS: Final = frozenset({"malloc", "malloc_shared", "malloc_device", "malloc_host"})

# What decides whether something is evaluated, or says that it is no statement of the host's.
_PERHAPS: Final = frozenset({"?", "&&", "||", "for", "while", "if", "else", "do", "[", "return", "*"})
# What a block may have whose end does something: objects of these classes, and arrays.
_OBJECTS: Final = frozenset(
    {"buffer", "host_accessor", "vector", "array", "queue", "unique_ptr", "[", "struct", "auto"}
)
# Values of pointers to nothing.
_NOTHING: Final = frozenset({("=", "nullptr"), ("=", "NULL"), ("=", "0")})


def with_allocations(words: Sequence[Piece]) -> Words:
    """The words with pointers declared where memory is made for them: `int* p = nullptr; … p = (int*)malloc(n);`.

    A pointer that gets other memory later, in the block that declares it, is another one from there on.
    """
    return _with_other_memory(_with_first_memory(_one_by_one(_named(words))))


def _named(words: Sequence[Piece]) -> Words:
    """The words with a pointer for memory that is an argument: `View<int> v{malloc_shared<int>(4, q), 4};`."""
    found = list(words)
    number = count = 0
    while number < len(found):
        place = _argument(found, number)
        if place is not None:
            start, end = place
            count += 1
            at = found[number]
            name = made(f"memory_{count}", at)
            type_ = found[number + 2 : closing_angle(found, number + 1)]
            first = number - 2 if texts(found, number - 2, 2) == ("sycl", "::") else number
            whole = [*type_, made("*", at), name, made("=", at), *found[first:end], made(";", at)]
            found[start:end] = [*whole, *found[start:first], name]
            number = start + len(whole)
        number += 1
    return found


def _argument(words: Sequence[Piece], number: int) -> tuple[int, int] | None:
    """Where the statement begins in which memory is an argument that is evaluated in any case, and where that ends."""
    if words[number].text not in ALLOCATORS or texts(words, number + 1, 1) != ("<",):
        return None
    angle = closing_angle(words, number + 1)
    first = number - 2 if texts(words, number - 2, 2) == ("sycl", "::") else number
    is_argument = first > 0 and words[first - 1].text in {"(", "{", ","}
    start = first
    while start and words[start - 1].text not in {";", "}"} and not _opens_block(words, start - 1):
        start -= 1
    before = {word.text for word in words[start:first]}
    if (
        angle is None
        or not is_argument
        or before & _PERHAPS
        or _closes(words[start:first])
        or texts(words, angle + 1, 1) != ("(",)
    ):
        return None
    end = closing(words, angle + 1) + 1
    return (start, end) if texts(words, end, 1) in {(",",), (")",), ("}",)} else None


def _closes(words: Sequence[Piece]) -> bool:
    """Whether words close a bracket that they do not open, as those behind the head of a loop do."""
    depth = 0
    for word in words:
        depth += (word.text in {"(", "{", "["}) - (word.text in {")", "}", "]"})
        if depth < 0:
            return True
    return False


def _opens_block(words: Sequence[Piece], number: int) -> bool:
    """Whether a word is the brace of a block, and not of a list of values."""
    return words[number].text == "{" and number > 0 and words[number - 1].text in {")", ";", "{", "}", "else", "]"}


def _one_by_one(words: Sequence[Piece]) -> Words:
    """The words with pointers declared one by one that get memory later: `int* a; int* b;` for `int *a, *b;`."""
    found = list(words)
    for number in reversed(range(len(found))):
        if found[number].text == "," and (start := _first_of_pointers(found, number)) is not None:
            # What stands before the first star is the type of all.
            star = next(n for n in range(start, number) if found[n].text == "*")
            found[number : number + 1] = [made(";", found[number]), *found[start:star]]
    return found


def _first_of_pointers(words: Sequence[Piece], comma: int) -> int | None:
    """Where the statement begins that declares pointers before and behind a comma; None where something else does."""
    start = comma
    while start and words[start - 1].text not in {";", "{", "}", "(", ")"}:
        start -= 1
    if start and words[start - 1].text in {"(", ")"}:
        return None
    end = end_of_statement(words, comma)
    star = next((n for n in range(start, comma) if words[n].text == "*"), start)
    type_, parts = words[start:star], listed(words, star, end)
    is_type = bool(type_) and all(is_name(one) or one.text == "::" for one in type_)
    if not is_type or not all(_is_pointer_without_memory(part) for part in parts):
        return None
    names = {part[1].text for part in parts}
    gets_memory = any(
        words[n].text in names and texts(words, n + 1, 1) == ("=",) and _makes_memory(words, n + 2)
        for n in range(end, len(words))
    )
    return start if gets_memory else None


def _is_pointer_without_memory(part: Words) -> bool:
    """Whether a part of a declaration is `*p`, or `*p = nullptr`."""
    is_pointer = len(part) > 1 and part[0].text == "*" and is_name(part[1])
    return is_pointer and (len(part) == 2 or texts(part, 2, 2) in _NOTHING)


def _with_first_memory(words: Sequence[Piece]) -> Words:
    found = list(words)
    number = 0
    while number < len(found):
        declared = _pointer(found, number)
        if declared is not None:
            end = end_of_statement(found, number)
            name = declared[-1].text
            places = [
                n for n in range(end, len(found)) if texts(found, n, 2) == (name, "=") and not is_followed(found, n)
            ]
            making = [one for one in places if _makes_memory(found, one + 2)]
            # What it is assigned later is other memory that it leads to.
            if making[:1] == places[:1] != [] and all(_is_in_block(found, end, one) for one in making):
                found[places[0] : places[0] + 1] = declared
                del found[number : end + 1]
                continue
            if len(places) == 1 and (braces := _blocks_around(found, end, places[0])):
                last = end_of_statement(found, places[0]) + 1
                before = [found[n] for n in range(end + 1, places[0]) if n not in braces]
                opened = [found[n] for n in braces]
                found[number:last] = [*before, *declared, *found[places[0] + 1 : last], *opened]
                continue
        number += 1
    return found


def _blocks_around(words: Sequence[Piece], start: int, place: int) -> list[int]:
    """Where the blocks begin in which a pointer that is declared before them gets its memory in any case.

    They may as well begin behind that, as only numbers and pointers are declared in them before it. None where that is
    not so, where a branch decides, and where no block begins.
    """
    opened: list[int] = []
    for number in range(start + 1, place):
        if words[number].text == "{":
            opened.append(number)
        elif words[number].text == "}":
            if not opened:
                return []
            opened.pop()
    if not opened or not _makes_memory(words, place + 2) or words[place - 1].text not in {";", "{", "}"}:
        return []
    before = {word.text for word in words[opened[0] : place]}
    is_plain = all(words[one - 1].text in {";", "{", "}"} for one in opened)
    return opened if is_plain and before.isdisjoint(LEAVING | _OBJECTS) else []


def _with_other_memory(words: Sequence[Piece]) -> Words:
    found = list(words)
    # The words that declare each pointer to memory, and where the statement ends.
    declared: dict[str, tuple[Words, int]] = {}
    number = count = 0
    while number < len(found):
        is_first = number == 0 or found[number - 1].text in {";", "{", "}"}
        if is_first and (pointer := _pointer_to_memory(found, number)) is not None:
            declared[pointer[-1].text] = pointer, end_of_statement(found, number)
        name = found[number].text
        is_assigned = is_first and name in declared and texts(found, number + 1, 1) == ("=",)
        if is_assigned and _makes_memory(found, number + 2) and _is_in_block(found, declared[name][1], number):
            count += 1
            other = made(f"{name}_{count + 1}", found[number])
            last = end_of_block(found, number)
            renamed = substituted(found[number:last], {name: [other]}, in_place=True)
            found[number:last] = [*declared[name][0][:-1], *renamed]
            continue
        number += 1
    return found


def _pointer_to_memory(words: Sequence[Piece], number: int) -> Words | None:
    """`int* p` of `int* p = malloc_shared<int>(4, q);`; None where something else stands."""
    assigned = next((n for n in range(number, end_of_statement(words, number)) if words[n].text == "="), None)
    if assigned is None or not _makes_memory(words, assigned):
        return None
    declared = list(words[number:assigned])
    is_pointer = len(declared) > 1 and (declared[-2].text == "*" or declared[0].text == "auto")
    is_plain = all(is_name(one) or one.text in {"::", "*"} for one in declared)
    return declared if is_pointer and is_plain and is_name(declared[-1]) else None


def _pointer(words: Sequence[Piece], number: int) -> Words | None:
    """`int* p` of `int* p;` or `int* p = nullptr;` where a statement begins; None where something else stands."""
    if number and words[number - 1].text not in {";", "{", "}"}:
        return None
    end = end_of_statement(words, number)
    value = texts(words, end - 2, 2)
    stop = end - 2 if value in _NOTHING else end
    declared = list(words[number:stop])
    is_pointer = len(declared) > 2 and declared[-2].text == "*" and is_name(declared[-1])
    return declared if is_pointer and all(is_name(one) or one.text == "::" for one in declared[:-2]) else None


def _makes_memory(words: Sequence[Piece], number: int) -> bool:
    return any(word.text in ALLOCATORS | {"new"} for word in words[number : end_of_statement(words, number)])


def _is_in_block(words: Sequence[Piece], start: int, position: int) -> bool:
    """Whether a position is in the block of an earlier one, and in no block of its own."""
    return is_balanced(words[start:position], {"{": "}"})
