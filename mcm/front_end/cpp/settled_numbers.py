"""Numbers of `main` that are settled before anything reads them: `int n = 4; n = 7;` is `int n = 7;`.

So are those that arguments of the program decide, which may then be sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.definitions import NUMBERS
from mcm.front_end.cpp.words import behind_statement, closing, is_name, made, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_MAIN: Final = "main"
_QUALIFIERS: Final = frozenset({"std", "::"})
_BETWEEN: Final = frozenset({";", "{", "}"})


def with_settled_numbers(words: Sequence[Piece]) -> Words:
    """The words with what a variable is assigned first in place of what it begins with."""
    main = next((n for n in range(len(words)) if texts(words, n, 2) == (_MAIN, "(")), None)
    if main is None:
        return list(words)
    opening = closing(words, main + 1) + 1
    if texts(words, opening, 1) != ("{",):
        return list(words)
    last = closing(words, opening)
    body = _settled(list(words[opening : last + 1]))
    return [*words[:opening], *body, *words[last + 1 :]]


def _settled(body: Sequence[Piece]) -> Words:
    """The body of a function, of whose statements branches and loops are only looked at for names."""
    statements: list[Words] = []
    # Where a variable is declared whose value nothing has read: the statement, the place in it, and the depth.
    open_: dict[str, tuple[int, int, int]] = {}
    number = depth = 0
    while number < len(body):
        text = body[number].text
        if text in _BETWEEN:
            depth += (text == "{") - (text == "}")
            open_ = {name: at for name, at in open_.items() if at[2] <= depth}
            statements.append([body[number]])
            number += 1
            continue
        end = behind_statement(body, number)
        one = list(body[number:end])
        number = end
        name = _assigned(one)
        if name in open_:
            where, place, _ = open_[name]
            declaration = statements[where]
            statements[where] = [*declaration[: place + 1], made("=", one[0]), *one[2:]]
            continue
        open_ = {name: at for name, at in open_.items() if all(word.text != name for word in one)}
        if (declared := _declared(one)) is not None:
            open_[one[declared].text] = (len(statements), declared, depth)
        statements.append(one)
    return [word for one in statements for word in one]


def _declared(words: Sequence[Piece]) -> int | None:
    """The position of the name of the one number that a statement declares, whose first value nothing is read for."""
    place = 0
    while place < len(words) and (words[place].text in NUMBERS or words[place].text in _QUALIFIERS):
        place += 1
    is_one = 0 < place < len(words) - 1 and is_name(words[place])
    is_plain = is_one and (texts(words, place + 1, 1) == (";",) or _is_number(words, place + 1))
    return place if is_plain else None


def _assigned(words: Sequence[Piece]) -> str | None:
    """The variable that a statement assigns a number to, as it is written; None where it does something else."""
    return words[0].text if _is_number(words, 1) else None


def _is_number(words: Sequence[Piece], sign: int) -> bool:
    """Whether a number, as it is written, is assigned by a sign, and nothing follows."""
    if texts(words, sign, 1) != ("=",) or words[-1].text != ";":
        return False
    value = [word.text for word in words[sign + 1 : -1] if word.text not in {"(", ")", "-"}]
    return len(value) == 1 and (value[0][0].isdigit() or value[0] in {"true", "false"})
