"""Other spellings of what SYCL 2020 has: names of before it and of extensions, and longer ways to say the same.

`sycl::ext::oneapi::atomic_ref<…>`, `accessor<int, 1, access::mode::read, access::target::host_buffer> a(b)`,
`aligned_alloc_shared<int>(64, n, q)`, `a.get_multi_ptr<access::decorated::no>().get()`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.final_data import without_final_data
from mcm.front_end.cpp.words import (
    closing,
    closing_angle,
    has_owner,
    is_member,
    is_name,
    listed,
    made,
    replaced,
    texts,
    with_commas,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# What extensions had before SYCL 2020 had it, and what it is called there.
_EXTENSIONS: Final = (("ext", "::", "oneapi"), ("ONEAPI",), ("intel",), ("INTEL",))
_NAMES: Final = {
    **{
        one: one
        for one in (
            *("atomic_ref", "atomic_fence", "sub_group", "reduction", "group_barrier", "plus", "multiplies"),
            *("minimum", "maximum", "bit_and", "bit_or", "bit_xor", "memory_order", "memory_scope"),
            *(f"memory_order_{order}" for order in ("relaxed", "acquire", "release", "acq_rel", "seq_cst")),
            *(f"memory_scope_{scope}" for scope in ("work_item", "sub_group", "work_group", "device", "system")),
        )
    },
    "broadcast": "group_broadcast",
    "any_of": "any_of_group",
    "all_of": "all_of_group",
    "none_of": "none_of_group",
    "reduce": "reduce_over_group",
    "inclusive_scan": "inclusive_scan_over_group",
    "exclusive_scan": "exclusive_scan_over_group",
}
_POINTERS: Final = frozenset({"get_multi_ptr", "get_pointer"})
_FORMS: Final = frozenset({"get", "get_raw", "get_decorated"})
_ALIGNED: Final = {
    "aligned_alloc_shared": "malloc_shared",
    "aligned_alloc_device": "malloc_device",
    "aligned_alloc_host": "malloc_host",
    "aligned_alloc": "malloc",
}
# What the kind of memory stands behind.
_KIND: Final = ("::", "alloc", "::")
_OPENCL: Final = re.compile(r"cl_(?:bool|(?:u?(?:char|short|int|long)|half|float|double)(?:2|3|4|8|16)?)")
_SHUFFLES: Final = {
    "shuffle": "select_from_group",
    "shuffle_down": "shift_group_left",
    "shuffle_up": "shift_group_right",
    "shuffle_xor": "permute_group_by_xor",
}
_OF_RANGES: Final = ("get_global_range", "get_local_range", "get_group_range")
_OPENING: Final = frozenset({"(", "{"})


def with_newer_names(words: Sequence[Piece]) -> Words:
    """The words as SYCL 2020 spells them."""
    lists = {
        words[number + 1].text
        for number, word in enumerate(words[:-1])
        if word.text == "property_list" and is_name(words[number + 1])
    }

    def newer(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        return (
            _of_opencl(words, number)
            or _of_dpct(words, number)
            or _update(words, number)
            or _of_extension(words, number)
            or _of_pointer(words, number)
            or _host_buffer(words, number)
            or _aligned(words, number)
            or _buffer(words, number, lists)
            or _unnamed(words, number)
            or _of_sub_group(words, number, newer)
            or _of_range(words, number)
            or _counted(words, number)
            or _iterator(words, number)
        )

    return without_final_data(replaced(replaced(words, newer), _of_kind))


def _of_opencl(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`sycl::cl_int`: the type of that name in OpenCL C."""
    text = words[number].text
    if _OPENCL.fullmatch(text) is None:
        return None
    return [made(text.removeprefix("cl_"), words[number])], number + 1


def _of_dpct(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`dpct::permute_sub_group_by_xor(g, x, mask)`: the function of SYCL, where all are in 32 work-items.

    Its shifts are not those of SYCL: what they bring from outside the 32 is the value of the work-item itself.
    """
    if texts(words, number, 4) != ("dpct", "::", "permute_sub_group_by_xor", "("):
        return None
    if len(listed(words, number + 4, closing(words, number + 3))) != len(("g", "x", "mask")):
        return None
    return [made(text, words[number]) for text in ("sycl", "::", "permute_group_by_xor")], number + 3


def _update(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """A command that does nothing for `h.update_host(a)`: what it waits for are the accessors of its command group.

    A buffer and the memory that it is made of are one object.
    """
    if not is_member(words, number) or texts(words, number, 2) != ("update_host", "("):
        return None
    command = ("single_task", "(", "[", "=", "]", "(", ")", "{", "}", ")")
    return [made(text, words[number]) for text in command], closing(words, number + 1) + 1


def _of_extension(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`ext::oneapi::atomic_ref` without the namespaces of the extension."""
    if number < 2 or texts(words, number - 2, 2) != ("sycl", "::"):
        return None
    for names in _EXTENSIONS:
        name = number + len(names) + 1
        if texts(words, number, len(names)) == names and texts(words, name, 1) and words[name].text in _NAMES:
            return [made(_NAMES[words[name].text], words[name])], name + 1
    return None


def _of_pointer(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`a.get_multi_ptr<…>()` of `a.get_multi_ptr<…>().get()`: it converts to a pointer by itself."""
    if words[number].text not in _POINTERS or not is_member(words, number):
        return None
    opening = number + 1
    if texts(words, opening, 1) == ("<",) and (angle := closing_angle(words, opening)) is not None:
        opening = angle + 1
    if texts(words, opening, 3) != ("(", ")", ".") or texts(words, opening + 4, 2) != ("(", ")"):
        return None
    return (list(words[number : opening + 2]), opening + 6) if words[opening + 3].text in _FORMS else None


def _host_buffer(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`host_accessor<int, 1, access::mode::read>` of an accessor whose target is the host."""
    if texts(words, number, 2) != ("accessor", "<") or (angle := closing_angle(words, number + 1)) is None:
        return None
    parts = listed(words, number + 2, angle)
    kept = [part for part in parts if not any(word.text == "host_buffer" for word in part)]
    if len(kept) == len(parts):
        return None
    at = words[number]
    inner = with_commas(kept[:3], at)
    return [made("host_accessor", at), words[number + 1], *inner, words[angle]], angle + 1


def _aligned(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """Memory that is aligned is memory: `malloc_shared<int>(n, q)`."""
    name = words[number].text
    if name not in _ALIGNED:
        return None
    opening = number + 1
    if texts(words, opening, 1) == ("<",) and (angle := closing_angle(words, opening)) is not None:
        opening = angle + 1
    if texts(words, opening, 1) != ("(",):
        return None
    last = closing(words, opening)
    parts = listed(words, opening + 1, last)
    if len(parts) < 2:
        return None
    at = words[number]
    inner = with_commas(parts[1:], at)
    return [made(_ALIGNED[name], at), *words[number + 1 : opening + 1], *inner, words[last]], last + 1


def _of_kind(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`malloc_shared<int>(n, q)` of memory whose kind is an argument, `malloc<int>(n, q, usm::alloc::shared)`."""
    if words[number].text != "malloc" or is_member(words, number):
        return None
    opening = number + 1
    if texts(words, opening, 1) == ("<",) and (angle := closing_angle(words, opening)) is not None:
        opening = angle + 1
    last = closing(words, opening) if texts(words, opening, 1) == ("(",) else opening
    parts = listed(words, opening + 1, last)
    if len(parts) < 2 or not all(parts) or last >= len(words):
        # That of C, or no call.
        return None
    kinds = [part[-1].text for part in parts if tuple(word.text for word in part[-4:-1])[-3:] == _KIND]
    at = words[number]
    if len(kinds) != 1 or kinds[0] not in {"shared", "device", "host"}:
        assert at.span is not None
        message = "which kind of memory this makes is not evident: 'malloc_shared<int>(4, q)', for one, says it"
        raise InputError(Diagnostic("E207", message, at.span))
    kept = [part for part in parts if part[-1].text != kinds[0]]
    inner = with_commas(kept, at)
    return [made(f"malloc_{kinds[0]}", at), *words[number + 1 : opening + 1], *inner, words[last]], last + 1


def _buffer(words: Sequence[Piece], number: int, lists: Collection[str]) -> tuple[Words, int] | None:
    """A buffer without its properties, `buffer<int> b(p, r, {property::buffer::use_host_ptr()})`."""
    if words[number].text != "buffer":
        return None
    opening = number + 1
    if texts(words, opening, 1) == ("<",):
        angle = closing_angle(words, opening)
        if angle is None:
            return None
        opening = angle + 1
    opening += texts(words, opening, 1) != () and is_name(words[opening])
    if not texts(words, opening, 1) or words[opening].text not in _OPENING:
        return None
    last = closing(words, opening)
    parts = listed(words, opening + 1, last)
    kept = [part for part in parts if not _is_property(part, lists)]
    if len(kept) == len(parts) or last >= len(words):
        return None
    at = words[opening]
    inner = with_commas(kept, at)
    return [*words[number : opening + 1], *inner, words[last]], last + 1


def _unnamed(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """A parameter of a lambda without a name, `[=](auto) { … }`, with one."""
    is_in_list = number and words[number - 1].text in {"(", ","} and texts(words, number + 1, 1) in {(")",), (",",)}
    if words[number].text != "auto" or not is_in_list:
        return None
    return [words[number], made(f"unnamed_{number}", words[number])], number + 1


def _is_property(part: Words, lists: Collection[str]) -> bool:
    written = {word.text for word in part}
    return "property" in written or "property_list" in written or (len(part) == 1 and part[0].text in lists)


def _of_sub_group(
    words: Sequence[Piece], number: int, newer: Callable[[Sequence[Piece], int], tuple[Words, int] | None]
) -> tuple[Words, int] | None:
    """`shift_group_left(g, x, 1)` for `g.shuffle_down(x, 1)`, of a group that a name or its members give."""
    if not is_name(words[number]) or has_owner(words, number):
        return None
    behind = number + 1
    while texts(words, behind, 1) == (".",) and texts(words, behind + 2, 2) == ("(", ")"):
        behind += 4
    follows = texts(words, behind, 3)
    if len(follows) < 3 or follows[1] not in _SHUFFLES or (follows[0], follows[2]) != (".", "("):
        return None
    last = closing(words, behind + 2)
    at = words[behind + 1]
    inner = replaced(words[behind + 3 : last], newer)
    called = [made(text, at) for text in ("sycl", "::", _SHUFFLES[follows[1]], "(")]
    return [*called, *words[number:behind], made(",", at), *inner, words[last]], last + 1


def _of_range(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`it.get_local_range()` for `it.get_nd_range().get_local_range()`."""
    if texts(words, number, 5) != (".", "get_nd_range", "(", ")", "."):
        return None
    is_known = texts(words, number + 5, 1) in {(one,) for one in _OF_RANGES}
    return ([words[number + 4]], number + 5) if is_known else None


def _counted(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`int a[] = {1, 2}` for `int a[]{1, 2}`."""
    if texts(words, number, 3) != ("[", "]", "{") or not number or not is_name(words[number - 1]):
        return None
    return [*words[number : number + 2], made("=", words[number])], number + 2


def _iterator(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`int*` for `std::vector<int>::iterator`: the elements of a vector stand one behind the other."""
    first = number + 2 * (texts(words, number, 2) == ("std", "::"))
    angle = closing_angle(words, first + 1) if texts(words, first, 2) in {("vector", "<"), ("array", "<")} else None
    if angle is None or texts(words, angle + 1, 2) not in {("::", "iterator"), ("::", "const_iterator")}:
        return None
    at = words[angle + 2]
    words_before = [made("const", at)] if at.text == "const_iterator" else []
    type_ = listed(words, first + 2, angle)[:1]
    return ([*words_before, *type_[0], made("*", at)], angle + 3) if type_ else None
