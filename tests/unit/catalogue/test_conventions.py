"""Names on which tools differ: what decides what a model means by them, and that it decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import Source, check
from mcm.catalogue.registry import load_file

if TYPE_CHECKING:
    from pathlib import Path

BETWEEN = """C between
{}
P0 (atomic_int* x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }
P1 (atomic_int* x) { atomic_store_explicit(x, 2, memory_order_relaxed); }
exists (0:r0=0 /\\ x=1)
"""
FENCES = """C fences
{}
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store_explicit(y, 1, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r0=1 /\\ 1:r1=0)
"""


def _reachable(test: str, model: str, folder: Path, engine: str) -> bool | None:
    path = folder / "m.cat"
    path.write_text(model, encoding="utf-8")
    return check(Source("t.litmus", test), path, engine=engine).reachable  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["explicit", "smt"])
@pytest.mark.parametrize(
    ("checks", "reachable"),
    [
        ("acyclic rf", True),
        ("acyclic rf empty rmw & (fre ; coe) as atomic", False),
        ("acyclic rf empty amo & (fre ; coe) as atomic", False),
        # What a model of single events says.
        ("acyclic rf irreflexive (mo ; mo ; rf^-1) | (mo ; rf) as atomic", False),
        ("let both = [RMW] | rmw acyclic rf empty both & (fr ; mo) as atomic", False),
        ("let both = [RMW] | rmw acyclic rf empty both & (fr ; [R \\ W]) as atomic", True),
        ("let both = rmw | [RMW] acyclic rf empty both & (fre ; coe) | rmw & po & (fre ; coe) as atomic", False),
    ],
)
def test_a_model_that_names_the_pair_has_two_events(checks: str, reachable: bool, engine: str, tmp_path: Path) -> None:
    assert _reachable(BETWEEN, f'"m" {checks}', tmp_path, engine) is reachable


@pytest.mark.parametrize(
    ("check_of", "splits"),
    [
        ("[RMW] | rmw", False),
        ("rmw | [RMW]", False),
        ("(rmw | [RMW]) & po | rmw", True),
        ("lxsx", False),
        ("rf ; [RMW]", False),
    ],
)
def test_who_says_both_means_single_events(check_of: str, splits: bool, tmp_path: Path) -> None:
    (tmp_path / "m.cat").write_text(f"let r = {check_of}\nempty r & fr", encoding="utf-8")

    assert load_file(tmp_path / "m.cat").splits_updates is splits


@pytest.mark.parametrize(
    ("release", "reachable"),
    [
        ("REL", False),
        ("REL | (SC & W)", False),
        ("REL | (SC & W) | ACQ_REL", True),
        ("REL | SC | ACQ_REL", False),
    ],
)
def test_who_names_acq_rel_lists_the_orders_itself(release: str, reachable: bool, tmp_path: Path) -> None:
    model = f"""let rel = {release} let acq = ACQ | SC
        let sw = [rel] ; (([F] ; po)? ; [W]) ; rf ; [R & acq]
        let hb = (po | sw | IW * ~IW)+ irreflexive fr ; hb as coherent"""

    assert _reachable(FENCES, model, tmp_path, "auto") is reachable


def test_built_in_parts_keep_their_reading(tmp_path: Path) -> None:
    (tmp_path / "own.cat").write_text('include "c11.cat"\nlet exactly = ACQ & ACQ_REL', encoding="utf-8")
    (tmp_path / "part.cat").write_text('include "c11.cat"\nlet exactly = ACQ', encoding="utf-8")
    own, part = load_file(tmp_path / "own.cat"), load_file(tmp_path / "part.cat")

    assert {d.name: d.term for d in own.definitions if d.name != "exactly"} == {
        d.name: d.term for d in part.definitions if d.name != "exactly"
    }
