"""Instances of templates of classes that a program defines by themselves: `template <> struct S<float> { … };`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.front_end.cpp.words import closing, closing_angle, listed, texts

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcm.front_end.cpp.words import Words


def specializations(words: Words, templates: Collection[str]) -> tuple[dict[tuple[str, ...], Words], Words]:
    """What instances of templates are that are defined by themselves, `template <> struct S<float> { … };`."""
    special: dict[tuple[str, ...], Words] = {}
    rest: Words = []
    number = 0
    while number < len(words):
        follows = texts(words, number, 6)
        angle = (
            closing_angle(words, number + 5) if len(follows) == 6 and follows[:3] == ("template", "<", ">") else None
        )
        if angle is None or follows[4] not in templates or texts(words, angle + 1, 1) != ("{",):
            rest.append(words[number])
            number += 1
            continue
        last = closing(words, angle + 1)
        given = (" ".join(word.text for word in part) for part in listed(words, number + 6, angle))
        special[(follows[4], *given)] = list(words[angle + 1 : last + 1])
        number = last + 1 + (texts(words, last + 1, 1) == (";",))
    return special, rest
