"""Random kernels have the same answers with and without what the explicit engine takes out before it searches.

`MCM_KERNEL_COUNT` and `MCM_KERNEL_SEED` choose how many are compared, and which.
"""

from __future__ import annotations

import os
import re
from random import Random
from typing import TYPE_CHECKING, Final

import pytest
from conditional_generate import conditional_kernel
from dependent_generate import dependent_kernel
from kernels_generate import kernel_from_seed, synchronising
from msgspec.structs import replace

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide, open_skeleton
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.engine.smt.decide import decide as decide_with_solver
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.answer.answer import Answer

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_KERNEL_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_KERNEL_COUNT", "16"))
MODELS: Final = ("opencl-3.0", "opencl-3.1", "sycl-2020", "opencl-scoped", "c11", "c20", "c11-simp")
NEVER: Final = 1 << 60
# An update that is a statement.
_UPDATE: Final = re.compile(r"(?<!= )(atomic_fetch_\w+_explicit\([^;]*;)")
_STORED: Final = re.compile(
    r"(?<!= )atomic_(?:fetch_\w+|store)_explicit\(([^,]+), [^;]+, memory_order_(\w+)(, memory_scope_\w+)\);"
)
# A search of one part in a hundred is given up: all executions of these kernels are many.
LIMITS: Final = Limits(seconds=600, nodes=20_000)


def query_of(number: int, model: str) -> Query:
    return query_about(kernel_from_seed(SEED, number), model)


def query_about(text: str, model: str) -> Query:
    program = read_test(Source("kernel", text)).program
    skeletons = elaborate(program, waiting=True)
    observed = observed_by(program)
    return Query(skeletons, registry.get(model), observed, limits=LIMITS, wants_witnesses=False)


def said(answer: Answer) -> tuple[object, ...]:
    """What an answer says, without the executions that show it."""
    flags = {
        (
            flag.name,
            frozenset(
                (e.thread, e.span.start, e.span.end) for e in map(flag.witness.skeleton.events.__getitem__, flag.events)
            ),
        )
        for flag in answer.flags
    }
    faults = {(raised.fault.kind, raised.fault.why, raised.fault.spans) for raised in answer.faults}
    states = [(state.values, state.satisfies, state.thin_air) for state in answer.states]
    return states, flags, faults, answer.bounded, answer.waits, answer.complete_exists


def chosen(count: int) -> list[tuple[int, str]]:
    return [(number, MODELS[number % len(MODELS)]) for number in range(count)]


def assert_same_without_settled_accesses(text: str, model: str) -> None:
    query = query_about(text, model)
    searched = decide(query, many_events=NEVER)
    reduced = decide(query, many_events=0)
    if searched.undecided is not None:
        pytest.skip("too many executions")

    assert reduced.undecided is None
    assert said(reduced) == said(searched), text


@pytest.mark.parametrize(("number", "model"), chosen(COUNT))
def test_answers_are_the_same_without_settled_accesses(number: int, model: str) -> None:
    assert_same_without_settled_accesses(kernel_from_seed(SEED, number), model)


@pytest.mark.parametrize(("number", "model"), chosen(COUNT // 6))
def test_the_solver_finds_the_same_states(number: int, model: str) -> None:
    query = query_of(number, model)
    reduced = decide(query, many_events=0)
    solved = decide_with_solver(replace(query, limits=Limits(seconds=20)))
    if reduced.undecided is not None or solved.undecided is not None:
        pytest.skip("too many executions")

    assert [state.values for state in reduced.states] == [state.values for state in solved.states]
    assert {flag.name for flag in reduced.flags} == {flag.name for flag in solved.flags}


@pytest.mark.parametrize(("number", "model"), chosen(COUNT // 6))
def test_the_solver_says_the_same_of_what_is_left(number: int, model: str) -> None:
    query = query_of(number, model)
    left = replace(query, skeletons=tuple(open_skeleton(skeleton, query, 0) for skeleton in query.skeletons))
    searched = decide(query, many_events=0)
    solved = decide_with_solver(left)
    if searched.undecided is not None or solved.undecided is not None:
        pytest.skip("too many executions")

    assert said(solved) == said(searched), kernel_from_seed(SEED, number)


@pytest.mark.parametrize(("number", "model"), chosen(COUNT // 4))
def test_answers_are_the_same_where_what_is_read_decides_what_is_written(number: int, model: str) -> None:
    assert_same_without_settled_accesses(dependent_kernel(SEED, number), model)


@pytest.mark.parametrize(("number", "model"), chosen(COUNT // 2))
def test_answers_are_the_same_where_barriers_are_executed_under_conditions(number: int, model: str) -> None:
    assert_same_without_settled_accesses(conditional_kernel(SEED, number), model)


@pytest.mark.parametrize(("number", "model"), chosen(COUNT // 2))
def test_answers_are_the_same_where_each_unit_updates_several_times(number: int, model: str) -> None:
    """Updates of which nobody uses what they return are repeated by the work-item that makes them."""
    repeated = _UPDATE.sub(r"{ \1 \1 }", kernel_from_seed(SEED, number))

    assert_same_without_settled_accesses(repeated, model)


def with_stores_of_constants(number: int) -> str:
    """A kernel most of whose updates, and stores, leave the same constant whatever was there."""
    random = Random(f"{SEED} constants {number}")  # noqa: S311 - nothing secret

    def stored(update: re.Match[str]) -> str:
        place, order, scope = update.groups()
        value = random.choice(("1", "1", "1", "2"))
        if random.random() < 1 / 3:
            return f"atomic_exchange_explicit({place}, {value}, memory_order_{order}{scope});"
        released = {"acq_rel": "release", "acquire": "release"}.get(order, order)
        return f"atomic_store_explicit({place}, {value}, memory_order_{released}{scope});"

    text = kernel_from_seed(SEED, number)
    return _STORED.sub(stored, synchronising(text, f"{SEED} constants {number}") if number % 3 else text)


@pytest.mark.parametrize(("number", "model"), chosen(COUNT // 3))
def test_answers_are_the_same_where_constants_are_stored(number: int, model: str) -> None:
    assert_same_without_settled_accesses(with_stores_of_constants(number), model)


def with_group_functions(number: int) -> str:
    """A kernel whose work-items tell each other what they have read, before some of its barriers or instead of them."""
    random = Random(f"{SEED} group functions {number}")  # noqa: S311 - nothing secret

    def told(barrier: re.Match[str]) -> str:
        if random.random() < 1 / 2:
            return barrier[0]
        function = random.choice(("reduce_add", "scan_inclusive_add", "scan_exclusive_max", "reduce_min", "any"))
        passed = random.choice(("t[l]", "a[g]", "r0 + l", "out[g]", "r1"))
        call = f"  {random.choice(('r0', 'r1', 'out[g]'))} = work_group_{function}({passed});\n"
        return call if random.random() < 1 / 4 else call + barrier[0]

    return re.sub(r"^  work_group_barrier\(.*\);\n", told, kernel_from_seed(SEED, number), flags=re.MULTILINE)


@pytest.mark.parametrize(("number", "model"), chosen(COUNT // 2))
def test_answers_are_the_same_where_group_functions_return_what_others_have_read(number: int, model: str) -> None:
    assert_same_without_settled_accesses(with_group_functions(number), model)


def test_something_is_taken_out_of_most_kernels() -> None:
    left = every = 0
    for number, _ in chosen(14):
        query = query_of(number, "opencl-3.0")
        for skeleton in query.skeletons:
            every += len(skeleton.events)
            left += len(without_settled(skeleton, query.model, query.observed).events)

    assert left < 0.85 * every


@pytest.mark.parametrize(("number", "model"), chosen(COUNT))
def test_answers_are_the_same_where_atomics_synchronise(number: int, model: str) -> None:
    kernel = conditional_kernel(SEED, number) if number % 4 == 0 else kernel_from_seed(SEED, number)

    assert_same_without_settled_accesses(synchronising(kernel, f"{SEED} {number}"), model)
