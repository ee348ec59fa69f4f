"""Programs with loops, waiting and deadlocks: the words of each format, and the exit code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended

LONGER = """OPENCL longer
{ [n]=3; int a[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}; }
P0 (global atomic_int* n, global int* a) {
  int s = 0;
  int m = atomic_fetch_add(n, 0);
  for (int i = 0; i < 4; i++) { for (int j = 0; j < m; j++) { s += a[2 * i]; } }
}
"""
COUNTED = """OPENCL counted
{ [f]=0; }
P0@wg 0 (global atomic_int* f) { int n = 0; while (atomic_load(f) == 0) { n++; } }
P1@wg 1 (global atomic_int* f) { atomic_store(f, 1); }
"""
SPIN = """OPENCL spin
{EXPECT}{ [f]=0; [x]=0; }
P0@wg 0 (global volatile int* f, global int* x) { *x = 1; *f = 1; }
P1@wg 1 (global volatile int* f, global int* x) { while (*f == 0) { } int r = *x; }
"""
LOCKED = """OPENCL locked
{EXPECT}{ [l]=0; }
kernel k (global atomic_int* l) { while (atomic_exchange(l, 1)) { } }
launch k global 2, local 1;
"""
SWAPPED = """OPENCL swapped
{EXPECT}{ [x]=0; }
P0@wg 0 (global int* x) { B1: barrier(CLK_GLOBAL_MEM_FENCE); B2: barrier(CLK_GLOBAL_MEM_FENCE); }
P1@wg 0 (global int* x) { B2: barrier(CLK_GLOBAL_MEM_FENCE); B1: barrier(CLK_GLOBAL_MEM_FENCE); }
"""


class Case(NamedTuple):
    """A test and options; what is said in words, as herd's outcome (None: no block) and in JSON; the exit code."""

    text: str
    options: list[str]
    words: str
    outcome: str | None
    verdict: str
    code: int


CASES = {
    "cut": Case(LONGER + "exists (0:s=8)", ["--bound", "2"], "undecided (bound)", "Loop No", "undecided", 3),
    "cut, and no end seen": Case(
        LONGER + "exists (0:s=8)", ["--bound", "2", "--accept-bounded"], "undecided (bound)", "Loop No", "undecided", 3
    ),
    "bound that runs need": Case(LONGER + "exists (0:s=8)", [], "forbidden", "No", "forbidden", 0),
    "cut and accepted": Case(COUNTED + "exists (0:n=7)", ["--accept-bounded"], "forbidden", "Loop No", "forbidden", 0),
    "bound that is enough": Case(LONGER + "exists (0:s=8)", ["--bound", "3"], "forbidden", "No", "forbidden", 0),
    "found before the cut": Case(COUNTED + "exists (0:n=2)", [], "allowed", "Loop Ok", "allowed", 0),
    "not found before the cut": Case(COUNTED + "exists (0:n=7)", [], "undecided (bound)", "Loop No", "undecided", 3),
    "not refuted before the cut": Case(COUNTED + "forall (0:n<7)", [], "undecided (bound)", "Loop Ok", "undecided", 3),
    "refuted before the cut": Case(COUNTED + "forall (0:n=0)", [], "violated", "Loop No", "violated", 0),
    "race in a prefix": Case(SPIN + "exists (1:r=0)", [], "undefined (data race)", "Undef", "undefined", 0),
    "deadlock": Case(LOCKED + "exists (l=1)", [], "no complete execution", None, "no-execution", 0),
    "deadlock, forall": Case(LOCKED + "forall (l=1)", [], "no complete execution", None, "no-execution", 0),
    "swapped": Case(SWAPPED + "exists (x=0)", [], "undefined (barrier divergence)", "Undef", "undefined", 0),
}


@pytest.mark.parametrize("engine", ["explicit", "smt"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_format_says_it(mcm: Callable[..., Ended], tmp_path: Path, case: Case, engine: str) -> None:
    path = tmp_path / "t.litmus"
    path.write_text(case.text.replace("{EXPECT}", "") + "\n", encoding="utf-8")

    def run(*more: str) -> Ended:
        ended = mcm("check", path, "--engine", engine, *case.options, *more)
        assert ended.code == case.code
        return ended

    assert run().out.splitlines()[0].endswith(f" under opencl-3.0: {case.words}")
    assert f"  {case.words}" in run("--quiet").out
    herd = run("--format", "herd")
    if case.outcome is None:
        assert case.words in herd.err
    else:
        lines = herd.out.splitlines()
        assert lines[lines.index("Witnesses") - 1] == case.outcome
    (result,) = json.loads(run("--format", "json").out)["results"]
    assert result["verdict"] == case.verdict
    assert result["complete"] is ("Loop" not in (case.outcome or ""))


@pytest.mark.parametrize(
    ("text", "expected", "code"),
    [
        (SPIN + "exists (1:r=0)", "Never race", 0),
        (SPIN + "exists (1:r=0)", "Never no-race", 1),
        (LOCKED + "exists (l=1)", "Never no-race", 0),
        (LOCKED + "exists (l=1)", "Always", 1),
        (LOCKED + "exists (l=1)", "Never may-block", 0),
        (LOCKED + "exists (l=1)", "Never terminates", 1),
        (SWAPPED + "exists (x=0)", "Never no-race divergence", 0),
    ],
)
def test_what_is_expected_of_it_is_met_or_not(
    mcm: Callable[..., Ended], tmp_path: Path, text: str, expected: str, code: int
) -> None:
    path = tmp_path / "t.litmus"
    path.write_text(text.replace("{EXPECT}", f"Expect.opencl-3.0={expected}\n") + "\n", encoding="utf-8")
    assert mcm("check", path).code == code
