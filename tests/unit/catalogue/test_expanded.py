"""The data of the built-in models are those of their cat files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcm.base.plain_data import text_of
from mcm.base.source import Source
from mcm.catalogue import expanded
from mcm.catalogue.empty_parts import memory_only
from mcm.catalogue.expanded import path_of, read
from mcm.catalogue.make_expanded import plain
from mcm.catalogue.registry import get_memory_only, load_text, names
from mcm.execution.vocabulary import BEYOND_MEMORY
from mcm.relation.term import Base, BaseSet, children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.relation.term import Term


def source_of(name: str) -> Source:
    return Source(name, (Path(path_of(name)).parent.parent / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", names())
def test_data_are_those_of_the_cat_files(name: str) -> None:
    """If not: `python -m mcm.catalogue.make_expanded`."""
    model, texts = load_text(name)
    assert Path(path_of(name)).read_text(encoding="utf-8") == text_of(plain(model, texts))
    if about_commands(name):
        less = Path(path_of(name, memory_only=True))
        assert less.read_text(encoding="utf-8") == text_of(plain(memory_only(model), texts))


def about_commands(name: str) -> bool:
    model, _ = load_text(name)
    return memory_only(model) != model


def test_all_models_have_data_and_nobody_else() -> None:
    less = [Path(path_of(name, memory_only=True)) for name in names() if about_commands(name)]
    assert set(Path(path_of("sc")).parent.iterdir()) == {*(Path(path_of(name)) for name in names()), *less}


@pytest.mark.parametrize("name", [name for name in names() if name.startswith("opencl") or name == "sc"])
def test_without_commands_nothing_is_left_that_is_about_them(name: str) -> None:
    less = get_memory_only(name)
    assert less.name == name
    mentioned = {
        part.name
        for item in (*less.checks, *less.flags)
        for part in _parts(item.term)
        if isinstance(part, Base | BaseSet)
    }
    assert not mentioned & BEYOND_MEMORY


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
