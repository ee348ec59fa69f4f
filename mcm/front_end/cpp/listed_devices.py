"""Lists of devices and platforms, `device::get_devices()`: each has the one that a program runs on (ADR 102)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, Severity
from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import behind_statement, closing, end_of_statement, is_name, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

    _Rewriting = Callable[[Sequence[Piece], int], tuple[Words, int] | None]

_LISTS: Final = frozenset({"get_devices", "get_platforms"})
_BETWEEN: Final = frozenset({";", "{", "}", ")", "else"})
_ANSWERS: Final = {"size": "1", "empty": "false"}


def with_one_device(words: Sequence[Piece]) -> Words:
    """The words without lists of devices and platforms, each of which has one."""
    if not any(word.text in _LISTS for word in words):
        return list(words)
    names = {words[n - 1].text for n in range(1, len(words)) if _declares_list(words, n)}

    def at(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        return _declaration(words, number) or _loop(words, number, names, at) or _question(words, number, names)

    return replaced(words, at)


def _declares_list(words: Sequence[Piece], sign: int) -> bool:
    """Whether a name before a sign is declared as a list: `auto devices = device::get_devices();`."""
    end = end_of_statement(words, sign)
    return words[sign].text == "=" and is_name(words[sign - 1]) and _is_list(words[sign + 1 : end])


def _is_list(value: Sequence[Piece]) -> bool:
    """Whether a value is what a call of such a function returns, and not something of it."""
    place = next((n for n in reversed(range(len(value))) if value[n].text in _LISTS), len(value))
    return texts(value, place + 1, 1) == ("(",) and closing(value, place + 1) == len(value) - 1


def _declaration(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """Nothing for the declaration of a list, or of one that it has, `auto d = device::get_devices()[0];`."""
    if number and words[number - 1].text not in _BETWEEN:
        return None
    end = end_of_statement(words, number)
    sign = next((n for n in range(number, end) if words[n].text == "="), end)
    before = {word.text for word in words[number:sign]}
    is_declared = sign > number + 1 and before & {"auto", "device", "platform"} and not before & {"(", "{"}
    is_one = is_declared and any(word.text in _LISTS for word in words[sign:end])
    return ([], end + 1) if is_one else None


def supposed_lists(words: Sequence[Piece]) -> tuple[Diagnostic, ...]:
    """What is told of the first loop over a list of devices that makes queues: each device may have one."""
    for number in range(len(words)):
        if texts(words, number, 2) != ("for", "("):
            continue
        last = closing(words, number + 1)
        listed = next((one for one in words[number:last] if one.text in _LISTS), None)
        body = words[last + 1 : behind_statement(words, last + 1)]
        if listed is not None and listed.span is not None and any(word.text == "queue" for word in body):
            message = (
                f"'{listed.text}' lists as many as there are, and here it is one: the verdict for several, whose "
                "queues may run at once, may differ"
            )
            return (Diagnostic("W155", message, listed.span, Severity.WARNING),)
    return ()


def _loop(words: Sequence[Piece], number: int, names: set[str], at: _Rewriting) -> tuple[Words, int] | None:
    """One turn of a loop over a list, `for (auto& d : device::get_devices()) …`."""
    if texts(words, number, 2) != ("for", "("):
        return None
    last = closing(words, number + 1)
    colon = next((n for n in range(number, last) if words[n].text == ":"), last)
    value = words[colon + 1 : last]
    if not value or not (_is_list(value) or (len(value) == 1 and value[0].text in names)):
        return None
    end = behind_statement(words, last + 1)
    counter = code(words[number], f"turn_of_{number}")
    pattern = "for ( int {i} = 0 ; {i} < 1 ; {i} ++ ) { {body} }"
    return code(words[number], pattern, i=counter, body=replaced(words[last + 1 : end], at)), end


def _question(words: Sequence[Piece], number: int, names: set[str]) -> tuple[Words, int] | None:
    """`1` for `devices.size()`."""
    match texts(words, number, 5):
        case (name, ".", member, "(", ")") if name in names and member in _ANSWERS:
            return code(words[number], _ANSWERS[member]), number + 5
        case _:
            return None
