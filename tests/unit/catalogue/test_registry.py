"""Finding models: by name, in files, in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.base.diagnostic import InputError
from mcm.catalogue.registry import MOST_BYTES, UnknownModelError, get, load_file

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


def test_a_mark_of_the_encoding_is_no_part_of_a_model(tmp_path: Path) -> None:
    path = tmp_path / "marked.cat"
    path.write_text('"Marked"\nacyclic po\n', encoding="utf-8-sig")
    assert load_file(path).title == "Marked"


def test_file_with_errors_names_itself(tmp_path: Path) -> None:
    path = tmp_path / "wrong.cat"
    path.write_text("acyclic bogus", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_file(path)
    assert str(caught.value.diagnostics[0].span) == f"{path}:1:9"


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_file(tmp_path / "absent.cat")


def test_a_model_includes_files_of_its_folder_and_of_those_that_are_named(tmp_path: Path) -> None:
    mine, others = tmp_path / "mine", tmp_path / "others"
    for folder in (mine, mine / "deep", others):
        folder.mkdir()
        (folder / "base.cat").write_text("let com = rf | mo\n")
    outside = others / "base.cat"
    (mine / "link.cat").symlink_to(outside)
    model = mine / "m.cat"
    for path in ("base.cat", "deep/base.cat", "./deep/../base.cat", "sc.cat"):
        model.write_text(f'"m"\ninclude "{path}"\nacyclic po\n')
        assert load_file(model).name == "m"
    for path in ("../others/base.cat", str(outside), "link.cat", "/dev/zero", "a" * 300, "zero\0"):
        model.write_text(f'"m"\ninclude "{path}"\nacyclic po\n')
        with pytest.raises(InputError, match=r"there is no file|cannot be read|expected"):
            load_file(model)
    (others / "only.cat").write_text("let com = rf | mo\n")
    model.write_text('"m"\ninclude "only.cat"\nacyclic com\n')
    assert load_file(model, folders=(others,)).name == "m"


def test_a_model_has_a_size_limit_and_is_a_file(tmp_path: Path) -> None:
    model = tmp_path / "long.cat"
    model.write_text(f'"m"\nacyclic po\n(*{" " * MOST_BYTES}*)\n')
    with pytest.raises(InputError, match="more than the limit"):
        load_file(model)
    link = tmp_path / "endless.cat"
    link.symlink_to("/dev/zero")
    with pytest.raises(InputError, match="not a regular file"):
        load_file(link)


def test_reading_a_model_ends_at_100_problems(tmp_path: Path) -> None:
    model = tmp_path / "wrong.cat"
    model.write_text('"m"\n' + "".join(f"let a{number} = unknown{number}\n" for number in range(500)))
    with pytest.raises(InputError) as raised:
        load_file(model)
    assert len(raised.value.diagnostics) == 100
