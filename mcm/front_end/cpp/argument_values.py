"""Expressions about the arguments of a program: what `argc > 1 ? atoi(argv[1]) : 4` comes to."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.cpp.argument_texts import CONVERSIONS, MEMBERS, QUESTIONS, converted, read, written
from mcm.front_end.cpp.words import STEPS, closing, is_name, listed, made, outer, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.front_end.cpp.argument_texts import RunTexts
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# From what binds least to what binds most, behind `||` and `&&`.
_LEVELS: Final[tuple[dict[str, Callable[[int, int], int]], ...]] = (
    {"==": operator.eq, "!=": operator.ne},
    {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "%": operator.mod},
)
_OF_BOOL: Final = frozenset({"&&", "||", "==", "!=", "<", ">", "<=", ">="})
# What may stand before an expression, and behind it.
_BEFORE_VALUE: Final = frozenset({"=", "(", ",", "return", "{"})
_BEHIND_VALUE: Final = frozenset({";", ",", ")", "}"})
_STRINGS: Final = frozenset({"string", "string_view"})
_OF_OBJECT: Final = frozenset({".", "->", "::"})
_OPENING: Final = frozenset({"(", "[", "{"})
_NULL: Final = frozenset({"nullptr", "NULL", "0"})


class UndecidedError(Exception):
    """The arguments of the program alone do not say what an expression comes to."""


class Names(Struct):
    """What names of a function stand for; `count` and `vector` are what it calls the arguments of the program.

    `counters` are variables whose values are known where a statement begins, `texts` those that hold a text, or point
    to one: `pointers`.
    """

    count: str
    vector: str
    counters: dict[str, int]
    texts: dict[str, str]
    pointers: set[str]

    def are_in(self, words: Sequence[Piece]) -> bool:
        """Whether any of them is named."""
        return any(
            (word.text in {self.count, self.vector} or word.text in self.counters or word.text in self.texts)
            and is_alone(words, number)
            for number, word in enumerate(words)
        )


def is_alone(words: Sequence[Piece], number: int) -> bool:
    """Whether a name is that of a variable, and not of a member."""
    return number == 0 or words[number - 1].text not in _OF_OBJECT


def about(word: Piece, message: str) -> InputError:
    """A complaint about a place where arguments are used."""
    assert word.span is not None
    return InputError(Diagnostic("E207", message, word.span))


class ArgumentValues:
    """Computes what is made of the arguments of a program; steps of counters are done as they are met."""

    def __init__(self, run: RunTexts, names: Names) -> None:
        self.run: Final = run
        self.names: Final = names

    # --- numbers and texts ---

    def number(self, words: Sequence[Piece]) -> int | None:
        """The number that an expression comes to; None, and no counter changes, where more decides than arguments."""
        kept = dict(self.names.counters)
        try:
            found = self._value(words)
        except UndecidedError:
            found = None
        if isinstance(found, int):
            return int(found)
        self.names.counters.clear()
        self.names.counters.update(kept)
        return None

    def text(self, words: Sequence[Piece]) -> str | None:
        """The text that an expression is; None for any other."""
        try:
            found = self._value(words)
        except UndecidedError:
            return None
        return found if isinstance(found, str) else None

    def _value(self, words: Sequence[Piece]) -> int | str:
        words = _without_brackets(words)
        if not words:
            raise UndecidedError
        places = outer(words, 0, len(words))
        if mark := next((n for n in places if words[n].text == "?"), 0):
            colon = _colon(words, mark)
            chosen = words[mark + 1 : colon] if self._integer(words[:mark]) else words[colon + 1 :]
            return self._value(chosen)
        for sign in ("||", "&&"):
            if place := next((n for n in places if words[n].text == sign), 0):
                first = self._integer(words[:place])
                decides = bool(first) == (sign == "||")
                return int(bool(first)) if decides else int(bool(self._integer(words[place + 1 :])))
        for level in _LEVELS:
            place = next((n for n in reversed(places) if n and words[n].text in level and _is_binary(words, n)), 0)
            if place:
                return self._computed(level[words[place].text], words[:place], words[place + 1 :])
        return self._operand(words)

    def _computed(self, compute: Callable[[int, int], int], left: Sequence[Piece], right: Sequence[Piece]) -> int | str:
        first = self._value(left)
        if isinstance(first, str) and compute in {operator.eq, operator.ne}:
            if not self._is_string(left) and not self._is_string(right):
                # Pointers, of which all are different.
                raise UndecidedError
            other = self._value(right)
            if not isinstance(other, str):
                raise UndecidedError
            return int((first == other) == (compute is operator.eq))
        second = self._integer(right)
        if isinstance(first, str) and compute is operator.add and 0 <= second <= len(first):
            return first[second:]
        # The remainder of a negative number has another sign in C++ than here.
        if isinstance(first, str) or (compute is operator.mod and (first < 0 or second <= 0)):
            raise UndecidedError
        return int(compute(first, second))

    def _is_string(self, words: Sequence[Piece]) -> bool:
        """Whether a text is one that is compared letter by letter: a `std::string`."""
        texts_alone = self.names.texts.keys() - self.names.pointers
        return any(word.text in _STRINGS or word.text in texts_alone for word in words)

    def _integer(self, words: Sequence[Piece]) -> int:
        found = self._value(words)
        if isinstance(found, str):
            raise UndecidedError
        return found

    def _operand(self, words: Sequence[Piece]) -> int | str:
        first = words[0].text
        if first in {"!", "-", "+"}:
            number = self._integer(words[1:])
            return int(not number) if first == "!" else -number if first == "-" else number
        if (stepped := self.step(words, 0)) is not None and stepped[1] == len(words):
            return stepped[0]
        if len(words) == 1:
            return self._alone(words[0])
        first_of_name = 2 if texts(words, 0, 2) == ("std", "::") else 0
        found = self._of_vector(words, 0) or self._called(words, first_of_name)
        if found is None:
            raise UndecidedError
        value, behind = found
        return value if behind == len(words) else self._of_text(value, words, behind)

    def _alone(self, word: Piece) -> int | str:
        names = self.names
        text = word.text
        if text in names.counters:
            return names.counters[text]
        if text in names.texts:
            return names.texts[text]
        if text == names.count:
            return self.run.count
        if text.isdecimal() and (text == "0" or text[0] != "0"):
            return int(text)
        if text[:1] in {'"', "'"}:
            return read(text) if text[0] == '"' else ord(read(text))
        if text in {"true", "false"}:
            return int(text == "true")
        raise UndecidedError

    def step(self, words: Sequence[Piece], number: int) -> tuple[int, int] | None:
        """The value of `++i` or `i++` of a counter, and the position behind it; None where something else stands."""
        match texts(words, number, 2):
            case (sign, name) if sign in STEPS and name in self.names.counters:
                self.names.counters[name] += 1 if sign == "++" else -1
                return self.names.counters[name], number + 2
            case (name, sign) if sign in STEPS and name in self.names.counters:
                self.names.counters[name] += 1 if sign == "++" else -1
                return self.names.counters[name] - (1 if sign == "++" else -1), number + 2
            case _:
                return None

    def _of_vector(self, words: Sequence[Piece], number: int) -> tuple[int | str, int] | None:
        """The text, or the letter of it, that `argv[1]` or `argv[1][0]` is, and the position behind it."""
        if texts(words, number, 2) == (self.names.vector, "["):
            last = closing(words, number + 1)
            place = self._integer(words[number + 2 : last])
            if not 0 <= place < self.run.count:
                raise self._missing(words[number], place)
            found, last = self.run.all[place], last + 1
        elif texts(words, number, 2)[1:] == ("[",) and words[number].text in self.names.texts:
            found, last = self.names.texts[words[number].text], number + 1
        elif texts(words, number, 2) == ("*", self.names.vector):
            return self.run.all[0], number + 2
        else:
            return None
        if texts(words, last, 1) != ("[",):
            return found, last
        letter = self._integer(words[last + 1 : closing(words, last)])
        if not 0 <= letter <= len(found):
            raise UndecidedError
        return ord((found + "\0")[letter]), closing(words, last) + 1

    def _missing(self, word: Piece, place: int) -> InputError:
        message = (
            f"there is no '{word.text}[{place}]': the program is run {self.run.told}, and --args '…' states others"
        )
        return about(word, message)

    def _called(self, words: Sequence[Piece], number: int) -> tuple[int | str, int] | None:
        """What a call of a function of the library says, and the position behind it."""
        name = words[number].text if number < len(words) else ""
        if texts(words, number + 1, 1) not in {("(",), ("{",)}:
            return (self.names.texts[name], number + 1) if name in self.names.texts else None
        last = closing(words, number + 1)
        parts = listed(words, number + 2, last)
        if name in QUESTIONS:
            return QUESTIONS[name](*map(self._value, parts)), last + 1
        if name in _STRINGS and len(parts) == 1:
            return self._value(parts[0]), last + 1
        if name in CONVERSIONS and (found := self._converted(words[number], parts)) is not None:
            digits = found.rstrip("ul").strip("( )")
            return (int(digits), last + 1) if digits.lstrip("-").isdecimal() else None
        return None

    def _of_text(self, text: int | str, words: Sequence[Piece], point: int) -> int:
        """What a member of a text says, `std::string(argv[1]).size()`."""
        follows = texts(words, point, 3)
        if not isinstance(text, str) or len(follows) < 3 or follows[0] != "." or follows[2] != "(":
            raise UndecidedError
        last = closing(words, point + 2)
        if follows[1] not in MEMBERS or last != len(words) - 1:
            raise UndecidedError
        return MEMBERS[follows[1]](text, *map(self._value, listed(words, point + 3, last)))

    def _converted(self, name: Piece, parts: Sequence[Words]) -> str | None:
        """The number that a conversion makes of a text that is known, as it is written; None of any other."""
        text = self._value(parts[0]) if parts else None
        base = 10
        if len(parts) > 1 and not (len(parts[1]) == 1 and parts[1][0].text in _NULL):
            # It says where the number ends.
            return None
        if len(parts) > 2:
            base = self._integer(parts[2])
        if not isinstance(text, str):
            return None
        found = converted(name.text, text, base)
        if found is None:
            raise about(name, f"'{name.text}' throws, as no number begins '{text}', and the program ends here")
        return found

    # --- what is left of expressions ---

    def rest(self, words: Sequence[Piece]) -> Words:
        """The words with what arguments decide in place of what they are used for."""
        if not self.names.are_in(words):
            return list(words)
        found: Words = []
        number = 0
        while number < len(words):
            before = words[number - 1].text if number else ""
            chosen = self._chosen(words, number) if number == 0 or before in _BEFORE_VALUE else None
            chosen = chosen or self._replaced(words, number)
            if chosen is None:
                found.append(words[number])
                number += 1
            else:
                found += chosen[0]
                number = chosen[1]
        return found

    def _chosen(self, words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        """One of two values that a condition on arguments chooses, or such a condition; and the position behind it."""
        end = number
        while end < len(words) and words[end].text not in _BEHIND_VALUE:
            end = closing(words, end) + 1 if words[end].text in _OPENING else end + 1
        value = words[number:end]
        if not self.names.are_in(value):
            return None
        inner = _without_brackets(value)
        places = outer(inner, 0, len(inner))
        mark = next((n for n in places if inner[n].text == "?"), None)
        at = words[number]
        if mark is not None:
            holds = self.number(inner[:mark])
            if holds is None:
                return None
            colon = _colon(inner, mark)
            chosen = inner[mark + 1 : colon] if holds else inner[colon + 1 :]
            return [made("(", at), *self.rest(chosen), made(")", at)], end
        if any(inner[n].text in _OF_BOOL or inner[n].text == "!" for n in places):
            holds = self.number(inner)
            return None if holds is None else ([made("true" if holds else "false", at)], end)
        return None

    def _replaced(self, words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        """What stands in place of a use of arguments at a position, and the position behind that; None for others."""
        word = words[number]
        if not is_alone(words, number):
            return None
        if (stepped := self.step(words, number)) is not None:
            return [made(str(stepped[0]), word)], stepped[1]
        if (read_in := self._read_in(words, number)) is not None:
            return read_in
        name = number + 2 if texts(words, number, 2) == ("std", "::") else number
        if texts(words, name + 1, 1) == ("(",) and words[name].text in CONVERSIONS | QUESTIONS.keys():
            last = closing(words, name + 1)
            if self.names.are_in(words[name + 2 : last]):
                return self._made_of(words, number, name, last), last + 1
        try:
            found = self._of_vector(words, number)
        except UndecidedError:
            raise self._unknown(word) from None
        if found is not None:
            value = written(found[0]) if isinstance(found[0], str) else str(found[0])
            return [made(value, word)], found[1]
        if word.text == self.names.vector:
            raise self._unknown(word)
        if word.text == self.names.count:
            return [made(str(self.run.count), word)], number + 1
        if word.text in self.names.counters:
            return [made(str(self.names.counters[word.text]), word)], number + 1
        if word.text in self.names.texts:
            return [made(written(self.names.texts[word.text]), word)], number + 1
        return None

    def _made_of(self, words: Sequence[Piece], number: int, name: int, last: int) -> Words:
        """The number that a function of the library makes of arguments."""
        at = words[number]
        try:
            if words[name].text in QUESTIONS:
                return [made(str(self._operand(words[name : last + 1])), at)]
            found = self._converted(words[name], listed(words, name + 2, last))
        except UndecidedError:
            found = None
        if found is None:
            raise self._unknown(at)
        return [made(part, at) for part in found.split()]

    def _read_in(self, words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
        """An assignment for `sscanf(argv[1], "%d", &n)`."""
        name = number + 2 if texts(words, number, 2) == ("std", "::") else number
        if texts(words, name, 2) != ("sscanf", "("):
            return None
        last = closing(words, name + 1)
        parts = listed(words, name + 2, last)
        form = parts[1][0].text if len(parts) == 3 and parts[1] else ""
        function = {"%d": "atoi", "%i": "atoi", "%u": "atoi", "%ld": "atol", "%lu": "stoul", "%zu": "stoul"}.get(
            form.strip('"'), {"%f": "stof", "%lf": "stod"}.get(form.strip('"'), "")
        )
        text = self.text(parts[0]) if parts else None
        if not function or text is None or parts[2][0].text != "&" or texts(words, last + 1, 1) != (";",):
            raise self._unknown(words[name])
        value = converted(function, text)
        if value is None:
            return [], last + 1
        at = words[name]
        return [*parts[2][1:], made("=", at), *(made(one, at) for one in value.split())], last + 1

    def _unknown(self, word: Piece) -> InputError:
        message = (
            f"what is made of the arguments of the program here is not followed ('{word.text}'): a number in its place "
            "is, or a macro and '-D N=4'"
        )
        return about(word, message)


def _without_brackets(words: Sequence[Piece]) -> Sequence[Piece]:
    while len(words) > 1 and words[0].text == "(" and closing(words, 0) == len(words) - 1:
        words = words[1:-1]
    return words


def _colon(words: Sequence[Piece], mark: int) -> int:
    """The position of the `:` that belongs to a `?`."""
    depth, number = 0, mark + 1
    while number < len(words) and (words[number].text != ":" or depth):
        depth += (words[number].text == "?") - (words[number].text == ":")
        number = closing(words, number) + 1 if words[number].text in _OPENING else number + 1
    return number


def _is_binary(words: Sequence[Piece], number: int) -> bool:
    """Whether a sign stands between two operands."""
    before = words[number - 1]
    return is_name(before) or before.text[0].isdigit() or before.text[0] in "\"')]"
