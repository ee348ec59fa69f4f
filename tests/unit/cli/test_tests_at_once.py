"""Tests that the command does itself, since they take a moment, and those that it leaves to other processes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from mcm import Checked, Diagnostic, EngineName, LimitReachedError, Limits, Options
from mcm.base.deadline import want_solver, without_solvers
from mcm.cli import session, workers
from mcm.cli.session import check_at_once, check_test, tasks_of
from mcm.engine import choose

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.cli.work import Work

SMALL = """OPENCL small
{{ [x] = 0; }}
P0@wg 0 (global atomic_int* x) {{ atomic_store(x, {value}); }}
P1@wg 1 (global atomic_int* x) {{ int r0 = atomic_load(x); }}
exists (1:r0 = {value})
"""

# A search of this takes more nodes than one of the small tests.
LARGE = """OPENCL many
{ [x] = 0; }
P0@wg 0 (global atomic_int* x) { int a = atomic_fetch_add(x, 1); int b = atomic_load(x); int c = atomic_load(x); }
P1@wg 1 (global atomic_int* x) { int a = atomic_fetch_add(x, 10); int b = atomic_load(x); int c = atomic_load(x); }
P2@wg 2 (global atomic_int* x) { int a = atomic_fetch_add(x, 100); int b = atomic_load(x); int c = atomic_load(x); }
exists (0:c = 1)
"""


@pytest.fixture(name="small")
def small_tests(tmp_path: Path) -> list[str]:
    """The names of three small tests."""
    for value in range(1, 4):
        (tmp_path / f"small-{value}.litmus").write_text(SMALL.format(value=value))
    return sorted(map(str, tmp_path.iterdir()))


@pytest.fixture(name="large")
def test_that_takes_the_solver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a test that the search gives up."""
    monkeypatch.setattr(choose, "NODE_BUDGET", 4)
    file = tmp_path / "small-2-and-more.litmus"
    file.write_text(LARGE)
    return str(file)


def start_nothing(*_: object) -> NoReturn:
    pytest.fail("no other process is needed")


def keep_nothing(_: object) -> None:
    pass


def test_small_tests_need_no_other_process(small: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "run_in_workers", start_nothing)
    monkeypatch.setattr(session, "_MOMENT", 1e6)
    monkeypatch.setattr(session, "_ALONE", 1e6)
    options = Options()
    for jobs in (1, None):
        found = list(session.run(tasks_of(tuple(small)), options, jobs))
        assert [checked.results[0].verdict.value for checked in found] == ["allowed"] * 3


def test_what_comes_behind_a_large_test_is_left_to_others(
    small: list[str], large: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_MOMENT", 1e6)
    given: list[list[object]] = []
    run_in_workers = workers.run_in_workers

    def note(work: Work[object, Checked], tasks: Sequence[object], jobs: int) -> Iterator[tuple[object, object]]:
        given.append(list(tasks))
        return run_in_workers(work, tasks, jobs)

    monkeypatch.setattr(workers, "run_in_workers", note)
    names = sorted([*small, large])
    found = list(session.run(tasks_of(tuple(names)), Options(), 1))
    assert [checked.results[0].file for checked in found] == names
    assert given == [names[names.index(large) :]]


def test_other_processes_say_the_same(small: list[str], large: str) -> None:
    names = (*small, large)
    said = []
    for jobs in (1, 2):
        results = [checked.results[0] for checked in session.run(tasks_of(names), Options(), jobs)]
        said.append([(one.file, one.verdict, list(getattr(one, "states", ()))) for one in results])
    assert said[0] == said[1]


def test_a_test_is_not_done_at_once_that_takes_long(small: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_MOMENT", 0.0)
    assert check_at_once(Options(), small[0]) is None


def test_a_test_is_not_done_at_once_that_takes_the_solver(
    small: list[str], large: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_MOMENT", 1e6)
    solver = Options(engine=EngineName.SMT)
    assert check_at_once(solver, small[0]) is None
    assert check_at_once(Options(), large) is None
    for options, name in ((solver, small[0]), (Options(), large)):
        assert check_test(options, name, keep_nothing).results[0].verdict.value == "allowed"


def test_what_a_limit_ends_is_not_done_at_once(small: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_MOMENT", 1e6)
    limited = Options(limits=Limits(nodes=1), engine=EngineName.EXPLICIT)
    assert check_at_once(limited, small[0]) is None
    assert check_test(limited, small[0], keep_nothing).results[0].verdict.value == "undecided"


def test_a_text_that_can_be_read_once_is_left_to_others(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert check_at_once(Options(), str(pipe)) is None


def test_an_unreadable_text_is_told_at_once(small: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_MOMENT", 1e6)
    Path(small[0]).write_bytes(b"\0")
    checked = check_at_once(Options(), small[0])
    assert checked is not None
    (diagnostic,) = checked.results[0].diagnostics  # type: ignore[union-attr]
    assert isinstance(diagnostic, Diagnostic)
    assert diagnostic.code == "E003"


def test_solvers_are_wanted_where_they_may_not_be_used() -> None:
    want_solver()
    with without_solvers() as were_wanted:
        assert not were_wanted()
        with pytest.raises(LimitReachedError):
            want_solver()
        assert were_wanted()
    want_solver()
