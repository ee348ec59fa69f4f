"""Models as users might write them: built-in ones in which a few words or signs of their texts are others."""

from __future__ import annotations

import re
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import InputError
from mcm.catalogue.registry import load_file, load_text, text_of

if TYPE_CHECKING:
    from mcm.cat.model import Model

_BASES: Final = ("opencl-3.0", "opencl-3.1", "sycl-2020", "c20", "c11", "opencl-scoped", "opencl-2.0", "rc11")
_TOKEN: Final = re.compile(r'"[^"]*"|\(\*.*?\*\)|//[^\n]*|\^-1|[\w.-]+|\s+|.', re.DOTALL)
_NAME: Final = re.compile(r"[A-Za-z][\w.-]*")
# What all models start with, and what is said of commands and pipes, which kernels do not have.
_OF_OTHERS: Final = frozenset(
    f"{name}.cat" for name in ("stdlib", "statuses", "pipes", "command-flags", "opencl-commands")
)
_NO_CODE: Final = ('"', "(*", "//")
_WORDS: Final = frozenset(
    (
        *("let", "rec", "and", "in", "with", "from", "as", "include", "flag", "show", "unshow", "empty", "acyclic"),
        *("irreflexive", "linearisations", "begin", "end", "if", "then", "else"),
    )
)
_SETS: Final = ("W", "R", "M", "A", "F", "REL", "ACQ", "SC", "RLX", "RMW", "AO", "B", "IW", "NA")
_RELATIONS: Final = ("po", "rf", "mo", "fr", "loc", "int", "ext", "id", "hb", "sb", "ghb", "lhb")
# What may stand for each other.
_SIGNS: Final = tuple("|&;\\")
_CLOSURES: Final = ("+", "*", "?", "")
_SHAPES: Final = ("acyclic", "irreflexive", "empty")


@cache
def _texts(base: str) -> dict[str, str]:
    """What a built-in model says of accesses, by the names of its files."""
    return {source.name: source.text for source in load_text(base)[1] if source.name not in _OF_OTHERS}


def other_model(seed: str, number: int) -> tuple[Model, str]:
    """The model of this number, and what is changed in it; the same seed and number give the same model."""
    random = Random(f"models {seed} {number}")  # noqa: S311 - nothing secret
    while True:
        base = random.choice(_BASES)
        texts, changes = _changed(random, _texts(base))
        try:
            model = load_file(Path(f"{base}.cat"), partial(_read, texts))
        except InputError:
            # Words that stand for each other are not always of the same kind.
            continue
        if changes:
            return model, f"{base}: {changes}"


def _read(texts: dict[str, str], path: Path) -> str | None:
    return texts.get(path.name) or text_of(path)


def _changed(random: Random, texts: dict[str, str]) -> tuple[dict[str, str], str]:
    """Texts with one to three changes, and these."""
    texts, changes = dict(texts), []
    for _ in range(random.choice((1, 1, 2, 3))):
        name = random.choice(sorted(texts))
        tokens = _TOKEN.findall(texts[name])
        places = [at for at, each in enumerate(tokens) if not each.isspace() and not each.startswith(_NO_CODE)]
        if not places:
            continue
        at = random.choice(places)
        old, new = tokens[at], _other(random, tokens[at], tokens)
        if new != old:
            around = "".join(tokens[max(0, at - 8) : at + 9])
            changes.append(f"{new or 'nothing'} for {old} in {around!r} of {name}")
            texts[name] = "".join((*tokens[:at], new, *tokens[at + 1 :]))
    return texts, "; ".join(changes)


def _other(random: Random, token: str, tokens: list[str]) -> str:
    """What stands for a token, which may be the token."""
    for alike in (_SIGNS, _CLOSURES, _SHAPES):
        if token and token in alike:
            return random.choice(alike)
    if token in {"^-1", "~"}:
        return ""
    if _NAME.fullmatch(token) and token not in _WORDS:
        names = [each for each in tokens if _NAME.fullmatch(each) and each not in _WORDS]
        return random.choice(
            (random.choice(names), random.choice(names), random.choice(_SETS), random.choice(_RELATIONS))
        )
    return token
