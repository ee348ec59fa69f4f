"""The words of a C++ text, and where brackets end among them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.source import Span
from mcm.front_end.pieces import Piece, Pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

# A list of words, without white space and comments.
Words = list[Piece]

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_WORD: Final = re.compile(
    r"\s+|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_]\w*|\.?\d(?:[eEpP][-+]|'?[\w.])*"
    r"|<<=|>>=|->|\+\+|--|&&|\|\||<<|>>|::|[-+*/%&|^<>=!]=|.",
    re.DOTALL,
)
_PARTNER: Final = {"(": ")", "[": "]", "{": "}"}
_BETWEEN_STATEMENTS: Final = frozenset({";", "{", "}"})
_OPENING: Final = frozenset(_PARTNER)
_CLOSING: Final = frozenset(_PARTNER.values())
# The operators that assign, those that change a variable, and the statements that leave a loop, or a turn of it, early.
ASSIGNING: Final = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="})
STEPS: Final = frozenset({"++", "--"})
CHANGING: Final = ASSIGNING | STEPS
LEAVING: Final = frozenset({"break", "continue", "return", "goto"})
_OF_MEMBERS: Final = frozenset({".", "->"})
_OF_OWNERS: Final = _OF_MEMBERS | {"::"}
# What an expression may stand behind, and no declaration of a pointer.
_BEFORE_VALUES: Final = frozenset({";", "{", "}", "(", ")", "else", "do"})
# What cannot stand between the brackets of the arguments of a template.
_NO_ARGUMENTS: Final = frozenset({";", "{", "}", "&&", "||", "==", "!=", "="})


def is_name(word: Piece) -> bool:
    """Whether a word is a name, or a keyword."""
    return _NAME.fullmatch(word.text) is not None


def is_member(words: Sequence[Piece], number: int) -> bool:
    """Whether a sign before a name says that it is that of a member: `a.x`, `p->x`."""
    return number > 0 and words[number - 1].text in _OF_MEMBERS


def has_owner(words: Sequence[Piece], number: int) -> bool:
    """Whether a name is that of a member, or of what stands in a class or namespace: `a.x`, `p->x`, `n::x`."""
    return number > 0 and words[number - 1].text in _OF_OWNERS


def split(pieces: Iterable[Piece], whole: Span) -> Words:
    """The words of a text, each at the place that it comes from."""
    text = Pieces(whole)
    text.extend(pieces)
    joined = text.text
    found: Words = []
    for one in _WORD.finditer(joined):
        if one.group().isspace():
            continue
        origin = text.origin(Span(whole.source, *one.span()))
        # A quote between digits says nothing.
        word = one.group().replace("'", "") if one.group()[0].isdecimal() else one.group()
        found.append(Piece(word, origin, is_verbatim=origin.text == word))
    return found


def split_again(pieces: Iterable[Piece]) -> Words:
    """The words where some stand for several: each of these is told at the same place."""
    found: Words = []
    for piece in pieces:
        parts = [part for part in _WORD.findall(piece.text) if not part.isspace()]
        found += [piece] if parts == [piece.text] else [made(part, piece) for part in parts]
    return found


def texts(words: Sequence[Piece], start: int, count: int) -> tuple[str, ...]:
    """The texts of some words from a position on; fewer at the end."""
    return tuple(word.text for word in words[start : start + count])


def closing(words: Sequence[Piece], opening: int) -> int:
    """The position of the bracket that closes the one at a position; the end where none does."""
    depth = 0
    for number in range(opening, len(words)):
        text = words[number].text
        depth += (text in _OPENING) - (text in _CLOSING)
        if depth == 0:
            return number
    return len(words)


def opening_around(words: Sequence[Piece], number: int) -> int | None:
    """The position of the bracket that is open at a position; None where none is."""
    depth = 0
    for position in range(number - 1, -1, -1):
        text = words[position].text
        depth += (text in _OPENING) - (text in _CLOSING)
        if depth > 0:
            return position
    return None


def closing_angle(words: Sequence[Piece], opening: int) -> int | None:
    """The position of the `>` that closes a `<` of a template; None where that is a comparison."""
    depth = 0
    number = opening
    while number < len(words):
        text = words[number].text
        if text in {"(", "["}:
            number = closing(words, number)
        elif text in _NO_ARGUMENTS:
            return None
        else:
            depth += {"<": 1, ">": -1, ">>": -2}.get(text, 0)
            if depth <= 0:
                return number
        number += 1
    return None


def closing_head(words: Sequence[Piece], opening: int) -> int | None:
    """The position of the `>` that closes the parameters of a template, which may have values: `<int N = 4>`."""
    depth = 0
    number = opening
    while number < len(words) and words[number].text not in {";", "{", "}"}:
        text = words[number].text
        number = closing(words, number) if text in {"(", "["} else number
        depth += {"<": 1, ">": -1, ">>": -2}.get(text, 0)
        if depth <= 0:
            return number
        number += 1
    return None


def listed(words: Sequence[Piece], start: int, end: int) -> list[Words]:
    """The parts between two positions that commas separate; commas in brackets and templates are those of a part."""
    found: list[Words] = []
    part: Words = []
    number = start
    while number < end:
        text = words[number].text
        last = number
        if text in _OPENING:
            last = min(closing(words, number), end - 1)
        elif text == "<" and (angle := closing_angle(words, number)) is not None and angle < end:
            last = angle
        if text == ",":
            found.append(part)
            part = []
        else:
            part += words[number : last + 1]
        number = last + 1
    return [*found, part] if part or found else []


def with_commas(parts: Iterable[Words], at: Piece) -> Words:
    """The words of some parts with commas between them, which stand where another word does."""
    return [word for number, part in enumerate(parts) for word in ([made(",", at)] * bool(number) + part)]


def with_first_arguments(
    words: Sequence[Piece],
    number: int,
    first: Sequence[Words],
    at: Callable[[Sequence[Piece], int], tuple[Words, int] | None],
) -> tuple[Words, int]:
    """A call, or the head of a definition, with some arguments before its own, and the position behind it.

    `at` replaces words in its own arguments (`replaced`); `(void)` has none.
    """
    opening = behind_arguments(words, number + 1)
    last = closing(words, opening)
    inner = replaced(words[opening + 1 : last], at)
    own = [] if [one.text for one in inner] in ([], ["void"]) else [inner]
    return [*words[number : opening + 1], *with_commas([*first, *own], words[number]), words[last]], last + 1


def behind_arguments(words: Sequence[Piece], number: int) -> int:
    """The position behind the arguments of a template that stand at a position; that one where there are none."""
    if texts(words, number, 1) != ("<",):
        return number
    return (closing_angle(words, number) or number) + 1


def outer(words: Sequence[Piece], start: int, end: int) -> list[int]:
    """The positions between two that stand in no brackets of their own."""
    found: list[int] = []
    number = start
    while number < end:
        found.append(number)
        number = closing(words, number) + 1 if words[number].text in _OPENING else number + 1
    return found


def is_balanced(words: Iterable[Piece], brackets: Mapping[str, str]) -> bool:
    """Whether each of some brackets is closed among the words, and none that is opened before; by what closes them."""
    depth = 0
    for word in words:
        depth += (word.text in brackets) - (word.text in brackets.values())
        if depth < 0:
            return False
    return depth == 0


def end_of_statement(words: Sequence[Piece], start: int) -> int:
    """The position of the semicolon that ends a statement; the end where there is none."""
    number = start
    while number < len(words) and words[number].text != ";":
        number = closing(words, number) + 1 if words[number].text in _OPENING else number + 1
    return min(number, len(words))


def start_of_statement(words: Sequence[Piece], number: int) -> int:
    """Where the statement around a position begins: behind the last `;` or brace before it."""
    while not begins_statement(words, number):
        number -= 1
    return number


def begins_statement(words: Sequence[Piece], number: int) -> bool:
    """Whether a statement begins at a position: it is the first one, or stands behind a `;` or a brace."""
    return number == 0 or words[number - 1].text in _BETWEEN_STATEMENTS


def behind_definition(words: Sequence[Piece], number: int, end: int) -> int:
    """The position behind what begins at one outside functions: behind its braces, or `end`, that of its semicolon.

    What stands in braces is no declaration of the file.
    """
    brace = next((n for n in range(number, end) if words[n].text == "{"), end)
    return (closing(words, brace) if brace < end else end) + 1


def end_of_block(words: Sequence[Piece], number: int) -> int:
    """The position of the brace that closes the block around a position; the end where there is none."""
    depth = 0
    for position in range(number, len(words)):
        depth += (words[position].text == "{") - (words[position].text == "}")
        if depth < 0:
            return position
    return len(words)


def behind_statement(words: Sequence[Piece], number: int) -> int:
    """The position behind the statement that begins at a position."""
    match texts(words, number, 1):
        case ("{",):
            return closing(words, number) + 1
        case ("for" | "while" | "switch",):
            return behind_statement(words, closing(words, number + 1) + 1)
        case ("if",):
            opening = number + 1 + (texts(words, number + 1, 1) == ("constexpr",))
            behind = behind_statement(words, closing(words, opening) + 1)
            return behind_statement(words, behind + 1) if texts(words, behind, 1) == ("else",) else behind
        case _:
            return end_of_statement(words, number) + 1


def made(text: str, at: Piece) -> Piece:
    """A word that stands for what is written at another one."""
    return replace(at, text=text, is_verbatim=False)


def other_name(name: str, taken: set[str]) -> str:
    """A name like this one, that is not taken; it is now."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def substituted(words: Sequence[Piece], meant: Mapping[str, Words], *, in_place: bool = False) -> Words:
    """The words with others in place of names that stand by themselves, told where those stood if `in_place`."""
    found: Words = []
    for number, word in enumerate(words):
        before = words[number - 1].text if number else ""
        if word.text in meant and before not in {".", "->", "::"}:
            found += [made(one.text, word) for one in meant[word.text]] if in_place else meant[word.text]
        else:
            found.append(word)
    return found


def replaced(words: Sequence[Piece], at: Callable[[Sequence[Piece], int], tuple[Words, int] | None]) -> Words:
    """The words with others in place of some.

    `at` says of a position what stands in place of the words from there, and the position behind these; None: nothing.
    """
    found: Words = []
    number = 0
    while number < len(words):
        others = at(words, number)
        if others is None:
            found.append(words[number])
            number += 1
        else:
            found += others[0]
            number = others[1]
    return found


def is_followed(words: Sequence[Piece], number: int) -> bool:
    """Whether what is assigned is that which a pointer at a position points to, `*p = 1;`, and not the pointer."""
    is_step = not STEPS.isdisjoint(texts(words, number + 1, 1))
    return number > 1 and words[number - 1].text == "*" and words[number - 2].text in _BEFORE_VALUES and not is_step


def is_in_lambda(body: Sequence[Piece], number: int) -> bool:
    """Whether a word stands in a lambda: a bracket around it opens behind `]` or the parameters behind it."""
    depth = 0
    for position in range(number - 1, 0, -1):
        text = body[position].text
        depth += (text in {"}", ")"}) - (text in {"{", "("})
        head = _before_result(body, position) if depth < 0 and text == "{" else 0
        if head and body[head].text in {")", "]"}:
            opening = head
            while opening and body[opening].text != "(":
                opening -= 1
            if body[head].text == "]" or (opening and body[opening - 1].text == "]"):
                return True
            depth = 0
        elif depth < 0:
            depth = 0
    return False


def _before_result(body: Sequence[Piece], brace: int) -> int:
    """The position of what stands before a brace, and before the type that a lambda says it returns, `-> int`."""
    start = brace - 1
    while start and (is_name(body[start]) or body[start].text in {"::", "<", ">", "*", "&", "mutable"}):
        start -= 1
    return start - 1 if start and body[start].text == "->" else brace - 1


def qualified(words: Iterable[Piece]) -> Iterator[Piece]:
    """The words with names and what qualifies them in one, `sycl::queue`."""
    before: Piece | None = None
    for word in words:
        joins = before is not None and (
            (word.text == "::" and is_name_so_far(before)) or (before.text.endswith("::") and is_name(word))
        )
        if joins:
            assert before is not None
            before = _joined(before, word)
            continue
        if before is not None:
            yield before
        before = word
    if before is not None:
        yield before


def is_name_so_far(word: Piece) -> bool:
    """Whether a word is a name that `::` may follow."""
    return is_name(word) or ("::" in word.text and not word.text.endswith("::"))


def _joined(one: Piece, other: Piece) -> Piece:
    text = one.text + other.text
    first, last = one.span, other.span
    if first is None or last is None or first.source is not last.source or first.start > last.end:
        return Piece(text, first or last, is_verbatim=False)
    span = Span(first.source, first.start, last.end)
    return Piece(text, span, is_verbatim=span.text == text)
