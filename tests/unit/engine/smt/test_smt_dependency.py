"""Whether values can depend on themselves: that it is found at once that they cannot, and the same with all orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from smt_inputs import LB_DATA, SB, counters, query

from mcm.answer.query import Limits
from mcm.engine.explicit.decide import decide as decide_explicitly
from mcm.engine.smt import dependency
from mcm.engine.smt.budget import Budget
from mcm.engine.smt.decide import decide as decide_with_solver
from mcm.engine.smt.encode import Encoding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.answer.answer import Answer
    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution

# Pops from a list: the next value of `head` is read from an element of `next` that the value before chooses.
POP = """OPENCL pop
{{ [head]={0}; int next[{1}] = {{{2}}}; }}
kernel k (global atomic_int* head, global int* next) {{
  int first = atomic_load_explicit(head, memory_order_relaxed, memory_scope_device);
  while (first != 0) {{
    int second = next[first];
    if (atomic_compare_exchange_strong_explicit(head, &first, second, memory_order_relaxed, memory_order_relaxed,
                                                memory_scope_device)) {{ break; }}
  }}
}}
launch k global {0}, local 1, dev 0;
exists (head=0)
"""
RETRY = """OPENCL retry
{{ [c]=0; [d]=0; }}
kernel k (global atomic_int* c, global atomic_int* d) {{
  int old = atomic_load_explicit(c, memory_order_relaxed, memory_scope_device);
  while (!atomic_compare_exchange_strong_explicit(c, &old, old + 1, memory_order_relaxed, memory_order_relaxed,
                                                  memory_scope_device)) {{ }}
  int other = atomic_load_explicit(d, memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(d, other + old, memory_order_relaxed, memory_scope_device);
}}
launch k global {0}, local 1, dev 0;
exists (c=2)
"""
# One thread passes on from x to y what it reads, and others back, by way of a third location.
ROUND = """C round
{ [x]=0; [y]=0; [z]=0; }
P0 (atomic_int* x, atomic_int* y) { int r = atomic_load_explicit(x, memory_order_relaxed);
  atomic_store_explicit(y, r + 1, memory_order_relaxed); }
P1 (atomic_int* y, atomic_int* z) { int r = atomic_load_explicit(y, memory_order_relaxed);
  atomic_store_explicit(z, r, memory_order_relaxed); int s = atomic_fetch_add_explicit(y, 2, memory_order_relaxed); }
P2 (atomic_int* z, atomic_int* x) { int r = atomic_load_explicit(z, memory_order_relaxed);
  atomic_store_explicit(x, r - 1, memory_order_relaxed); }
exists (x=1)
"""


def pop(items: int) -> str:
    return POP.format(items, items + 1, ", ".join(map(str, [0, *range(items)])))


def thin_air(text: str, model: str) -> frozenset[int]:
    asked = query(text, model)
    return Encoding(asked.skeletons[0], asked.model, Budget(Limits(seconds=100))).thin_air


def test_that_no_value_of_a_retry_loop_depends_on_itself_is_found_without_looking_at_all_orders() -> None:
    # Where it is not known in a time that is many times enough, it is not said.
    assert not thin_air(RETRY.format(8), "opencl-3.0")


@pytest.mark.parametrize(
    ("text", "model", "is_some"),
    [
        (LB_DATA, "c11", True),
        (LB_DATA, "sc", False),
        (ROUND, "c11", True),
        (ROUND, "rc11", False),
        (SB, "c11", False),
        (counters(3), "c11", False),
        (RETRY.format(2), "opencl-3.0", False),
        (pop(2), "opencl-3.0", False),
    ],
)
def test_values_depend_on_themselves_with_and_without_a_first_write(
    text: str, model: str, is_some: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = thin_air(text, model)

    def any_of_them(execution: Execution, circuit: Circuit, chosen: Mapping[int, int]) -> Iterator[int]:  # noqa: ARG001
        yield from chosen.values()

    monkeypatch.setattr(dependency, "_firsts", any_of_them)

    assert found == thin_air(text, model)
    assert bool(found) is is_some


# Work-items look for a free element, one after the other: whether each attempt is made depends on all before it.
INSERT = """OPENCL insert
{{ int keys[{0}] = {{{1}}}; int table[{2}]; int at[{0}]; }}
kernel k (global int* keys, global atomic_int* table, global int* at) {{
  int i = get_global_id(0), place = keys[i] % {2};
  for (int attempt = 0; attempt < {2}; attempt++) {{
    int free = 0;
    if (atomic_compare_exchange_strong_explicit(&table[place], &free, keys[i], memory_order_relaxed,
                                                memory_order_relaxed, memory_scope_device)) {{
      at[i] = place + 1;
      break;
    }}
    place = (place + 1) % {2};
  }}
}}
launch k global {0}, local 1, dev 0;
locations [table; at;]
"""


@pytest.mark.parametrize(
    ("keys", "places", "model"),
    [((1, 3), 2, "opencl-3.0"), ((1, 2), 2, "opencl-3.0"), ((1, 2, 4), 3, "opencl-3.0"), ((2, 4), 2, "opencl-popl")],
)
def test_states_are_the_same_where_dependencies_through_others_are_listed_too(
    keys: tuple[int, ...], places: int, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = query(INSERT.format(len(keys), ", ".join(map(str, keys)), places), model)

    def states(answer: Answer) -> list[tuple[object, ...]]:
        return sorted((state.values, state.thin_air) for state in answer.states)

    found = states(decide_with_solver(asked))
    monkeypatch.setattr(dependency, "_nearest", lambda reads, _direct, _implied: reads)

    assert found == states(decide_with_solver(asked))
    assert found == states(decide_explicitly(asked))
