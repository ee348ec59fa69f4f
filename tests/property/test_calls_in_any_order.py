"""What is found in any order of calls is what is found in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mcm
from mcm.execution import call_orders

if TYPE_CHECKING:
    import pytest

ORDERS = ("relaxed", "acquire", "seq_cst")
PLACES = st.sampled_from(["x", "y", "z"])
LOADS = st.builds(
    "atomic_load_explicit({}, memory_order_{}, memory_scope_device)".format, PLACES, st.sampled_from(ORDERS)
)
UPDATES = st.builds(
    "atomic_fetch_add_explicit({}, 1, memory_order_{}, memory_scope_device)".format,
    PLACES,
    st.sampled_from([*ORDERS, "release", "acq_rel"]),
)
EXPRESSIONS = st.builds("r = 3 * r + {} {} {};".format, LOADS, st.sampled_from(["+ 10 *", "=="]), LOADS | UPDATES)
STORES = st.builds(
    "atomic_store_explicit({}, {}, memory_order_{}, memory_scope_device);".format,
    PLACES,
    st.sampled_from([1, 2]),
    st.sampled_from(["relaxed", "release", "seq_cst"]),
)
PLAIN = st.builds("if ({}) {{ *d = r; }}".format, LOADS)
BODIES = st.lists(EXPRESSIONS | EXPRESSIONS | STORES | PLAIN, min_size=1, max_size=3)


def program(bodies: list[list[str]]) -> mcm.Test:
    """A program of one thread for each body."""
    head = "(global atomic_int* x, global atomic_int* y, global atomic_int* z, global int* d)"
    threads = "".join(f"P{n} {head} {{ int r = 0; {' '.join(body)} }}\n" for n, body in enumerate(bodies))
    asked = " /\\ ".join(f"{n}:r=1" for n in range(len(bodies)))
    return mcm.parse(mcm.Source("any.litmus", f"OPENCL any\n{{ }}\n{threads}exists ({asked})\n"))


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bodies=st.lists(BODIES, min_size=2, max_size=2))
def test_it_agrees_with_what_each_order_allows(monkeypatch: pytest.MonkeyPatch, bodies: list[list[str]]) -> None:
    test = program(bodies)
    each = mcm.Session(size=0).check(test)
    with monkeypatch.context() as few:
        few.setattr(call_orders, "MOST_SEQUENCINGS", 1)
        found = mcm.Session(size=0).check_all(test)[0]
    if found.diagnostics and found.diagnostics[0].code == "E153":
        return
    assert found.verdict is each.verdict
    if found.verdict is not mcm.Verdict.UNDEFINED:
        assert {tuple(s.values.items()) for s in found.states} == {tuple(s.values.items()) for s in each.states}
