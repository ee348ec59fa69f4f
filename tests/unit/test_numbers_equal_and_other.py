"""Floating numbers that are equal and not the same, as 0.0 and -0.0, or not equal to themselves: in all engines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Literal

import pytest
from msgspec.structs import replace

import mcm
from mcm import MachineComparison, Options, shared_session
from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide
from mcm.engine.smt.decide import decide as decide_with_solver
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.program.float_arithmetic import float_of, in_tables, rounded
from mcm.program.value_order import rank_of_value
from mcm.report.explanation_json import render_explanations_json

if TYPE_CHECKING:
    from mcm.answer.answer import Answer

HOW: Final = "memory_order_relaxed, memory_scope_device"


def text_of(body: str) -> str:
    return f"""OPENCL floats
{{ [x]=0; int o; int p; float f; float a[2]; }}
P0 (global atomic_int* x, global int* o, global int* p, global float* f, global float* a) {{
  int s = atomic_load_explicit(x, {HOW});
  {body}
}}
P1 (global atomic_int* x) {{ atomic_store_explicit(x, 1, {HOW}); }}
locations [ o; p; ]
"""


def query_about(text: str) -> Query:
    program = read_test(Source("floats", text)).program
    limits = Limits(seconds=600)
    skeletons = elaborate(program, waiting=True)
    return Query(skeletons, registry.get("opencl-3.0"), observed_by(program), limits=limits, wants_witnesses=False)


def values(answer: Answer) -> list[tuple[object, ...]]:
    assert answer.undecided is None
    return [state.values for state in answer.states]


# What P0 does, and the values of `o` and `p` in the end.
PROGRAMS: Final = {
    # A choice between floating constants is compared with a floating constant.
    "float k = s ? 1.0f : 0.0f; *o = k == 1.0f; *p = 0.0f != k;": [(0, 0), (1, 1)],
    "double k = s ? 1.0 : 0.0; if (k == 1.0) { *o = 1; }": [(0, 0), (1, 0)],
    "float k = s ? -0.0f : 0.0f; *o = k == 0; *p = k == 0.0f;": [(1, 1)],
    # Zeros are equal, and have other bits.
    "float k = s ? -0.0f : 0.0f; *f = k; float r = *f; *o = 1 / r < 0; *p = r == 0;": [(0, 1), (1, 1)],
    "a[0] = -0.0f; a[1] = 0.0f; *o = a[0] == a[1]; *p = as_int(a[s]) < 0;": [(1, 0), (1, 1)],
    "*f = -0.0f; *o = *(global int*)f; *p = !*f;": [(-(2**31), 1)],
    "*(global int*)f = 0x80000000; *o = as_int(*f); *p = *f == 0;": [(-(2**31), 1)],
    "*f = s ? -0.0f : 1.0f; float r = *f; if (r) { *o = 1; } *p = r ? 1 : 2;": [(0, 2), (1, 1)],
    # What is not written yet is 0.0, as a float: its negation is another zero.
    "*o = as_int(-*f); float n = -a[s]; *p = as_int(n);": [(-(2**31), -(2**31))],
    # No NaN is equal to anything.
    "float n = s ? NAN : 1.0f; *f = n; if (*f != *f) { *o = 5; } *p = *f == n;": [(0, 1), (5, 0)],
    "*f = s ? NAN : 1.0f; float r = *f; *o = r == r; *p = r >= 1.0f;": [(0, 0), (1, 1)],
}


@pytest.mark.parametrize("body", PROGRAMS)
def test_engines_and_machine_agree(body: str) -> None:
    text = text_of(body)
    query = query_about(text)

    assert values(decide(query, many_events=1 << 60)) == PROGRAMS[body]
    assert values(decide(query, many_events=0)) == PROGRAMS[body]
    assert values(decide_with_solver(query)) == PROGRAMS[body]
    for one in shared_session().check_and_run(Source("floats", text), Options(), 100, 0):
        assert isinstance(one, MachineComparison)
        assert not one.contradictions


@pytest.mark.parametrize("number", ["NAN", "-0.0f"])
def test_a_state_with_such_a_number_is_the_same_for_engines_and_machine(number: str) -> None:
    text = text_of(f"*f = s ? {number} : 0.0f;").replace("locations [ o; p; ]", "locations [ f; ]")
    query = query_about(text)
    searched = values(decide(query))

    assert len(searched) == 2
    assert list(map(str, searched)) == list(map(str, values(decide_with_solver(query))))
    assert str(values(decide(replace(query, proposition=None), many_events=0))) == str(searched)
    for one in shared_session().check_and_run(Source("floats", text), Options(), 100, 0):
        assert isinstance(one, MachineComparison)
        assert not one.contradictions


@pytest.mark.parametrize("memory", ["interleaving", "views"])
def test_an_exhaustive_search_visits_what_follows_from_either_zero(memory: Literal["interleaving", "views"]) -> None:
    text = f"""OPENCL zeros
{{ float x; [z]=0; }}
P0 (global atomic_float* x, global atomic_int* z) {{
  float r = atomic_load_explicit(x, {HOW});
  int n = atomic_fetch_add_explicit(z, 1, {HOW});
  double d = r; int s = 1.0f / r < 0.0f; int t = 1.0 / d < 0.0;
}}
P1 (global atomic_float* x, global atomic_int* z) {{
  atomic_store_explicit(x, -0.0f, {HOW});
  int n = atomic_fetch_add_explicit(z, 1, {HOW});
}}
locations [ 0:s; 0:t; ]
"""
    states = mcm.run(text, schedule="exhaustive", memory=memory).states

    assert [dict(one.state.values) for one in states] == [{"0:s": 0, "0:t": 0}, {"0:s": 1, "0:t": 1}]


@pytest.mark.parametrize(
    ("body", "shown"), [("if (s) { *f = -0.0f; }", ["-0.0", "0.0"]), ("*f = s ? NAN : -NAN;", ["nan"])]
)
def test_runs_tell_zeros_apart_and_take_nan_for_one(body: str, shown: list[str]) -> None:
    text = text_of(body).replace("locations [ o; p; ]", "locations [ f; ]")

    for states in (mcm.run(text, schedule="exhaustive").states, mcm.run(text, runs=100).states):
        assert [str(one.state.values["f"]) for one in states] == shown


def test_a_negative_zero_is_shown_as_one() -> None:
    program = read_test(Source("floats", text_of(""))).program

    assert [program.show_value(value) for value in (-0.0, 0.0, -2.0, 0.5)] == ["-0.0", "0", "-2", "0.5"]


def test_tables_know_one_nan_and_two_zeros() -> None:
    assert rounded(-0.0, 32) == 0.0
    assert len({rounded(-0.0, 32), rounded(0.0, 32), float_of(1 << 31), float_of(0)}) == 2
    assert len({rounded(float("nan"), 32), float_of(0x7FC00000), in_tables(float("nan"))}) == 1


def test_values_have_one_order_whatever_zeros_and_nan_are_among_them() -> None:
    numbers = [in_tables(float("nan")), 1.0, in_tables(-0.0), 0.0, -1.0, float("inf")]
    ordered = sorted(numbers, key=rank_of_value)

    assert str(ordered) == "[-1.0, -0.0, 0.0, 1.0, inf, nan]"
    numbers.reverse()
    assert str(sorted(numbers, key=rank_of_value)) == str(ordered)


def test_an_explanation_in_json_has_such_numbers() -> None:
    text = """OPENCL json
{ float f = -0.0; float g = 1.0; }
P0 (global float* f, global float* g) { float k = *f; *g = k / k; float r = *g; *f = 1 / k; }
exists (0:k=0.0)
"""
    (explanation,) = json.loads(render_explanations_json([mcm.check(text).explain()]))["explanations"]
    written = [event["written"] for event in explanation["stories"][0]["events"]]

    assert {"nan", "-inf"} <= set(map(str, written))
    assert "-0.0" in map(str, written)
