"""`mcm explain`: formats, outputs, and what is said where there is nothing to draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.cli.exit_code import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended

COHERENCE = """C coherence
{ }
P0 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }
P1 (atomic_int* x) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r0=1 /\\ 1:r1=0)
"""


@pytest.fixture
def test_file(tmp_path: Path) -> Path:
    path = tmp_path / "coherence.litmus"
    path.write_text(COHERENCE)
    return path


@pytest.mark.parametrize(
    ("format_", "start"),
    [
        ("svg", "<svg"),
        ("dot", "digraph"),
        ("html", "<!doctype html>"),
        ("json", "{"),
        ("text", "coherence under c11: forbidden"),
    ],
)
def test_every_format_goes_to_standard_output_or_a_file(
    mcm: Callable[..., Ended], test_file: Path, tmp_path: Path, format_: str, start: str
) -> None:
    printed = mcm("explain", test_file, "--format", format_)
    written = tmp_path / f"why.{format_}"
    # The ending says the format.
    to_file = mcm("explain", test_file, "-o", written)

    assert (printed.code, to_file.code, to_file.out) == (ExitCode.AS_EXPECTED, ExitCode.AS_EXPECTED, "")
    assert printed.out.startswith(start)
    assert written.read_text() == printed.out


def test_a_picture_shows_what_is_broken(mcm: Callable[..., Ended], test_file: Path) -> None:
    shown = mcm("explain", test_file, "--format", "dot").out

    assert "excluded by COH-RR" in shown
    assert "fr" in shown


def test_a_picture_of_another_outcome(mcm: Callable[..., Ended], test_file: Path) -> None:
    assert "allowed" in mcm("explain", test_file, "--format", "dot", "--state", "1:r0=0 /\\ 1:r1=1").out


def test_where_nothing_can_be_drawn_it_is_said(mcm: Callable[..., Ended], test_file: Path) -> None:
    ended = mcm("explain", test_file, "--format", "svg", "--state", "1:r0=7")

    assert (ended.code, ended.out) == (ExitCode.AS_EXPECTED, "")
    assert "there is no execution to draw" in ended.err


@pytest.mark.parametrize("command", ["check", "explain", "show"])
def test_models_may_include_files_of_other_folders(
    mcm: Callable[..., Ended], test_file: Path, tmp_path: Path, command: str
) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "part.cat").write_text("acyclic po | rf | mo | rf^-1 ; mo as interleaved\n")
    (tmp_path / "own.cat").write_text('include "part.cat"\n')

    without = mcm(command, test_file, "-m", tmp_path / "own.cat")
    ended = mcm(command, test_file, "-m", tmp_path / "own.cat", "--include", folder)

    assert without.code == ExitCode.BAD_INPUT
    assert ended.code == ExitCode.AS_EXPECTED
    assert "forbidden" in ended.out


@pytest.mark.slow
def test_memory_is_limited_where_no_engine_looks(mcm_apart: Callable[..., Ended], tmp_path: Path) -> None:
    path = tmp_path / "reduce.cl"
    path.write_text(
        "__kernel void reduce(__global int* in, __global int* out, __local int* t) {\n"
        "  int i = get_local_id(0);\n  t[i] = in[i];\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {\n"
        "    if (i < s) t[i] += t[i + s];\n    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n"
        "  if (i == 0) out[0] = t[0];\n}\n"
    )
    values = ", ".join(map(str, range(256)))
    asked = ("--launch", "reduce global 256, local 256", "--init", f"in = {{{values}}}", "--exists", "out[0]!=32640")
    ended = mcm_apart("explain", path, *asked, "--memory", "100")

    assert ended.code == ExitCode.UNDECIDED
    assert ended.err == f"{path}: nothing was explained within the limits (memory)\n"


def test_parentheses_of_a_state_are_told_in_the_state(mcm: Callable[..., Ended], sb: Path) -> None:
    opened, closed = mcm("explain", sb, "--state", "(0:r0=1"), mcm("explain", sb, "--state", "0:r0=1)")

    assert "--state:1:1: error[E030]: this '(' is never closed" in opened.err
    assert "--state:1:7: error[E031]: ')' without '(' before it" in closed.err


@pytest.mark.parametrize("command", ["explain", "show"])
def test_warnings_about_a_test_are_told(command: str, mcm: Callable[..., Ended], test_file: Path) -> None:
    misspelt = mcm(command, str(test_file), "--state", "1:r0=1 /\\ y=0")
    assert "--state:1:11: warning[W105]: no thread uses location 'y'" in misspelt.err
    assert not mcm(command, str(test_file), "--state", "1:r0=1 /\\ x=1").err


def test_a_problem_and_an_outcome_are_not_explained_at_once(mcm: Callable[..., Ended], test_file: Path) -> None:
    ended = mcm("explain", test_file, "--state", "1:r0=0", "--race", "1")

    assert ended.code == ExitCode.BAD_INPUT
    assert "--race: explains a problem, and --state an outcome; give one of the two" in " ".join(ended.err.split())
