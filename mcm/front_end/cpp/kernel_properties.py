"""Properties of kernels, `parallel_for(r, properties{sub_group_size<8>}, …)`: attributes of their lambdas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.launch_calls import launch_calls
from mcm.front_end.cpp.words import (
    closing,
    closing_angle,
    end_of_statement,
    is_name,
    listed,
    start_of_statement,
    texts,
    with_commas,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.front_end.cpp.launch_calls import LaunchCall
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_PROPERTIES: Final = "properties"
_TAG: Final = "properties_tag"
_CALL: Final = ("operator", "(", ")", "(")
# The attributes that say the same; other properties change nothing that the memory model knows.
_ATTRIBUTES: Final = {"sub_group_size": "reqd_sub_group_size", "work_group_size": "reqd_work_group_size"}

_CONSTANT: Final = frozenset({"const", "constexpr"})
_BY_AUTO: Final = ("auto", "p", "=")


def with_attributes(words: Sequence[Piece]) -> Words:
    """The words with attributes in place of properties of the kernels that stand where they are launched.

    Those of objects that are called stand before the functions, `[[…]] void operator()(id<1> i) const`.
    """
    found = _with_attributes_first(_without_tags(list(words)))
    if not any(word.text == _PROPERTIES for word in found):
        return found
    named = dict(_named(found))
    for launch in reversed(launch_calls(found)):
        found = _with_attributes(found, launch, named)
    for name, (start, end) in reversed(_declarations(found)):
        # Behind the launches nothing is left that could use them.
        if sum(word.text == name for word in found) == 1:
            del found[start : end + 1]
    return found


def _without_tags(words: Words) -> Words:
    """The words with attributes in place of functions that say them, `auto get(properties_tag) const { … }`."""
    for number in reversed(range(3, len(words))):
        if words[number].text != _TAG:
            continue
        opening = max((n for n in range(number) if words[n].text == "("), default=0)
        brace = next((n for n in range(number, len(words)) if words[n].text in {"{", ";"}), number)
        calls = [n for n in _in_class(words, opening) if texts(words, n, 4) == _CALL]
        if texts(words, opening - 1, 1) != ("get",) or texts(words, brace, 1) != ("{",) or not calls:
            continue
        start, end = _begin_of_member(words, opening), closing(words, brace)
        attributes = _attributes(words[brace:end])
        for place in sorted([*calls, start], reverse=True):
            if place == start:
                del words[start : end + 1]
            else:
                first = _begin_of_member(words, place)
                words[first:first] = attributes
    return words


def _in_class(words: Sequence[Piece], number: int) -> range:
    """The positions in the class that a member stands in."""
    opening = next((n for n in reversed(range(number)) if words[n].text == "{" and closing(words, n) > number), 0)
    return range(opening, closing(words, opening))


def _begin_of_member(words: Sequence[Piece], number: int) -> int:
    """Where the member of a class begins that a word is in, behind `public:`."""
    start = start_of_statement(words, number)
    return start + 2 if texts(words, start + 1, 1) == (":",) else start


def _with_attributes_first(words: Words) -> Words:
    """The words with attributes before a function, which stand behind its parameters."""
    for number in reversed(range(len(words))):
        if texts(words, number, 4) != _CALL:
            continue
        place = closing(words, number + 3) + 1
        while texts(words, place, 1) in {("const",), ("noexcept",)}:
            place += 1
        while texts(words, place, 2) == ("[", "["):
            end = closing(words, place) + 1
            attribute, words[place:end] = words[place:end], []
            first = _begin_of_member(words, number)
            words[first:first] = attribute
            place = end
    return words


def _declarations(words: Sequence[Piece]) -> list[tuple[str, tuple[int, int]]]:
    """The names of properties that are declared, `properties p{…};`, and where that begins and ends."""
    found: list[tuple[str, tuple[int, int]]] = []
    for number in range(1, len(words) - 2):
        name = _declared(words, number) if words[number].text == _PROPERTIES else None
        if name is not None:
            found.append((name, (start_of_statement(words, number), end_of_statement(words, number))))
    return found


def _declared(words: Sequence[Piece], number: int) -> str | None:
    """The name of what is declared around a position: `properties p{…}`, `auto p = properties{…}`."""
    first = number
    while texts(words, first - 1, 1) == ("::",):
        first -= 2
    start = start_of_statement(words, number)
    head = [word.text for word in words[start:first] if word.text not in _CONSTANT]
    if not head and is_name(words[number + 1]) and words[number + 2].text in {"{", "(", "="}:
        return words[number + 1].text
    return head[1] if len(head) == len(_BY_AUTO) and (head[0], head[2]) == (_BY_AUTO[0], _BY_AUTO[2]) else None


def _named(words: Sequence[Piece]) -> Iterator[tuple[str, Words]]:
    for name, (start, end) in _declarations(words):
        yield name, list(words[start:end])


def _with_attributes(words: Words, launch: LaunchCall, named: Mapping[str, Words]) -> Words:
    """The words of one launch, without its properties."""
    parts = listed(words, launch.opening + 1, launch.last)
    attributes: Words = []
    kept: list[Words] = []
    for part in parts:
        said = named.get(part[0].text) if len(part) == 1 else part
        if part is not parts[-1] and said is not None and any(word.text == _PROPERTIES for word in said):
            attributes += _attributes(said)
        else:
            kept.append(part)
    if len(kept) == len(parts):
        return words
    at = words[launch.name]
    lambda_ = kept[-1]
    behind = launch.brackets[1] + 1 - launch.capture if launch.brackets else launch.body[0] - launch.capture
    brackets = [] if launch.brackets or not attributes else code(at, "( )")
    kept[-1] = [*lambda_[:behind], *brackets, *attributes, *lambda_[behind:]]
    joined = with_commas(kept, at)
    return [*words[: launch.opening + 1], *joined, *words[launch.last :]]


def _attributes(said: Words) -> Words:
    """The attributes that some properties are, `[[sycl::reqd_sub_group_size(8)]]`."""
    found: Words = []
    for number, word in enumerate(said):
        name = _ATTRIBUTES.get(word.text)
        angle = closing_angle(said, number + 1) if texts(said, number + 1, 1) == ("<",) else None
        if name is not None and angle is not None:
            pattern = f"[ [ sycl :: {name} ( {{sizes}} ) ] ]"
            found += code(word, pattern, sizes=said[number + 2 : angle])
    return found
