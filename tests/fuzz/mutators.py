"""Texts made of other texts by changes at random: of characters and lines, or of words that leave most tests valid."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")

# Characters and words that programs have stumbled over.
HOSTILE: Final = (
    *("\x1b[2K", "\u202e", "\u3164", "\ud800", "\x00", "\r", "\t", "\f", "\ufeff", "\\", " "),
    *(
        "'",
        '"',
        "/*",
        "*/",
        "//",
        "(*",
        "*)",
        "/\\",
        "\\/",
        "?",
        ":",
        "&&",
        "||",
        "@",
        "~",
        ";",
        ",",
        "%0",
        "/0",
        "<<64",
    ),
    *("(" * 20, "(" * 2000, ")" * 10, "{" * 8, "}" * 4, "[", "]", "*" * 17, "x[" * 500, "!" * 3000),
    *[
        "-2147483648",
        "18446744073709551616",
        "1e999",
        "0x",
        "08",
        "1ull",
        "1.5f",
        "0",
        "-1",
        "nan",
        "P0",
        "P99999999999",
        "atomic_int",
        "local",
        "global",
    ],
    *[
        "exists",
        "forall",
        "~exists",
        "filter",
        "locations",
        "if",
        "else",
        "while(1){}",
        "do",
        "return",
        "break",
        "goto",
        "barrier(0);",
    ],
    *("let rec ", 'include "x.cat" ', "acyclic ", "flag "),
)

# Words of one kind: one in the place of another leaves most tests valid.
KINDS: Final = tuple(
    tuple(words.split())
    for words in (
        "memory_order_relaxed memory_order_acquire memory_order_release memory_order_acq_rel memory_order_seq_cst",
        "memory_scope_sub_group memory_scope_work_group memory_scope_device memory_scope_all_svm_devices",
        "CLK_GLOBAL_MEM_FENCE CLK_LOCAL_MEM_FENCE CLK_IMAGE_MEM_FENCE",
        "0 1 2 3 255",
        "+ - * / % & | ^",
        "int uint char uchar short long ulong",
        "atomic_int atomic_uint int",
        "global local",
        "x y z",
        "r0 r1 r2",
        "1 r0 r1",  # values that depend on themselves
        "wg sg dev",
        "exists forall",
        "if while",
        "acyclic irreflexive empty",
        "| & ; \\ *",
        "po rf mo fr sb loc int ext id",
    )
)


_KINDS_OF: Final = {word: tuple(kind for kind in KINDS if word in kind) for words in KINDS for word in words}


def mangled(random: Random, text: str, others: Sequence[str]) -> str:
    """A text that need not be valid in any way."""
    for _ in range(random.choice((1, 1, 2, 3, 8))):
        text = _mangled_once(random, text, others)
    return text


def _mangled_once(random: Random, text: str, others: Sequence[str]) -> str:
    at = random.randrange(len(text) + 1)
    end = min(len(text), at + random.choice((1, 2, 5, 20, 200)))
    match random.randrange(8):
        case 0:
            return text[:at] + text[end:]
        case 1:
            return text[:at] + random.choice(HOSTILE) + text[at:]
        case 2:
            return text[:at] + random.choice(HOSTILE) + text[end:]
        case 3:
            return text[:at] + text[at:end] * random.choice((2, 3, 50)) + text[end:]
        case 4:
            other = random.choice(others)
            start = random.randrange(len(other) + 1)
            return text[:at] + other[start : start + random.choice((5, 50, 500))] + text[at:]
        case 5:
            return text[:at]
        case 6:
            lines = text.splitlines(keepends=True)
            random.shuffle(lines)
            return "".join(lines)
        case _:
            return exchanged(random, text)


def exchanged(random: Random, text: str) -> str:
    """A text with some words exchanged for words of their kind, or words or lines left out, doubled or moved."""
    words = WORD.findall(text)
    for _ in range(random.choice((1, 1, 2, 3, 5))):
        if not words:
            break
        _exchange_once(random, words)
    return "".join(words)


def _exchange_once(random: Random, words: list[str]) -> None:
    match random.randrange(10):
        case 0:
            del words[random.randrange(len(words))]
        case 1:
            at = random.randrange(len(words))
            words.insert(random.randrange(len(words)), words[at])
        case 2:
            lines = "".join(words).splitlines(keepends=True)
            line = lines[random.randrange(len(lines))]
            lines.insert(random.randrange(len(lines)), line)
            words[:] = WORD.findall("".join(lines))
        case 3:
            lines = "".join(words).splitlines(keepends=True)
            del lines[random.randrange(len(lines))]
            words[:] = WORD.findall("".join(lines))
        case _:
            places = [(at, kind) for at, word in enumerate(words) for kind in _KINDS_OF.get(word, ())]
            if places:
                at, kind = random.choice(places)
                words[at] = random.choice(kind)
