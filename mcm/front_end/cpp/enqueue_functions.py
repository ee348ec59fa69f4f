"""Functions that enqueue, `experimental::nd_launch(q, r, f)`: members of the queue or command group that they take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing, is_name, listed, made, replaced, texts, with_commas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_NAMESPACE: Final = "experimental"
_MEMBERS: Final = {
    **{name: name for name in ("single_task", "parallel_for", "memcpy", "copy", "memset", "fill", "submit")},
    "nd_launch": "parallel_for",
    "submit_with_event": "submit",
    "barrier": "ext_oneapi_submit_barrier",
}


def with_members_of_queues(words: Sequence[Piece]) -> Words:
    """The words with members of queues and command groups in place of these functions."""
    spaces = {_NAMESPACE} | {words[n + 1].text for n in range(len(words)) if _is_alias(words, n)}

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        place = number
        while len(follows := texts(words, place, 2)) == 2 and is_name(words[place]) and follows[1] == "::":
            place += 2
        is_known = place > number and words[place - 2].text in spaces and texts(words, place, 1) != ()
        if not is_known or words[place].text not in _MEMBERS or texts(words, place + 1, 1) != ("(",):
            return None
        last = closing(words, place + 1)
        first, *rest = listed(words, place + 2, last) or [[]]
        if len(first) != 1 or not is_name(first[0]):
            return None
        name = made(_MEMBERS[words[place].text], words[place])
        inner = with_commas(rest, name)
        called = [*first, made(".", name), name, words[place + 1], *replaced(inner, at), words[last]]
        return called, last + 1

    return replaced(words, at)


def _is_alias(words: Sequence[Piece], number: int) -> bool:
    """Whether a name is given to the namespace at a position: `namespace syclex = sycl::ext::oneapi::experimental;`."""
    if texts(words, number, 1) != ("namespace",) or texts(words, number + 2, 1) != ("=",):
        return False
    end = next((n for n in range(number, len(words)) if words[n].text == ";"), number)
    return words[end - 1].text == _NAMESPACE
