"""Files that commands write: the place where they are written stays what it is."""

from __future__ import annotations

import json
import os
import threading
from errno import EBUSY
from stat import S_ISFIFO
from typing import TYPE_CHECKING

import click
import pytest

from mcm.cli.exit_code import ExitCode
from mcm.cli.output import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    # Far more than a pipe holds, so that it is taken in parts.
    text = "é" * 500_000
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()

    write_whole(pipe, text)

    reader.join(60)
    assert read == [text.encode()]
    assert S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no such device")  # noqa: PTH110
def test_a_device_that_takes_nothing_is_told(mcm: Callable[..., Ended], sb: Path, tmp_path: Path) -> None:
    # A link, so that a mistake here does not take the device away from the machine.
    device = tmp_path / "full.svg"
    device.symlink_to("/dev/full")

    ended = mcm("explain", sb, "-o", device)

    assert ended.code == ExitCode.BAD_INPUT
    assert f"cannot write '{device}': no space left on device" in ended.err
    assert device.is_symlink()


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="this system has no such file")  # noqa: PTH110
def test_a_report_to_standard_output_is_one_of_its_texts(mcm: Callable[..., Ended], sb: Path) -> None:
    ended = mcm("test", "-j", "1", sb, "--tap", "/dev/stdout", "--json", "/dev/stderr")

    assert ended.code == ExitCode.AS_EXPECTED
    assert ended.out.startswith("1 expectation of 1 test: 1 met\n")
    assert ended.out.endswith("TAP version 14\n1..1\nok 1 - " + f"{sb}: opencl-3.0\n")
    assert json.loads(ended.err)["tool"] == "mcm"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "target.litmus"
    target.write_text("before", encoding="utf-8")
    link = tmp_path / "link.litmus"
    link.symlink_to(target)

    write_whole(link, "after")

    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "after"
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["target.litmus"]


def test_a_link_to_a_file_that_is_not_there_makes_it(tmp_path: Path) -> None:
    link = tmp_path / "link.svg"
    link.symlink_to("target.svg")

    write_whole(link, "new")

    assert link.is_symlink()
    assert (tmp_path / "target.svg").read_text(encoding="utf-8") == "new"


@pytest.mark.parametrize("mode", [0o600, 0o755])
def test_a_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "private.litmus"
    file.write_text("before", encoding="utf-8")
    file.chmod(mode)

    write_whole(file, "after")

    assert file.stat().st_mode & 0o777 == mode


def test_a_file_that_may_not_be_written_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "locked.litmus"
    file.write_text("before", encoding="utf-8")
    # Whoever is root may write everything.
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)

    with pytest.raises(click.ClickException, match="permission denied"):
        write_whole(file, "after")

    assert file.read_text(encoding="utf-8") == "before"


def test_a_file_that_cannot_be_replaced_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that is mounted by itself, or in a folder that may not be changed."""
    file = tmp_path / "mounted.litmus"
    file.write_text("before", encoding="utf-8")

    def refuse(_self: Path, _target: Path) -> None:
        raise OSError(EBUSY, "Device or resource busy")

    monkeypatch.setattr(type(file), "replace", refuse)
    write_whole(file, "after")

    assert file.read_text(encoding="utf-8") == "after"
    assert [path.name for path in tmp_path.iterdir()] == ["mounted.litmus"]


def test_expectations_of_a_text_in_another_encoding_are_not_updated(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    file = tmp_path / "latin.litmus"
    text = 'C T\n"café"\nExpect.c11=Never\n{ }\nP0 (atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)\n'
    file.write_bytes(text.encode("latin-1"))

    ended = mcm("test", "-j", "1", "--update", file)

    assert ended.code == ExitCode.NOT_AS_EXPECTED
    assert "text that is not UTF-8, so that nothing is updated" in ended.err
    assert file.read_bytes() == text.encode("latin-1")
