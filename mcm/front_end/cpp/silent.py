"""What says nothing to a memory model, and other spellings of signs and namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.front_end.cpp.words import closing, closing_angle, end_of_statement, has_owner, is_name, listed, made, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.cpp.words import Words
    from mcm.front_end.pieces import Piece

_SILENT: Final = frozenset(
    {
        *("typename", "mutable", "noexcept", "explicit", "SYCL_EXTERNAL", "ESIMD_INLINE"),
        *("__dpct_inline__", "__dpct_noinline__", "__forceinline__", "__forceinline", "__inline__"),
    }
)
_IN_LETTERS: Final = {"and": "&&", "or": "||", "not": "!", "bitand": "&", "bitor": "|", "xor": "^", "not_eq": "!="}
# The classes of the modes of accessors.
# Attributes of C++ that say nothing about what is done.
_ATTRIBUTES: Final = frozenset(
    {"maybe_unused", "nodiscard", "fallthrough", "likely", "unlikely", "noreturn", "deprecated", "no_unique_address"}
)
_MODES: Final = frozenset({"mode", "access_mode"})
# The classes of what an atomic operation is told.
_ATOMIC: Final = frozenset({"memory_scope", "memory_order", "address_space"})
# Namespaces that programs add to, and do not define.
_OTHERS: Final = frozenset({"sycl", "std", "cl", "ext"})
_CLASS_KEYS: Final = frozenset({"class", "struct"})


def with_modes(words: Sequence[Piece]) -> Words:
    """The words with access modes, scopes and orders in place of constants that name them.

    `constexpr access::mode read = …;`, `constexpr auto scope = memory_scope::device;`.
    """
    found: Words = []
    known: dict[str, Words] = {}
    number = 0
    while number < len(words):
        end = end_of_statement(words, number)
        mode = [word.text for word in words[number:end]]
        if mode[:1] in (["constexpr"], ["const"]) and "=" in mode and _is_mode(mode, mode.index("=")):
            sign = number + mode.index("=")
            known[words[sign - 1].text] = list(words[sign + 1 : end])
            number = end + 1
            continue
        word = words[number]
        is_qualified = bool(found) and found[-1].text in {"::", ".", "->"}
        found += (
            [made(one.text, word) for one in known[word.text]] if word.text in known and not is_qualified else [word]
        )
        number += 1
    return found


def _is_mode(declared: Sequence[str], sign: int) -> bool:
    """Whether a constant with an access mode, a scope or an order is declared, `sign` the position of its `=`."""
    value = declared[sign + 1 :]
    is_word = len(value) in {3, 5} and value[-3] in _ATOMIC and value[-2] == "::"
    return declared[sign - 2] in _MODES or is_word


def without_silent(words: Sequence[Piece]) -> Words:
    """The words without declarations of names of kernels, namespaces of the program, and words that say nothing."""
    found: Words = []
    closed: list[int] = []
    own = _own_namespaces(words)
    number = 0
    while number < len(words):
        behind = _behind_silent(words, number)
        if behind is None and words[number].text in own and texts(words, number + 1, 1) == ("::",):
            behind = number + 2
        if texts(words, number, 1) == ("using",) and texts(words, number + 1, 1)[0] in own:
            behind = end_of_statement(words, number) + 1
        if behind is not None:
            number = behind
            continue
        opening = _namespace(words, number)
        if opening is not None:
            closed.append(closing(words, opening))
            number = opening + 1
            continue
        if number in closed:
            number += 1
            continue
        word = words[number]
        if word.text == "auto" and texts(words, number + 1, 1) == ("&&",):
            # What it refers to has a name, or lives as long.
            found += [word, made("&", words[number + 1])]
            number += 2
            continue
        found.append(made(_IN_LETTERS[word.text], word) if word.text in _IN_LETTERS else word)
        number += 1
    return found


def _own_namespaces(words: Sequence[Piece]) -> set[str]:
    """The names of the namespaces of the program: what they hold is known without them."""
    found: set[str] = set()
    for number, word in enumerate(words):
        opening = _namespace(words, number) if word.text == "namespace" else None
        if opening is not None:
            found |= {one.text for one in words[number + 1 : opening] if is_name(one)}
    return found - _OTHERS


def _behind_silent(words: Sequence[Piece], number: int) -> int | None:
    """The position behind something that says nothing; None where something else stands."""
    match texts(words, number, 4):
        case ("cl", "::", "sycl", *_):
            return number + 2
        case ("using", "namespace", *_):
            return end_of_statement(words, number) + 1
        case ("template", "<", *_):
            angle = closing_angle(words, number + 1)
            if angle is not None and texts(words, angle + 1, 1) and words[angle + 1].text in _CLASS_KEYS:
                return _behind_declaration(words, angle + 1)
            return None
        case ("template", *_) if has_owner(words, number):
            return number + 1
        case ("template", *_):
            # An explicit instantiation.
            return end_of_statement(words, number) + 1
        case ("static_assert", "(", *_):
            return end_of_statement(words, number) + 1
        case (key, *_) if key in _CLASS_KEYS:
            return _behind_selector(words, number) or _behind_declaration(words, number)
        case ("[", "[", word, "]" | "(") if word in _ATTRIBUTES:
            return closing(words, number) + 1
        case (word, *_) if word in _SILENT:
            return number + 1
        case _:
            return None


def _behind_selector(words: Sequence[Piece], number: int) -> int | None:
    """The position behind a class that chooses a device, which says nothing; None where another one stands."""
    opening = next((n for n in range(number, len(words)) if words[n].text in {"{", ";", "("}), len(words))
    head = [word.text for word in words[number:opening]]
    if head[2:3] != [":"] or head[-1] != "device_selector" or texts(words, opening, 1) != ("{",):
        return None
    return closing(words, opening) + 2


def _behind_declaration(words: Sequence[Piece], number: int) -> int | None:
    """The position behind `class name;`; None where a class is defined, or named."""
    follows = texts(words, number + 1, 2)
    return number + 3 if len(follows) == 2 and follows[1] == ";" and is_name(words[number + 1]) else None


def _namespace(words: Sequence[Piece], number: int) -> int | None:
    """The position of the bracket that opens a namespace of the program; None where none begins."""
    if words[number].text != "namespace" or (number and words[number - 1].text == "using"):
        return None
    position = number + 1
    while position < len(words) and (is_name(words[position]) or words[position].text == "::"):
        position += 1
    return position if texts(words, position, 1) == ("{",) else None


def with_references(words: Sequence[Piece]) -> Words:
    """The words with `atomic_ref` in place of the older `sycl::atomic<int, …> a(multi_ptr<…>(p))`."""
    found: Words = []
    number = 0
    while number < len(words):
        older = _atomic(words, number)
        if older is None:
            found.append(words[number])
            number += 1
        else:
            replaced, number = older
            found += replaced
    return found


def _atomic(words: Sequence[Piece], number: int) -> tuple[Words, int] | None:
    """The reference that an object of `sycl::atomic` is, and the position behind it; None where something else stands.

    It is relaxed, and of device scope (`mcm.sycl.older_atomics`).
    """
    if texts(words, number, 4) != ("sycl", "::", "atomic", "<"):
        return None
    angle = closing_angle(words, number + 3)
    if angle is None:
        return None
    type_, *space = listed(words, number + 4, angle)
    at = words[number + 2]
    opening = angle + 1 + (is_name(words[angle + 1]) if angle + 1 < len(words) else 0)
    if texts(words, opening, 1) not in {("(",), ("{",)}:
        return None
    last = closing(words, opening)
    pointer = _pointer(words[opening + 1 : last])
    settings = (",", "sycl", "::", "memory_order", "::", "relaxed", ",", "sycl", "::", "memory_scope", "::", "device")
    templates = [*type_, *(made(text, at) for text in settings)]
    for part in space:
        templates += [made(",", at), *part]
    name = words[angle + 1 : opening]
    begins = [made(text, at) for text in ("sycl", "::", "atomic_ref", "<")]
    target = [made("(", at), made("*", at), made("(", at), *pointer, made(")", at), made(")", at)]
    return [*begins, *templates, made(">", at), *name, *target], last + 1


def _pointer(words: Sequence[Piece]) -> Words:
    """What a pointer with an address space is made of, without brackets around it."""
    if texts(words, 0, 1) == ("(",) and closing(words, 0) == len(words) - 1:
        return _pointer(words[1:-1])
    start = 2 if texts(words, 0, 2) == ("sycl", "::") else 0
    if texts(words, start, 2) == ("multi_ptr", "<") and (angle := closing_angle(words, start + 1)) is not None:
        return list(words[angle + 2 : -1])
    return list(words)
