"""Objects of the host that are copies of others, `Sizes b = a;`: made of the members of those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.elements import code
from mcm.front_end.cpp.words import begins_statement, end_of_block, end_of_statement, is_name, made, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcm.front_end.cpp.host_classes import Data
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_OF_REFERENCES: Final = frozenset({"&", "*"})


def with_copied_members(
    words: Sequence[Piece],
    structures: Mapping[str, Sequence[Data]],
    says_sizes: Callable[[Sequence[Piece], str], bool],
) -> tuple[Words, set[str]]:
    """The words with `S b = S{a.x, a.y};` in place of `S b = a;`, `S b(a);` and `S b{a};`, and the names of such `a`.

    Such an `a` is told where members of `b` say sizes. `S` has no arrays.
    """
    objects: dict[str, str] = {}
    originals: set[str] = set()

    def copied(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        class_ = words[number].text
        if class_ not in structures or texts(words, number + 1, 1) == ():
            return None
        name = number + 1 + (words[number + 1].text in _OF_REFERENCES)
        if not texts(words, name + 1, 1) or not is_name(words[name]):
            return None
        # Names of other objects of the program may be the same, of the same class.
        is_known = objects.setdefault(words[name].text, class_) == class_
        is_declared = begins_statement(words, number - (words[number - 1].text == "const"))
        end = end_of_statement(words, name)
        given = texts(words, name + 1, end - name - 1)
        is_one = given[:1] == ("=",) and len(given) == 2
        is_one |= len(given) == 3 and given[0] in {"(", "{"}
        data = structures[class_]
        if not is_declared or name != number + 1 or not is_known or not is_one or objects.get(given[1]) != class_:
            return None
        if any(each.behind for each in data) or not data:
            return None
        if says_sizes(words[end + 1 : end_of_block(words, end)], words[name].text):
            originals.add(given[1])
        at = words[name + 2]
        values = [word for each in data for word in (made(",", at), at, *code(at, f". {each.name.text}"))][1:]
        head = [*words[number : name + 1], made("=", at), words[number], made("{", at)]
        return [*head, *values, made("}", at), words[end]], end + 1

    found = replaced(words, copied) if structures else list(words)
    return found, originals
