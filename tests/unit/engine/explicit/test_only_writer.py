"""What comes before who reads what only one write can have written: it is shown without a search, and by the solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.answer.query import Limits, SolverName
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.settled import only_writer
from mcm.engine.explicit.settled.only_writer import asks_for_the_only_writer, behind_the_only_writer
from mcm.engine.explicit.settled.synchronising import synchronisation
from mcm.engine.smt.awaiting import shown_of
from mcm.execution.elaborate import elaborate
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.execution.skeleton import Skeleton

OPENCL = "opencl-3.0"


def store(value: str = "1", order: str = "release", scope: str = "device") -> str:
    return f"atomic_store_explicit(f, {value}, memory_order_{order}, memory_scope_{scope});"


def load(order: str = "acquire", scope: str = "device") -> str:
    return f"atomic_load_explicit(f, memory_order_{order}, memory_scope_{scope})"


def skeleton_of(*bodies: str, start: str = "[f]=0") -> Skeleton:
    threads = "\n".join(
        f"P{number}@wg {number}, dev 0 (global atomic_int* f, global int* a) {{ int r = 0; {body} }}"
        for number, body in enumerate(bodies)
    )
    text = f"OPENCL only\n{{ {start}; int a[4]; }}\n{threads}\nexists (0:r=0)\n"
    (skeleton,) = elaborate(read_test(Source("only", text)).program, 2, waiting=True)
    return skeleton


def is_shown(skeleton: Skeleton) -> bool:
    """Whether some wait is shown, and all that are by the solver too."""
    model = registry.get(OPENCL)
    found = synchronisation(skeleton, model)
    if found is None:
        return False
    waits = behind_the_only_writer(found.part)
    by_solver, _ = shown_of(found.part, model, Limits(), SolverName.AUTO)
    assert waits <= by_solver
    return bool(waits)


def test_a_flag_that_begins_without_a_value_begins_with_what_stands_in_for_it() -> None:
    how = "memory_scope_work_group"
    text = f"""OPENCL local_flag
{{ int a[2]; }}
kernel K (global int* a) {{
  local atomic_int f; local int b; int me = get_local_id(0);
  if (me == 0) {{ b = 1; atomic_store_explicit(&f, 1, memory_order_release, {how}); }}
  else {{ while (atomic_load_explicit(&f, memory_order_acquire, {how}) == 0) {{ }} a[me] = b; }}
}}
launch K global 2, local 2, dev 0;
locations [a;]
"""
    (skeleton,) = elaborate(read_test(Source("local_flag", text)).program, 2, waiting=True)

    assert is_shown(skeleton)


RAISED = f"a[0] = 1; {store()}"
AWAITED = f"while ({load()} == 0) {{ }} r = a[0];"


def test_who_waits_for_a_flag_waits_for_the_one_who_raises_it() -> None:
    assert is_shown(skeleton_of(RAISED, AWAITED))
    assert is_shown(skeleton_of(RAISED, f"if ({load()} == 1) {{ r = a[0]; }}"))
    assert is_shown(skeleton_of(f"a[0] = 1; int v = a[1]; {store('v + 1')}", AWAITED))


@pytest.mark.parametrize(
    ("raised", "awaited"),
    [
        pytest.param(f"a[0] = 1; {store(order='relaxed')}", AWAITED, id="a store that does not release"),
        pytest.param(RAISED, f"while ({load('relaxed')} == 0) {{ }} r = a[0];", id="a load that does not acquire"),
        pytest.param(f"a[0] = 1; {store(scope='work_group')}", AWAITED, id="too narrow a scope"),
        pytest.param(RAISED, f"if ({load()} < 2) {{ r = a[0]; }}", id="the initial value will do"),
        pytest.param(f"a[0] = 1; {store()} {store()}", AWAITED, id="two stores"),
        pytest.param(f"a[0] = 1; int v = a[1]; {store('v')} {store()}", AWAITED, id="not known what one store gives"),
    ],
)
def test_each_condition_counts(raised: str, awaited: str) -> None:
    model = registry.get(OPENCL)
    found = synchronisation(skeleton_of(raised, awaited), model)

    assert found is None or not behind_the_only_writer(found.part)


def fence(order: str, scope: str = "device") -> str:
    return f"atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_{order}, memory_scope_{scope});"


@pytest.mark.parametrize(
    ("before", "stored", "loaded", "behind", "expected"),
    [
        (fence("release"), "relaxed", "relaxed", fence("acquire"), True),
        (fence("release"), "relaxed", "acquire", "", True),
        ("", "release", "relaxed", fence("acquire"), True),
        ("", "relaxed", "relaxed", fence("acquire"), False),
        (fence("release"), "relaxed", "relaxed", "", False),
        (fence("acquire"), "relaxed", "relaxed", fence("acquire"), False),
        (fence("release", "work_group"), "relaxed", "relaxed", fence("acquire"), False),
        (fence("release"), "relaxed", "relaxed", fence("acquire", "work_group"), False),
    ],
)
def test_fences_synchronise_too(before: str, stored: str, loaded: str, behind: str, *, expected: bool) -> None:
    raised = f"a[0] = 1; {before} {store(order=stored)}"
    awaited = f"while ({load(loaded)} == 0) {{ }} {behind} r = a[0];"
    found = synchronisation(skeleton_of(raised, awaited), registry.get(OPENCL))

    assert (found is not None and bool(behind_the_only_writer(found.part))) is expected
    assert not expected or is_shown(skeleton_of(raised, awaited))


@pytest.mark.parametrize(
    ("raised", "awaited"),
    [
        (f"a[0] = 1; if (a[1]) {{ {fence('release')} }} {store(order='relaxed')}", AWAITED),
        (RAISED, f"while ({load('relaxed')} == 0) {{ }} if (a[2]) {{ {fence('acquire')} }} r = a[0];"),
    ],
)
def test_a_fence_that_may_not_be_executed_does_not_count(raised: str, awaited: str) -> None:
    found = synchronisation(skeleton_of(raised, awaited), registry.get(OPENCL))

    assert found is None or not behind_the_only_writer(found.part)


def test_a_fence_behind_the_store_comes_too_late() -> None:
    raised = f"a[0] = 1; {store(order='relaxed')} {fence('release')}"
    found = synchronisation(skeleton_of(raised, AWAITED), registry.get(OPENCL))

    assert found is None or not behind_the_only_writer(found.part)


def test_a_flag_that_a_third_one_may_raise_as_well_tells_nothing() -> None:
    assert not is_shown(skeleton_of(RAISED, AWAITED, store()))
    # But one with another number does.
    assert is_shown(skeleton_of(RAISED, f"while ({load()} != 1) {{ }} r = a[0];", store("2")))


def test_without_a_guard_on_a_load_nothing_is_asked() -> None:
    assert asks_for_the_only_writer(skeleton_of(RAISED, AWAITED))
    assert not asks_for_the_only_writer(skeleton_of(RAISED, f"r = {load()};"))


def test_no_guard_is_looked_at_where_nothing_tells_writes_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops of hosts have thousands of guards, of thousands of parts, and as many loads of what commands count."""

    def evaluated(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(only_writer, "evaluate", evaluated)
    added = "atomic_fetch_add(f, 1);"

    assert not asks_for_the_only_writer(skeleton_of(added, AWAITED))
    assert not asks_for_the_only_writer(skeleton_of(*[f"int v = a[1]; {store('v')}"] * 2, AWAITED))
