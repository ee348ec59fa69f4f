"""Queues of the header of SYCLomatic, `dpct::get_in_order_queue()`: one for all who ask, in order or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.words import closing, end_of_statement, is_name, listed, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# The queues of the device, by the end of the functions that return them.
_QUEUES: Final = {"in_order_queue": "dpct_in_order", "out_of_order_queue": "dpct_out_of_order"}
_DECLARED: Final = {
    "dpct_in_order": "sycl :: queue dpct_in_order { sycl :: property :: queue :: in_order ( ) } ;",
    "dpct_out_of_order": "sycl :: queue dpct_out_of_order ;",
}
_DEVICE: Final = ("dpct", "::", "get_current_device", "(", ")")
_FREE: Final = ("sycl", "::", "free")
_ALL_WAIT: Final = "queues_wait_and_throw"


def with_queues_of_dpct(words: Sequence[Piece]) -> Words:
    """The words with two queues of `main` in place of those that functions of that header return."""
    if not any(word.text == "dpct" for word in words):
        return list(words)
    devices: set[str] = set()
    used: set[str] = set()

    def device(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        """`dpct::device_ext &dev = dpct::get_current_device();`."""
        if texts(words, number, 4) != ("dpct", "::", "device_ext", "&") or not is_name(words[number + 4]):
            return None
        devices.add(words[number + 4].text)
        return [], end_of_statement(words, number) + 1

    def queue(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        after = _behind_device(words, number, devices)
        if after is None:
            return None
        name = words[after].text
        if name.removeprefix("get_") == "default_queue":
            span = words[after].span
            assert span is not None
            message = (
                f"'{name}' is a queue in order in newer versions of dpct, and not in older ones: "
                "'dpct::get_in_order_queue()' or 'dpct::get_out_of_order_queue()' says which"
            )
            raise InputError(Diagnostic("E207", message, span))
        if name == _ALL_WAIT:
            waits = [made(text, words[after]) for one in sorted(used) for text in (one, ".", "wait", "(", ")", ";")]
            return waits, end_of_statement(words, number) + 1
        kind = _QUEUES.get(name.removeprefix("get_"))
        if kind is None or texts(words, after + 1, 2) != ("(", ")"):
            return None
        used.add(kind)
        return [made(kind, words[after])], after + 3

    def freed(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        """`sycl::free(p, q)` for `dpct::dpct_free(p, q)`, whose queue is said."""
        if texts(words, number, 4) != ("dpct", "::", "dpct_free", "("):
            return None
        at, last = words[number + 2], closing(words, number + 3)
        return ([made(one, at) for one in _FREE], number + 3) if len(listed(words, number + 4, last)) == 2 else None

    found = replaced(replaced(replaced(words, device), queue), freed)
    return _with_queues(found, used)


def _behind_device(words: Sequence[Piece], number: int, devices: set[str]) -> int | None:
    """The position of the member of a device that is named here, or of a function of the header; None elsewhere."""
    if texts(words, number, 5) == _DEVICE and texts(words, number + 5, 1) == (".",):
        return number + 6
    if words[number].text in devices and texts(words, number + 1, 1) == (".",):
        return number + 2
    is_function = texts(words, number, 2) == ("dpct", "::") and texts(words, number + 2, 1)[0].startswith("get_")
    return number + 2 if is_function and words[number + 2].text != "get_current_device" else None


def _with_queues(words: Words, used: set[str]) -> Words:
    """The words with the queues that are used at the beginning of `main`."""
    for number in range(len(words)):
        if texts(words, number, 2) == ("main", "(") and used:
            brace = closing(words, number + 1) + 1
            at = words[number]
            declared = [made(text, at) for one in sorted(used) for text in _DECLARED[one].split()]
            return [*words[: brace + 1], *declared, *words[brace + 1 :]]
    return words
