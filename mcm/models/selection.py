"""Which models are meant by the words that a user gives."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcm.models import registry
from mcm.models.rules import without as leave_out

if TYPE_CHECKING:
    from mcm.cat.model import Model

ALL_MODELS: Final = "all"


def model_names(asked: tuple[str, ...], dialect: str) -> tuple[str, ...]:
    """The models that are meant for a test of a dialect."""
    if not asked:
        return (registry.default_model(dialect),)
    return tuple(dict.fromkeys(name for one in asked for name in (registry.names() if one == ALL_MODELS else (one,))))


@cache
def load_model(name: str, without: tuple[str, ...] = ()) -> Model:
    """A built-in model by name or a user's by path, less some rules; read once in each process."""
    model = registry.load_file(Path(name)) if is_file_name(name) else registry.get(name)
    return leave_out(model, without) if without else model


def is_file_name(model: str) -> bool:
    """Whether a model is given by the path of its file, not by name."""
    return model.endswith(".cat")
