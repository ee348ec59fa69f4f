"""Variables and names of lambdas that algorithms call, `std::generate(b, e, [k = 0]() mutable { return k++; });`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.elements import code, elements
from mcm.front_end.cpp.words import begins_statement, closing, end_of_statement, is_name, listed, replaced, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_CALLING: Final = frozenset({"generate", "generate_n", "for_each", "transform"})


def with_variables_of_lambdas(words: Sequence[Piece]) -> Words:
    """The words with `{ auto k = 0; std::generate(b, e, [&k]() { return k++; }); }` in place of such a statement.

    Where a lambda is named, `std::generate(b, e, next);`, a loop calls it.
    """
    lambdas = {words[n].text for n in range(len(words)) if texts(words, n + 1, 2) == ("=", "[") and is_name(words[n])}

    def called(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        start = number + 2 * (texts(words, number, 2) == ("std", "::"))
        if texts(words, start, 2) != ("generate", "(") or not begins_statement(words, number):
            return None
        last = closing(words, start + 1)
        parts = listed(words, start + 2, last)
        of = elements(parts[0], parts[1]) if len(parts) == 3 and texts(words, last + 1, 1) == (";",) else None
        if of is None or len(parts[2]) != 1 or parts[2][0].text not in lambdas:
            return None
        at = words[number]
        counter = code(at, f"generated_{number}")
        loop = "for ( size_t {i} = 0 ; {i} < {count} ; {i} ++ ) {one} = {function} ( ) ;"
        return code(at, loop, i=counter, count=of.count, one=of.at(counter), function=parts[2]), last + 2

    return replaced(replaced(words, _beside), called)


def _beside(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    start = number + 2 * (texts(words, number, 2) == ("std", "::"))
    follows = texts(words, start, 2)
    if follows[1:] != ("(",) or follows[0] not in _CALLING or not begins_statement(words, number):
        return None
    last, end = closing(words, start + 1), end_of_statement(words, number)
    parts = listed(words, start + 2, last)
    if last + 1 != end or len(parts) < 2 or parts[-1][0].text != "[" or not _is_mutable(parts[-1]):
        return None
    captures = listed(parts[-1], 1, closing(parts[-1], 0))
    made_here = [one for one in captures if texts(one, 1, 1) == ("=",) and is_name(one[0])]
    names = {one[0].text for one in made_here}
    # What is said elsewhere in the statement by one of the names is another variable.
    others = [*parts[:-1], *(one[2:] for one in made_here), *(one for one in captures if one not in made_here)]
    if not made_here or any(word.text in names for part in others for word in part):
        return None
    at = words[number]
    declared = [word for one in made_here for word in code(at, "auto {one} ;", one=one)]
    capture = [word for one in captures for word in (one if one not in made_here else code(at, "& {n}", n=one[:1]))]
    if len(captures) > 1:
        # What else is captured is known by its name.
        capture = code(at, "&")
    function = code(at, "[ {capture} ] {rest}", capture=capture, rest=parts[-1][closing(parts[-1], 0) + 1 :])
    given = [word for part in parts[:-1] for word in (*part, *code(at, ","))]
    call = [*words[number : start + 2], *given, *function]
    return code(at, "{ {declared} {call} ) ; }", declared=declared, call=call), end + 1


def _is_mutable(function: Words) -> bool:
    behind = closing(function, 0) + 1
    return texts(function, behind, 1) == ("(",) and texts(function, closing(function, behind) + 1, 1) == ("mutable",)
