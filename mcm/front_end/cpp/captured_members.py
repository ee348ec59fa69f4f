"""What lambdas in functions of an object of the host capture of it: copies of members, and never the object itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.own_names import declared_names
from mcm.front_end.cpp.words import closing, has_owner, listed, made, texts, with_commas

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_COPY: Final = ("*", "this")
_HEADS: Final = frozenset({"=", "&", "this", "*"})


def with_captured_members(words: Sequence[Piece], members: AbstractSet[str]) -> Words:
    """The words with `[=]` and `[&]` in place of `[=, *this]` and `[&, this]`, where no kernel follows `this`.

    The members become variables, of which a kernel has copies, as it has of the object in `[=, *this]`.
    """
    found = list(words)
    for number in reversed(range(len(found))):
        if found[number].text != "[" or texts(found, number + 1, 1) not in {(one,) for one in _HEADS}:
            continue
        last = closing(found, number)
        parts = listed(found, number + 1, last)
        said = [texts(part, 0, len(part)) for part in parts]
        if _COPY not in said and said[0] != ("&",):
            _check(found, last, parts, members)
            continue
        if _COPY not in said and ("this",) not in said:
            continue
        kept = [part for part, text in zip(parts, said, strict=True) if text not in {_COPY, ("this",)}]
        # What it names besides members are copies that it would have to name in any case.
        is_by_copy = _COPY in said and ("=",) not in said
        at = found[number]
        kept = [[made("=", at)], *kept] if is_by_copy else kept
        found[number + 1 : last] = with_commas(kept, at)
    return found


def _check(words: Sequence[Piece], last: int, parts: Sequence[Words], members: AbstractSet[str]) -> None:
    """Refuse a lambda that names a member: it would follow `this` to memory of the host."""
    opening = last + 1
    if texts(words, opening, 1) == ("(",):
        opening = closing(words, opening) + 1
    brace = next((n for n in range(opening, len(words)) if words[n].text == "{"), len(words))
    body = words[brace : closing(words, brace)]
    own = {*declared_names(body), *(part[0].text for part in parts if texts(part, 1, 1) == ("=",))}
    for place, inner in enumerate(body):
        is_member = inner.text in members and inner.text not in own and not has_owner(body, place)
        if inner.text == "this" or is_member:
            message = (
                f"'{inner.text}' in this lambda is a member of an object of the host, which it would reach by 'this': "
                f"a copy that is made before, 'auto x = {inner.text};', is, and '[=, *this]' copies all"
            )
            assert inner.span is not None
            raise InputError(Diagnostic("E207", message, inner.span))
