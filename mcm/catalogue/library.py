"""Models as users name them: built-in ones by name, their own by path, each with the rules that are left out."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.recent import Recent
from mcm.base.source import Source, Span
from mcm.cat.model import Check, Shape
from mcm.catalogue import registry
from mcm.relation.term import Base, Union

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mcm.base.dialect import Dialect
    from mcm.cat.model import Model
    from mcm.program.program import Extent


ALL_MODELS: Final = "all"
_KEPT: Final = 64


class ChosenModel(Struct, frozen=True):
    """A model that tests are judged by.

    `model.name` is what reports call it, `without` are the rules that it lacks. `keys` are the names under which tests
    state what they expect of it: for a built-in model its name, for a user's the path, the name of the file, and that
    without `.cat` if no built-in model is called so.
    """

    model: Model
    keys: tuple[str, ...]
    without: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name in reports: `c11`, `c11 without SC-2`."""
        return self.model.name


# A model as users give it: its name or its path, or what was loaded.
ModelLike = str | PathLike[str] | ChosenModel


class _ModelFile(Struct, frozen=True):
    """A user's model, and the files that it was made of: the text of each, None where there was no such file."""

    model: Model
    texts: tuple[tuple[Path, str | None], ...]

    def is_current(self) -> bool:
        """Whether the files still have these texts; what is no file can be read only once."""
        return all(path.is_fifo() or text == registry.text_of(path) for path, text in self.texts)


class Library:
    """Loads models, and keeps them as long as their files do not change. Threads may share it."""

    def __init__(self, size: int = _KEPT) -> None:
        self._files: Recent[_ModelFile] = Recent(size)
        self._chosen: Recent[ChosenModel] = Recent(size)
        self._folders: tuple[str, ...] = ()

    def include_from(self, folders: Iterable[str | PathLike[str]]) -> None:
        """From now on, models may include files of these folders too."""
        self._folders = tuple(fspath(folder) for folder in folders)

    def choose(self, model: ModelLike, without: Iterable[str] = (), extent: Extent = "whole") -> ChosenModel:
        """A built-in model by name or a user's by path, less some rules; one that was chosen may lose more.

        It is without what is empty in all programs of the extent. Rules that it does not state are ignored.
        Raises InputError when there is no such model or its text is wrong.
        """
        chosen, removed = self._load(model, extent), tuple(without)
        return self._chosen.get((chosen, removed), lambda: _less(chosen, removed)) if removed else chosen

    def _load(self, model: ModelLike, extent: Extent) -> ChosenModel:
        if isinstance(model, str) and not is_file_name(model):
            built_in = registry.get_for(model, extent)
            return ChosenModel(built_in, (built_in.name,))
        if extent != "whole":
            # Imported here: of built-in models all forms are kept.
            from mcm.catalogue.empty_parts import within  # noqa: PLC0415

            chosen = self._load(model, "whole")
            return replace(chosen, model=within(chosen.model, extent))
        if isinstance(model, ChosenModel):
            return model
        # Imported here: its import takes as long as a small test.
        from pathlib import Path  # noqa: PLC0415

        path = Path(model)
        loaded = self._read(path)
        if path.stem in registry.names():
            return ChosenModel(replace(loaded, name=str(path)), (str(path), path.name))
        return ChosenModel(loaded, (str(path), path.name, path.stem))

    def _read(self, path: Path) -> Model:
        folders = self._folders
        known = self._files.get((path, folders), lambda: _read_model(path, folders))
        if not known.is_current():
            self._files.forget((path, folders))
            known = self._files.get((path, folders), lambda: _read_model(path, folders))
        return known.model


def _read_model(path: Path, folders: tuple[str, ...]) -> _ModelFile:
    texts: dict[Path, str | None] = {}

    def read(one: Path) -> str | None:
        texts[one] = text = registry.text_of(one)
        return text

    return _ModelFile(registry.load_file(path, read, folders), tuple(texts.items()))


def _less(chosen: ChosenModel, rules: tuple[str, ...]) -> ChosenModel:
    # Imported here: few models are weakened.
    from mcm.catalogue.rules import without as leave_out  # noqa: PLC0415

    word = ", " if chosen.without else " without "
    model = replace(leave_out(chosen.model, rules), name=f"{chosen.name}{word}{', '.join(rules)}")
    return replace(chosen, model=model, without=(*chosen.without, *rules))


def model_names(asked: Iterable[ModelLike], dialect: Dialect) -> tuple[ModelLike, ...]:
    """The models that are meant for a test of a dialect: its own when none is asked for, each once."""
    named = dict.fromkeys(name for one in asked for name in all_of(one))
    return tuple(named) or (dialect.default_model,)


def all_of(model: ModelLike) -> tuple[ModelLike, ...]:
    """The models that a name stands for: `all` means every built-in one."""
    return registry.names() if model == ALL_MODELS else (model,)


def without_load_buffering(chosen: ChosenModel) -> ChosenModel:
    """The model with one more check: no cycle of program order and reads-from."""
    model = chosen.model
    nowhere = Span(Source(model.name, ""), 0, 0)
    cycle = Union(Base("po"), Base("rf"))
    check = Check("no-load-buffering", Shape.ACYCLIC, negated=False, term=cycle, rule=None, span=nowhere)
    return replace(chosen, model=replace(model, checks=(*model.checks, check)))


def is_file_name(model: str) -> bool:
    """Whether a model is given by the path of its file, not by name."""
    return model.endswith(".cat")
