"""Limits of devices, `d.get_info<info::device::max_work_group_size>()`: those of one device, which is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, Severity
from mcm.front_end.cpp.words import closing, closing_angle, is_name, made, start_of_statement, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# Limits such as devices have; of its compute units a device has so few that programs that fill them stay small.
_LIMITS: Final = {
    "max_work_group_size": 1024,
    "max_compute_units": 2,
    "max_num_sub_groups": 64,
    "max_work_item_dimensions": 3,
    "max_clock_frequency": 1000,
    "max_mem_alloc_size": 2**28,
    "global_mem_size": 2**30,
    "global_mem_cache_size": 2**20,
    "global_mem_cache_line_size": 64,
    "local_mem_size": 65536,
    "max_constant_buffer_size": 65536,
    "mem_base_addr_align": 1024,
    "address_bits": 64,
    **{
        f"{kind}_vector_width_{type_}": 1
        for kind in ("preferred", "native")
        for type_ in ("char", "short", "int", "long", "float", "double", "half")
    },
}
# What puts out what stands behind it.
_OUTPUT: Final = frozenset({"cout", "cerr", "clog", "printf", "fprintf"})


def with_limits(words: Sequence[Piece]) -> Words:
    """The words with numbers in place of questions for limits of a device."""
    found: Words = []
    behind = 0
    for start, end, limit in _questions(words):
        found += [*words[behind:start], made(str(_LIMITS[limit.text]), limit)]
        behind = end
    return [*found, *words[behind:]]


def supposed_limits(words: Sequence[Piece]) -> tuple[Diagnostic, ...]:
    """What is told of limits that are not only put out, of each once."""
    told: dict[str, Diagnostic] = {}
    for start, _, limit in _questions(words):
        if limit.text in told or limit.span is None or _is_put_out(words, start):
            continue
        message = (
            f"'{limit.text}' is another number on each device, and here it is {_LIMITS[limit.text]}: where it decides "
            "what is done, the verdict for another one may differ"
        )
        told[limit.text] = Diagnostic("W155", message, limit.span, Severity.WARNING)
    return tuple(told.values())


def _questions(words: Sequence[Piece]) -> Iterator[tuple[int, int, Piece]]:
    """Where a limit is asked for, the position behind that, and its name."""
    for number in range(len(words)):
        if texts(words, number, 2) != ("get_info", "<") or (angle := closing_angle(words, number + 1)) is None:
            continue
        asked = words[number + 2 : angle]
        is_known = any(word.text == "device" for word in asked) and asked[-1].text in _LIMITS
        if is_known and texts(words, angle + 1, 2) == ("(", ")") and words[number - 1].text in {".", "->"}:
            yield _start(words, number - 1), angle + 3, asked[-1]


def _start(words: Sequence[Piece], point: int) -> int:
    """Where the object begins that a member belongs to: `q.get_device()`, `devices[0]`, `sycl::device(q)`."""
    number = point - 1
    while number > 0:
        while number > 0 and words[number].text in {")", "]", "}", ">"}:
            number = _opening(words, number) - 1
        if not is_name(words[number]):
            return number + 1
        if words[number - 1].text not in {".", "->", "::"}:
            return number
        number -= 2
    return max(0, number)


def _opening(words: Sequence[Piece], last: int) -> int:
    """The position of the bracket that the one at a position closes."""
    close = closing_angle if words[last].text == ">" else closing
    return next((n for n in reversed(range(last)) if close(words, n) == last), 0)


def _is_put_out(words: Sequence[Piece], number: int) -> bool:
    """Whether the statement around a position puts out what it is about."""
    return any(word.text in _OUTPUT for word in words[start_of_statement(words, number) : number])
