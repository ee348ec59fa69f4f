"""A plan without what is empty in a program says of its executions what the plan of the model says."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

import pytest
from small_models import MODELS

from mcm import parse
from mcm.answer.query import Limits
from mcm.catalogue.registry import get
from mcm.engine.explicit.base_bounds import BaseBounds
from mcm.engine.explicit.budget import NodeBudget
from mcm.engine.explicit.compile import compile_model
from mcm.engine.explicit.packed_skeleton import PackedSkeleton
from mcm.engine.explicit.specialise import plan_for, specialised
from mcm.engine.explicit.valuation import Valuation
from mcm.execution.elaborate import elaborate
from mcm.execution.skeleton import SetMembers

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.engine.explicit.plan import Plan

NO_BARRIER = """OPENCL no-barrier
{ [x] = 0; [y] = 0; }
P0@wg 0 (global atomic_int* x, global int* y) { *y = 1; atomic_store_explicit(x, 1, memory_order_release); }
P1@wg 1 (global atomic_int* x, global int* y) { int r0 = atomic_load(x); if (r0 == 1) { r0 = *y + 1; } }
exists (1:r0 = 1)
"""
BARRIER = """OPENCL barrier
{ [x] = 0; }
P0 (local int* x) { *x = 1; barrier(CLK_LOCAL_MEM_FENCE); }
P1 (local int* x) { barrier(CLK_LOCAL_MEM_FENCE); int r0 = *x; }
exists (1:r0 = 1)
"""
UPDATES = """OPENCL updates
{ [x] = 0; }
P0@dev 0 (global atomic_int* x) { int r0 = atomic_fetch_add(x, 1); atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE,
  memory_order_seq_cst, memory_scope_device); }
P1@dev 1 (global atomic_int* x) { int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed); }
exists (x = 2)
"""
SHIPPED = [get(name) for name in ("opencl-3.0", "opencl-scoped", "c11", "rc11")]


def known(packed: PackedSkeleton, plan: Plan) -> tuple[object, ...] | None:
    """What is known of all executions before any decision; None if there is none."""
    problem = BaseBounds(packed, plan).problem(Valuation(packed), NodeBudget(Limits()))
    if problem is None:
        return None
    bounds = problem.bounds

    def bound(slot: int) -> tuple[int, int]:
        return bounds.lower[slot], bounds.upper[slot]

    return (
        bounds.forbidden,
        bounds.ordered,
        sorted((formula.mask, formula.some, *bound(formula.slot)) for formula in problem.open_formulas),
        [bound(order.index) for order in plan.orders],
        [bound(slot) for slot in plan.linearised],
        [bound(flag.slot) for flag in plan.flags],
    )


def kinds(plan: Plan) -> list[str]:
    """The kinds of the operators."""
    return sorted(type(operator).__name__ for operator in plan.operators)


@pytest.mark.parametrize("model", [*MODELS, *SHIPPED], ids=lambda model: model.name)
@pytest.mark.parametrize("text", [NO_BARRIER, BARRIER, UPDATES], ids=["no-barrier", "barrier", "updates"])
def test_the_same_is_known_of_a_program(model: Model, text: str) -> None:
    (skeleton,) = elaborate(parse(text).program, 2)
    packed, plan = PackedSkeleton(skeleton), compile_model(model)
    special = plan_for(packed, plan)
    assert known(packed, special) == known(packed, plan)
    assert len(special.operators) <= len(plan.operators)


def test_what_a_program_lacks_is_not_computed() -> None:
    (skeleton,) = elaborate(parse(NO_BARRIER).program, 2)
    plan = compile_model(get("opencl-3.0"))
    assert len(plan_for(PackedSkeleton(skeleton), plan).operators) < len(plan.operators) / 2


def test_of_many_events_nothing_that_a_program_lacks_is_computed() -> None:
    (skeleton,) = elaborate(parse(NO_BARRIER.replace("*y = 1;", "*y = 1;" * 30)).program, 2)
    plan = compile_model(get("opencl-3.0"))
    lacking = {name for name in plan.fixed[0] if skeleton.sets[name] == SetMembers(0)}
    found = plan_for(PackedSkeleton(skeleton), plan)
    assert len(found.operators) < len(plan.operators) / 3
    assert found.sets.keys().isdisjoint(lacking)


def test_small_programs_share_a_plan_where_next_to_nothing_is_left_out_for_one_of_them() -> None:
    plan = compile_model.__wrapped__(get("opencl-3.0"))
    special = specialised(plan, frozenset({"RMW"}))
    assert len(plan.operators) - len(special.operators) <= len(plan.operators) / 50
    plans = []
    for more in ("", "atomic_fetch_add(x, 1);"):
        (skeleton,) = elaborate(parse(NO_BARRIER.replace("*y = 1;", f"*y = 1; atomic_store(x, 1); {more}")).program, 2)
        plans.append(plan_for(PackedSkeleton(skeleton), plan))
    assert plans[0] is plans[1]


@pytest.mark.parametrize("model", SHIPPED, ids=lambda model: model.name)
def test_a_name_leaves_out_at_least_what_is_said(model: Model) -> None:
    plan = compile_model(model)
    for name in chain(*plan.fixed):
        assert len(plan.operators) - len(specialised(plan, frozenset({name})).operators) >= plan.left_out[name]


@pytest.mark.parametrize("text", [NO_BARRIER, BARRIER, UPDATES], ids=["no-barrier", "barrier", "updates"])
@pytest.mark.parametrize("model", SHIPPED, ids=lambda model: model.name)
def test_what_is_computed_alike_is_computed_once(model: Model, text: str) -> None:
    (skeleton,) = elaborate(parse(text).program, 2)
    plan = plan_for(PackedSkeleton(skeleton), compile_model(model))
    alike = Counter((type(one), one.operands) for one in plan.operators if one.is_function)
    assert set(alike.values()) == {1}
    # The order of a linearisation is computed from what is left.
    assert set(plan.orders) <= set(plan.operators)


def test_of_a_program_without_conditions_all_events_are_those_that_are_executed() -> None:
    plan = compile_model(get("opencl-scoped"))
    plans = []
    for text in (UPDATES, UPDATES.replace("atomic_work_item", "if (r0) atomic_work_item")):
        (skeleton,) = elaborate(parse(text).program, 2)
        plans.append(plan_for(PackedSkeleton(skeleton), plan))
    without, conditional = plans
    assert plan.written
    assert conditional.written
    assert without.written.keys().isdisjoint(plan.sets)
    assert without.written_relations.keys().isdisjoint(plan.relations)
    assert len(without.operators) < len(conditional.operators)


def test_one_plan_serves_all_programs_that_lack_the_same() -> None:
    (one,) = elaborate(parse(NO_BARRIER).program, 2)
    (other,) = elaborate(parse(NO_BARRIER.replace("*y = 1", "*y = 2")).program, 2)
    (third,) = elaborate(parse(BARRIER).program, 2)
    plan = compile_model(get("opencl-3.0"))
    plans = [plan_for(PackedSkeleton(skeleton), plan) for skeleton in (one, other, third)]
    assert plans[0] is plans[1]
    assert plans[0] is not plans[2]


@pytest.mark.parametrize("model", SHIPPED, ids=lambda model: model.name)
def test_a_plan_that_is_made_of_a_specialised_one_is_like_one_that_is_made_of_the_whole(model: Model) -> None:
    whole = compile_model(model)
    for text in (BARRIER, NO_BARRIER, UPDATES):
        (skeleton,) = elaborate(parse(text).program, 2)
        packed = PackedSkeleton(skeleton)
        lacking = frozenset(name for name in whole.fixed[0] if not skeleton.sets[name].events)
        few = frozenset(sorted(lacking)[::2])
        once, twice = specialised(whole, lacking), specialised(specialised(whole, few), lacking)
        # What is computed once for several terms stands where the first of them stood that a plan has.
        assert (once.size, kinds(once)) == (twice.size, kinds(twice))
        assert known(packed, once) == known(packed, twice)


def test_a_plan_is_made_of_the_kept_one_that_lacks_most_of_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, used = compile_model.__wrapped__(get("opencl-3.0")), []

    def noting(base: Plan, empty: frozenset[str]) -> Plan:
        used.append(base)
        return specialised(base, empty)

    monkeypatch.setattr("mcm.engine.explicit.specialise.specialised", noting)
    made = []
    for text in (NO_BARRIER, NO_BARRIER.replace("atomic_load(x)", "*y"), BARRIER):
        (skeleton,) = elaborate(parse(text).program, 2)
        made.append(plan_for(PackedSkeleton(skeleton), plan))
    assert used == [plan, made[0], plan]
