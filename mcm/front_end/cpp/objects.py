"""Declarations of objects and memory in the forms of a SYCL test: `auto b = sycl::buffer{…};`, memory in bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.allocations import ALLOCATORS
from mcm.front_end.cpp.words import closing, closing_angle, end_of_statement, is_name, listed, made, outer, texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CLASSES: Final = frozenset(
    {"queue", "buffer", "accessor", "host_accessor", "local_accessor", "range", "nd_range", "vector", "array"}
)
# Objects that say nothing to a memory model: where code runs, and whether commands are timed.
_SILENT: Final = frozenset(
    {"device", "context", "platform", "property_list", "default_selector", "cpu_selector", "gpu_selector"}
)
# What lists are of, where arrays of them are declared.
_IN_LISTS: Final = frozenset({"queue", "event"})
_GETTERS: Final = frozenset({"get_device", "get_context", "get_platform"})
_QUALIFIERS: Final = frozenset({"const", "constexpr", "static"})
# How long a command takes: times are 0 where nothing takes any.
_PROFILE: Final = "get_profiling_info"
# Selectors that find devices of one kind; that of any device may find each of them.
_KINDS: Final = re.compile(r"(cpu|gpu|accelerator)_selector(?:_v)?")
_DEVICE: Final = re.compile(r"dev\d+")
_NAMESPACES: Final = frozenset({"sycl", "std"})


def with_queues(words: Sequence[Piece]) -> Words:
    """The words with queues made of their properties, and of the device where programs have several.

    Selectors of different kinds of devices find different devices; any other says nothing.
    """
    found: Words = []
    number = 0
    devices = _selected_devices(words)
    while number < len(words):
        found.append(words[number])
        number += 1
        if found[-1].text != "queue" or not texts(words, number, 1):
            continue
        if texts(words, number, 1) == ("&",) and texts(words, number + 2, 1) == ("=",):
            # Another name for a queue is as good as a copy of it.
            number += 1
            continue
        is_declared = is_name(words[number])
        opening = number + is_declared
        while texts(words, opening, 1) in {("(",), ("{",)}:
            last = closing(words, opening)
            kept = _kept(listed(words, opening + 1, last), words[:number], devices)
            found += words[number:opening]
            if kept or not is_declared:
                found += [words[opening], *kept, *words[last : last + 1]]
            number = last + 1
            if (
                not is_declared
                or texts(words, number, 1) != (",",)
                or not all(map(is_name, words[number + 1 : number + 2]))
            ):
                break
            opening = number + 2
    return found


def _kept(parts: Sequence[Words], before: Sequence[Piece], devices: Mapping[str, int]) -> Words:
    """What of the arguments of a queue says something: its order, or the queue that it is a copy of; and its device."""
    kept = [part for part in parts if any(word.text == "in_order" for word in part) or _is_queue(part, before)][:1]
    named = ((part[0], _device_of(part, devices)) for part in parts if part)
    kept += [[made(device, at)] for at, device in named if device is not None][:1]
    return [word for number, part in enumerate(kept) for word in ([made(",", part[0]), *part] if number else part)]


def _selected_devices(words: Sequence[Piece]) -> dict[str, int]:
    """The number of the device that a word means: a selector of one kind, or a device that one has found."""
    kinds: dict[str, int] = {}
    devices: dict[str, int] = {}
    for word in words:
        kind = _KINDS.fullmatch(word.text)
        if kind is not None:
            devices[word.text] = kinds.setdefault(kind[1], len(kinds))
    for number in range(len(words) - 2):
        if words[number].text == "device" and is_name(words[number + 1]) and texts(words, number + 2, 1) != (";",):
            part = words[number + 2 : end_of_statement(words, number)]
            found = {devices[word.text] for word in part if word.text in devices}
            if len(found) == 1:
                devices[words[number + 1].text] = found.pop()
    return devices


def _device_of(part: Words, devices: Mapping[str, int]) -> str | None:
    """The name of the device that an argument of a queue means; None for the first, and where it is not known."""
    if len(part) == 1 and _DEVICE.fullmatch(part[0].text):
        return part[0].text
    found = {devices[word.text] for word in part if word.text in devices}
    return f"dev{max(found)}" if len(found) == 1 and max(found) else None


def with_lists(words: Sequence[Piece]) -> Words:
    """The words with lists of queues and events in place of arrays of them: `queue q[2];` as `vector<queue> q(2);`."""
    found: Words = []
    number = 0
    while number < len(words):
        listed_as = _array_of(words, number)
        if listed_as is None:
            found.append(words[number])
            number += 1
        else:
            made_of, number = listed_as
            found += made_of
    return found


def _array_of(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """A list in place of an array of queues or events, and the position behind the size; None for anything else."""
    at, class_ = words[number], words[number].text
    follows = texts(words, number + 1, 2)
    if class_ in _IN_LISTS and follows[1:] == ("[",) and is_name(words[number + 1]):
        last = closing(words, number + 2)
        name, size, behind = words[number + 1], list(words[number + 3 : last]), last + 1
    elif class_ == "array" and follows[:1] == ("<",) and (angle := closing_angle(words, number + 1)) is not None:
        parts = listed(words, number + 2, angle)
        if len(parts) != 2 or not parts[0] or parts[0][-1].text not in _IN_LISTS or len(words) < angle + 3:
            return None
        at, name, size, behind = parts[0][-1], words[angle + 1], parts[1], angle + 2
        if not is_name(name):
            return None
    else:
        return None
    vector = [made(text, at) for text in ("vector", "<", at.text, ">")]
    if texts(words, behind, 1) == (";",):
        return [*vector, name, made("(", at), *size, made(")", at)], behind
    if texts(words, behind, 1) == ("=",):
        behind += 1
    return ([*vector, name], behind) if texts(words, behind, 1) == ("{",) else None


def _is_queue(part: Words, before: Sequence[Piece]) -> bool:
    """Whether an argument is the name of a queue, of which a copy is made."""
    return len(part) == 1 and any(texts(before, number, 2) == ("queue", part[0].text) for number in range(len(before)))


def with_objects(words: Sequence[Piece]) -> Words:
    """The words with objects declared by their classes, and memory made by the number of its elements."""
    found: Words = []
    number = 0
    while number < len(words):
        is_first = not found or found[-1].text in {";", "{", "}", ")"}
        if is_first and (silent := _behind_silent(words, number)) is not None:
            number = silent
        elif is_first and words[number].text == "delete":
            end = end_of_statement(words, number)
            is_array = texts(words, number + 1, 2) == ("[", "]")
            at = words[number]
            given = words[number + 1 + 2 * is_array : end]
            found += [made("delete_array" if is_array else "delete_one", at), made("(", at), *given, made(")", at)]
            number = end
        elif is_first and (declared := _declared(words, number)) is not None:
            replaced, number = declared
            found += with_objects(replaced)
        elif (allocated := _allocated(words, number)) is not None:
            replaced, number = allocated
            found += replaced
        elif (known := behind_question(words, number)) is not None:
            is_time = any(word.text == _PROFILE for word in words[number:known])
            found.append(made("0" if is_time else "true", words[number]))
            number = known
        else:
            _check_known(words, number)
            found.append(words[number])
            number += 1
    return found


def _check_known(words: Sequence[Piece], number: int) -> None:
    """InputError for a question whose answer devices choose: `get_info<info::device::max_compute_units>()`."""
    angle = closing_angle(words, number + 1) if texts(words, number, 2) == ("get_info", "<") else None
    asked = () if angle is None else texts(words, number + 2, angle - number - 2)
    if asked and not set(asked) & {"event", "queue"}:
        span = words[number].span
        assert span is not None
        message = f"'{asked[-1]}' is a number that each device has its own of: one that is meant, in its place, is"
        raise InputError(Diagnostic("E207", message, span))


def _behind_silent(words: Sequence[Piece], number: int) -> int | None:
    """The position behind the declaration of an object that says nothing; None where none is."""
    while texts(words, number, 1) and words[number].text in _QUALIFIERS:
        number += 1
    number = _behind_namespace(words, number)
    match texts(words, number, 3):
        case (class_, _, "(" | "{" | "=" | ";") if class_ in _SILENT and is_name(words[number + 1]):
            return end_of_statement(words, number) + 1
        case ("auto", _, "=") if _ends_in_getter(words, number + 3):
            return end_of_statement(words, number) + 1
        case ("auto", _, "=" | "{" | "(") if _is_selector(words, number + 3):
            return end_of_statement(words, number) + 1
        case ("auto", _, "=") if "exception_list" in texts(words, number, 12):
            # What handles errors: no command fails.
            return end_of_statement(words, number) + 1
        case (_, "." | "->", "throw_asynchronous" | "prefetch" | "mem_advise") if _stands_alone(words, number):
            # These order nothing, and no command fails.
            return end_of_statement(words, number) + 1
        case _:
            return None


def _stands_alone(words: Sequence[Piece], number: int) -> bool:
    """Whether a call of a member is a statement, without `.wait()` behind it."""
    opening = number + 3
    return texts(words, opening, 1) == ("(",) and texts(words, closing(words, opening) + 1, 1) == (";",)


def _ends_in_getter(words: Sequence[Piece], number: int) -> bool:
    end = end_of_statement(words, number)
    return end >= 4 and texts(words, end - 2, 2) == ("(", ")") and words[end - 3].text in _GETTERS


def _is_selector(words: Sequence[Piece], number: int) -> bool:
    """Whether a value says which device is chosen."""
    word = texts(words, _behind_namespace(words, number), 1)
    return bool(word) and word[0].removesuffix("_v").endswith("_selector")


def _behind_namespace(words: Sequence[Piece], number: int) -> int:
    while len(following := texts(words, number, 2)) == 2 and following[0] in _NAMESPACES and following[1] == "::":
        number += 2
    return number


def _declared(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`auto name = class<…>(…);` as `class<…> name(…);`, and the position behind it; None where something else is."""
    while texts(words, number, 1) and words[number].text in _QUALIFIERS:
        number += 1
    follows = texts(words, number, 3)
    if len(follows) < 3 or follows[0] != "auto" or follows[2] != "=":
        return None
    class_ = _behind_namespace(words, number + 3)
    if not texts(words, class_, 1) or words[class_].text not in _CLASSES:
        return None
    opening = class_ + 1
    if texts(words, opening, 1) == ("<",):
        angle = closing_angle(words, opening)
        opening = len(words) if angle is None else angle + 1
    if not texts(words, opening, 1) or words[opening].text not in {"(", "{"}:
        return None
    last = closing(words, opening)
    if texts(words, last + 1, 1) != (";",):
        return None
    if last == opening + 1:
        return [*words[class_:opening], words[number + 1], words[last + 1]], last + 2
    return [*words[class_:opening], words[number + 1], *words[opening : last + 2]], last + 2


def _allocated(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """Memory in bytes as so many elements, and the position behind it; None where something else stands.

    `(int*)malloc_shared(n, q)`, `static_cast<int*>(malloc(n))`, `new int[n]`.
    """
    if texts(words, number, 1) == ("new",):
        return _array(words, number)
    is_cast = texts(words, number, 2) in {("static_cast", "<"), ("reinterpret_cast", "<")}
    if not is_cast and texts(words, number, 1) != ("(",):
        return None
    closes = closing_angle(words, number + 1) if is_cast else closing(words, number)
    if closes is None or closes >= len(words) - 1 or closes < 2 or words[closes - 1].text != "*":
        return None
    type_ = words[number + 1 + is_cast : closes - 1]
    start = closes + 1 + is_cast
    if not type_ or (is_cast and texts(words, closes + 1, 1) != ("(",)):
        return None
    name = _behind_namespace(words, start)
    if texts(words, name + 1, 1) != ("(",) or words[name].text not in ALLOCATORS:
        return None
    last = closing(words, name + 1)
    comma = next((n for n in outer(words, name + 2, last) if words[n].text == ","), last)
    size = [made("(", words[name]), *words[name + 2 : comma], made(")", words[name])]
    size += [made(text, words[name]) for text in ("/", "sizeof", "(")] + [*type_, made(")", words[name])]
    angle = [made("<", words[name]), *type_, made(">", words[name])]
    return [words[name], *angle, words[name + 1], *size, *words[comma : last + 1]], last + 1 + is_cast


def _array(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """`new int[n]` as memory of the host."""
    opening = next((n for n in range(number + 1, len(words)) if words[n].text in {"[", ";", "(", "{"}), len(words))
    if texts(words, opening, 1) != ("[",):
        return None
    last, at = closing(words, opening), words[number]
    angle = [made("<", at), *words[number + 1 : opening], made(">", at)]
    return [made("malloc", at), *angle, made("(", at), *words[opening + 1 : last], made(")", at)], last + 1


def behind_question(words: Sequence[Piece], number: int) -> int | None:
    """The position behind a question for what a device offers, which is everything; None where something else is."""
    if not is_name(words[number]) or texts(words, number + 1, 1) != (".",):
        return None
    if texts(words, number + 2, 4) == ("get_device", "(", ")", "."):
        number += 4
    match texts(words, number + 2, 2):
        case ("get_info", "<"):
            angle = closing_angle(words, number + 3)
            asked = () if angle is None else texts(words, number + 4, angle - number - 4)
            if angle is None or not any(word.startswith("usm_") for word in asked):
                return None
            return angle + 3
        case (name, "<") if name == _PROFILE and (angle := closing_angle(words, number + 3)) is not None:
            return angle + 3
        case ("has", "("):
            return closing(words, number + 3) + 1
        case _:
            return None
