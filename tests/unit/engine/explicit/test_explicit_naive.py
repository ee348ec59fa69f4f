"""On random small programs the search finds exactly what listing every execution finds."""

from __future__ import annotations

from random import Random

import pytest
from naive import expected, final
from small_models import MODELS
from small_programs import Builder

from mcm.answer.query import Query
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.judge import judge
from mcm.execution.expression import BinaryValue, Constant, ReadValue, Select
from mcm.models.registry import get
from mcm.program.topology import HostThread, WorkItem
from mcm.program.types import AllocationKind, Location, Order, Region, Scalar, Scope

READ_ORDERS = (None, Order.RELAXED, Order.ACQUIRE, Order.SEQ_CST)
WRITE_ORDERS = (None, Order.RELAXED, Order.RELEASE, Order.SEQ_CST)
UPDATE_ORDERS = (Order.RELAXED, Order.ACQ_REL, Order.SEQ_CST)


PLACEMENTS = (WorkItem(), WorkItem(work_group=1), WorkItem(device=1, kernel_instance=1), HostThread())
SCOPES = (Scope.WORK_GROUP, Scope.DEVICE, Scope.ALL_SVM_DEVICES)


def random_skeleton(random: Random):
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
                guard = BinaryValue(random.choice(("==", "!=")), ReadValue(read), Constant(random.choice((0, 1))), Scalar.INT)
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


def found(skeleton, model, observed, **options):
    return decide(Query((skeleton,), model, observed, **options))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize("seed", range(30))
def test_search_finds_what_enumeration_finds(model, seed):
    compare(model, seed)


@pytest.mark.parametrize("name", ["opencl-3.0", "opencl-3.1", "opencl-scoped", "opencl-2.0-cond", "c11", "rc11", "c20"])
@pytest.mark.parametrize("seed", range(5))
def test_search_finds_what_enumeration_finds_under_shipped_models(name, seed):
    compare(get(name), seed)


def compare(model, seed):
    random = Random(seed)
    skeleton = random_skeleton(random)
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
        assert judge(state.witness, model).violated == ()
        assert tuple(final(state.witness, what) for what in observed) == state.values
    for flag in answer.flags:
        judgement = judge(flag.witness, model)
        assert judgement.violated == ()
        assert flag.name in judgement.raised
    counted = found(skeleton, model, observed, counts=True, wants_flags=False)
    assert {state.values: state.executions for state in counted.states} == naive.counts
