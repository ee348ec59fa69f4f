"""Random kernels have the same answers where reads are supposed to return what a run reads, and where they are not.

`MCM_KERNEL_COUNT` and `MCM_KERNEL_SEED` choose how many are compared, and which.
"""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, Final

import pytest
from conditional_generate import conditional_kernel
from data_generate import data_kernel
from dependent_generate import dependent_kernel
from kernels_generate import kernel_from_seed
from msgspec.structs import replace
from rounds_generate import rounds_kernel
from sub_groups_generate import sub_groups_kernel

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.confirm import undefined_behaviour
from mcm.engine.choose import objects_of_suppositions
from mcm.engine.explicit.decide import decide
from mcm.execution.elaborate import elaborate
from mcm.execution.expression import Constant
from mcm.execution.supposition import NOTHING_SUPPOSED, FalseSuppositionError, Suppositions
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.queries import needs_no_dependencies
from mcm.supposing import reads_of_run, results_of_groups, supposed_query

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.answer.answer import Answer
    from mcm.program.program import Program

pytestmark = pytest.mark.slow

SEED: Final = os.environ.get("MCM_KERNEL_SEED", "2026")
COUNT: Final = int(os.environ.get("MCM_KERNEL_COUNT", "11"))
MODELS: Final = ("opencl-3.0", "opencl-3.1", "sycl-2020", "opencl-scoped", "c11", "c20", "c11-simp")
KINDS: Final = (
    *(data_kernel, rounds_kernel, data_kernel, dependent_kernel, conditional_kernel, kernel_from_seed),
    *(sub_groups_kernel, sub_groups_kernel),
)
LIMITS: Final = Limits(seconds=600, nodes=100)
# Larger ones take long to search where nothing is supposed.
MOST_EVENTS: Final = 130
# More than any loop of these kernels is repeated.
BOUND: Final = 5


def program_of(number: int) -> Program:
    text = KINDS[number % len(KINDS)](SEED, number)
    return read_test(Source("kernel", text)).program


def asker(program: Program, model: str) -> Callable[[Suppositions], Query]:
    def query_of(supposed: Suppositions) -> Query:
        skeletons = elaborate(program, BOUND, waiting=True, supposed=supposed)
        return Query(skeletons, registry.get(model), observed_by(program), limits=LIMITS, wants_witnesses=False)

    return query_of


def said(answer: Answer) -> tuple[object, ...]:
    """What an answer says, without the executions that show it."""
    flags = {
        (
            flag.name,
            frozenset((e.thread, e.span.start) for e in map(flag.witness.skeleton.events.__getitem__, flag.events)),
        )
        for flag in answer.flags
    }
    faults = {(raised.fault.kind, raised.fault.why, frozenset(raised.fault.spans)) for raised in answer.faults}
    states = [(state.values, state.satisfies, state.thin_air) for state in answer.states]
    return states, flags, faults, answer.bounded, answer.waits, answer.complete_exists


def assert_same(query_of: Callable[[Suppositions], Query], query: Query, text: str) -> None:
    everything = query_of(NOTHING_SUPPOSED)
    if any(len(skeleton.events) > MOST_EVENTS for skeleton in everything.skeletons):
        pytest.skip("too many events")
    plain, supposed = decide(everything), decide(query)
    if plain.undecided is not None or supposed.undecided is not None:
        pytest.skip("too many executions")

    assert said(supposed) == said(plain), text


@pytest.mark.parametrize("number", range(COUNT))
def test_answers_are_the_same_with_suppositions(number: int) -> None:
    model = MODELS[number % len(MODELS)]
    program = program_of(number)
    query_of = asker(program, model)
    run = undefined_behaviour(program, registry.get(model), range(1)).last
    assert run is not None
    assert needs_no_dependencies(registry.get(model))
    query = supposed_query(program, run, query_of)
    if query is not None:  # the last test shows that this is so of most
        assert_same(query_of, query, program.source.text)


@pytest.mark.parametrize("number", range(COUNT))
def test_what_is_not_so_is_not_shown(number: int) -> None:
    """One read, or call, is supposed to return something else than in the run; what is shown all the same is so."""
    model = MODELS[number % len(MODELS)]
    program = program_of(number)
    query_of = asker(program, model)
    run = undefined_behaviour(program, registry.get(model), range(1)).last
    assert run is not None
    reads = reads_of_run(program, run) | results_of_groups(run)
    random = Random(f"{SEED} false {number}")  # noqa: S311 - nothing secret
    for place in random.sample(sorted(reads, key=repr), min(3, len(reads))):
        found = reads[place]
        assert isinstance(found.value.value, int)
        other = replace(found, value=Constant(found.value.value + random.choice((-1, 1, 2))))
        try:
            query = query_of(reads | {place: other})
        except FalseSuppositionError:
            continue
        if not objects_of_suppositions(query):
            assert_same(query_of, query, program.source.text)


def test_suppositions_are_shown_of_most_kernels_in_which_data_decides() -> None:
    numbers = [number for number in range(48) if KINDS[number % len(KINDS)] in (data_kernel, rounds_kernel)]
    shown = 0
    for program in map(program_of, numbers):
        run = undefined_behaviour(program, registry.get("opencl-3.0"), range(1)).last
        shown += run is not None and supposed_query(program, run, asker(program, "opencl-3.0")) is not None

    assert shown > len(numbers) / 2
