"""On random small programs the search finds exactly what listing every execution finds."""

from __future__ import annotations

from math import factorial, prod
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from naive import expected, final
from small_models import MODELS
from small_programs import Builder

from mcm.answer.query import Query
from mcm.catalogue.evaluate import evaluate_model
from mcm.catalogue.registry import get
from mcm.engine.explicit.decide import decide
from mcm.execution.expression import BinaryValue, Constant, ReadValue, Select
from mcm.program.topology import HostThread, WorkItem, sub_group
from mcm.program.types import AllocationKind, Location, Order, Region, Scalar, Scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.answer.answer import Answer
    from mcm.cat.model import Model
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable

pytestmark = pytest.mark.slow

READ_ORDERS = (None, Order.RELAXED, Order.ACQUIRE, Order.SEQ_CST)
WRITE_ORDERS = (None, Order.RELAXED, Order.RELEASE, Order.SEQ_CST)
UPDATE_ORDERS = (Order.RELAXED, Order.ACQ_REL, Order.SEQ_CST)


PLACEMENTS = (
    WorkItem(),
    WorkItem(sub_group(work_group=1)),
    WorkItem(sub_group(device=1, kernel_instance=1)),
    HostThread(),
)
SCOPES = (Scope.WORK_GROUP, Scope.DEVICE, Scope.ALL_SVM_DEVICES)


def random_skeleton(random: Random) -> Skeleton:
    """Two or three threads of up to six accesses in all, with control, data and address dependencies and choices."""
    builder = Builder(locations=2)
    budget = {"read": 4, "write": 5, "update": 2}
    scope = random.choice(SCOPES)
    if random.random() < 0.3:
        builder.regions[1] = Region.LOCAL
    if random.random() < 0.5:
        builder.allocations[0] = random.choice(tuple(AllocationKind))
    for _ in range(random.choice((2, 2, 3))):
        thread = builder.thread(random.choice(PLACEMENTS) if random.random() < 0.4 else None)
        read = None
        for _ in range(random.choice((1, 2, 2, 3))):
            kind = random.choice(("read", "read", "write", "write", "write", "update", "fence"))
            if budget.get(kind, 9) == 0:
                continue
            budget[kind] = budget.get(kind, 9) - 1
            builder.scope = scope if random.random() < 0.8 else random.choice(SCOPES)
            guard = Constant(1)
            if read is not None and random.random() < 0.25:
                guard = BinaryValue(
                    random.choice(("==", "!=")), ReadValue(read), Constant(random.choice((0, 1))), Scalar.INT
                )
            elif builder.choices == 0 and random.random() < 0.1:
                guard = builder.choice()
            place = random.randrange(2)
            if read is not None and kind != "update" and random.random() < 0.15:
                place = Select(ReadValue(read), Constant(Location(0)), Constant(Location(1)))
            match kind:
                case "read":
                    budget["update"] = min(budget["update"], 1)
                    new = builder.read(thread, place, random.choice(READ_ORDERS), guard)
                    read = new if guard == Constant(1) else read
                case "write":
                    value = ReadValue(read) if read is not None and random.random() < 0.3 else random.choice((1, 2))
                    builder.write(thread, place, value, random.choice(WRITE_ORDERS), guard)
                case "update":
                    budget["read"] -= 1
                    builder.update(thread, place, 1, random.choice(UPDATE_ORDERS), guard)
                case "fence":
                    builder.fence(thread, random.choice((Order.ACQ_REL, Order.SEQ_CST)), guard)
    return builder.skeleton()


def alike_skeleton(random: Random) -> Skeleton:
    """Three threads that do the same, and perhaps one that does not."""
    builder = Builder(locations=2)
    steps = [(random.choice(("read", "write", "update")), random.randrange(2)) for _ in range(random.choice((1, 1, 2)))]
    if len(steps) == 2:
        steps[random.randrange(2)] = ("write", random.randrange(2))
    orders = [
        random.choice({"read": READ_ORDERS, "write": WRITE_ORDERS, "update": UPDATE_ORDERS}[kind]) for kind, _ in steps
    ]
    value, uses_choice, copies = random.choice((1, 2)), random.random() < 0.3, random.random() < 0.3
    for _ in range(3):
        thread = builder.thread()
        read = None
        guard = builder.choice() if uses_choice else Constant(1)
        for (kind, place), order in zip(steps, orders, strict=True):
            match kind:
                case "read":
                    read = builder.read(thread, place, order, guard)
                case "write":
                    copied = copies and read is not None and not uses_choice
                    builder.write(thread, place, ReadValue(read) if copied else value, order, guard)
                case "update":
                    builder.update(thread, place, 1, order, guard)
    if random.random() < 0.5:
        thread = builder.thread()
        builder.write(thread, 0, 1, random.choice(WRITE_ORDERS))
        if not any(kind == "update" for kind, _ in steps):
            builder.read(thread, 1, random.choice(READ_ORDERS))
    return builder.skeleton()


def found(skeleton: Skeleton, model: Model, observed: tuple[Observable, ...], **options: Any) -> Answer:
    return decide(Query((skeleton,), model, observed, **options))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize("seed", range(16))
def test_search_finds_what_enumeration_finds(model: Model, seed: int) -> None:
    compare(model, seed)


@pytest.mark.parametrize("name", ["opencl-3.0", "opencl-3.1", "opencl-scoped", "opencl-2.0-cond", "c11", "rc11", "c20"])
@pytest.mark.parametrize("seed", range(3))
def test_search_finds_what_enumeration_finds_under_shipped_models(name: str, seed: int) -> None:
    compare(get(name), seed)


@pytest.mark.parametrize("model", MODELS[1:3], ids=lambda model: model.name)
@pytest.mark.parametrize("seed", range(8))
def test_threads_that_are_alike_are_exchanged_soundly(model: Model, seed: int) -> None:
    compare(model, seed, alike_skeleton)


# How many candidates the enumeration may have to judge.
MOST = 1500


def effort(skeleton: Skeleton, model: Model) -> int:
    """About how many candidates the enumeration has to judge."""
    written = [sum(e.kind.writes and place in e.locations for e in skeleton.events) for place in map(Location, (0, 1))]
    read = sum(e.kind.reads for e in skeleton.events)
    ordered = sum(e.order is Order.SEQ_CST for e in skeleton.events) if model.linearisations else 0
    return max(written) ** read * prod(factorial(max(0, n - 1)) for n in written) * factorial(ordered)


def compare(model: Model, seed: int, generate: Callable[[Random], Skeleton] = random_skeleton) -> None:
    random = Random(seed)  # noqa: S311 - nothing secret
    skeleton = generate(random)
    while effort(skeleton, model) > MOST:
        skeleton = generate(random)
    everything = (*skeleton.registers, Location(0), Location(1))
    observed = tuple(what for what in everything if random.random() < 0.8)
    answer = found(skeleton, model, observed)
    naive = expected(skeleton, model, observed, frozenset(range(5)))
    assert answer.undecided is None
    assert {state.values: state.thin_air for state in answer.states} == naive.states
    assert {flag.name for flag in answer.flags} == naive.flags
    pairs = {(flag.name, frozenset(flag.events)) for flag in answer.flags}
    assert {(name, events) for name, events in pairs if name not in {"quiet", "circle"}} == naive.pairs
    for state in answer.states:
        assert evaluate_model(state.witness, model).violated == ()
        assert tuple(final(state.witness, what) for what in observed) == state.values
    for flag in answer.flags:
        evaluation = evaluate_model(flag.witness, model)
        assert evaluation.violated == ()
        assert flag.name in evaluation.raised
    counted = found(skeleton, model, observed, counts=True, wants_flags=False)
    assert {state.values: state.executions for state in counted.states} == naive.counts
