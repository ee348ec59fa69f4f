"""Both engines list the same problems, in the same words and order: for each pair of places the first in rank."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from random import Random
from typing import Final

import pytest

from mcm import InputError, Judged, Result, Source, check, check_all, render_text
from oracle.kernels import kernel
from oracle.problem_lists import problems_of

SEED: Final = os.environ.get("MCM_RANDOM_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_RANDOM_COUNT", "20"))
CHUNK: Final = 15
MODELS: Final = ("opencl-3.0", "opencl-3.1", "opencl-scoped", "sycl-2020")
THIN_AIR: Final = Path(__file__).parents[1] / "corpus/thin_air"


def results(text: str, engine: str, *, counts: bool = False) -> tuple[Result, ...]:
    source = Source("kernels.litmus", text)
    return check_all(source, MODELS, engine=engine, timeout=20, count=counts)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_random_kernels_have_the_same_list(start: int) -> None:
    compared = Counter[str]()
    for number in range(start, min(start + CHUNK, COUNT)):
        text = kernel(Random(f"{SEED}/{number}"))  # noqa: S311 - nothing secret
        try:
            pairs = zip(results(text, "explicit"), results(text, "smt"), strict=True)
        except InputError as error:
            raise AssertionError(f"not a test: {error}\n{text}") from error
        for explicit, smt in pairs:
            mine, other = problems_of(explicit), problems_of(smt)
            if mine is None or other is None:
                compared["not to the end"] += 1
                continue
            assert mine == other, f"program {number} of seed {SEED}, {explicit.model}\n{text}"
            assert len(set(mine)) == len(mine)
            assert explicit.states == smt.states
            compared["with problems" if mine else "without"] += 1
    assert compared["with problems"] > compared["not to the end"], compared


def test_many_work_items_that_race_at_the_same_lines_are_listed_one_by_one() -> None:
    text = (THIN_AIR / "places.litmus").read_text(encoding="utf-8")
    told = [[render_text(result) for result in results(text, engine)] for engine in ("explicit", "smt")]
    assert told[0] == told[1]
    (explicit, *_) = results(text, "explicit")
    assert isinstance(explicit, Judged)
    races = [problem for problem in explicit.undefined if problem.kind == "data-race"]
    # Of the work-items that miss the barrier, too, none is lost where problems of one kind are folded.
    assert "and 1 more of this kind, e.g. not all work-items" in told[0][0]
    assert "half[3] does not reach it" in told[0][0]
    assert [[site.thread for site in race.sites] for race in races] == [["half[0]", f"half[{n}]"] for n in (1, 2, 3)]


# The first work-item writes x[1], then x[0]; the others access what they read from y. Of all the pairs that race, that
# of the first iterations is told, and of its locations the lowest.
RANKED: Final = """OPENCL ranked
{ int x[2] = {0, 0}; atomic_int y = 1; }
P0 @wg 0, dev 0 (global int* x, global atomic_int* y) {
  atomic_store_explicit(y, 0, memory_order_relaxed, memory_scope_device);
  for (int n = 0; n < 2; n++) { x[1 - n] = 1; }
}
P1 @wg 1, dev 0 (global int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);
  for (int n = 0; n < 2; n++) { x[r0] = 2; }
}
P2 @wg 2, dev 0 (global int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);
  int r1 = x[r0];
}
exists (x[0]=2)
"""


@pytest.mark.parametrize("engine", ["explicit", "smt"])
def test_of_raisings_at_the_same_places_the_first_is_told(engine: str) -> None:
    (result, *_) = results(RANKED, engine)
    assert isinstance(result, Judged)
    told = {tuple((site.thread, site.iteration) for site in race.sites): race.location for race in result.undefined}
    assert told == {
        (("P0", 1), ("P1", 1)): "x[1]",
        (("P0", 1), ("P2", None)): "x[1]",
        (("P1", 1), ("P2", None)): "x[0]",
    }


# Flags of every form, under names of the user's own: about pairs, events, cycles, and what is missing.
USERS: Final = """"users"
include "stdlib.cat"
let fr = rf^-1 ; mo
acyclic po-loc | rf | fr | mo as coherence
flag ~empty ((W * R) & loc & ext) \\\\ (rf | fr^-1) as unrelated
flag ~empty (W & A) \\\\ domain(rf) as unread
flag ~irreflexive rf ; po ; rf ; po as bounced
flag ~acyclic po | rf as thin
flag empty mo & ext as nobody_writes_twice
flag ~empty mo & ext as written
flag ~empty (rf & ext) as written
"""


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, COUNT // 2, CHUNK))
def test_flags_of_users_have_the_same_list(start: int, tmp_path: Path) -> None:
    model = tmp_path / "users.cat"
    model.write_text(USERS.replace("\\\\", "\\"), encoding="utf-8")
    kinds = Counter[str]()
    for number in range(start, min(start + CHUNK, COUNT // 2)):
        text = kernel(Random(f"{SEED}/users/{number}"))  # noqa: S311 - nothing secret
        source = Source("kernels.litmus", text)
        explicit, smt = (check(source, model, engine=engine, timeout=20) for engine in ("explicit", "smt"))
        if isinstance(explicit, Judged) and isinstance(smt, Judged) and not (explicit.reason or smt.reason):
            assert problems_of(explicit) == problems_of(smt), f"program {number} of seed {SEED}\n{text}"
            kinds.update({problem.kind for problem in explicit.flags})
    assert len(kinds) >= 4, kinds
