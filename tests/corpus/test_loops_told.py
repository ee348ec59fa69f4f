"""What is said of each program in `litmus/opencl/loops`: verdict, undefined behaviour, and who waits for ever where."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from mcm import EngineName, Judged, Verdict, check, read_source

FOLDER: Final = Path(__file__).resolve().parents[2] / "litmus" / "opencl" / "loops"

GROUP: Final = "the others of its group to arrive"
NOTHING: Final = "nothing: the loop reads no memory"

ALLOWED: Final = frozenset(
    {
        "barrier.behind-spin",
        "cas-retry.two",
        "deadlock.each-other.relaxed",
        "deadlock.early-return",
        "deadlock.two-locks",
        "do.spin",
        "for-ever.return",
        "for.break",
        "for.cas-retry",
        "for.data",
        "for.nested.break",
        "for.spin",
        "spin.forgotten-path",
        "spin.two-flags",
        "tells-once.acquire",
        "while-true.break",
        "while.spin",
    }
)
OTHERS: Final = {
    "for.spin.violated": Verdict.VIOLATED,
    **dict.fromkeys(("for.steps", "for.unwritten", "list-ranking"), Verdict.REQUIRED),
    **dict.fromkeys(
        ("deadlock.barrier", "deadlock.each-other", "deadlock.kept-lock", "deadlock.latch", "while-true"),
        Verdict.NO_EXECUTION,
    ),
}
UNDEFINED: Final = {
    "barrier.behind-spin.local": {"data-race"},
    "barrier.swapped": {"barrier-divergence"},
    "barrier.swapped.race": {"barrier-divergence", "data-race"},
    "barrier.two-sites": {"barrier-divergence"},
    "for.steps.relaxed": {"data-race"},
    "outside.before-spin": {"out-of-bounds"},
    "race.after-passes": {"data-race"},
    "race.in-failed-pass": {"data-race"},
    "spin.after-race": {"data-race"},
    "spin.plain": {"data-race"},
    "spin.polls-data": {"data-race"},
    "tells-once": {"data-race"},
    "uninitialised.before-spin": {"uninitialised-read"},
    "while-true.race": {"data-race"},
}
BLOCKED: Final = {
    "barrier.swapped": [("P0", 6, GROUP), ("P1", 7, GROUP)],
    "barrier.swapped.race": [("P0", 6, GROUP), ("P1", 7, GROUP)],
    "deadlock.barrier": [("k[0]", 8, "f to change from 0"), ("k[1]", 10, GROUP)],
    "deadlock.each-other": [("P0", 8, "a to change from 0"), ("P1", 12, "b to change from 0")],
    "deadlock.each-other.relaxed": [("P0", 8, "a to change from 0"), ("P1", 12, "b to change from 0")],
    "deadlock.early-return": [("P1", 15, "l to change from 1")],
    "deadlock.kept-lock": [("k[0]", 7, "l to change from 1")],
    "deadlock.latch": [
        ("k[0]", 10, "c to change from 2"),
        ("k[1]", 12, GROUP),
        ("k[2]", 10, "c to change from 2"),
        ("k[3]", 12, GROUP),
    ],
    "deadlock.two-locks": [("P0", 8, "m to change from 1"), ("P1", 15, "l to change from 1")],
    "outside.before-spin": [("P0", 10, "g to change from 0")],
    "spin.after-race": [("k[0]", 8, "f to change from 0"), ("k[1]", 8, "f to change from 0")],
    "spin.forgotten-path": [("P1", 10, "f to change from 0")],
    "uninitialised.before-spin": [("P0", 9, "f to change from 0")],
    "while-true": [("P0", 6, NOTHING)],
    "while-true.race": [("P0", 6, NOTHING)],
}
LARGE: Final = "histogram.no-barrier"


def verdict_of(name: str) -> Verdict:
    return Verdict.ALLOWED if name in ALLOWED else OTHERS.get(name, Verdict.UNDEFINED)


def test_every_file_is_in_the_tables() -> None:
    assert {path.stem for path in FOLDER.glob("*.litmus")} == {*ALLOWED, *OTHERS, *UNDEFINED, LARGE}


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, pytest.param(EngineName.SMT, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", sorted({*ALLOWED, *OTHERS, *UNDEFINED}))
def test_what_is_said(name: str, engine: EngineName) -> None:
    result = check(read_source(FOLDER / f"{name}.litmus"), engine=engine)
    assert isinstance(result, Judged)
    assert result.complete
    assert result.verdict is verdict_of(name)
    assert {problem.kind for problem in result.undefined} == UNDEFINED.get(name, set())
    told = [(unit.thread, unit.span.line, unit.waits_for) for blocked in result.blocked for unit in blocked.units]
    assert told == BLOCKED.get(name, [])


def test_a_race_among_many_work_items_is_told_with_element_and_iteration() -> None:
    result = check(read_source(FOLDER / f"{LARGE}.litmus"))
    assert isinstance(result, Judged)
    assert result.verdict is Verdict.UNDEFINED
    (race,) = (problem for problem in result.undefined if problem.kind == "data-race")
    threads = {site.thread for site in race.sites}
    assert len(threads) == 2
    assert all(thread is not None and thread.startswith("histogram[") for thread in threads)
    assert {site.span.line for site in race.sites} == {10, 11}
    assert race.location is not None
    assert race.location.startswith("bins@wg")
    assert any(site.iteration is not None for site in race.sites)
