from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from mcm.cli.exit_code import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended

RACE = """OPENCL race
{ }
P0@wg 0 (global int* x) { *x = 1; }
P1@wg 1 (global int* x) { int r0 = *x; }
exists (1:r0=0)
"""


@pytest.fixture
def race(tmp_path: Path) -> Path:
    path = tmp_path / "race.litmus"
    path.write_text(RACE)
    return path


def test_without_options_it_shows_why(mcm: Callable[..., Ended], race: Path) -> None:
    ended = mcm("show", race)

    assert ended.code == ExitCode.AS_EXPECTED
    assert ended.out.startswith(
        "race under opencl-3.0: undefined (data race)\ndata race on x: P0 line 3 and P1 line 4\n\n"
    )
    assert "race" in ended.out.partition("\n\n")[2]


def test_of_an_allowed_outcome_it_shows_the_outcome(mcm: Callable[..., Ended], sb: Path) -> None:
    assert mcm("show", sb).out.splitlines()[1] == "0:r0=0; 1:r0=0"


def test_executions_are_listed(mcm: Callable[..., Ended], race: Path) -> None:
    assert mcm("show", race, "--list").out == (
        "race under opencl-3.0: undefined (data race)\n"
        "* 1  state     1:r0=0\n"
        "  2  problem   data race on x: P0 line 3 and P1 line 4\n"
    )


def test_an_execution_is_chosen_by_number(mcm: Callable[..., Ended], sb: Path) -> None:
    assert mcm("show", sb, "--execution", "2").out.splitlines()[1] == "0:r0=0; 1:r0=1"
    ended = mcm("show", sb, "-n", "5")
    assert ended.code == ExitCode.BAD_INPUT
    assert "there is no execution 5, but 4" in ended.err


def test_an_execution_is_chosen_by_its_state(mcm: Callable[..., Ended], sb: Path) -> None:
    assert mcm("show", sb, "--state", "0:r0=1 /\\ ~1:r0=0").out.splitlines()[1] == "0:r0=1; 1:r0=1"
    ended = mcm("show", sb, "--state", "0:r0=7")
    assert (ended.code, ended.out) == (ExitCode.NOT_AS_EXPECTED, "")
    assert ended.err.startswith("no execution of SB under opencl-3.0 ends so")
    ended = mcm("show", sb, "--state", "0:r9=0")
    assert ended.code == ExitCode.BAD_INPUT
    assert "thread P0 has no register 'r9'" in ended.err
    assert mcm("show", sb, "--state", "0:r0=0", "-n", "1").code == ExitCode.BAD_INPUT


def test_what_is_forbidden_is_drawn_with_what_excludes_it(mcm: Callable[..., Ended], sb: Path) -> None:
    ended = mcm("show", sb, "-m", "sc", "--state", "0:r0=0 /\\ 1:r0=0")

    assert ended.code == ExitCode.AS_EXPECTED
    assert ended.out.splitlines()[1].startswith("0:r0=0 /\\ 1:r0=0, excluded by ")


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("p.svg", "<svg "),
        ("p.dot", "digraph"),
        ("p.html", "<!doctype html>"),
        ("p.txt", "SB under opencl-3.0"),
        ("p", "SB "),
    ],
)
def test_the_name_of_the_output_says_the_format(
    mcm: Callable[..., Ended], sb: Path, tmp_path: Path, name: str, beginning: str
) -> None:
    path = tmp_path / "new" / name

    ended = mcm("show", sb, "-o", path)

    assert (ended.code, ended.out, ended.err) == (ExitCode.AS_EXPECTED, "", "")
    assert path.read_text(encoding="utf-8").startswith(beginning)
    assert [other.name for other in path.parent.iterdir()] == [name]


def test_a_format_is_printed(mcm: Callable[..., Ended], sb: Path) -> None:
    assert mcm("show", sb, "--format", "svg").out.startswith("<svg ")
    assert mcm("show", sb, "--format", "html").out.endswith("</html>\n")


def test_relations_can_be_added(mcm: Callable[..., Ended], sb: Path) -> None:
    assert 'data-name="ghb"' in mcm("show", sb, "-f", "svg", "-r", "ghb").out
    ended = mcm("show", sb, "-r", "gbh")
    assert ended.code == ExitCode.BAD_INPUT
    assert "no relation 'gbh' in opencl-3.0" in ended.err


def test_boxes_are_drawn_in_ascii_where_it_is_asked_for(mcm: Callable[..., Ended], sb: Path) -> None:
    assert mcm("show", sb, "--ascii").out.isascii()
    assert not mcm("show", sb).out.isascii()


def test_what_cannot_be_written_is_said(mcm: Callable[..., Ended], sb: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = mcm("show", sb, "-o", tmp_path / "file" / "p.svg")

    assert ended.code == ExitCode.BAD_INPUT
    assert "cannot write" in ended.err


def test_a_folder_or_a_bad_test_is_said(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    assert mcm("show", tmp_path).code == ExitCode.BAD_INPUT
    (tmp_path / "bad.litmus").write_text("OPENCL bad\n{ }\nP0@wg 0 (global int* x) { y = 1; }\n")
    ended = mcm("show", tmp_path / "bad.litmus")
    assert ended.code == ExitCode.BAD_INPUT
    assert re.search(r"bad.litmus:3:\d+: error", ended.err)


def on_a_terminal(columns: int, *arguments: str) -> str:
    """What a command writes on a terminal of this width."""
    ours, theirs = os.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen([sys.executable, "-m", "mcm", *arguments], stdout=theirs, env=environment):
        os.close(theirs)
        written = b""
        # Where the command has ended, a pseudo-terminal gives an error instead of an end.
        with suppress(OSError):
            while piece := os.read(ours, 4096):
                written += piece
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


@pytest.mark.slow
def test_a_drawing_is_no_wider_than_the_terminal(sb: Path) -> None:
    assert "┌──" in on_a_terminal(120, "show", str(sb))
    narrow = on_a_terminal(40, "show", str(sb))
    assert "┌──" not in narrow
    assert "P0: sub-group 0, work-group 0" in narrow
