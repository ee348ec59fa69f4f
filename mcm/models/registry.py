"""The built-in models by name, models from files, and models without some of their rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcm.base.source import Source
from mcm.base.suggest import did_you_mean
from mcm.models.rules import RuleEntry, rules, without
from mcm.models.store import keep, recall

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.cat.scope import Vocabulary

__all__ = [
    "RuleEntry",
    "UnknownModelError",
    "get",
    "load_file",
    "names",
    "rules",
    "vocabulary",
    "without",
]

_FOLDER: Final = Path(__file__).parent

# In the order in which they are listed: OpenCL by version, its variants, the others by strength.
_NAMES: Final = (
    "opencl-2.0",
    "opencl-2.0-cond",
    "opencl-3.0",
    "opencl-3.0+sc-both",
    "opencl-3.1",
    "opencl-scoped",
    "opencl-popl",
    "sycl-2020",
    "c11",
    "c11-simp",
    "rc11",
    "c20",
    "sc",
)
_OTHER_NAMES: Final = {"c++11": "c11", "c++20": "c20", "sycl2020": "sycl-2020"}


class UnknownModelError(LookupError):
    """There is no built-in model of this name; the message suggests one."""


def names() -> tuple[str, ...]:
    """The names of the built-in models."""
    return _NAMES


@cache
def get(name: str) -> Model:
    """The built-in model of this name; raises UnknownModelError."""
    name = _OTHER_NAMES.get(name, name)
    if name not in _NAMES:
        raise UnknownModelError(f"unknown model '{name}'{did_you_mean(name, (*_NAMES, *_OTHER_NAMES))}")
    model = recall(name)
    if model is None:
        model = _load(_source(_FOLDER / f"{name}.cat", f"{name}.cat"), name, _FOLDER)
        keep(name, model)
    return model


def load_file(path: Path) -> Model:
    """The model in a file; it may include files beside it and those of the built-in models.

    Raises InputError when the text is no model, OSError and UnicodeDecodeError when it cannot be read.
    """
    return _load(_source(path, str(path)), path.stem, path.parent)


def _load(source: Source, name: str, folder: Path) -> Model:
    # Imported here: the parser is heavy, and models of the store need none.
    from mcm.cat.load import load  # noqa: PLC0415

    def read_include(path: str) -> Source | None:
        for candidate, shown in ((folder / path, str(folder / path)), (_FOLDER / path, path)):
            if candidate.is_file():
                return _source(candidate, path if folder == _FOLDER else shown)
        return None

    return load(source, name, read_include, vocabulary(), _source(_FOLDER / "stdlib.cat", "stdlib.cat"))


def vocabulary() -> Vocabulary:
    """The base names that models are written in."""
    from mcm.cat.scope import Vocabulary  # noqa: PLC0415 - see `_load`
    from mcm.execution.vocabulary import ALIASES, RELATIONS, SETS  # noqa: PLC0415

    return Vocabulary(frozenset(SETS), frozenset(RELATIONS), ALIASES)


def _source(path: Path, shown: str) -> Source:
    return Source(shown, path.read_text(encoding="utf-8"))
