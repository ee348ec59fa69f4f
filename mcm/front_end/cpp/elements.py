"""What algorithms of the standard library go through, `v.begin(), v.end()`, and code that is made of a pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.front_end.cpp.words import closing, end_of_statement, listed, made, outer, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_BEGINS: Final = frozenset({"begin", "cbegin", "data", "get_pointer"})
_ENDS: Final = frozenset({"end", "cend"})
# The function objects that stand for operators.
OPERATORS: Final = {
    "plus": "+",
    "minus": "-",
    "multiplies": "*",
    "divides": "/",
    "modulus": "%",
    "bit_and": "&",
    "bit_or": "|",
    "bit_xor": "^",
    "logical_and": "&&",
    "logical_or": "||",
    "greater": ">",
    "less": "<",
}


def code(at: Piece, pattern: str, **parts: Words) -> Words:
    """The words of a pattern, in which names in braces stand for others."""
    found: Words = []
    for word in pattern.split():
        if word[0] == "{" and word[-1] == "}" and len(word) > 2:
            found += parts[word[1:-1]]
        else:
            found.append(made(word, at))
    return found


class Elements(Struct, frozen=True):
    """The elements of an array, or a container, from the `first` on (None for that with number 0), `count` of them."""

    base: Words
    first: Words | None
    count: Words

    def at(self, place: Words) -> Words:
        """The element with a number, counted from the first one."""
        return element(self.base, self.first, place)


def element(base: Words, first: Words | None, place: Words) -> Words:
    """An element of an array, so many behind another one."""
    at = base[0]
    number = place if first is None else code(at, "( {first} ) + ( {place} )", first=first, place=place)
    array = base if len(base) == 1 else code(at, "( {base} )", base=base)
    return code(at, "{array} [ {number} ]", array=array, number=number)


def elements(first: Words, last: Words) -> Elements | None:
    """The elements between two places: `v.begin(), v.end()`, `p, p + n`; None where they are not of one array."""
    begin, end = place(first), place(last)
    if begin is None or end is None or [one.text for one in begin[0]] != [one.text for one in end[0]]:
        return None
    if end[1] is None:
        return None
    if begin[1] is None:
        return Elements(begin[0], None, end[1])
    count = code(first[0], "( ( {end} ) - ( {begin} ) )", end=end[1], begin=begin[1])
    return Elements(begin[0], begin[1], count)


def place(words: Words) -> tuple[Words, Words | None] | None:
    """The array that a place is in, and the number of its element, None for 0; None for what is no place."""
    if not words:
        return None
    last = [word.text for word in words[-4:]]
    at = words[0]
    if len(words) > 4 and last[0] == "." and last[2:] == ["(", ")"] and last[1] in _BEGINS | _ENDS:
        base = words[:-4]
        return base, None if last[1] in _BEGINS else code(at, "std :: size ( {base} )", base=base)
    of = texts(words, 0, 4)
    if (
        of[:2] == ("std", "::")
        and of[3:] == ("(",)
        and of[2] in _BEGINS | _ENDS
        and closing(words, 3) == len(words) - 1
    ):
        base = words[4:-1]
        return base, None if of[2] in _BEGINS else code(at, "std :: size ( {base} )", base=base)
    for number in reversed(outer(words, 0, len(words))):
        if words[number].text in {"+", "-"} and number:
            found, by = place(words[:number]), words[number + 1 :]
            if found is None or (words[number].text == "-" and found[1] is None):
                return None
            sign = words[number].text
            total = by if found[1] is None else code(at, f"( {{first}} ) {sign} ( {{by}} )", first=found[1], by=by)
            return found[0], total
    if at.text == "&" and words[-1].text == "]":
        opening = next(number for number in range(len(words)) if words[number].text == "[")
        is_one = closing(words, opening) == len(words) - 1 and opening > 1
        return (words[1:opening], words[opening + 1 : -1]) if is_one else None
    return (words, None) if len(words) == 1 else None


class Applied(Struct, frozen=True):
    """A function that an algorithm applies: the parameters of a lambda, and what it returns or does."""

    parameters: list[Words]
    returned: Words
    body: Words
    operator: str = ""

    @property
    def before(self) -> Words:
        """The statements of a lambda before what it returns."""
        return self.body[: len(self.body) - len(self.last) - 2]

    @property
    def last(self) -> Words:
        """What a lambda returns, behind some statements; nothing where it may return something else."""
        returns = [number for number, word in enumerate(self.body) if word.text == "return"]
        is_last = len(returns) == 1 and end_of_statement(self.body, returns[0]) == len(self.body) - 1
        is_outer = is_last and returns[0] in outer(self.body, 0, len(self.body))
        before = self.body[returns[0] - 1].text if is_outer and returns[0] else ";"
        return self.body[returns[0] + 1 : -1] if is_outer and before in {";", "}"} else []

    def declared(self, values: Sequence[Words]) -> Words:
        """The declarations of the parameters, which have these values."""
        found: Words = []
        for parameter, value in zip(self.parameters, values, strict=True):
            found += code(value[0], "{parameter} = {value} ;", parameter=parameter, value=value)
        return found

    def value(self, values: Sequence[Words]) -> Words:
        """What it returns, where the parameters are declared."""
        if not self.operator:
            return self.returned
        one, other = values
        return code(one[0], f"{{one}} {self.operator} {{other}}", one=one, other=other)


def applied(words: Words, count: int) -> Applied | None:
    """The function that an argument of an algorithm is, with so many parameters; None for others."""
    if texts(words, 0, 1) != ("[",):
        names = [word.text for word in words if word.text in OPERATORS]
        is_object = (
            len(names) == 1 and words[-1].text in {")", "}"} and texts(words, 0, 1)[0] in {*names, "std", "sycl"}
        )
        return Applied([], [], [], OPERATORS[names[0]]) if is_object and count == 2 else None
    if "=" in (word.text for word in words[: closing(words, 0)][2:]):
        # A variable of its own.
        return None
    opening = closing(words, 0) + 1
    has_parameters = texts(words, opening, 1) == ("(",)
    last = closing(words, opening) if has_parameters else opening - 1
    parameters = listed(words, opening + 1, last) if has_parameters else []
    body = next((number for number in range(last, len(words)) if words[number].text == "{"), len(words))
    if len(parameters) != count or closing(words, body) != len(words) - 1:
        return None
    inner = words[body + 1 : -1]
    returned: Words = []
    if texts(inner, 0, 1) == ("return",) and end_of_statement(inner, 0) == len(inner) - 1:
        returned = inner[1:-1]
    return Applied(parameters, returned, inner)
