"""`mcm test`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended

HEADER = "Expect.opencl-3.0=Sometimes no-race"


@pytest.fixture
def suite(tmp_path: Path, sb: Path) -> Path:
    """Five tests in a folder; all expectations are met."""
    folder = tmp_path / "suite"
    folder.mkdir()
    for name in "abcde":
        (folder / f"{name}.litmus").write_text(sb.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def falsify(path: Path, header: str = "Expect.opencl-3.0=Never no-race") -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(HEADER, header), encoding="utf-8")


def test_all_met(mcm: Callable[..., Ended], suite: Path) -> None:
    ended = mcm("test", "-j", "1", suite)

    assert (ended.code, ended.out) == (0, "5 expectations of 5 tests: 5 met\n")


def test_one_falsified_expectation_is_the_only_one_shown(mcm: Callable[..., Ended], suite: Path) -> None:
    falsify(suite / "c.litmus")

    ended = mcm("test", "-j", "1", suite)

    assert ended.code == 1
    first, *_, last = ended.out.splitlines()
    assert first == f"{suite}/c.litmus:2:1: opencl-3.0: expected Never no-race, found Sometimes no-race"
    assert "  1 of 4 states satisfy the condition" in ended.out
    assert "  state 0:r0=0; 1:r0=0" in ended.out
    assert ".litmus" not in ended.out.replace("c.litmus", "")
    assert last == "5 expectations of 5 tests: 4 met, 1 NOT met"


def test_a_timeout_names_every_test(mcm: Callable[..., Ended], suite: Path) -> None:
    ended = mcm("test", "-j", "1", "--timeout", "0.000001", suite)

    assert ended.code == 3
    shown = [line for line in ended.out.splitlines() if line.endswith("open (timeout)")]
    assert [line.partition(".litmus")[0] for line in shown] == [f"{suite}/{name}" for name in "abcde"]


@pytest.mark.parametrize(
    ("header", "code", "shown"),
    [
        ("", 2, "states no expectation"),
        ("Expect.opencl-9=Never", 2, "cannot be judged: unknown model 'opencl-9'"),
        ("Expect.opencl-3.0=Nevr", 2, "unknown word 'Nevr' in an expectation"),
    ],
)
def test_what_is_not_judged_is_never_0(
    mcm: Callable[..., Ended], suite: Path, header: str, code: int, shown: str
) -> None:
    path = suite / "b.litmus"
    path.write_text(path.read_text(encoding="utf-8").replace(f"{HEADER}\n", header and f"{header}\n"), encoding="utf-8")

    ended = mcm("test", "-j", "1", suite)

    assert ended.code == code
    assert shown in ended.out
    assert "b.litmus" in ended.out


def test_an_empty_selection_is_never_0(mcm: Callable[..., Ended], suite: Path, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()

    assert mcm("test", tmp_path / "nothing").code == 2
    assert mcm("test", suite, "--exclude", "*").code == 2
    assert mcm("test", suite / "a.litmus", "--shard", "2/2").code == 2
    assert mcm("test", suite, "-j", "1", "--model", "c11").code == 2
    assert mcm("test", suite, "--model", "c12").code == 2
    assert mcm("test", suite / "missing.litmus", "-j", "1").code == 2


def test_excluded_tests_are_counted(mcm: Callable[..., Ended], suite: Path) -> None:
    falsify(suite / "c.litmus")

    ended = mcm("test", "-j", "1", suite, "--exclude", "c.*")

    assert (ended.code, ended.out) == (0, "4 expectations of 4 tests: 4 met\n1 excluded\n")


def test_a_file_that_is_named_is_not_excluded(mcm: Callable[..., Ended], suite: Path) -> None:
    ended = mcm("test", "-j", "1", suite / "c.litmus", "--exclude", "c.*")

    assert ended.out == "1 expectation of 1 test: 1 met\n"


def test_a_test_that_is_named_twice_is_judged_once(mcm: Callable[..., Ended], suite: Path) -> None:
    ended = mcm("test", "-j", "1", suite, suite / "a.litmus", f"{suite}/./b.litmus")

    assert ended.out == "5 expectations of 5 tests: 5 met\n"


def test_shards_are_the_whole_together(mcm: Callable[..., Ended], suite: Path) -> None:
    for name in "abcde":
        falsify(suite / f"{name}.litmus")
    seen: list[str] = []
    for number in (1, 2, 3):
        ended = mcm("test", "-j", "1", suite, "--shard", f"{number}/3")
        seen += [line.partition(":")[0] for line in ended.out.splitlines() if "expected Never" in line]

    assert sorted(seen) == [f"{suite}/{name}.litmus" for name in "abcde"]


@pytest.mark.parametrize("shard", ["0/3", "4/3", "3", "a/b", "1/0"])
def test_a_shard_that_is_none_is_refused(mcm: Callable[..., Ended], suite: Path, shard: str) -> None:
    ended = mcm("test", suite, "--shard", shard)

    assert ended.code == 2
    assert "expected K/N with K from 1 to N" in ended.err


def test_rows_of_tables_are_judged(mcm: Callable[..., Ended], suite: Path) -> None:
    table = suite / "expected.csv"
    table.write_text("a.litmus,1\nb.litmus,0\n", encoding="utf-8")

    ended = mcm("test", "-j", "1", suite, "--expect", table)

    assert ended.code == 1
    assert f"{table}:2:10: opencl-3.0: expected does not hold, found holds\n  test {suite}/b.litmus\n" in ended.out
    assert ended.out.endswith("7 expectations of 5 tests: 6 met, 1 NOT met\n")


def test_a_row_about_no_test_is_never_0(mcm: Callable[..., Ended], suite: Path) -> None:
    table = suite / "kinds.txt"
    table.write_text("SB-typo Allowed\n", encoding="utf-8")

    ended = mcm("test", "-j", "1", suite / "a.litmus", "--expect", table)

    assert ended.code == 2
    assert f"{table}:1:1: expected reachable, cannot be judged: no selected test has the name 'SB-typo'" in ended.out


def test_a_table_in_no_known_form_is_refused(mcm: Callable[..., Ended], suite: Path) -> None:
    table = suite / "table"
    table.write_text("what is this\n", encoding="utf-8")

    ended = mcm("test", suite, "--expect", table)

    assert ended.code == 2
    assert f"{table}:1:1: error[E410]" in ended.err


def test_update_shows_the_difference_and_writes_it(mcm: Callable[..., Ended], suite: Path) -> None:
    falsify(suite / "c.litmus")
    table = suite / "expected.csv"
    table.write_text("a.litmus,0\n", encoding="utf-8")

    ended = mcm("test", "-j", "1", suite, "--expect", table, "--update")

    assert ended.code == 1
    assert "-Expect.opencl-3.0=Never no-race\n+Expect.opencl-3.0=Sometimes no-race\n" in ended.out
    assert table.read_text(encoding="utf-8") == "a.litmus,1\n"
    assert mcm("test", "-j", "1", suite, "--expect", table).code == 0


def test_reports_go_to_files(mcm: Callable[..., Ended], suite: Path, tmp_path: Path) -> None:
    falsify(suite / "c.litmus")
    names = {"--junit": "a.xml", "--sarif": "b.sarif", "--tap": "c.tap", "--json": "deep/er/d.json"}
    options = [word for option, name in names.items() for word in (option, tmp_path / name)]

    ended = mcm("test", "-j", "1", suite, *options)

    assert ended.code == 1
    assert all("Never no-race" in (tmp_path / name).read_text(encoding="utf-8") for name in names.values())


def test_a_report_has_standard_output_for_itself(mcm: Callable[..., Ended], suite: Path) -> None:
    ended = mcm("test", "-j", "1", suite, "--tap", "-")

    assert ended.out.startswith("TAP version 14\n1..5\n")
    assert "5 met" in ended.err
    assert mcm("test", suite, "--tap", "-", "--json", "-").code == 2


def test_a_report_that_cannot_be_written_does_not_prevent_the_others(
    mcm: Callable[..., Ended], suite: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    ended = mcm("test", "-j", "1", suite, "--junit", tmp_path / "file" / "x.xml", "--tap", tmp_path / "x.tap")

    assert ended.code == 2
    assert "cannot write" in ended.err
    assert "5 expectations of 5 tests: 5 met" in ended.out
    assert (tmp_path / "x.tap").is_file()


def test_github_gets_annotations(mcm: Callable[..., Ended], suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    falsify(suite / "c.litmus")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")

    assert f"::error file={suite}/c.litmus,line=2,col=1," in mcm("test", "-j", "1", suite).out
