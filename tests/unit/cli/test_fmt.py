from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mcm.cli.exit_code import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from conftest import Ended


def test_printing_checking_and_writing(mcm: Callable[..., Ended], sb: Path) -> None:
    printed = mcm("fmt", sb)
    assert printed.code == ExitCode.AS_EXPECTED
    assert printed.out != sb.read_text(encoding="utf-8")

    checked = mcm("fmt", "--check", sb)
    assert checked.code == ExitCode.NOT_AS_EXPECTED
    assert checked.out == f"{sb}: would be laid out differently\n"

    assert mcm("fmt", "--in-place", sb).out == ""
    assert sb.read_text(encoding="utf-8") == printed.out
    assert mcm("fmt", "--check", sb).code == ExitCode.AS_EXPECTED


def test_what_cannot_be_parsed_is_left_alone(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    path = tmp_path / "t.litmus"
    path.write_text("OPENCL t\n{ }\nP0 (global int* x) { *x = ; }\n", encoding="utf-8")

    ended = mcm("fmt", "--in-place", path, tmp_path / "missing.litmus")

    assert ended.code == ExitCode.BAD_INPUT
    assert path.read_text(encoding="utf-8").endswith("*x = ; }\n")
    assert f"{path}:3:" in ended.err
    assert "missing.litmus:1:1: error[E001]" in ended.err


def test_what_cannot_be_written_is_told_and_the_others_are_laid_out(
    mcm: Callable[..., Ended], sb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = tmp_path / "locked.litmus"
    locked.write_text(sb.read_text(encoding="utf-8"), encoding="utf-8")
    locked.chmod(0o444)
    # Whoever is root may write it all the same.
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != locked and may(path, mode))

    ended = mcm("fmt", "--in-place", locked, sb)

    assert ended.code == ExitCode.BAD_INPUT
    assert ended.err == f"cannot write '{locked}': permission denied\n"
    assert mcm("fmt", "--check", sb).code == ExitCode.AS_EXPECTED
