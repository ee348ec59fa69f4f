"""Words of kernel files that say nothing to a memory model, or are names of types."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.front_end.enumerations import enumeration, enumeration_of_cpp, enumerator, is_definition_of_cpp
from mcm.front_end.kernel_attributes import KERNEL_WORDS, KernelAttributes
from mcm.front_end.local_structures import TAGGED, moved_out
from mcm.front_end.names_of_arrays import names_of_arrays, with_arrays
from mcm.front_end.names_of_pointers import with_pointers
from mcm.front_end.names_of_types import NAMESPACE, behind_naming
from mcm.front_end.positions import ATTRIBUTES, behind_brackets, words_from

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.front_end.pieces import Piece

# What stands before the name of a member, or the tag of a structure.
_BEFORE_MEMBERS: Final = TAGGED | {"class", ".", "->"}
_WORD: Final = re.compile(r"(?<![.\w])[A-Za-z_]\w*")
# A name that is declared behind the name of a type.
_DECLARED: Final = re.compile(r"[\s*]*[A-Za-z_(]")
# A sampler is a number that images are read with.
_SAMPLERS: Final = {"sampler_t": ["uint"]}


def without_attributes(pieces: Sequence[Piece], *, of_cpp: bool = False) -> Iterator[Piece]:
    """The words without `__attribute__((…))`; in place of names that `typedef` declares stands what they mean.

    In C++ the name of a structure is that of a type without more.
    """
    return _rewritten(pieces, {}, of_cpp=True) if of_cpp else _rewritten(_prepared(pieces), {**_SAMPLERS})


def _prepared(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The words of a test in C in which names stand for types of elements, and structures beside functions."""
    return moved_out(with_arrays(with_pointers(pieces)))


def with_types(options: Sequence[Sequence[Piece]], file: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Options of the command line, in which names that `typedef` declares in a file stand for what they mean."""
    known = {**_SAMPLERS}
    for _ in _rewritten(_prepared(file), known) if options else ():
        # What it says is known behind it.
        pass
    arrays = names_of_arrays(file) if options else frozenset()
    for option in options:
        yield list(_with_types(option, known, arrays))


def _with_types(option: Sequence[Piece], known: dict[str, list[str]], arrays: frozenset[str]) -> Iterator[Piece]:
    for number, piece in enumerate(option):
        start = 0
        for word in _WORD.finditer(piece.text):
            behind = piece.text[word.end() :] + "".join(one.text for one in option[number + 1 :])
            if word[0] not in known or _DECLARED.match(behind) is None or piece.span is None:
                continue
            if word[0] in arrays:
                named = _part(piece, word.start(), word.end()).span or piece.span
                message = f"'{word[0]}' names arrays; name the type of their elements here, and the lengths: 'x[2][4]'"
                raise InputError(Diagnostic("E050", message, named))
            yield _part(piece, start, word.start())
            meant = "".join(known[word[0]])
            yield replace(_part(piece, word.start(), word.end()), text=f"{meant} ", is_verbatim=False)
            start = word.end()
        yield _part(piece, start, len(piece.text))


def _part(piece: Piece, start: int, end: int) -> Piece:
    """Some of the characters of a piece."""
    if piece.span is None or not piece.is_verbatim:
        return replace(piece, text=piece.text[start:end])
    span = replace(piece.span, start=piece.span.start + start, end=piece.span.start + end)
    return replace(piece, text=piece.text[start:end], span=span)


def _rewritten(pieces: Sequence[Piece], known: dict[str, list[str]], *, of_cpp: bool = False) -> Iterator[Piece]:
    """The same, where some names of types are `known` already; those of a block end with it."""
    position = 0
    around: list[dict[str, list[str]]] = []
    attributes = KernelAttributes()
    before = ""
    while position < len(pieces):
        piece = pieces[position]
        if piece.text in ATTRIBUTES:
            end = behind_brackets(pieces, position + 1, "()")
            if not of_cpp:
                words = [word for one in pieces[position:end] for word in _meaning(one, known)]
                yield from attributes.met(words, _next_word(pieces, end - 1))
            position = end
        elif piece.text == "void" and not of_cpp and _next_word(pieces, position) in KERNEL_WORDS:
            # `void kernel K()`, which has its type behind the word as well as before it.
            position += 1
        elif piece.text == "static" and around and not of_cpp and "const" in {before, _next_word(pieces, position)}:
            # A constant of a function has its value whether it is made once or each time.
            position += 1
        elif piece.text == "typedef":
            structure, position = _structure(pieces, position, known)
            yield from structure
            position = position if structure else _define(pieces, position, known)
        elif piece.text == "enum" and of_cpp and is_definition_of_cpp(pieces, position):
            behind = enumeration_of_cpp(pieces, position, known)
            position = _behind_semicolon(pieces, behind)
            if position == behind:
                yield replace(piece, text="int ", is_verbatim=False)
        elif of_cpp and (one := enumerator(pieces, position, known)) is not None:
            meant, position = one
            yield from (replace(piece, text=text, is_verbatim=False) for text in meant)
        elif piece.text == "enum":
            _, behind = enumeration(pieces, position, known)
            position = _behind_semicolon(pieces, behind)
            if position == behind:
                yield replace(piece, text="int ", is_verbatim=False)
        elif (named := behind_naming(pieces, position, known)) is not None:
            position = named
        else:
            if of_cpp and piece.text in {"struct", "class"}:
                known.update(_structure_of_cpp(pieces, position))
            if piece.text == "{":
                around.append(dict(known))
            elif piece.text == "}" and around:
                known.clear()
                known.update(around.pop())
            is_name = piece.text in known and before not in _BEFORE_MEMBERS and _is_meant(pieces, position, known)
            yield from _meaning(piece, known if is_name else {})
            yield from attributes.behind(piece)
            position += 1
        before = piece.text if piece.text.strip() else before


def _meaning(piece: Piece, known: dict[str, list[str]]) -> Iterator[Piece]:
    """What stands in place of a word: itself where it is no name that is `known`."""
    if piece.text in known:
        yield from (replace(piece, text=text, is_verbatim=False) for text in known[piece.text])
    else:
        yield piece


def _structure_of_cpp(pieces: Sequence[Piece], position: int) -> dict[str, list[str]]:
    """The name of a structure that is defined here, and what it means."""
    words = list(islice(words_from(pieces, position + 1), 2))
    if len(words) < 2 or pieces[words[1]].text != "{":
        return {}
    name = pieces[words[0]].text
    return {name: [f"struct {name}"]}


def _next_word(pieces: Sequence[Piece], position: int) -> str:
    """The word behind that at a position; nothing at the end."""
    return next((pieces[number].text for number in words_from(pieces, position + 1)), "")


def _is_meant(pieces: Sequence[Piece], position: int, known: dict[str, list[str]]) -> bool:
    """Whether a word is the name that is known: one of a namespace stands before `::`, and the others do not."""
    behind = _next_word(pieces, position)
    return (behind == "::") is (known[pieces[position].text][-1:] == [NAMESPACE])


def _behind_semicolon(pieces: Sequence[Piece], position: int) -> int:
    """The position behind a semicolon that stands here, after white space; the same position where there is none."""
    for number in range(position, len(pieces)):
        if pieces[number].text.strip():
            return number + 1 if pieces[number].text == ";" else position
    return position


def _structure(pieces: Sequence[Piece], position: int, known: dict[str, list[str]]) -> tuple[list[Piece], int]:
    """The definition of a structure behind `typedef`, which gets the name of the type if it has none; else nothing."""
    words = list(words_from(pieces, position + 1))[:3]
    word = pieces[words[0]].text if words else ""
    if len(words) < 3 or word not in TAGGED:
        return [], position
    tag = None if pieces[words[1]].text == "{" else pieces[words[1]].text
    opening = words[1] if tag is None else words[2]
    if pieces[opening].text != "{":
        return [], position
    closing = next((n for n in range(opening, len(pieces)) if pieces[n].text == "}"), len(pieces))
    end = next((n for n in range(closing, len(pieces)) if pieces[n].text == ";"), len(pieces))
    names = [pieces[number] for number in words_from(pieces, closing + 1) if number < end]
    if len(names) > 1 and all(one.text.isidentifier() for one in names[:2]):
        raise InputError(_no_semicolon(names[0], names[1].text))
    if len(names) != 1:
        return [], position
    name = names[0].text if tag is None else tag
    inner = list(_rewritten(pieces[opening : closing + 1], known))
    known[names[0].text] = [f"{word} {name}"]
    first = replace(pieces[words[0]], text=f"{word} {name} ", is_verbatim=False)
    return [first, *inner, replace(names[0], text=";", is_verbatim=False)], end + 1


def _no_semicolon(last: Piece, found: str) -> Diagnostic:
    """The semicolon behind the last word of a definition is missing."""
    assert last.span is not None, "it was written"
    behind = replace(last.span, start=last.span.end)
    return Diagnostic("E041", f"expected ';' after '{last.text}', found '{found}'", behind)


def _require_semicolon(pieces: Sequence[Piece]) -> None:
    """InputError where a definition of a type goes on in the next line although its name is known by then."""
    words: list[Piece] = []
    is_next_line = False
    for piece in pieces:
        if not piece.text.strip():
            is_next_line = is_next_line or "\n" in piece.text
            continue
        if is_next_line and len(words) > 1:
            raise InputError(_no_semicolon(words[-1], piece.text))
        words.append(piece)
        is_next_line = False


def _define(pieces: Sequence[Piece], position: int, known: dict[str, list[str]]) -> int:
    """Note the name that a `typedef` declares; the position behind it."""
    words: list[str] = []
    first = next((n for n in range(position + 1, len(pieces)) if pieces[n].text.strip()), position)
    if pieces[first].text == "enum":
        _, behind = enumeration(pieces, first, known)
        words, position = ["int"], behind - 1
    for number in range(position + 1, len(pieces)):
        piece = pieces[number]
        if piece.text == "(" and (unused := _behind_unused(pieces, number)) is not None:
            return unused
        if piece.text in {"{", "(", "["} and piece.span is not None:
            _require_semicolon(pieces[position + 1 : number + 1])
            known_types = "scalar types, pointers and arrays of them"
            message = f"a type definition ('typedef') of anything but {known_types} is not supported"
            raise InputError(Diagnostic("E050", message, piece.span))
        if piece.text == ";":
            *type_, name = words or [""]
            tags = {number + 1 for number, word in enumerate(type_) if word in TAGGED}
            meant = (known.get(word, [word]) if number not in tags else [word] for number, word in enumerate(type_))
            known[name] = [text for words in meant for text in (*words, " ")]
            return number + 1
        words += [piece.text] if piece.text.strip() else []
    return len(pieces)


def _behind_unused(pieces: Sequence[Piece], position: int) -> int | None:
    """The position behind a type of pointers to functions, whose brackets begin here, and whose name nothing uses."""
    end = next((number for number in range(position, len(pieces)) if pieces[number].text == ";"), len(pieces))
    words = [pieces[number].text for number in islice(words_from(pieces, position), 4)]
    if len(words) < 4 or words[1] not in {"*", "^"} or words[3] != ")" or end == len(pieces):
        return None
    return None if any(one.text == words[2] for one in islice(pieces, end, None)) else end + 1
