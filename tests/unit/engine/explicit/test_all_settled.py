"""Atomics of any order are taken out where nothing else is open, and where the model has no more to say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.settled.interleavings import allows_interleavings
from mcm.engine.explicit.settled.kinds import empty_bases
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.execution.elaborate import elaborate
from mcm.execution.expression import Constant
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from mcm.cat.model import Model
    from mcm.execution.skeleton import Skeleton

BARRIER: Final = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);"
CLEARED: Final = f"if (l == 0) atomic_store(c, 0); {BARRIER} atomic_fetch_add(c, 1);"
SETTLING: Final = (
    *("opencl-2.0", "opencl-2.0-cond", "opencl-3.0", "opencl-3.0+sc-both", "opencl-3.1", "opencl-scoped"),
    *("opencl-popl", "sycl-2020", "sycl-next", "c11", "c11-simp", "c20"),
)


def skeleton_of(body: str, items: int = 3, local: int = 3) -> Skeleton:
    text = f"""OPENCL all
{{ int in[4] = {{1, 0, 3, 4}}; out[4] = 0; }}
kernel K (global atomic_int* c, global int* in, global int* out, global atomic_int* f) {{
  int l = get_local_id(0); int r = 0;
  {body}
}}
launch K global {items}, local {local}, dev 0;
locations [c; out; 0:r;]
"""
    (skeleton,) = elaborate(read_test(Source("all", text)).program)
    return skeleton


def reduced(skeleton: Skeleton, model: Model) -> Skeleton:
    return without_settled(skeleton, model, observed_by(skeleton.program))


@pytest.mark.parametrize(
    ("body", "total"),
    [
        pytest.param("atomic_fetch_add(c, l + 1);", 6, id="seq_cst"),
        pytest.param("atomic_fetch_or_explicit(c, 1 << l, memory_order_acq_rel);", 7, id="acq_rel"),
        pytest.param("if (l == 0) atomic_store(c, 2); " + BARRIER + " atomic_fetch_sub(c, in[l]);", -2, id="stored"),
        pytest.param(
            f"{BARRIER} atomic_fetch_max_explicit(c, l + 4, memory_order_relaxed); {BARRIER}", 6, id="between barriers"
        ),
        pytest.param("atomic_fetch_max(c, in[l]); " + BARRIER + " r = atomic_load(c);", 3, id="loaded"),
    ],
)
@pytest.mark.parametrize("model", SETTLING)
def test_nothing_is_left(body: str, total: int, model: str) -> None:
    left = reduced(skeleton_of(body), registry.get(model))

    assert left.events == ()
    assert Constant(total) in left.finals.values()


@pytest.mark.parametrize("model", ["opencl-3.0", "opencl-3.1"])
def test_a_group_function_that_orders_nothing_leaves_nothing(model: str) -> None:
    left = reduced(skeleton_of("atomic_fetch_add(c, work_group_reduce_add(l));"), registry.get(model))

    assert left.events == ()
    assert Constant(9) in left.finals.values()


@pytest.mark.parametrize("body", ["out[k] = l + 1;", "atomic_add(&out[k], l + 1);", "if (k) { out[k] = 2; }"])
def test_what_is_read_where_nobody_writes_says_where_others_access(body: str) -> None:
    skeleton = skeleton_of(f"int k = in[in[l] & 3]; {body}", items=2, local=2)

    left = reduced(skeleton, registry.get("opencl-3.0"))

    assert [event for event in left.events if event.thread is not None] == []
    assert not left.faults
    query = Query((skeleton,), registry.get("opencl-3.0"), observed_by(skeleton.program))
    assert {state.values for state in decide(query, many_events=1 << 60).states} == {
        state.values for state in decide(Query((left,), query.model, query.observed), many_events=1 << 60).states
    }


def test_where_somebody_may_write_it_says_nothing() -> None:
    skeleton = skeleton_of("int k = in[in[l] & 3]; out[k] = l; if (l == 0) { in[3] = 1; }")

    left = reduced(skeleton, registry.get("opencl-3.0"))

    assert any(event.span.text == "in[in[l] & 3]" for event in left.events)


def test_groups_that_could_synchronise_by_barriers_around_relaxed_updates() -> None:
    body = f"{BARRIER} atomic_fetch_max_explicit(c, l + 4, memory_order_relaxed); {BARRIER} out[get_global_id(0)] = l;"
    left = reduced(skeleton_of(body, items=4, local=2), registry.get("opencl-3.0"))

    assert left.events == ()
    assert Constant(5) in left.finals.values()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("out[0] = atomic_fetch_add(c, 1);", id="an old value and a race"),
        pytest.param("r = atomic_fetch_add(c, 1);", id="an old value"),
        pytest.param("atomic_fetch_add(c, 1); r = atomic_load(c);", id="a load between updates"),
        pytest.param("if (l) atomic_fetch_add(c, 1); else atomic_fetch_or(c, 1);", id="different operators"),
        pytest.param("if (l == 0) out[0] = 1; atomic_fetch_add(c, 1); if (l == 1) r = out[0];", id="what is ordered"),
    ],
)
def test_everything_that_synchronises_stays_where_its_order_matters(body: str) -> None:
    skeleton = skeleton_of(body)
    left = reduced(skeleton, registry.get("opencl-3.0"))

    assert sum(event.kind.is_access and event.atomic for event in left.events) == sum(
        event.kind.is_access and event.atomic for event in skeleton.events
    )


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("atomic_fetch_add(c, l + 1); out[l] = 1;", id="elements of their own"),
        pytest.param("atomic_fetch_add(c, 1); out[0] = l;", id="a race"),
        pytest.param("atomic_fetch_add(c, 1); atomic_store(f, l);", id="stores that compete"),
        pytest.param(
            "atomic_fetch_add(c, 1); atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel);", id="fences"
        ),
        pytest.param("if (l == 0) { " + BARRIER + " } atomic_fetch_add(c, 1);", id="divergence"),
        pytest.param("while (atomic_load(f) == 0) { } atomic_fetch_add(c, 1);", id="a thread that waits"),
        pytest.param("atomic_fetch_add(c, 1 / in[1]);", id="a fault"),
        pytest.param("atomic_fetch_add(&c[4], 1);", id="outside"),
    ],
)
def test_the_answer_is_that_of_a_search(body: str) -> None:
    skeleton = skeleton_of(body)
    query = Query((skeleton,), registry.get("opencl-3.0"), observed_by(skeleton.program), wants_witnesses=False)
    taken_out, searched = decide(query, many_events=0), decide(query, many_events=1 << 30)

    assert [state.values for state in taken_out.states] == [state.values for state in searched.states]
    assert [flag.name for flag in taken_out.flags] == [flag.name for flag in searched.flags]
    assert [raised.fault.kind for raised in taken_out.faults] == [raised.fault.kind for raised in searched.faults]


@pytest.mark.parametrize("model", [*SETTLING, "sycl-2020+literal", "rc11", "sc"])
def test_built_in_models_allow_interleavings(model: str) -> None:
    skeleton = skeleton_of(f"atomic_store(c, l); {BARRIER} r = atomic_load(c);")

    assert allows_interleavings(registry.get(model), empty_bases(skeleton))


def opencl_with(tmp_path: Path, statement: str) -> Model:
    file = tmp_path / "own.cat"
    file.write_text(f'"Own"\ninclude "opencl-3.0.cat"\n{statement}\n')
    return Session().load_model(str(file)).model


@pytest.mark.parametrize(
    "check",
    [
        pytest.param("acyclic sb | rf^-1", id="back from reads"),
        pytest.param("irreflexive mo ; rf ; sb^-1", id="back in sequence"),
        pytest.param("irreflexive rf^-1 ; sb", id="from another write"),
        pytest.param("acyclic SC * SC", id="all of them"),
        pytest.param("empty [SC & RMW]", id="none of some kind"),
        pytest.param("empty rf & (mo ; rf)", id="other writes that are not before the read"),
        pytest.param("~empty [SC]", id="some"),
        pytest.param("with T from linearisations(SC, mo^-1)\nacyclic T", id="an order against memory's"),
        pytest.param("acyclic syncbar", id="a barrier and back"),
    ],
)
def test_models_that_may_forbid_an_interleaving(check: str, tmp_path: Path) -> None:
    model, skeleton = opencl_with(tmp_path, check), skeleton_of(CLEARED)

    assert not allows_interleavings(model, empty_bases(skeleton))
    assert reduced(skeleton, model).events


@pytest.mark.parametrize(
    "check",
    [
        pytest.param("acyclic sb | rf | mo | fr", id="sequential consistency"),
        pytest.param("irreflexive [W] ; (sb & loc) ; [W] ; sb ; rf^-1", id="a write between"),
        pytest.param("empty rf & (sb ; [W] ; (sb & loc) ; [R])", id="what is overwritten"),
        pytest.param("acyclic (mo? ; sb) & (SC * SC)", id="some of them"),
        pytest.param("empty [PIPES]", id="what is not there"),
    ],
)
def test_models_that_forbid_no_interleaving(check: str, tmp_path: Path) -> None:
    assert allows_interleavings(opencl_with(tmp_path, check), empty_bases(skeleton_of(CLEARED)))


@pytest.mark.parametrize("body", ["out[l] = 1;", "atomic_fetch_add(c, 1);"])
@pytest.mark.parametrize("statement", ["flag ~empty [EF] as barrier", "flag ~empty [EF] ; po as before"])
def test_barriers_of_which_a_flag_speaks_stay(statement: str, body: str, tmp_path: Path) -> None:
    skeleton, model = skeleton_of(f"{body} {BARRIER}"), opencl_with(tmp_path, statement)
    query = Query((skeleton,), model, observed_by(skeleton.program), wants_witnesses=False)
    taken_out, searched = decide(query, many_events=0), decide(query, many_events=1 << 30)

    assert searched.flags
    assert [flag.name for flag in taken_out.flags] == [flag.name for flag in searched.flags]


@pytest.mark.parametrize(
    "statement",
    [
        "flag ~empty S & loc as own",
        "flag ~empty [RMW] ; S as own",
        "flag ~empty rf ; S as own",
        "with T from linearisations(W, po)\nflag ~empty T & loc as own",
    ],
)
def test_flags_about_a_total_order_of_what_is_settled_are_raised(statement: str, tmp_path: Path) -> None:
    skeleton = skeleton_of("atomic_fetch_add(c, l + 1);")
    query = Query((skeleton,), opencl_with(tmp_path, statement), observed_by(skeleton.program), wants_witnesses=False)

    for many_events in (0, 1 << 30):
        assert {flag.name for flag in decide(query, many_events=many_events).flags} == {"own"}
