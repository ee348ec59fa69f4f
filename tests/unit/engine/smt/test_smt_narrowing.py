"""What the checks that are asserted first rule out is left out of the formulas of the others."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from smt_inputs import query

from mcm.answer.query import Limits
from mcm.engine.smt.budget import Budget
from mcm.engine.smt.encode import Encoding
from mcm.engine.smt.execution import possible_sources

if TYPE_CHECKING:
    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton

pytestmark = pytest.mark.slow

_LITMUS: Final = Path(__file__).parents[4] / "litmus"
_SAMPLES: Final = sorted([*_LITMUS.glob("c11/*.litmus"), *_LITMUS.glob("opencl/[bpr]*/*.litmus")])

_ALONE = """C alone
{ x = 0; }
P0 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
  if (atomic_load_explicit(y, memory_order_relaxed)) {
    atomic_store_explicit(x, 2, memory_order_relaxed);
    int r2 = atomic_load_explicit(x, memory_order_relaxed);
  }
}
P1 (atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
}
exists (0:r1=1)
"""


def _encoding(text: str, model: str, *, tracked: bool = False) -> Encoding:
    asked = query(text, model)
    (skeleton,) = asked.skeletons
    return Encoding(skeleton, asked.model, Budget(Limits()), tracked=tracked)


def _at(skeleton: Skeleton, place: str) -> list[Event]:
    """The accesses of the location that `y` is not, in the order of the program."""
    both = {location for event in skeleton.events for location in event.locations}
    first, second = sorted(both, key=lambda location: location.object)
    wanted = first if place == "x" else second
    return [event for event in skeleton.events if event.locations == (wanted,)]


def test_a_location_of_one_thread_leaves_nothing_open() -> None:
    encoding = _encoding(_ALONE, "rc11")
    accesses = _at(encoding.skeleton, "x")
    execution = encoding.execution
    last = None
    for event in accesses:
        if event.kind.reads:
            assert execution.sources[event.identifier] == [last]
        else:
            last = event.identifier
    writes = [event.identifier for event in accesses if event.kind.writes]
    assert set(pairwise(writes[1:])) <= execution.sure_orders
    (read,) = (event.identifier for event in _at(encoding.skeleton, "y") if event.kind.reads)
    assert len(execution.sources[read]) == 2


def test_rules_that_can_be_switched_off_rule_nothing_out() -> None:
    encoding = _encoding(_ALONE, "rc11", tracked=True)
    assert encoding.execution.sources == possible_sources(encoding.skeleton)
    assert not encoding.execution.sure_orders


@pytest.mark.parametrize("path", _SAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_left_out_is_impossible(path: Path) -> None:
    asked = query(path.read_text(encoding="utf-8"), "rc11" if path.parent.name == "c11" else "opencl-3.0")
    for skeleton in asked.skeletons:
        narrowed = Encoding(skeleton, asked.model, Budget(Limits())).execution
        # Where rules are tracked nothing is left out.
        complete = Encoding(skeleton, asked.model, Budget(Limits()), tracked=True)
        circuit, rules = complete.circuit, complete.rules.values()
        for read, writes in complete.execution.sources.items():
            for write in set(writes) - set(narrowed.sources[read]):
                assert not complete.solve([complete.execution.reads_from[write, read], *rules])
        for first, second in narrowed.sure_orders:
            opposite = circuit.variable()
            circuit.require(-opposite, complete.execution.writes_before(second, first))
            assert not complete.solve([opposite, *rules])
