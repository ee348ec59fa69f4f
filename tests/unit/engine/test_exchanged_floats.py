"""A compare-exchange compares what memory holds: the bits of floats (C11 7.17.7.4, C++20 atomics.types.operations)."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Final

import pytest

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide
from mcm.engine.smt.decide import decide as decide_with_solver
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.machine.build import build
from mcm.machine.exhaustive import Budget, explore
from mcm.program.value_arithmetic import are_same

if TYPE_CHECKING:
    from mcm.program.program import Program

ORDERS: Final = "memory_order_relaxed, memory_order_relaxed"

# Of what memory holds, what is expected, whether it is that; as text.
COMPARED: Final = (
    ("0.0", "0.0", True),
    ("-0.0", "-0.0", True),
    ("0.0", "-0.0", False),
    ("-0.0", "0.0", False),
    ("NAN", "NAN", True),
    ("NAN", "1.0", False),
    ("1.5", "1.5", True),
)


def states(program: Program, model: str) -> set[str]:
    """The final states, as text, on which both engines and both memories of the machine agree."""
    query = Query(elaborate(program, waiting=True), registry.get(model), observed_by(program), wants_witnesses=False)
    answers = [decide(query), decide(query, many_events=1), decide_with_solver(query)]
    assert all(answer.undecided is None for answer in answers)
    assert not any(answer.blocked or answer.waits or answer.bounded for answer in answers)
    found = [{str(state.values) for state in answer.states} for answer in answers]
    runs = [explore(build(program, of), observed_by(program), Budget(1_000, 100)) for of in ("views", "interleaving")]
    found += [set(map(str, run.states)) for run in runs]
    assert all(each == found[0] for each in found)
    return found[0]


@pytest.mark.parametrize("type_", ["float", "double"])
@pytest.mark.parametrize("how", ["strong", "weak"])
@pytest.mark.parametrize(("held", "expected", "is_that"), COMPARED)
def test_bits_are_compared(held: str, expected: str, is_that: bool, how: str, type_: str) -> None:
    text = f"""C bits
{{ int r; }}
P0 (_Atomic({type_})* x, int* r) {{
  atomic_store_explicit(x, {held}, memory_order_relaxed); {type_} e = {expected};
  int done = atomic_compare_exchange_{how}_explicit(x, &e, 2.0, {ORDERS});
  *r = done + 2 * (e == 1.5);
}}
locations [r;]
"""
    one = 2 * (held == "1.5")
    allowed = {one + is_that} | ({one} if how == "weak" else set())
    assert states(read_test(Source("bits", text)).program, "c11") == {f"({r},)" for r in allowed}


def test_what_is_no_number_is_exchanged_for_what_is_none() -> None:
    text = f"""OPENCL adds
{{ atomic_float s = -0.0; }}
kernel K (global atomic_float* s) {{
  float v = get_global_id(0) == 0 ? NAN : 1.0f;
  float o = atomic_load_explicit(s, memory_order_relaxed, memory_scope_device);
  while (!atomic_compare_exchange_strong_explicit(s, &o, o + v, {ORDERS}, memory_scope_device)) {{ }}
}}
launch K global 2, local 1, dev 0;
locations [s;]
"""
    assert states(read_test(Source("adds", text)).program, "opencl-3.0") == {"(nan,)"}


def test_there_is_one_value_that_is_no_number() -> None:
    assert are_same(nan, -nan)
    assert are_same(1, 1)
    assert not are_same(1, 2)
