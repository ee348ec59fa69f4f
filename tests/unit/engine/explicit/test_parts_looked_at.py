"""Guards behind a loop are each the one before and a test more: what they mention is found by looking at parts once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.settled.only_writer import asks_for_the_only_writer
from mcm.engine.explicit.settled.synchronising import synchronisation
from mcm.execution import evaluate, mentions
from mcm.execution.elaborate import elaborate
from mcm.execution.expression import operands
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton

# It goes round as long as what it reads in memory leads on to other elements.
TEXT = """OPENCL parents
{ parent = {0, 1, 2, 3}; data = {0, 0, 0, 0}; }
kernel void P (global atomic_int* parent, global int* data) {
  int me = get_global_id(0);
  int x = me;
  while (true) {
    int p = atomic_load_explicit(&parent[x], memory_order_relaxed, memory_scope_device);
    if (p == x) break;
    int e = p;
    if (atomic_compare_exchange_strong_explicit(&parent[x], &e, x, memory_order_relaxed, memory_order_relaxed, memory_scope_device)) data[me] = x;
    x = p;
  }
}
launch P global 2, local 1
exists (data[0]=0)
"""  # noqa: E501 - calls of C


def skeleton_of(bound: int) -> Skeleton:
    (skeleton,) = elaborate(read_test(Source("parents", TEXT)).program, bound, waiting=True)
    return skeleton


def looked_at(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> int:
    """How many parts of expressions are looked into."""
    count = 0

    def counted(expression: Expression) -> tuple[Expression, ...]:
        nonlocal count
        count += 1
        return operands(expression)

    with monkeypatch.context() as patch:
        for module in (evaluate, mentions):
            patch.setattr(module, "operands", counted)
        act()
    return count


# At the bound of 16. What each expression was looked into anew for was 70,000, 190,000 and 120,000.
BOUND = 16


def test_no_guard_is_looked_into_where_no_load_has_one_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    skeleton = skeleton_of(BOUND)
    assert looked_at(monkeypatch, lambda: asks_for_the_only_writer(skeleton)) == 0


def test_what_synchronises_is_found_by_looking_at_parts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    skeleton = skeleton_of(BOUND)
    assert looked_at(monkeypatch, lambda: synchronisation(skeleton, registry.get("opencl-3.0"))) < 50_000


def test_so_are_the_constraints_of_iterations_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked_at(monkeypatch, lambda: skeleton_of(BOUND)) < 60_000
