"""The data of the built-in models are those of their cat files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcm.base.plain_data import text_of
from mcm.base.source import Source
from mcm.catalogue import expanded
from mcm.catalogue.empty_parts import within
from mcm.catalogue.expanded import path_of, read
from mcm.catalogue.make_expanded import plain
from mcm.catalogue.registry import get_for, load_text, names
from mcm.execution.vocabulary import BEYOND_ACCESSES, BEYOND_MEMORY
from mcm.program.program import EXTENTS
from mcm.relation.term import Base, BaseSet, children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.program.program import Extent
    from mcm.relation.term import Term


def source_of(name: str) -> Source:
    return Source(name, (Path(path_of(name)).parent.parent / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", names())
def test_data_are_those_of_the_cat_files(name: str) -> None:
    """If not: `python -m mcm.catalogue.make_expanded`."""
    model, texts = load_text(name)
    for extent in extents_of(name):
        data = Path(path_of(name, extent)).read_text(encoding="utf-8")
        assert data == text_of(plain(within(model, extent), texts))


def extents_of(name: str) -> list[Extent]:
    """Those for which the model is another one than for the next larger extent."""
    model, _ = load_text(name)
    models = [None, *(within(model, extent) for extent in EXTENTS)]
    return [extent for extent, less, larger in zip(EXTENTS, models[1:], models, strict=False) if less != larger]


def test_all_models_have_data_and_nobody_else() -> None:
    data = {Path(path_of(name, extent)) for name in names() for extent in extents_of(name)}
    assert set(Path(path_of("sc")).parent.iterdir()) == data


@pytest.mark.parametrize(("extent", "empty"), [("memory", BEYOND_MEMORY), ("accesses", BEYOND_ACCESSES)])
@pytest.mark.parametrize("name", names())
def test_nothing_is_left_that_is_about_what_is_empty(name: str, extent: Extent, empty: frozenset[str]) -> None:
    less = get_for(name, extent)
    assert less.name == name
    mentioned = {
        part.name
        for item in (*less.checks, *less.flags)
        for part in _parts(item.term)
        if isinstance(part, Base | BaseSet)
    }
    assert not mentioned & empty


def _parts(term: Term) -> Iterator[Term]:
    waiting, seen = [term], {term}
    while waiting:
        part = waiting.pop()
        yield part
        new = set(children(part)) - seen
        waiting += new
        seen |= new


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
