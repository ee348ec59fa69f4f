"""`python -m bench`: what it prints, what it ends in, and that no limit is passed over."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

import pytest

from bench.command import Failure, Finished, PastLimit, run
from bench.contender import ENGINES, Sample, peer
from bench.measure import Plan, Point, rows
from bench.registry import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.measure import Row

    Measured = Sample | PastLimit | Failure

_ROOT: Final = Path(__file__).parents[3]


def _bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench", *arguments]
    return subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False, timeout=120)


def _rows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, samples: Mapping[str, Sequence[Measured]], plan: Plan
) -> list[Row]:
    """The rows of a family when measuring gives these samples, by contender, one after the other."""
    taken = {name: iter(outcomes) for name, outcomes in samples.items()}
    monkeypatch.setattr("bench.measure.measure", lambda contender, *_: next(taken[contender.name]))
    return list(rows(FAMILIES["writers"], plan, tmp_path))


@pytest.mark.slow
def test_a_small_family_is_measured(tmp_path: Path) -> None:
    file = tmp_path / "measured.json"
    done = _bench("--family", "writers", "--engine", "explicit", "--sizes", "2", "--repeat", "1", "--json", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^   2       2 +[\d.]+ m?s +[\d.]+ m?s$", done.stdout, re.MULTILINE)
    (row,) = json.loads(file.read_text())["rows"]
    assert row["outcomes"]["explicit"]["states"] == 2
    assert 0 < row["outcomes"]["explicit"]["engine"] < row["outcomes"]["explicit"]["command"]


@pytest.mark.slow
def test_a_peer_runs_in_turn_and_its_failure_is_told() -> None:
    words = f"{sys.executable} -c 'import sys; sys.exit(sys.argv[1] + \" is beyond me\")' {{file}}"
    done = _bench(
        *("--family", "writers", "--engine", "explicit", "--sizes", "2", "--repeat", "1"),
        *("--peer", words),
    )
    assert done.returncode == 1
    assert "is beyond me" in done.stderr
    assert "peer/mcm" in done.stdout


def test_files_are_written_and_the_same_each_time(tmp_path: Path) -> None:
    assert _bench("--write", str(tmp_path / "a"), "--sizes", "2..3").returncode == 0
    assert _bench("--write", str(tmp_path / "b"), "--sizes", "2,3").returncode == 0
    first, second = ({file.name: file.read_text() for file in (tmp_path / name).iterdir()} for name in "ab")
    assert first == second
    assert len(first) == 2 * len(FAMILIES)


@pytest.mark.parametrize(
    "arguments",
    [("--family", "nonsense"), ("--sizes", "5..2"), ("--limit", "0"), ("--repeat", "0"), ("--peer", "herd7")],
)
def test_bad_usage_is_refused(arguments: tuple[str, ...]) -> None:
    assert _bench(*arguments).returncode == 2


def test_a_command_ends_at_its_limit_with_all_that_it_started() -> None:
    start = monotonic()
    sleeper = f"import subprocess; subprocess.run([{sys.executable!r}, '-c', 'import time; time.sleep(60)'])"
    assert run([sys.executable, "-c", sleeper], 0.5) == PastLimit()
    assert monotonic() - start < 10


def test_commands_that_fail_say_why() -> None:
    assert run([sys.executable, "-c", "import sys; sys.exit('no')"], 30) == Failure("exit code 1: no")
    assert run(["/no/such/program"], 30) == Failure("/no/such/program: No such file or directory")
    assert isinstance(run([sys.executable, "-c", ""], 30), Finished)


def test_a_contender_leaves_at_the_limit_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plan = Plan((ENGINES["explicit"], ENGINES["smt"]), (2, 3, 4), 30.0, 1)
    samples = {
        "explicit": [Sample(1.0, 2.0, 2, "a"), PastLimit()],
        "smt": [Sample(1.0, 2.0, 2, "a"), Sample(4.0, 5.0, 3, "b"), Sample(8.0, 9.0, 4, "c")],
    }
    two, three, four = _rows(monkeypatch, tmp_path, samples, plan)
    assert two.outcomes["smt"].growth is None
    assert three.outcomes == {"explicit": PastLimit(), "smt": Point(4.0, 5.0, 3, "b", 1, 4.0)}
    assert four.outcomes == {"smt": Point(8.0, 9.0, 4, "c", 1, 2.0)}


def test_growth_is_for_one_step_of_size(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plan = Plan((ENGINES["smt"],), (2, 4), 30.0, 1)
    samples = {"smt": [Sample(1.0, 2.0, 2, "a"), Sample(9.0, 10.0, 4, "b")]}
    assert _rows(monkeypatch, tmp_path, samples, plan)[1].outcomes["smt"].growth == pytest.approx(3.0)


def test_medians_of_as_many_runs_as_fit_in_the_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    samples = {"smt": [Sample(seconds, seconds, 2, "a") for seconds in (5.0, 1.0, 3.0)]}
    (row,) = _rows(monkeypatch, tmp_path, samples, Plan((ENGINES["smt"],), (2,), 30.0, 3))
    assert row.outcomes["smt"] == Point(3.0, 3.0, 2, "a", 3, None)
    samples = {"smt": [Sample(20.0, 20.0, 2, "a")] * 3}
    (row,) = _rows(monkeypatch, tmp_path, samples, Plan((ENGINES["smt"],), (2,), 30.0, 3))
    assert row.outcomes["smt"].runs == 1
    samples = {"smt": [Sample(10.0, 12.0, 2, "a")] * 3}
    (row,) = _rows(monkeypatch, tmp_path, samples, Plan((ENGINES["smt"],), (2,), 30.0, 3))
    assert row.outcomes["smt"].runs == 2


def test_wrong_answers_are_told_however_quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plan = Plan((ENGINES["explicit"], ENGINES["smt"]), (2,), 30.0, 1)
    samples = {"explicit": [Sample(0.1, 0.2, 2, "a")], "smt": [Sample(0.1, 0.2, 1, "b")]}
    (row,) = _rows(monkeypatch, tmp_path, samples, plan)
    assert row.complaints == (
        "writers 2: smt finds 1 states, and counting gives 2",
        "writers 2: the answers of explicit and smt differ",
    )


def test_a_peer_names_the_place_of_the_file() -> None:
    assert peer("herd7 -model 'my model.cat' {file}").words == ("herd7", "-model", "my model.cat", "{file}")
    with pytest.raises(ValueError, match="where the test goes"):
        peer("herd7 test.litmus")


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_mean_of_a_folder_is_measured(tmp_path: Path, jobs: str) -> None:
    (tmp_path / "SB.litmus").write_text(
        "C SB\n{ [x]=0; }\nP0 (atomic_int* x) { atomic_store(x, 1); }\n"
        "P1 (atomic_int* x) { int r0 = atomic_load(x); }\nexists (1:r0=1)\n"
    )
    command = [sys.executable, "-m", "bench.corpus", str(tmp_path), "rc11", jobs]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    # With two processes it is a difference of two times, which may be anything on a busy machine.
    assert jobs == "2" or 0 < float(done.stdout) < 10
