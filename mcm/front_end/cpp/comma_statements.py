"""Statements that consist of several, `free(a, q), free(b, q);`, `auto *a = p, *b = r;`: one behind the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import begins_statement, end_of_statement, is_name, listed, made, outer, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

# What commands and memory of the host are asked for by; others are expressions.
_CALLED: Final = frozenset({"free", "wait", "wait_and_throw", "fill", "memcpy", "memset", "copy"})
_BEFORE: Final = frozenset({")", "else"})
_NO_TYPES: Final = frozenset({"return", "throw", "delete"})


def with_statements_alone(words: Sequence[Piece]) -> Words:
    """The words with a block of statements in place of calls that commas separate."""
    found: Words = []
    number = 0
    while number < len(words):
        end = end_of_statement(words, number) if _begins(words, number) else number
        parts = listed(words, number, end) if end > number else []
        if len(parts) > 1 and all(map(_is_called, parts)) and end < len(words):
            at = words[end]
            found += [made("{", at), *(word for part in parts for word in (*part, at)), made("}", at)]
            number = end + 1
            continue
        if len(parts) > 1 and (type_ := _type_of_pointers(parts)):
            at = words[number]
            declared = [parts[0][len(type_) :], *parts[1:]]
            found += [word for part in declared for word in (*type_, *part, made(";", at))]
            number = end + 1
            continue
        found.append(words[number])
        number += 1
    return found


def _type_of_pointers(parts: Sequence[Words]) -> Words:
    """The type of what parts declare with values: `auto`, or one that stars stand behind; nothing of other parts."""
    first = parts[0]
    star = next((n for n, word in enumerate(first) if not is_name(word)), 0)
    type_ = first[:1] if first[0].text == "auto" else first[:star]
    others = [first[len(type_) :], *parts[1:]]
    is_auto = first[0].text == "auto"
    are_pointers = all(texts(part, 0, 1) == ("*",) for part in others)
    is_type = bool(type_) and type_[0].text not in _NO_TYPES
    return type_ if is_type and (is_auto or are_pointers) and all(map(_is_declared, others)) else []


def _is_declared(part: Words) -> bool:
    """Whether a part declares a variable, or a pointer: `*a = p`."""
    name = int(texts(part, 0, 1) == ("*",))
    return len(part) > name + 2 and is_name(part[name]) and part[name + 1].text == "="


def _begins(words: Sequence[Piece], number: int) -> bool:
    return is_name(words[number]) and (begins_statement(words, number) or words[number - 1].text in _BEFORE)


def _is_called(part: Words) -> bool:
    """Whether a part is a call of one of the functions, `sycl::free(a, q)` or `q.wait()`."""
    if part[-1].text != ")" or texts(part, 0, 1) == ("return",):
        return False
    around = outer(part, 0, len(part))
    is_plain = all(is_name(part[n]) or part[n].text in {"::", ".", "->", "("} for n in around)
    return is_plain and len(around) > 1 and part[around[-2]].text in _CALLED
