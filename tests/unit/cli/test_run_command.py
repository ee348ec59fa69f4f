from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcm.cli.group import run

if TYPE_CHECKING:
    from collections.abc import Callable

PATTERNS = Path(__file__).resolve().parents[3] / "litmus" / "opencl" / "patterns"
MP = str(PATTERNS / "MP.litmus")


@pytest.fixture
def mcm(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = run(["run", *arguments])
        output = capsys.readouterr()
        return code, output.out, output.err

    return call


def test_the_histogram_has_the_form_of_litmus7(mcm: Callable[..., tuple[int, str, str]]) -> None:
    code, output, _ = mcm(MP, "--runs", "500", "--seed", "3")

    assert code == 0
    lines = output.splitlines()
    assert lines[:2] == ["Test MP Allowed", "Histogram (2 states)"]
    counts = [re.fullmatch(r"(\d+) *([*:])>1:r0=(\d); 1:r1=(-?\d);", line) for line in lines[2:4]]
    assert all(counts)
    (old, _, *_), (stale, mark, *values) = (match.groups() for match in counts if match)
    assert int(old) + int(stale) == 500
    assert (mark, values) == ("*", ["1", "0"])
    assert lines[4:8] == ["Ok", "", "Witnesses", f"Positive: {stale}, Negative: {old}"]
    assert lines[8] == r"Condition exists (1:r0=1 /\ 1:r1=0) is validated"
    assert lines[10] == f"Observation MP Sometimes {stale} {old}"


def test_a_seed_decides_the_runs(mcm: Callable[..., tuple[int, str, str]]) -> None:
    def histogram(seed: str) -> list[str]:
        return mcm(MP, "--runs", "200", "--seed", seed)[1].splitlines()[:10]

    assert histogram("1") == histogram("1")
    assert histogram("1") != histogram("2")


def test_races_are_reported_with_both_places(mcm: Callable[..., tuple[int, str, str]]) -> None:
    _, _, remarks = mcm(MP, "--schedule", "exhaustive")

    assert "data race (DR-1): they are not both atomic" in remarks
    assert re.search(r"P0 .*MP\.litmus:15:3: \*x = 1\n +P1 .*MP\.litmus:21:23: \*x\n", remarks)


def test_a_trace_can_be_replayed(mcm: Callable[..., tuple[int, str, str]]) -> None:
    _, story, _ = mcm(MP, "--trace", "--seed", "5")
    schedule = story.splitlines()[-2].removeprefix("schedule: ")
    _, again, _ = mcm(MP, "--trace", "--replay", schedule)

    assert story.splitlines()[1:] == again.splitlines()[1:]
    assert "(reads " in story


def test_clover_tells_of_its_context_switches(mcm: Callable[..., tuple[int, str, str]]) -> None:
    reduction = PATTERNS.parent / "barriers" / "reduction.two.litmus"
    _, story, _ = mcm(str(reduction), "--schedule", "clover", "--trace")

    assert "work-group 0 of device 0, kernel instance 0 is reserved" in story
    assert "switch from P0 to P1" in story
    assert "the group is complete: P0, P1 go on" in story


def test_real_threads_show_what_is_allowed(mcm: Callable[..., tuple[int, str, str]]) -> None:
    code, output, _ = mcm(str(PATTERNS / "MP.dv.litmus"), "--schedule", "threads", "--runs", "20")

    assert code == 0
    assert re.search(r"^Observation MP\.dv Never 0 20$", output, re.MULTILINE)


def test_a_search_that_is_cut_off_is_no_success(mcm: Callable[..., tuple[int, str, str]]) -> None:
    code, _, remarks = mcm(MP, "--schedule", "exhaustive", "--limit", "3")

    assert code == 3
    assert "not all schedules: 3 configurations were visited" in remarks


def test_a_file_that_is_no_test_is_named(mcm: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    broken = tmp_path / "broken.litmus"
    broken.write_text("OPENCL x\n{}\nP0 (global int* x) { *y = 1; }\n")
    code, output, complaint = mcm(str(broken), MP, "--runs", "1")

    assert code == 2
    assert "broken.litmus:3:23: error[E101]" in complaint
    assert output.startswith("Test MP ")


def test_what_work_items_do_alike_is_told_once(mcm: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    racing = tmp_path / "racing.litmus"
    racing.write_text(
        "OPENCL racing\n{}\nkernel k (global int* x) { *x = 1; int z = 0; int q = 1 / z; }\nlaunch k global 4;\n"
        "exists (x=1)\n"
    )
    _, _, remarks = mcm(str(racing), "--schedule", "clover")

    lines = [line.strip() for line in remarks.splitlines()]
    assert lines[1] == (
        "data race (DR-1): they are not both atomic, and neither happens before the other; "
        "likewise 5 more times, by other work-items"
    )
    assert [line.partition(" ")[0] for line in lines[2:4]] == ["k[0]", "k[1]"]
    assert lines[4] == "division by zero (C-DIV): the divisor is zero; likewise 3 more times, by other work-items"
    assert len(lines) == 6
