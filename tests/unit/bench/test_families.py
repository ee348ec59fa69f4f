"""The families mean what they say: each is a litmus test whose states are those that counting gives."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, product
from typing import TYPE_CHECKING, Final

import pytest
from msgspec.structs import replace

from bench.registry import FAMILIES
from mcm import EngineName, Source, Status, Verdict, check_all
from mcm.answer.query import Query
from mcm.catalogue import registry
from mcm.engine.choose import is_settled, lacks_only_states
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.syntax.parse import parse
from mcm.syntax.printer import print_litmus

if TYPE_CHECKING:
    from mcm.answer.shown_states import ShownState


# What the solver takes long for: work-groups that wait for each other, or that count together.
WAITING: Final = (
    *(
        "spin-lock",
        "locked-sum",
        "lock-across-groups",
        "first-initialises",
        "tried-sum",
        "float-sum",
        "cas-lock",
        "spinning-ticket-lock",
        "sense-barrier",
        "two-round-barrier",
        "latch",
    ),
    *("look-back", "look-back-groups", "look-back-tickets", "look-back-words"),
    *("mcs-lock", "clh-lock", "semaphore", "readers-writer-lock", "readers-first-lock", "array-lock"),
    *(
        "maximum",
        "popped-stack",
        "visited",
        "frontier",
        "jobs",
        "compaction",
        "group-compaction",
        "group-jobs",
        "scatter",
        "hash-table",
        "bounded-queue",
    ),
    *("histogram-groups", "histogram-large", "histogram-seq-cst", "last-block", "last-block-seq-cst", "last-of-all"),
)


def _states(name: str, size: int, engine: EngineName) -> tuple[ShownState, ...]:
    family = FAMILIES[name]
    source = Source(f"{name}.{size}", family.litmus(size))
    (result,) = check_all(source, models=(family.model,), engine=engine)
    assert result.status is Status.OK
    assert not result.undefined
    assert not result.diagnostics
    return result.states


def _seen_twice_by_two(k: int) -> int:
    """What two threads that read twice can see of two threads that write k times, by all orders of the writes."""
    seen: set[tuple[tuple[int, ...], ...]] = set()
    for places in combinations(range(2 * k), k):
        first, second = iter(range(1, k + 1)), iter(range(k + 1, 2 * k + 1))
        order = [0, *(next(first) if place in places else next(second) for place in range(2 * k))]
        pairs = list(combinations_with_replacement(order, 2))
        seen.update(product(pairs, pairs))
    return len(seen)


def test_there_is_a_family_for_every_shape_that_is_promised() -> None:
    assert list(FAMILIES) == [
        "SB+rlx",
        "SB+sc",
        "SB+sc-fences",
        "SB+sc.dev",
        "writers",
        "2xk+2R",
        "counter",
        "tried-sum",
        "float-sum",
        "IRIW+rel+acq",
        "IRIW+sc.dev",
        "ISA2",
        "MP+groups",
        "ticket-lock",
        "queue",
        "reduction",
        "scan",
        "bitonic-sort",
        "merge-sort",
        "list-ranking",
        "segmented-scan",
        "rounds-flag",
        "rounds-group-function",
        "odd-even-sort",
        "bellman-ford",
        "last-block",
        "last-block-seq-cst",
        "last-of-all",
        "histogram",
        "histogram-groups",
        "histogram-large",
        "histogram-seq-cst",
        "histogram-missed",
        "histogram-missed-large",
        "reduction-race",
        "scan-race",
        "histogram-race",
        "group-functions",
        "turns",
        "tokens",
        "wavefront",
        "gathering",
        "spin-lock",
        "locked-sum",
        "lock-across-groups",
        "leader",
        "group-leader",
        "first-initialises",
        "cas-lock",
        "spinning-ticket-lock",
        "sense-barrier",
        "two-round-barrier",
        "latch",
        "look-back",
        "look-back-groups",
        "look-back-tickets",
        "look-back-words",
        "mcs-lock",
        "clh-lock",
        "semaphore",
        "readers-writer-lock",
        "readers-first-lock",
        "array-lock",
        "maximum",
        "popped-stack",
        "pushed-stack",
        "visited",
        "frontier",
        "jobs",
        "compaction",
        "group-compaction",
        "group-jobs",
        "scatter",
        "hash-table",
        "bounded-queue",
    ]


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
@pytest.mark.parametrize("name", [name for name, family in FAMILIES.items() if family.states and name not in WAITING])
def test_smallest_sizes_have_the_states_that_counting_gives(name: str, engine: EngineName) -> None:
    family = FAMILIES[name]
    # By one engine alone, the second size of these takes seconds.
    sizes = 1 if name in {"bellman-ford", "odd-even-sort", "merge-sort"} else 2
    for size in range(family.smallest, family.smallest + sizes):
        assert len(_states(name, size, engine)) == family.states(size)


@pytest.mark.parametrize("name", ["reduction-race", "scan-race", "histogram-race"])
def test_kernels_that_lack_a_barrier_are_undefined(name: str) -> None:
    (result,) = check_all(Source(name, FAMILIES[name].litmus(8 if name != "histogram-race" else 1)))
    assert result.verdict is Verdict.UNDEFINED


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_of_what_is_added_too_early_each_group_may_miss_one(groups: int) -> None:
    family = FAMILIES["histogram-missed"]
    (result,) = check_all(Source(f"missed.{groups}", family.litmus(groups)), models=(family.model,))
    assert [tuple(state.values.values()) for state in result.states] == [(n,) for n in range(groups, 2 * groups + 1)]


@pytest.mark.parametrize("name", WAITING)
def test_families_of_groups_have_one_state(name: str) -> None:
    family = FAMILIES[name]
    (result,) = check_all(Source(name, family.litmus(2)), models=(family.model,))
    assert result.verdict in {Verdict.REQUIRED, Verdict.ALLOWED}
    assert len(result.states) == family.states(2) == 1
    assert result.states[0].satisfies


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
def test_writers_and_readers_see_what_the_orders_of_the_writes_allow(engine: EngineName) -> None:
    assert len(_states("2xk+2R", 1, engine)) == _seen_twice_by_two(1) == 47
    assert len(_states("2xk+2R", 2, engine)) == _seen_twice_by_two(2) == 343


def test_sequentially_consistent_reads_see_what_interleavings_allow() -> None:
    # x and y are written in either order; each reader reads both, from opposite ends: all but the two who disagree.
    assert FAMILIES["IRIW+sc.dev"].states(4) == 15
    assert FAMILIES["IRIW+sc.dev"].states(2) == 4


@pytest.mark.parametrize("name", ["ISA2", "MP+groups", "ticket-lock", "SB+sc"])
def test_condition_asks_for_what_must_not_happen(name: str) -> None:
    assert not any(state.satisfies for state in _states(name, FAMILIES[name].smallest, EngineName.AUTO))


@pytest.mark.parametrize(
    "name", ["SB+rlx", "writers", "counter", "IRIW+rel+acq", "queue", "reduction", "scan", "bitonic-sort", "histogram"]
)
def test_condition_asks_for_what_may_happen(name: str) -> None:
    assert any(state.satisfies for state in _states(name, FAMILIES[name].smallest, EngineName.AUTO))


@pytest.mark.parametrize("name", FAMILIES)
def test_large_members_are_well_formed_too(name: str) -> None:
    text = FAMILIES[name].litmus(16)
    tree = parse(Source(name, text))
    assert tree.name == f"{name}.16"
    assert print_litmus(parse(Source(name, print_litmus(tree)))) == print_litmus(tree)
    assert text == FAMILIES[name].litmus(16)


@pytest.mark.parametrize("name", FAMILIES)
def test_each_family_says_what_it_is_in_a_sentence(name: str) -> None:
    title = FAMILIES[name].title
    assert title.endswith(".")
    assert len(title) <= 120


def test_groups_that_take_numbers_are_looked_at_in_one_order() -> None:
    (result,) = check_all(Source("look-back-tickets", FAMILIES["look-back-tickets"].litmus(5)))
    assert result.verdict is Verdict.REQUIRED


def test_what_work_items_put_into_ranges_of_their_own_is_left_out() -> None:
    program = read_test(Source("group-compaction", FAMILIES["group-compaction"].litmus(8))).program
    query = Query(elaborate(program), registry.get("opencl-3.0"), observed_by(program), wants_witnesses=False)
    places = (e.locations for e in query.skeletons[0].events if e.kind is EventKind.INITIAL)
    everything = replace(query, observed=tuple(location for its in places for location in its))

    assert is_settled(query)
    # Who has which place is open, and nothing else.
    assert not is_settled(everything)
    assert lacks_only_states(everything)
