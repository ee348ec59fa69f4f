"""What is expected of a test: by its own header, and by the rows of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.catalogue import registry
from mcm.catalogue.library import ALL_MODELS, ChosenModel
from mcm.program.header import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.catalogue.library import ModelLike
    from mcm.program.header import Expectation, Header


class Question(Struct, frozen=True):
    """An expectation, and the model that it is about, as a session loads it."""

    expectation: Expectation
    model: ModelLike

    @property
    def model_name(self) -> str:
        """The model as the expectation calls it, the default model by its own name."""
        named = self.expectation.model
        return str(self.model) if named == DEFAULT_MODEL and not isinstance(self.model, ChosenModel) else named


# The models that are asked about where none is chosen: whatever the expectations name.
EVERY_MODEL: Final[tuple[ModelLike, ...]] = ()


def questions_of(
    header: Header, rows: tuple[Expectation, ...], chosen: tuple[ModelLike, ...] = EVERY_MODEL
) -> Iterator[Question]:
    """The expectations of a header, then those of tables; where models are chosen, only those about them.

    An expectation that names no model is about the default model of the dialect. A row of a table that names none is
    about each model that is chosen.
    """
    default = header.dialect.default_model
    for expectation in header.expectations:
        yield from _asked(expectation, default, chosen)
    for row in rows:
        if row.model == DEFAULT_MODEL and chosen:
            for model in _expanded(chosen):
                yield Question(replace(row, model=_keys(model)[0]), model)
        else:
            yield from _asked(row, default, chosen)


def _asked(expectation: Expectation, default: str, chosen: tuple[ModelLike, ...]) -> Iterator[Question]:
    named = default if expectation.model == DEFAULT_MODEL else expectation.model
    if not chosen:
        yield Question(expectation, named)
        return
    model = next((one for one in _expanded(chosen) if named in _keys(one)), None)
    if model is not None:
        yield Question(expectation, model)


def _expanded(chosen: tuple[ModelLike, ...]) -> Iterator[ModelLike]:
    for one in chosen:
        yield from registry.names() if one == ALL_MODELS else (one,)


def _keys(model: ModelLike) -> tuple[str, ...]:
    return model.keys if isinstance(model, ChosenModel) else (str(model),)
