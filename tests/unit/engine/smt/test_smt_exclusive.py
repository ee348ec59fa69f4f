"""Which updates of a counter exclude each other: those behind updates that alone read one value of one location."""

from __future__ import annotations

from collections import Counter

import pytest
from smt_inputs import query

from mcm.answer.query import Limits
from mcm.base.bits import members
from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt.budget import Budget
from mcm.engine.smt.counters import counters_of
from mcm.engine.smt.decide import decide
from mcm.engine.smt.encode import Encoding
from mcm.engine.smt.exclusive import exclude, exclusions

ADD = "atomic_fetch_add(c, 1);"
FIRST = "int e = 0; if (atomic_compare_exchange_strong(f, &e, 1)) { " + ADD + " }"
SET = "if (atomic_exchange(f, 1) == 0) { " + ADD + " }"


def counting(code: str, number: int = 3, other: str = "") -> str:
    return f"""OPENCL counting
{{ [c]=0; [f]=0; int g[2]; }}
kernel K (global atomic_int* c, global atomic_int* f, global atomic_int* g) {{
  int me = get_global_id(0); {code}
}}
launch K global {number}, local 1, dev 0;
{other}exists (c=1)
"""


def groups(text: str) -> list[int]:
    """How many updates of the counter exclude each other, for each group of several."""
    asked = query(text, "opencl-3.0")
    encoding = Encoding(asked.skeletons[0], asked.model, Budget(Limits()))
    (counter,) = counters_of(encoding.execution)
    found = exclusions(encoding.skeleton, encoding.values, counter.all_updates)
    return sorted(number for number in Counter(found.values()).values() if number > 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (counting(FIRST), [3]),
        (counting(SET), [3]),
        (counting("if (atomic_exchange(f, 1) != 1) { " + ADD + " }"), []),
        (counting(ADD), []),
        # Who is first counts twice: the first additions exclude each other, and so do the second ones.
        (counting(FIRST.replace(ADD, ADD + ADD)), [3, 3]),
        # One place for two work-items each.
        (counting(FIRST.replace("(f,", "(&g[me & 1],"), 4), [2, 2]),
        # A second one reads 0 as well.
        (counting(FIRST.replace("&e, 1", "&e, me")), []),
        (counting(FIRST, other="P9 (global atomic_int* f) { atomic_store(f, 0); }\n"), []),
        (counting(FIRST, other="P9 (global atomic_int* f) { atomic_store(f, 2); }\n"), [3]),
        # What it compares with is not known; what is read is not written first.
        (counting("int e = me & 1; if (atomic_compare_exchange_strong(f, &e, 1)) { " + ADD + " }", 4), [2]),
        (counting("if (atomic_load(f) == 0) { " + ADD + " }"), []),
    ],
)
def test_updates_behind_those_that_alone_read_a_value(text: str, expected: list[int]) -> None:
    assert groups(text) == expected


def behind(text: str) -> set[tuple[int, ...]]:
    """For each event that is never executed with some others of its kind: the threads of these, and its own, sorted."""
    asked = query(text, "opencl-3.0")
    encoding = Encoding(asked.skeletons[0], asked.model, Budget(Limits()))
    events = encoding.skeleton.events
    found = exclude(encoding.skeleton, encoding.values, encoding.circuit)
    threads = ({events[one].thread, *(events[other].thread for other in members(mask))} for one, mask in found.items())
    return {tuple(sorted(thread for thread in some if thread is not None)) for some in threads}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (counting(FIRST), {(0, 1, 2)}),
        (counting(SET), {(0, 1, 2)}),
        # Two are not looked at.
        (counting(FIRST, 2), set()),
        (counting(FIRST.replace("(f,", "(&g[me & 1],"), 6), {(0, 2, 4), (1, 3, 5)}),
        (counting(FIRST.replace("&e, 1", "&e, me")), set()),
        (counting(FIRST, other="P9 (global atomic_int* f) { atomic_store(f, 0); }\n"), set()),
        # Where the result is looked at later, who has not exchanged anything may go on as well.
        (
            counting("int e = 0; int ok = me; if (me < 9) { ok = atomic_exchange(f, 1); } if (ok == 0) { *g = 1; }"),
            {(0, 1, 2)},
        ),
        (counting("if (atomic_exchange(f, 1) != 1) { " + ADD + " }"), set()),
    ],
)
def test_events_behind_updates_that_alone_read_a_value(text: str, expected: set[tuple[int, ...]]) -> None:
    assert behind(text) == expected


def test_a_compare_exchange_that_is_not_reached_excludes_nobody() -> None:
    code = "int e = 0; if (atomic_load(g) == me && atomic_compare_exchange_strong(f, &e, 1)) { *c = me; }"
    asked = query(counting(code), "opencl-3.0")
    found = decide(asked)
    assert {state.values for state in found.states} == {state.values for state in decide_by_search(asked).states}
