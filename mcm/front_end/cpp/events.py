"""Lists of events that a program declares, in place of their names: `std::vector<event> waits{a, b};`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing, end_of_statement, is_name, made, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_ADDS: Final = frozenset({"push_back", "emplace_back"})


def with_events(words: Sequence[Piece]) -> Words:
    """The words with lists of events in place of their names, as far as they are plain from the text.

    An event that is added is known behind that, `waits.push_back(q.submit(…));`, in the block of the list alone.
    """
    return _Lists().rewritten(words)


class _Lists:
    """`_known` are the lists, each with the depth of its block; `_count` counts events that are given names."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, list[Words]]] = {}
        self._count = 0

    def rewritten(self, words: Sequence[Piece]) -> Words:
        found: Words = []
        depth = number = 0
        while number < len(words):
            text = words[number].text
            is_first = not found or found[-1].text in {";", "{", "}"}
            declared = _declared(words, number) if is_first else None
            if declared is not None and not _is_elsewhere(words, *declared):
                name, events, number = declared
                self._known[name] = depth, events
                continue
            if is_first and text in self._known and texts(words, number + 1, 1) == (".",):
                found += self._added(words, number)
                number = end_of_statement(words, number) + 1
                continue
            if text in self._known and (not found or found[-1].text not in {".", "->", "::"}):
                found += self._list(text, words[number])
            else:
                found.append(words[number])
            depth += (text == "{") - (text == "}")
            self._known = {name: one for name, one in self._known.items() if one[0] <= depth}
            number += 1
        return found

    def _added(self, words: Sequence[Piece], number: int) -> Words:
        """What `waits.push_back(e);` is: nothing, or the declaration of an event."""
        _, events = self._known[words[number].text]
        end = end_of_statement(words, number)
        value = list(words[number + 4 : end - 1])
        if len(value) == 1:
            events.append(value)
            return []
        self._count += 1
        name = made(f"added_{self._count}", words[number])
        events.append([name])
        return [made("event", name), name, made("=", name), *value, made(";", name)]

    def _list(self, name: str, at: Piece) -> Words:
        found: Words = [made("{", at)]
        for number, event in enumerate(self._known[name][1]):
            found += [*([made(",", at)] if number else []), *event]
        return [*found, made("}", at)]


def _declared(words: Sequence[Piece], number: int) -> tuple[str, list[Words], int] | None:
    """The name of a list, its first events, and the position behind its declaration; None where none is declared."""
    start = number
    while texts(words, number, 2) == ("std", "::") or texts(words, number, 1) == ("const",):
        number += 2 if words[number].text == "std" else 1
    if texts(words, number, 2) != ("vector", "<"):
        return None
    number += 2
    if texts(words, number, 2) == ("sycl", "::"):
        number += 2
    follows = texts(words, number, 4)
    if follows[:2] != ("event", ">") or len(follows) < 4 or not is_name(words[number + 2]):
        return None
    end = end_of_statement(words, start)
    opening = number + 3 + (follows[3] == "=")
    if follows[3] == ";":
        return follows[2], [], end + 1
    if texts(words, opening, 1) != ("{",) or closing(words, opening) != end - 1:
        return None
    inside = words[opening + 1 : end - 1]
    names = [[word] for word in inside if word.text != ","]
    return (follows[2], names, end + 1) if len(inside) == max(0, 2 * len(names) - 1) else None


def _is_elsewhere(words: Sequence[Piece], name: str, events: list[Words], behind: int) -> bool:
    """Whether a list is used in another way than by adding to it in its own block, and as a whole.

    What is in it keeps its meaning: a variable that gets another event later is no name for the one in the list.
    """
    if any(_is_assigned(words, event[0].text, behind) for event in events):
        return True
    depth = 0
    for number in range(behind, len(words)):
        text = words[number].text
        depth += (text == "{") - (text == "}")
        if depth < 0:
            return False
        if text != name or words[number - 1].text in {".", "->", "::"}:
            continue
        is_member = texts(words, number + 1, 1)[:1] in {(".",), ("[",), ("=",)}
        is_statement = words[number - 1].text in {";", "{", "}"}
        follows = texts(words, number + 1, 3)
        is_added = follows[:1] == (".",) and follows[1:2] and follows[1] in _ADDS and follows[2:] == ("(",)
        if is_member and not (is_added and is_statement and depth == 0):
            return True
        if words[number - 1].text == ":" or (is_added and _is_assigned(words, words[number + 4].text, number)):
            return True
    return False


def _is_assigned(words: Sequence[Piece], name: str, start: int) -> bool:
    """Whether a variable is assigned behind a position."""
    return any(texts(words, number, 2) == (name, "=") for number in range(start, len(words)))
