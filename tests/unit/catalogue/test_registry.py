"""Finding models: by name, in files, in the store."""

from __future__ import annotations

import pickle
import time
from typing import TYPE_CHECKING

import pytest

from mcm.base import kept
from mcm.base.diagnostic import InputError
from mcm.catalogue import registry, store
from mcm.catalogue.registry import UnknownModelError, get, load_file, names

if TYPE_CHECKING:
    from pathlib import Path


def test_unknown_model_suggests_one() -> None:
    with pytest.raises(UnknownModelError, match=r"unknown model 'opencl-scopd'; did you mean 'opencl-scoped'\?"):
        get("opencl-scopd")


def test_other_names() -> None:
    assert get("c++11") is get("c11") or get("c++11") == get("c11")
    assert get("sycl2020").name == "sycl-2020"


def test_file_beside_others_and_with_built_in_parts(tmp_path: Path) -> None:
    (tmp_path / "mine.cat").write_text('"Mine"\ninclude "part.cat"\ninclude "sc.cat"\nempty never\n', encoding="utf-8")
    (tmp_path / "part.cat").write_text("let never = po & 0\n", encoding="utf-8")
    model = load_file(tmp_path / "mine.cat")
    assert (model.name, model.title) == ("mine", "Mine")
    assert [c.name for c in model.checks] == ["sequential-consistency", "read-modify-write-atomicity", "empty"]


def test_file_with_errors_names_itself(tmp_path: Path) -> None:
    path = tmp_path / "wrong.cat"
    path.write_text("acyclic bogus", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_file(path)
    assert str(caught.value.diagnostics[0].span) == f"{path}:1:9"


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_file(tmp_path / "absent.cat")


@pytest.fixture
def private_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MCM_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(kept, "_STARTED", time.time() + 60)
    registry.get.cache_clear()
    return tmp_path


def entry_in(folder: Path) -> Path:
    """The one model in the store; parser tables may lie beside it, where this process made them just now."""
    (path,) = folder.glob("model-*")
    return path


@pytest.mark.parametrize("name", names())
def test_stored_model_is_the_model(name: str, private_store: Path) -> None:
    assert store.recall(name) is None
    model = get(name)
    assert store.recall(name) == model
    assert entry_in(private_store).name.startswith(f"model-{name}")


def test_damaged_entry_is_no_entry(private_store: Path) -> None:
    get("sc")
    path = entry_in(private_store)
    whole = path.read_bytes()
    for damaged in (b"", whole[:40], whole[:-5], whole[:32] + pickle.dumps(1)):
        path.write_bytes(damaged)
        assert store.recall("sc") is None
    path.write_bytes(whole)
    assert store.recall("sc") == get("sc")


def test_entry_of_other_texts_is_out_of_date(private_store: Path) -> None:
    get("sc")
    path = entry_in(private_store)
    path.write_bytes(b"\0" * 32 + path.read_bytes()[32:])
    assert store.recall("sc") is None


def test_model_of_a_text_that_changed_meanwhile_is_not_stored(
    private_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_STARTED", 0.0)
    get("sc")
    assert not list(private_store.glob("model-*"))


def test_a_store_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("MCM_CACHE_DIR", str(tmp_path / "file" / "below"))
    store.keep("sc", get("sc"))
    assert store.recall("sc") is None


def test_models_are_the_same_with_and_without_the_store(private_store: Path) -> None:
    fresh = get("opencl-3.0")
    registry.get.cache_clear()
    stored = get("opencl-3.0")
    assert entry_in(private_store).exists()
    assert stored == fresh
    assert stored is not fresh
