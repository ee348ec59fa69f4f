"""Programs whose calls may come in more orders than are looked at one by one."""

import pytest

import mcm
from mcm.answer.result import FIRST_PROBLEM
from mcm.execution import call_orders
from mcm.report.explanation_text import render_explanation

# Each of the eight iterations of each work-item has two calls in one expression: 2^16 orders.
POLLS = """OPENCL polls
{{ [h]=0; [t]=3; {more} }}
kernel K (global atomic_int* h, global atomic_int* t, global int* d) {{
  int n = 0;
  for (int i = 0; i < 8; i++) {{
    if (atomic_load(h) < atomic_load(t)) {{ n++; }}
  }}
  {last}
}}
launch K global 2, local 1, dev 0;
exists ({asks})
"""


def polls(asks: str, last: str = "atomic_fetch_add(h, 1);", more: str = "int d=0;") -> mcm.Test:
    """A program that compares two loads in a loop."""
    return mcm.parse(mcm.Source("polls.litmus", POLLS.format(asks=asks, last=last, more=more)))


@pytest.mark.parametrize("engine", ["auto", "explicit", "smt"])
def test_what_all_orders_allow_is_the_answer(engine: str) -> None:
    allowed = mcm.check(polls("0:n=8 /\\ 1:n=8"), engine=engine)
    assert (allowed.verdict, allowed.reason) == (mcm.Verdict.ALLOWED, None)
    assert [dict(state.values) for state in allowed.states] == [{"0:n": 8, "1:n": 8}]
    assert mcm.check(polls("0:n=7"), engine=engine).verdict is mcm.Verdict.FORBIDDEN


def test_states_are_told_once() -> None:
    told: list[dict[str, int]] = []
    options = mcm.Options(on_state=lambda _, state: told.append(dict(state.values)))
    (result,) = mcm.Session().results(polls("0:n=8"), options)
    assert told == [dict(state.values) for state in result.states]


def test_without_states_the_condition_is_answered() -> None:
    for asks, verdict in (("0:n=8", mcm.Verdict.ALLOWED), ("0:n=7", mcm.Verdict.FORBIDDEN)):
        assert mcm.check(polls(asks), states=False).verdict is verdict


def test_a_race_in_one_order_is_one_of_the_program() -> None:
    result = mcm.check(polls("0:n=8", "*d = n;"))
    assert (result.verdict, result.reason) == (mcm.Verdict.UNDEFINED, FIRST_PROBLEM)
    assert result.races


# What is read depends on which of the calls comes first, in each work-item apart.
DECIDES = """OPENCL decides
{ [x]=0; }
kernel K (global atomic_int* x) { int r = atomic_load(x) + 10 * atomic_fetch_add(x, 1); }
launch K global 7, local 1, dev 0;
exists (0:r=1)
"""


def test_where_the_order_decides_the_expression_is_named() -> None:
    result = mcm.check_all(mcm.Source("decides.litmus", DECIDES))[0]
    (diagnostic,) = result.diagnostics
    assert (diagnostic.code, diagnostic.span.line) == ("E153", 3)


def test_executions_are_not_counted_without_an_order() -> None:
    assert mcm.check_all(polls("0:n=8").source, count=True)[0].diagnostics[0].code == "E153"


# What is read of `y` before `x` is 1 may be old: then 0:r is 1. Behind the acquire load it is not.
PUBLISHED = """OPENCL published
{ [x]=0; [y]=0; }
P0 (global atomic_int* x, global atomic_int* y) {
  int r = atomic_load_explicit(x, memory_order_acquire) + 10 * atomic_load_explicit(y, memory_order_acquire);
}
P1 (global atomic_int* x, global atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  atomic_store_explicit(x, 1, memory_order_release);
}
exists (0:r=1)
"""


def test_states_of_both_orders_are_put_together_and_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    source = mcm.Source("published.litmus", PUBLISHED)
    expected = [{"0:r": 0}, {"0:r": 1}, {"0:r": 10}, {"0:r": 11}]
    assert [dict(state.values) for state in mcm.check(source).states] == expected
    monkeypatch.setattr(call_orders, "MOST_SEQUENCINGS", 1)
    # A session of its own: it elaborates anew.
    found = mcm.Session().check(source)
    assert (found.verdict, found.reason) == (mcm.Verdict.ALLOWED, None)
    assert [dict(state.values) for state in found.states] == expected


def test_an_outcome_is_explained() -> None:
    allowed, forbidden = (render_explanation(mcm.Session().explain(polls(f"0:n={n}"))) for n in (8, 7))
    assert "K[0] line 6:9 (iteration 1) reads h" in allowed
    assert "no such execution" in forbidden
