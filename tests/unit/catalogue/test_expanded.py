"""The data of the built-in models are those of their cat files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.base.plain_data import text_of
from mcm.base.source import Source
from mcm.catalogue import expanded
from mcm.catalogue.expanded import path_of, read
from mcm.catalogue.make_expanded import plain
from mcm.catalogue.registry import load_text, names

if TYPE_CHECKING:
    from pathlib import Path


def source_of(name: str) -> Source:
    return Source(name, (path_of(name).parent.parent / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", names())
def test_data_are_those_of_the_cat_files(name: str) -> None:
    """If not: `python -m mcm.catalogue.make_expanded`."""
    assert path_of(name).read_text(encoding="utf-8") == text_of(plain(*load_text(name)))


def test_all_models_have_data_and_nobody_else() -> None:
    assert sorted(path.stem for path in path_of("sc").parent.iterdir()) == sorted(names())


@pytest.mark.parametrize("name", names())
def test_what_is_read_is_the_model(name: str) -> None:
    model = read(name, source_of)
    loaded, _ = load_text(name)
    assert model == loaded
    assert model is not None
    for one, other in zip(
        (*model.definitions, *model.checks, *model.flags),
        (*loaded.definitions, *loaded.checks, *loaded.flags),
        strict=True,
    ):
        assert one.term is other.term
        assert one.span == other.span
    for definition, other in zip(model.definitions, loaded.definitions, strict=True):
        assert definition.without is other.without


def test_data_of_other_texts_do_not_count() -> None:
    def changed(name: str) -> Source:
        source = source_of(name)
        return Source(name, source.text + "\n") if name == "stdlib.cat" else source

    assert read("c11", changed) is None


def test_a_model_without_data_is_read_from_its_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expanded, "_FOLDER", tmp_path)
    assert read("c11", source_of) is None
