"""One command for each way of disturbing it; `python -m tests.fuzz --batches 200` tries more."""

from __future__ import annotations

import sys
from random import Random

import pytest

from fuzz.batches import ATTACKS, disturb
from fuzz.complaint import CounterexampleError
from fuzz.ended import Ended, Result, is_whole

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")]


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_is_lost_and_nobody_left(name: str) -> None:
    disturb(name, Random(f"fixed/{name}"))  # noqa: S311 - nothing secret


@pytest.mark.parametrize(
    ("code", "results", "killed", "kind"),
    [
        (0, ["a"], 0, "tests are missing"),
        (3, ["a", "b lost"], 0, "more tests are lost than workers were killed"),
        (0, ["a", "b lost"], 1, "a test is lost, and the exit code is 0"),
        (0, ["a", "b other"], 1, "another answer"),
        (70, ["a", "b"], 0, "an exit code that is not the command's own"),
    ],
)
def test_what_is_lost_is_found_out(code: int, results: list[str], killed: int, kind: str) -> None:
    def result(word: str) -> str:
        file, _, what = word.partition(" ")
        reason = '"crash: SIGKILL"' if what == "lost" else "null"
        return f'{{"file": "{file}", "model": "sc", "status": "ok", "reason": {reason}, "verdict": "{what}"}}'

    out = '{"results": [' + ", ".join(map(result, results)) + "]}"
    quiet = [
        Result(
            one, "sc", "ok", None, f'{{"file": "{one}", "model": "sc", "status": "ok", "reason": null, "verdict": ""}}'
        )
        for one in "ab"
    ]
    with pytest.raises(CounterexampleError, match=kind):
        is_whole(Ended(code, out.encode(), b"", killed), quiet)
