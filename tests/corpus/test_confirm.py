"""What runs of the machine meet and a model confirms, beside what an engine finds in all executions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcm.answer.places import place_of
from mcm.answer.query import Query
from mcm.base.diagnostic import InputError
from mcm.base.source import Source
from mcm.catalogue.evaluate import evaluate_model
from mcm.catalogue.library import Library
from mcm.confirm import undefined_behaviour
from mcm.engine.choose import EngineName, decide
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import RaisedFlag
    from mcm.answer.places import Place
    from mcm.front_end.test import Test

pytestmark = pytest.mark.slow

LITMUS = Path(__file__).resolve().parents[2] / "litmus"
# Folders of programs that wait for each other: not all of their executions are listed here.
LONG = frozenset({"dartagnan", "invalid", "locks", "waiting"})
FILES = sorted(path for path in LITMUS.rglob("*.litmus") if path.parent.name not in LONG)
RACES = [path for path in FILES if path.parent.name == "races"]
# Data races that no sequentially consistent run has, or none in which every write is the newest.
ONLY_WEAK = frozenset({"atomic-init", "impossible"})

# Programs with more are not searched to the end here.
MOST_THREADS = 4


def valid_test(path: Path) -> Test | None:
    try:
        return read_test(Source(path.name, path.read_text(encoding="utf-8")))
    except InputError:
        return None


def places(flag: RaisedFlag) -> tuple[str, frozenset[Place]]:
    """Whose operations raise it."""
    return flag.name, frozenset(place_of(flag.witness.skeleton.events[event]) for event in flag.events)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(LITMUS).with_suffix("")))
def test_engines_find_what_is_confirmed(path: Path) -> None:
    test = valid_test(path)
    if test is None:
        return
    model = Library().choose(test.header.dialect.default_model).model
    met = undefined_behaviour(test.program, model)
    for witness in (*(flag.witness for flag in met.flags), *(fault.witness for fault in met.faults)):
        assert evaluate_model(witness, model).is_consistent
    if met.is_undefined and len(test.program.threads) <= MOST_THREADS:
        query = Query(elaborate(test.program, waiting=True), model, observed_by(test.program), wants_states=False)
        answer = decide(query, EngineName.AUTO)
        assert {places(flag) for flag in met.flags} <= {places(flag) for flag in answer.flags}
        assert {met.fault.kind for met in met.faults} <= {raised.fault.kind for raised in answer.faults}


@pytest.mark.parametrize("path", RACES, ids=lambda path: path.stem)
def test_races_of_sequentially_consistent_runs_are_met(path: Path) -> None:
    test = valid_test(path)
    assert test is not None
    model = Library().choose(test.header.dialect.default_model).model
    expected = next(e for e in test.header.expectations if e.model == model.name)
    found = [flag for flag in undefined_behaviour(test.program, model).flags if flag.name == "data_race"]
    assert bool(found) is (expected.race is True and path.stem not in ONLY_WEAK)


def test_what_a_model_does_not_call_a_race_is_not_one() -> None:
    test = valid_test(LITMUS / "opencl" / "races" / "ww.litmus")
    assert test is not None
    assert undefined_behaviour(test.program, Library().choose("opencl-3.0").model).flags
    assert not undefined_behaviour(test.program, Library().choose("opencl-3.0", ("DR-1",)).model).flags


@pytest.mark.parametrize("waits", ["atomic_load(f) == 1", "atomic_exchange(f, 1)", "atomic_flag_test_and_set(g)"])
def test_a_run_in_which_nobody_changes_anything_ends(waits: str) -> None:
    thread = f"P0 (atomic_int* f, atomic_flag* g) {{ while ({waits}) {{ }} }}"
    test = read_test(Source("waits", f"C waits\n{{ [f]=1; [g]=1; }}\n{thread}\nexists (f=1)\n"))
    assert not undefined_behaviour(test.program, Library().choose("c11").model).is_undefined
