"""What comes before who finds a counter at its end: it is shown without a search, and so by the solver."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm.answer.query import Limits, Query, SolverName
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.choose import EngineName, decide
from mcm.engine.explicit.settled.last_update import before_the_last
from mcm.engine.explicit.settled.sure_waits import with_sure_waits
from mcm.engine.explicit.settled.synchronising import synchronisation
from mcm.engine.smt.awaiting import shown_of
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.execution.skeleton import Skeleton
    from mcm.program.program import Program

OPENCL = "opencl-3.0"
ADD = "atomic_fetch_add_explicit(n, 1, memory_order_{order}, memory_scope_{scope})"


def program_of(*bodies: str, start: int = 0) -> Program:
    threads = "\n".join(
        f"P{number}@wg {number}, dev 0 (global atomic_int* n, global int* a) {{ int r = 0; {body} }}"
        for number, body in enumerate(bodies)
    )
    text = f"OPENCL last\n{{ [n]={start}; int a[4]; }}\n{threads}\nexists (0:r=0)\n"
    return read_test(Source("last", text)).program


def skeleton_of(program: Program) -> Skeleton:
    (skeleton,) = elaborate(program, 2, waiting=True)
    return skeleton


def counted(order: str = "acq_rel", scope: str = "device", when: str = "== 2", count: int = 3) -> list[str]:
    """Threads that each write an element, and count; who is the last reads what another one wrote."""
    add = ADD.format(order=order, scope=scope)
    return [f"a[{number}] = 1; if ({add} {when}) {{ r = a[{(number + 1) % count}]; }}" for number in range(count)]


def shown(program: Program) -> tuple[int, int]:
    """How many waits are shown, all of which the solver shows too, and how many there are."""
    chosen = registry.get(OPENCL)
    found = synchronisation(skeleton_of(program), chosen)
    if found is None:
        return 0, 0
    waits = before_the_last(found.part, chosen)
    by_solver, _ = shown_of(found.part, chosen, Limits(), SolverName.AUTO)
    assert waits <= by_solver
    return len(waits), len(found.part.waits)


@pytest.mark.parametrize("order", ["acq_rel", "seq_cst"])
def test_who_is_the_last_comes_after_all_others(order: str) -> None:
    assert shown(program_of(*counted(order))) == (6, 6)


@pytest.mark.parametrize(
    ("order", "scope", "when"),
    [
        ("relaxed", "device", "== 2"),
        ("release", "device", "== 2"),
        ("acquire", "device", "== 2"),
        ("acq_rel", "work_group", "== 2"),
        ("acq_rel", "device", "== 1"),
        ("acq_rel", "device", ">= 1"),
        ("acq_rel", "device", "!= 0"),
    ],
)
def test_orders_scopes_and_numbers_matter(order: str, scope: str, when: str) -> None:
    assert shown(program_of(*counted(order, scope, when)))[0] == 0


@pytest.mark.parametrize("when", [">= 2", "> 1", "== 2 && r == 0", "== 3 - 1"])
def test_any_guard_that_only_the_last_value_satisfies_will_do(when: str) -> None:
    assert shown(program_of(*counted(when=when)))[0] == 6


def test_a_counter_counts_down_from_any_number() -> None:
    bodies = [body.replace("fetch_add", "fetch_sub") for body in counted(when="== 5")]
    assert shown(program_of(*bodies, start=7))[0] == 6


@pytest.mark.parametrize(
    "other",
    [
        "atomic_store_explicit(n, 0, memory_order_relaxed, memory_scope_device);",
        "if (a[3]) { atomic_fetch_add_explicit(n, 1, memory_order_acq_rel, memory_scope_device); }",
        "atomic_fetch_add_explicit(n, 2, memory_order_acq_rel, memory_scope_device);",
        "atomic_fetch_max_explicit(n, 1, memory_order_acq_rel, memory_scope_device);",
    ],
)
def test_nothing_else_may_write_the_counter(other: str) -> None:
    assert shown(program_of(*counted(when=">= 2"), other))[0] == 0


def test_who_reads_all_that_was_counted_comes_after_all() -> None:
    wait = "while (atomic_load_explicit(n, memory_order_acquire, memory_scope_device) < 3) { }"
    bodies = [
        f"a[{number}] = 1; {ADD.format(order='release', scope='device')}; {wait} r = a[{(number + 1) % 3}];"
        for number in range(3)
    ]
    # With release alone, the updates do not come after each other.
    assert shown(program_of(*bodies))[0] == 0
    both = [body.replace("memory_order_release", "memory_order_acq_rel") for body in bodies]
    found, all_ = shown(program_of(*both))
    # Of each of three, both others.
    assert (found, all_ > found) == (6, True)


def test_updates_that_may_read_older_writes_tell_nothing() -> None:
    program = program_of(*counted())
    model = registry.get(OPENCL)
    found = synchronisation(skeleton_of(program), model)
    assert found is not None
    assert before_the_last(found.part, replace(model, checks=())) == frozenset()


def random_body(random: Random, number: int, count: int) -> str:
    order = random.choice(("acq_rel", "acq_rel", "seq_cst", "release", "relaxed"))
    scope = random.choice(("device", "device", "device", "work_group"))
    when = random.choice((f"== {count - 1}", f"> {count - 2}", f"== {count - 2}", f">= {random.randrange(count)}"))
    add = ADD.format(order=order, scope=scope)
    fence = "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);"
    before, after = (fence if random.random() < 0.3 else "" for _ in range(2))
    return f"a[{number}] = 1; {before} if ({add} {when}) {{ {after} r = a[{random.randrange(count)}]; }}"


def test_random_programs_keep_their_answers() -> None:
    random = Random(5)  # noqa: S311 - nothing secret
    smaller = 0
    for _ in range(30):
        count = random.choice((2, 3))
        program = program_of(*(random_body(random, number, count) for number in range(count)))
        shown(program)
        model, watched = registry.get(OPENCL), observed_by(program)
        skeleton = skeleton_of(program)
        left = with_sure_waits(skeleton, model, watched)
        smaller += len(left.events) < len(skeleton.events)
        query = Query((skeleton,), model, watched, wants_witnesses=False)
        whole, part = (decide(replace(query, skeletons=(each,)), EngineName.EXPLICIT) for each in (skeleton, left))
        assert [state.values for state in whole.states] == [state.values for state in part.states]
        assert {flag.name for flag in whole.flags} == {flag.name for flag in part.flags}
    assert smaller > 2
