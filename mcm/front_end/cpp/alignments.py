"""`alignas`, which says nothing of what is accessed, where it makes no object larger than its members."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.words import closing, is_name, listed, outer, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_ALIGNAS: Final = ("alignas", "(")
_SIZES: Final = {
    **dict.fromkeys(("char", "bool", "int8_t", "uint8_t"), 1),
    **dict.fromkeys(("short", "half", "int16_t", "uint16_t"), 2),
    **dict.fromkeys(("int", "unsigned", "float", "int32_t", "uint32_t"), 4),
    **dict.fromkeys(("long", "double", "size_t", "int64_t", "uint64_t"), 8),
}
# Operators that tell a size from others; as a factor it says how many objects there are.
_TELLING: Final = frozenset({"/", "%", "==", "!=", "<", ">", "<=", ">=", "+", "-", "&"})
# What copies or sees objects as bytes.
_OF_BYTES: Final = frozenset({"memcpy", "memset", "memcmp", "reinterpret_cast"})
_CLASS_KEYS: Final = frozenset({"struct", "class"})


def without_alignments(words: Sequence[Piece]) -> Words:
    """The words without `alignas(16)`; InputError where bytes tell that it lays a structure out in another way."""
    found: Words = []
    number = 0
    while number < len(words):
        if texts(words, number, 2) != _ALIGNAS:
            found.append(words[number])
            number += 1
            continue
        last = closing(words, number + 1)
        is_whole = bool(found) and found[-1].text in _CLASS_KEYS
        if _may_matter(words) and not (is_whole and _is_filled(words, number, last)):
            _check_variable(words, number, found, is_whole=is_whole)
        number = last + 1
    return found


def _may_matter(words: Sequence[Piece]) -> bool:
    """Whether a program sees bytes, or tells sizes from others; as a factor one says how many objects there are."""
    sizes = [n for n in range(len(words)) if texts(words, n, 2) == ("sizeof", "(")]
    is_told = any({words[n - 1].text, *texts(words, closing(words, n + 1) + 1, 1)} & _TELLING for n in sizes)
    return is_told or any(word.text in _OF_BYTES for word in words)


def _is_filled(words: Sequence[Piece], number: int, last: int) -> bool:
    """Whether the members of a structure are as large together as a multiple of its alignment, without padding."""
    alignment = texts(words, number + 2, last - number - 2)
    if texts(words, last + 2, 1) != ("{",) or len(alignment) != 1 or not alignment[0].isdecimal():
        return False
    sizes = list(_sizes(words[last + 3 : closing(words, last + 2)]))
    each = {size for size, _ in sizes}
    total = sum(size * count for size, count in sizes)
    return len(each) == 1 and 0 not in each and total % max(1, int(alignment[0])) == 0


def _check_variable(words: Sequence[Piece], number: int, before: Words, *, is_whole: bool) -> None:
    """InputError where a structure, or a member of one, is aligned, and not a variable."""
    depth = 0
    opening = next((n for n in reversed(range(len(before))) if (depth := depth + _step(before[n])) < 0), None)
    head = [] if opening is None else before[max(0, opening - 2) : opening]
    if not is_whole and not any(word.text in _CLASS_KEYS for word in head):
        return
    message = (
        "'alignas' may make objects larger than their members are together, and this program sees bytes, or compares "
        "sizes: members that fill them up, in place of 'alignas', are"
    )
    span = words[number].span
    assert span is not None
    raise InputError(Diagnostic("E207", message, span))


def _step(word: Piece) -> int:
    return (word.text == "}") - (word.text == "{")


def _sizes(words: Sequence[Piece]) -> Iterator[tuple[int, int]]:
    """The size of the elements of each member, 0 where that is not evident, and how many it has."""
    start = 0
    for number in outer(words, 0, len(words)):
        if words[number].text != ";":
            continue
        member = words[start:number]
        size = _SIZES.get(member[0].text, 0) if member else 0
        for part in listed(member, 1, len(member)):
            is_array = texts(part, 1, 1) == ("[",) and len(part) == 4 and part[2].text.isdecimal()
            is_plain = is_name(part[0]) and (len(part) == 1 or texts(part, 1, 1) in {("=",), ("{",)})
            yield size if is_array or is_plain else 0, int(part[2].text) if is_array else 1
        start = number + 1
