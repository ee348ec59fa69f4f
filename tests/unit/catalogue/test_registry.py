"""Finding models: by name, in files, in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.base.diagnostic import InputError
from mcm.catalogue.registry import UnknownModelError, get, load_file

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
