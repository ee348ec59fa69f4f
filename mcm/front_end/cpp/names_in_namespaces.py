"""Names of their own for what namespaces of a program declare, where the program has others of these names.

`namespace a { constexpr int k = 3; } namespace b { constexpr int k = 5; }`: `a_k` in place of `a::k`. All that comes
behind sees no namespaces (`mcm.front_end.cpp.silent`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.namespace_scopes import (
    Opened,
    declared_in,
    declared_inside,
    members_in,
    opened_namespaces,
    path_at,
)
from mcm.front_end.cpp.words import closing, end_of_block, end_of_statement, has_owner, is_name, made, other_name, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.front_end.cpp.namespace_scopes import Path
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# What programs add to, and do not define.
_NOT_OWN: Final = frozenset({"sycl", "std", "cl", "ext"})
# Classes of SYCL, which are known without their namespace.
_OF_SYCL: Final = frozenset(
    {
        *("accessor", "buffer", "context", "device", "event", "group", "handler", "id", "item", "kernel", "nd_item"),
        *("nd_range", "platform", "queue", "range", "vec"),
    }
)


def with_names_of_namespaces(words: Sequence[Piece]) -> Words:
    """The words with such names; InputError where it is not told from words what a name means."""
    opened = [one for one in opened_namespaces(words) if not _NOT_OWN & set(one.path)]
    if not opened:
        return list(words)
    return _Names(words, opened).changed()


class _Names:
    """Which names are changed, and where they stand."""

    def __init__(self, words: Sequence[Piece], opened: Sequence[Opened]) -> None:
        self._words: Final = words
        self._opened: Final = opened
        self._aliases: Final = dict(_aliases(words))
        self._declared: Final[dict[str, dict[Path, int]]] = {}
        for one in (Opened((), -1, len(words)), *opened):
            for name, at in declared_in(words, one.start + 1, one.end):
                self._declared.setdefault(name, {}).setdefault(one.path, at)
        self._chains: Final = {chain[1]: chain for number in range(len(words)) if (chain := self._chain(number))}

    def _chain(self, number: int) -> tuple[int, int, Path, str] | None:
        """Where a name with namespaces before it begins and ends, the path of the one that it is of, and the name."""
        words = self._words
        if not is_name(words[number]) or texts(words, number - 1, 1) != ("::",) or number < 2:
            return None
        start = number
        before: list[str] = []
        while start > 1 and words[start - 1].text == "::" and is_name(words[start - 2]):
            start -= 2
            before.insert(0, words[start].text)
        is_whole = start > 0 and words[start - 1].text == "::"
        before = [*self._aliases.get(before[0], (before[0],)), *before[1:]] if before else []
        around = () if is_whole else path_at(self._opened, number)
        for depth in range(len(around), -1, -1):
            path = (*around[:depth], *before)
            if before and path in self._declared.get(words[number].text, {}):
                return start - is_whole, number, path, words[number].text
        return None

    def changed(self) -> Words:
        """The words with names of their own."""
        inside = declared_inside(self._words)
        asked = {(path, name) for _, _, path, name in self._chains.values()}
        taken = {word.text for word in self._words}
        foreign = _OF_SYCL | set(_of_libraries(self._words))
        names: dict[tuple[Path, str], str] = {}
        for name, places in self._declared.items():
            for path in places:
                is_asked = name in inside and (path, name) in asked
                if path and (len(places) > 1 or is_asked or name in foreign):
                    names[path, name] = other_name("_".join((*path, name)), taken)
        if not names:
            return list(self._words)
        found: dict[int, str] = {}
        for (path, name), other in names.items():
            for start, end in self._regions(path, name):
                self._check(start, end, path, name)
                found |= dict.fromkeys(self._alone(start, end, path, name), other)
        return self._replaced(names, found)

    def _regions(self, path: Path, name: str) -> Iterator[tuple[int, int]]:
        """Where a name without a namespace before it may be the one of a namespace."""
        words = self._words
        yield from ((one.start + 1, one.end) for one in self._opened if one.path == path)
        for number in range(1, len(words)):
            if words[number - 1].text == "using" and words[number].text == "namespace":
                end = end_of_statement(words, number)
                told = tuple(word.text for word in words[number + 1 : end] if is_name(word))
                around = path_at(self._opened, number)
                if any((*around[:depth], *told) == path for depth in range(len(around) + 1)):
                    yield end, end_of_block(words, end)
        for start, number, owner, what in self._chains.values():
            if (owner, what) == (path, name) and texts(words, start - 1, 1) == ("using",):
                yield number, end_of_block(words, number)
            elif owner == path and start and is_name(words[start - 1]) and texts(words, number + 1, 1) == ("(",):
                # A function of the namespace that is defined outside of it.
                brace = closing(words, number + 1) + 1
                if texts(words, brace, 1) == ("{",):
                    yield number, closing(words, brace)

    def _alone(self, start: int, end: int, path: Path, name: str) -> Iterator[int]:
        """The positions of a name without an owner in a region, but in namespaces that have one themselves."""
        others = [one for one in self._opened if start <= one.start and one.path != path]
        hiding = [one for one in others if one.path in self._declared[name]]
        for number in range(start, min(end, len(self._words))):
            if self._words[number].text == name and not has_owner(self._words, number):
                is_hidden = any(one.start < number < one.end for one in hiding)
                if not is_hidden:
                    yield number

    def _check(self, start: int, end: int, path: Path, name: str) -> None:
        """What is declared in a region by this name has the other name too, which is right if it is by itself."""
        region = self._words[start:end]
        is_member = name in members_in(region)
        is_asked = any(
            start < number < end and (owner, what) == (path, name) and texts(self._words, first - 1, 1) != ("using",)
            for first, number, owner, what in self._chains.values()
        )
        if is_member or (is_asked and name in declared_inside(region)):
            message = f"'{name}' is declared here, and by other parts of the program, of which some use this one"
            at = self._words[self._declared[name][path]]
            assert at.span is not None
            raise InputError(Diagnostic("E207", f"{message}: give it a name of its own", at.span))

    def _replaced(self, names: Mapping[tuple[Path, str], str], alone: Mapping[int, str]) -> Words:
        """The words with the names in place; `using a::f;` says nothing any more."""
        words, found, number = self._words, [], 0
        chains = {start: (last, path, name) for start, last, path, name in self._chains.values()}
        while number < len(words):
            last, path, name = chains.get(number, (number, (), ""))
            other = names.get((path, name)) or alone.get(number)
            if other is None:
                found.append(words[number])
                number += 1
                continue
            if found and found[-1].text == "using" and texts(words, last + 1, 1) == (";",):
                del found[-1]
                number = last + 2
                continue
            at = words[last]
            found.append(made(other, at))
            number = last + 1
            # A constructor, or a destructor, that is defined outside of the class.
            if texts(words, number, 2) in {("::", at.text), ("::", "~")}:
                is_end = words[number + 1].text == "~"
                found += [*words[number : number + 1 + is_end], made(other, words[number + 1 + is_end])]
                number += 2 + is_end
        return found


def _of_libraries(words: Sequence[Piece]) -> Iterator[str]:
    """The names that a program uses of libraries, `sycl::min`."""
    for number in range(2, len(words)):
        if words[number - 1].text == "::" and words[number - 2].text in _NOT_OWN:
            yield words[number].text


def _aliases(words: Sequence[Piece]) -> Iterator[tuple[str, Path]]:
    """Other names of namespaces, `namespace s = a::b;`."""
    for number in range(len(words)):
        if texts(words, number, 1) == ("namespace",) and texts(words, number + 2, 1) == ("=",):
            end = end_of_statement(words, number)
            yield words[number + 1].text, tuple(word.text for word in words[number + 3 : end] if is_name(word))
