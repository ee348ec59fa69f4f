"""What is asserted of locations whose values only grow or shrink: of which it is, and of which it is not."""

from __future__ import annotations

import pytest
from smt_inputs import query

from mcm.answer.query import Limits, SolverName
from mcm.catalogue import registry
from mcm.catalogue.rules import without
from mcm.engine.smt.any_memory import AnyMemory
from mcm.engine.smt.budget import Budget
from mcm.engine.smt.decide import decide
from mcm.engine.smt.encode import Encoding
from mcm.engine.smt.monotone import Monotone

MAXIMUM = "while (e < me) { if (atomic_compare_exchange_strong(m, &e, me)) { break; } }"
POP = "while (e != 0) { if (atomic_compare_exchange_strong(m, &e, next[e & 3])) { break; } }"
ONCE = "e = 0; if (atomic_compare_exchange_strong(m, &e, 7)) { *p = me; }"


def updating(code: str, first: int = 0, number: int = 3, other: str = "") -> str:
    return f"""OPENCL updating
{{ [m]={first}; int u[2] = {{5, 5}}; [p]=0; int next[4] = {{0, 0, 1, 2}}; }}
kernel K (global atomic_int* m, global atomic_int* u, global int* p, global int* next) {{
  int me = get_global_id(0) + 1;
  int e = atomic_load_explicit(m, memory_order_relaxed, memory_scope_device);
  {code}
}}
launch K global {number}, local 1, dev 0;
{other}exists (m=1)
"""


def found(text: str, model: str = "opencl-3.0") -> list[tuple[int, bool]]:
    """For each set of locations that only grow or shrink how many updates they have, and whether they grow."""
    asked, budget = query(text, model), Budget(Limits())
    encoding = Encoding(asked.skeletons[0], asked.model, budget)
    monotone = Monotone(encoding.execution, encoding.values, encoding.circuit)
    every = monotone.found(lambda: AnyMemory(encoding.execution, encoding.values, budget, SolverName.AUTO))
    return [(len(each.moving), each.written[0] < each.written[-1]) for each in every]


@pytest.mark.parametrize(
    ("text", "grows"),
    [
        (updating(MAXIMUM), [True]),
        (updating("atomic_fetch_or(m, 1);"), []),
        (updating("if (e < me) { atomic_compare_exchange_strong(m, &e, me); }"), [True]),
        # What is read anew need not be less.
        (updating("if (e < me) { atomic_exchange(m, me); }"), []),
        (updating(POP, 3), [False]),
        # Nobody says that what comes next is less.
        (updating(POP.replace("next[e & 3]", "me"), 3), []),
        (updating(ONCE), [True]),
        # Counters are told of otherwise.
        (updating("atomic_fetch_add(m, 1);"), []),
        # Somebody may set it back.
        (updating(ONCE, other="P9 (global atomic_int* m) { atomic_store(m, 0); }\n"), []),
        (updating("e = 7; atomic_compare_exchange_strong(m, &e, 0); " + ONCE), []),
        # Elements that are computed belong together.
        (updating("int r = 5; atomic_compare_exchange_strong(&u[e & 1], &r, 6);"), [True]),
        (updating("int r = 5; atomic_compare_exchange_strong(&u[e & 1], &r, me & 1 ? 6 : 4);"), []),
        # What is made to read leaves what it reads.
        (updating("atomic_fetch_or(m, 0); " + ONCE), [True]),
        (updating("e = atomic_fetch_or(m, 0); atomic_fetch_or(m, e & 1);"), []),
        # Two are in one of two orders.
        (updating(ONCE, number=2), []),
    ],
)
def test_where_only_updates_write_and_each_writes_more_or_each_less(text: str, grows: list[bool]) -> None:
    assert [each for _, each in found(text)] == grows


def test_the_model_has_to_say_that_an_update_reads_the_write_before(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(Monotone, "require", lambda *given: asked.append(given))
    query_ = query(updating(ONCE), "opencl-3.0")
    Encoding(query_.skeletons[0], query_.model, Budget(Limits()))
    assert len(asked) == 1

    model = without(registry.get("opencl-3.0"), ("RMW-1",))
    Encoding(query_.skeletons[0], model, Budget(Limits()))
    assert len(asked) == 1


@pytest.mark.parametrize("known", [True, False])
def test_the_states_are_the_same(known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not known:
        monkeypatch.setattr(Monotone, "require", lambda *_: None)
    answer = decide(query(updating(MAXIMUM), "opencl-3.0"))
    assert [state.values for state in answer.states] == [(3,)]
