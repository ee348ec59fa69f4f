"""Queries from texts, for the tests of the SMT engine."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.evaluate import evaluate_model
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.cat.model import Model

PEERS = Path(__file__).parents[5] / "shared" / "peers"

SB = """C SB
{ [x]=0; [y]=0; }
P0 (atomic_int* x, atomic_int* y) { atomic_store(x, 1); int r0 = atomic_load(y); }
P1 (atomic_int* x, atomic_int* y) { atomic_store(y, 1); int r0 = atomic_load(x); }
exists (0:r0=0 /\\ 1:r0=0)
"""
MP = """C MP
{ [x]=0; [y]=0; }
P0 (int* x, atomic_int* y) { *x = 1; atomic_store_explicit(y, 1, memory_order_release); }
P1 (int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire); int r1 = -1; if (r0 == 1) { r1 = *x; }
}
exists (1:r0=1 /\\ 1:r1=0)
"""
LB_DATA = """C LB+data
{ [x]=0; [y]=0; }
P0 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed); atomic_store_explicit(y, r0, memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed); atomic_store_explicit(x, r0, memory_order_relaxed);
}
exists (0:r0=42 /\\ 1:r0=42)
"""


def counters(threads: int, summand: str = "1") -> str:
    """Threads that add to one counter."""
    text = "C counter\n{ [c]=0; }\n"
    for thread in range(threads):
        added = summand.format(thread)
        text += f"P{thread} (atomic_int* c) {{ atomic_fetch_add_explicit(c, {added}, memory_order_relaxed); }}\n"
    return text + f"exists (c={threads - 1})\n"


def seeded(seed: int) -> Random:
    """Reproducible choices."""
    return Random(seed)  # noqa: S311 - nothing secret


def query(text: str, model: Model | str, **options: object) -> Query:
    """What `mcm check` would ask."""
    source = Source("test.litmus", text)
    program = read_test(source).program
    proposition = None if program.condition is None else program.condition.proposition
    return Query(
        elaborate(program),
        registry.get(model) if isinstance(model, str) else model,
        observed_by(program),
        proposition,
        program.filter,
        **options,
    )


def states(answer: Answer) -> list[tuple[object, ...]]:
    assert answer.undecided is None
    return [state.values for state in answer.states]


def assert_witnessed(answer: Answer, model: Model) -> None:
    """Every execution in the answer is consistent, and does what it is a witness of."""
    for state in answer.states:
        assert evaluate_model(state.witness, model).violated == ()
    for flag in answer.flags:
        evaluation = evaluate_model(flag.witness, model)
        assert evaluation.violated == ()
        assert flag.name in evaluation.raised
    for fault in answer.faults:
        assert evaluate_model(fault.witness, model).violated == ()
