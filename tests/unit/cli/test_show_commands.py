"""`mcm show --commands`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import mcm as library
from mcm.cli.exit_code import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended

TWO_QUEUES = """OPENCL two
{ int x = 0; queue q = in_order dev 0; queue p = in_order dev 0; }
kernel one (global int* x) { *x = 1; }
kernel two (global int* x) { *x = 2; }
P0@host () { clEnqueueNDRangeKernel(q, one, 1, 1); clEnqueueNDRangeKernel(p, two, 1, 1); clFinish(q); clFinish(p); }
exists (x=1)
"""


@pytest.fixture
def two_queues(tmp_path: Path) -> Path:
    path = tmp_path / "two.litmus"
    path.write_text(TWO_QUEUES)
    return path


def test_it_says_what_is_ordered_and_what_is_not(mcm: Callable[..., Ended], two_queues: Path) -> None:
    ended = mcm("show", two_queues, "--commands")

    assert ended.code == ExitCode.AS_EXPECTED
    assert "before 3 clFinish(q)  HOST-8" in ended.out
    assert "  ! 5 one and 6 two: conflict on x\n" in ended.out
    assert ended.out == library.render_commands(library.commands(two_queues))


def test_a_rule_that_is_left_out_orders_nothing(mcm: Callable[..., Ended], two_queues: Path) -> None:
    assert "  HOST-8\n" in mcm("show", two_queues, "--commands").out
    assert "  HOST-8\n" not in mcm("show", two_queues, "--commands", "--without", "HOST-8").out


@pytest.mark.parametrize(
    ("name", "start"), [("graph.svg", "<svg"), ("graph.dot", "digraph"), ("graph.txt", "Commands")]
)
def test_the_name_of_the_output_says_the_form(
    mcm: Callable[..., Ended], two_queues: Path, tmp_path: Path, name: str, start: str
) -> None:
    assert mcm("show", two_queues, "--commands", "-o", tmp_path / name).code == ExitCode.AS_EXPECTED
    assert (tmp_path / name).read_text().startswith(start)


@pytest.mark.parametrize(
    "options", [["--list"], ["--execution", "1"], ["--state", "x=1"], ["--relation", "ghb"], ["--format", "html"]]
)
def test_what_has_no_meaning_is_refused(mcm: Callable[..., Ended], two_queues: Path, options: list[str]) -> None:
    ended = mcm("show", two_queues, "--commands", *options)

    assert ended.code == ExitCode.BAD_INPUT
    assert "--commands" in ended.err


def test_a_test_without_commands_has_none(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    path = tmp_path / "plain.litmus"
    path.write_text("C plain\n{ }\nP0 (atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)\n")

    assert mcm("show", path, "--commands").out.endswith("The program enqueues no commands.\n")


def test_a_text_that_is_no_test_is_named(mcm: Callable[..., Ended], tmp_path: Path) -> None:
    path = tmp_path / "wrong.litmus"
    path.write_text("OPENCL wrong\n{ }\nP0@host () { clFinish(q); }\nexists (true)\n")

    ended = mcm("show", path, "--commands")
    assert ended.code == ExitCode.BAD_INPUT
    assert "E160" in ended.err
