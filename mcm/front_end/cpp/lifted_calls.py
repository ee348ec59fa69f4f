"""Calls of functions of the host in expressions: values of variables before the statement.

What else the statement reads must not depend on whether the call is before it: operands are evaluated in any order, and
those of `<<` from the left. So there is nothing but numbers, and what is behind the call in output.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.definitions import NUMBERS, assigns
from mcm.front_end.cpp.quiet_functions import is_independent
from mcm.front_end.cpp.words import (
    ASSIGNING,
    CHANGING,
    STEPS,
    begins_statement,
    behind_statement,
    closing,
    closing_angle,
    end_of_statement,
    is_balanced,
    is_name,
    listed,
    made,
    opening_around,
    outer,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcm.front_end.cpp.definitions import Definition
    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# What stands before a brace that begins a block.
_BEFORE_BLOCKS: Final = frozenset({")", ";", "{", "}", "else", "do", "try", "mutable"})
_STREAMS: Final = frozenset({"cout", "cerr", "clog"})
# Names that have one value, or none.
_KNOWN: Final = frozenset(
    {*_STREAMS, "return", "if", "switch", "assert", "endl", "true", "false", "nullptr", "auto", "const", "static"}
)
_HEADS: Final = frozenset({"if", "for", "while", "switch"})
# What decides whether something behind it is evaluated, or how often.
_PERHAPS: Final = frozenset({"&&", "||", "?", "for", "while", "do", "case"})


def lifted(
    words: Sequence[Piece],
    number: int,
    last: int,
    variable: str,
    changes: Callable[[str], bool],
    is_quiet_name: Callable[[str], bool],
) -> Words | None:
    """The words with a call before its statement, and a variable in its place; None where it is not always called.

    `changes` says whether the call may change a variable of a name, `is_quiet_name` which functions change nothing.
    """
    start = statement_around(words, number)
    if start is None or any(_is_perhaps(words, place) for place in range(start, number)):
        return None
    around = opening_around(words, start)
    if around is not None and words[around].text == "(":
        # It stands in the head of a loop.
        return None
    is_head = words[start].text in _HEADS
    end = behind_statement(words, start) if is_head else end_of_statement(words, start) + 1
    is_output = any(word.text in _STREAMS for word in words[start:number])
    if end <= last or (not is_head and not is_balanced(words[start:end], {"(": ")", "[": "]"})):
        return None
    if not is_head and (commas := _commas(words, start, end)):
        return _apart(words, start, end, commas)
    others = list(_others(words, start, number, last, end))
    if is_quiet_name(words[number].text):
        others = [place for place in others if not is_independent(words, place, is_quiet_name)]
    if any(_may_depend(words, place, number, is_output) for place in others):
        return None
    # Output is written from the left: what is behind the call is read behind it.
    if any(changes(words[place].text) for place in others if not (is_output and place > number)):
        return None
    at = words[number]
    name = made(variable, at)
    first = [made("auto", at), name, made("=", at), *words[number : last + 1], made(";", at)]
    whole = [*first, *words[start:number], name, *words[last + 1 : end]]
    if not begins_statement(words, start):
        whole = [made("{", at), *whole, made("}", at)]
    return [*words[:start], *whole, *words[end:]]


def _commas(words: Sequence[Piece], start: int, end: int) -> list[int]:
    """The positions of the commas of a statement that stand in no brackets, nor among the arguments of a template."""
    found: list[int] = []
    behind = start
    for place in outer(words, start, min(end, len(words))):
        angle = closing_angle(words, place) if words[place].text == "<" else None
        behind = max(behind, angle + 1) if angle is not None and angle < end else behind
        if words[place].text == "," and place >= behind:
            found.append(place)
    return found


def _apart(words: Sequence[Piece], start: int, end: int, commas: list[int]) -> Words | None:
    """The words with a statement for each part of one that a comma separates: one is evaluated behind the other.

    `int a = f(), b = f();` is `int a = f(); int b = f();`.
    """
    name = next((place for place in range(start, end) if words[place].text in {"=", "(", "{"}), end) - 1
    type_ = list(words[start:name]) if name > start and is_name(words[name - 1]) else []
    is_pointer = is_name(words[start]) and not {"*", "&"}.isdisjoint(texts(words, start + 1, 1))
    if is_pointer or words[start].text in _KNOWN - {"auto", "const"} or any(word.text == "<" for word in type_):
        return None
    parts = [words[one + 1 : other] for one, other in pairwise([start - 1, *commas, end - 1])]
    if type_ and not all(part and is_name(part[0]) for part in parts):
        return None
    found = list(parts[0])
    for part in parts[1:]:
        found += [made(";", words[start]), *type_, *part]
    found.append(made(";", words[start]))
    if not begins_statement(words, start):
        found = [made("{", words[start]), *found, made("}", words[start])]
    return [*words[:start], *found, *words[end:]]


def may_change(words: Sequence[Piece], definition: Definition, place: tuple[int, int, int], name: str) -> bool:
    """Whether a call may change a variable: by itself, by a reference, or by a lambda that it is passed."""
    _, opening, last = place
    if assigns(definition.body, name) or (passes_lambda(words, definition, place) and assigns(words, name)):
        return True
    arguments = listed(words, opening + 1, last)
    return any(
        parameter.is_reference and any(word.text == name for word in argument)
        for parameter, argument in zip(definition.parameters, arguments, strict=False)
        if not any(word.text == "const" for word in parameter.type)
    )


def passes_lambda(words: Sequence[Piece], definition: Definition, place: tuple[int, int, int]) -> bool:
    """Whether a call of a function template passes a lambda."""
    number, opening, last = place
    arguments = listed(words, opening + 1, last) if definition.templates else []
    return any(is_lambda(words[:number], one) for one in arguments)


def is_lambda(before: Sequence[Piece], argument: Words) -> bool:
    """Whether an argument is a lambda, or the name of a variable that is one."""
    if len(argument) != 1:
        return texts(argument, 0, 1) == ("[",)
    name = argument[0].text
    return any(texts(before, number, 4) == ("auto", name, "=", "[") for number in range(len(before)))


def is_address(argument: Words) -> bool:
    """Whether an argument is where the elements of a container begin, which is the same whenever it is asked for."""
    return is_name(argument[0]) and texts(argument, 1, len(argument)) == (".", "data", "(", ")")


def changes_meanwhile(
    argument: Words, words: Sequence[Piece], definition: Definition, place: tuple[int, int, int]
) -> bool:
    """Whether a variable that a call passes may change before the call is over: by its body, or a lambda."""
    if len(argument) != 1 or not is_name(argument[0]):
        return False
    name = argument[0].text
    return _is_changed(definition.body, name) or (passes_lambda(words, definition, place) and _is_changed(words, name))


def _is_changed(words: Sequence[Piece], name: str) -> bool:
    """Whether a variable is assigned, but for the value that it is declared with."""
    for number, word in enumerate(words):
        if word.text != name or not number:
            continue
        before, behind = words[number - 1], texts(words, number + 1, 1)
        is_declared = is_name(before) or before.text in {"*", "&", ">"}
        if before.text in STEPS or set(behind) & CHANGING - ({"="} if is_declared else set()):
            return True
    return False


def _others(words: Sequence[Piece], start: int, number: int, last: int, end: int) -> Iterator[int]:
    """The positions of names in a statement, or in the head of one, that are evaluated beside a call."""
    if words[start].text in _HEADS:
        end = closing(words, start + 1)
    # What is assigned is evaluated before the place that it is assigned to.
    first = next((n + 1 for n in range(number - 1, start, -1) if words[n].text in ASSIGNING), start)
    for place in (*range(first, number), *range(last + 1, min(end, len(words)))):
        is_value = is_name(words[place]) and words[place - 1].text not in {".", "->", "::"}
        if is_value and not (place < number and _is_called_behind(words, place, last)):
            yield place


def _is_called_behind(words: Sequence[Piece], place: int, last: int) -> bool:
    """Whether a name is that of what a call is passed to: `f(…)` and `v.push_back(…)` are called behind it."""
    opening = place + 1
    if texts(words, opening, 1) == (".",) and is_name(words[opening + 1]):
        opening += 2
    return texts(words, opening, 1) == ("(",) and closing(words, opening) > last


def with_condition_inside(words: Sequence[Piece], number: int) -> Words | None:
    """The words with the condition of the loop that a call stands in at the begin of each turn; None for others.

    `while (f() < 2) …` is `while (true) { if (!(f() < 2)) break; … }`, and so is `for`.
    """
    opening = opening_around(words, number)
    while opening is not None and words[opening].text == "(" and words[opening - 1].text not in {"for", "while"}:
        opening = opening_around(words, opening)
    if opening is None or words[opening].text != "(":
        return None
    closes = closing(words, opening)
    start, end = opening + 1, closes
    if words[opening - 1].text == "for":
        semicolons = [n for n in outer(words, opening + 1, closes) if words[n].text == ";"]
        if len(semicolons) != len(("initial", "condition")) or not semicolons[0] < number < semicolons[1]:
            return None
        start, end = semicolons[0] + 1, semicolons[1]
    elif texts(words, closes + 1, 1) == (";",) and words[opening - 2].text == "}":
        # It is that of `do`.
        return None
    at = words[opening]
    behind = behind_statement(words, closes + 1)
    test = [made(word, at) for word in ("{", "if", "(", "!", "(")]
    leaves = [made(word, at) for word in (")", ")", "break", ";")]
    inside = [*test, *words[start:end], *leaves, *words[closes + 1 : behind], made("}", at)]
    return [*words[:start], made("true", at), *words[end : closes + 1], *inside, *words[behind:]]


def _may_depend(words: Sequence[Piece], place: int, number: int, is_output: bool) -> bool:  # noqa: FBT001
    """Whether the value of a name may be another one before the call than behind it."""
    text = words[place].text
    behind = texts(words, place + 1, 3)
    if text in _KNOWN or text in NUMBERS or behind[:1] == ("::",) or behind == (".", "size", "("):
        return False
    if is_output and place > number:
        return False
    is_object = behind[:1] in {("[",), (".",), ("->",), ("(",)} or words[place - 1].text == "*"
    return is_object or any(texts(words, n, 2) == ("&", text) for n in range(len(words)))


def _is_perhaps(words: Sequence[Piece], number: int) -> bool:
    """Whether what is behind a word may not be evaluated; a lambda is not where it stands."""
    return _begins_lambda(words, number) or words[number].text in _PERHAPS


def _begins_lambda(words: Sequence[Piece], number: int) -> bool:
    is_index = number > 0 and (is_name(words[number - 1]) or words[number - 1].text in {"]", ")"})
    return words[number].text == "[" and not is_index


def _begins_block(words: Sequence[Piece], brace: int) -> bool:
    """Whether a brace is that of a block: of a lambda without parameters, too, `[=] {`."""
    before = words[brace - 1].text
    return before in _BEFORE_BLOCKS or (before == "]" and _begins_lambda(words, _opening(words, brace - 1, "[]")))


def statement_around(words: Sequence[Piece], number: int) -> int | None:
    """Where the innermost statement begins that a word is in; None where that is no statement of a block."""
    start = number
    while not begins_statement(words, start):
        start = _opening(words, start - 1) if words[start - 1].text == ")" else start - 1
    if start > 1 and words[start - 1].text == "{" and not _begins_block(words, start - 1):
        return None
    while True:
        follows = texts(words, start, 2)
        if follows[:1] == ("else",):
            start += 1
        elif follows[1:] == ("(",) and follows[0] in _HEADS and closing(words, start + 1) < number:
            start = closing(words, start + 1) + 1
        else:
            return start


def _opening(words: Sequence[Piece], last: int, brackets: str = "()") -> int:
    """The position of the bracket that the one at a position closes."""
    depth = 0
    for number in range(last, -1, -1):
        depth += (words[number].text == brackets[1]) - (words[number].text == brackets[0])
        if depth == 0:
            return number
    return 0
