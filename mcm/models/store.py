"""Built-in models as they were loaded last time: parsing them costs more than judging a small test.

The store belongs to the user alone (see `grammar_file`), and an entry counts only while the texts that it was made
from are what they were: the cat files, and the code that reads them.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from functools import cache
from pathlib import Path
from typing import Final

from mcm import __version__
from mcm.base.grammar_file import grammar_text, table_path
from mcm.cat.model import Model

_PACKAGE: Final = Path(__file__).parent.parent
_READ_BY: Final = ("execution/vocabulary.py", "models/registry.py", "models/store.py")
_READ_BY_ALL_OF: Final = ("base", "cat", "relation")

# When the texts were read by this process, or just before.
_STARTED: Final = time.time()
_JUST_BEFORE: Final = 2.0


def recall(name: str) -> Model | None:
    """The stored model of this name; None when there is none, or it is out of date or damaged."""
    path = table_path(f"model-{name}")
    if path is None:
        return None
    try:
        stored = Path(path).read_bytes()
        signature = _signature()
        if not stored.startswith(signature):
            return None
        model = pickle.loads(stored[len(signature) :])  # noqa: S301 - our own file, in a folder of the user's own
    except Exception:  # noqa: BLE001 - whatever is wrong with the entry, the model is there to be loaded anew
        return None
    return model if isinstance(model, Model) and model.name == name else None


def keep(name: str, model: Model) -> None:
    """Store a model. That it cannot be stored is no error.

    Where a text was changed since the process began, the model may be that of the old text and is not stored.
    """
    path = table_path(f"model-{name}")
    if path is None or any(p.stat().st_mtime > _STARTED - _JUST_BEFORE for p in _paths()):
        return
    try:
        content = _signature() + pickle.dumps(model, protocol=5)
        unfinished = Path(f"{path}.{os.getpid()}")
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except (OSError, RecursionError, pickle.PicklingError):
        return


@cache
def _signature() -> bytes:
    """Names, sizes and times of the texts of all models and of the code that reads them."""
    stats = [(path.name, path.stat()) for path in _paths()]
    files = [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]
    return pickle.dumps((sys.version, str(_PACKAGE), __version__, grammar_text("cat"), files))


@cache
def _paths() -> tuple[Path, ...]:
    paths = [_PACKAGE / name for name in _READ_BY]
    for folder in _READ_BY_ALL_OF:
        paths += sorted((_PACKAGE / folder).glob("*.py"))
    return (*paths, *sorted((_PACKAGE / "models").glob("*.cat")))
