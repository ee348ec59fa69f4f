"""Which models are meant by the words that a user gives."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.source import Source, Span
from mcm.cat.model import Check, Shape
from mcm.models import registry
from mcm.models.rules import without as leave_out
from mcm.relation.term import Base, Union

if TYPE_CHECKING:
    from mcm.base.dialect import Dialect
    from mcm.cat.model import Model

ALL_MODELS: Final = "all"


def model_names(asked: tuple[str, ...], dialect: Dialect) -> tuple[str, ...]:
    """The models that are meant for a test of a dialect."""
    if not asked:
        return (dialect.default_model,)
    return tuple(dict.fromkeys(name for one in asked for name in (registry.names() if one == ALL_MODELS else (one,))))


@cache
def load_model(name: str, without: tuple[str, ...] = ()) -> Model:
    """A built-in model by name or a user's by path, less some rules; read once in each process."""
    model = registry.load_file(Path(name)) if is_file_name(name) else registry.get(name)
    return leave_out(model, without) if without else model


def without_load_buffering(model: Model) -> Model:
    """The model with one more check: no cycle of program order and reads-from."""
    nowhere = Span(Source(model.name, ""), 0, 0)
    cycle = Union(Base("po"), Base("rf"))
    check = Check("no-load-buffering", Shape.ACYCLIC, negated=False, term=cycle, rule=None, span=nowhere)
    return replace(model, checks=(*model.checks, check))


def is_file_name(model: str) -> bool:
    """Whether a model is given by the path of its file, not by name."""
    return model.endswith(".cat")
