"""Built-in models as they were loaded last time: parsing them costs more than judging a small test.

They are made from the cat files and from the code that reads them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from mcm.base import kept
from mcm.base.grammar_file import grammar_text
from mcm.cat.model import Model
from mcm.version import __version__

_PACKAGE: Final = Path(__file__).parent.parent
_READ_BY: Final = ("execution/vocabulary.py", "catalogue/registry.py", "catalogue/store.py")
_READ_BY_ALL_OF: Final = ("base", "cat", "relation")


def recall(name: str) -> Model | None:
    """The stored model of this name; None when there is none, or it is out of date or damaged."""
    model = kept.recall(f"model-{name}", _origin())
    return model if isinstance(model, Model) and model.name == name else None


def keep(name: str, model: Model) -> None:
    """Store a model. That it cannot be stored is no error."""
    kept.keep(f"model-{name}", _origin(), model)


@cache
def _origin() -> kept.Origin:
    paths = [_PACKAGE / name for name in _READ_BY]
    for folder in _READ_BY_ALL_OF:
        paths += sorted((_PACKAGE / folder).glob("*.py"))
    paths += sorted((_PACKAGE / "catalogue").glob("*.cat"))
    return kept.Origin(paths, __version__, grammar_text("cat"))
