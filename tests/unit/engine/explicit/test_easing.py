"""Atomics that synchronise are settled as relaxed ones where that is the same: a case for each condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.settled.easing import with_relaxed
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.engine.explicit.settled.settling import settled_of_any_order
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from mcm.cat.model import Model
    from mcm.execution.skeleton import Skeleton

LOCAL, GLOBAL = (f"work_group_barrier(CLK_{region}_MEM_FENCE);" for region in ("LOCAL", "GLOBAL"))
BOTH: Final = "work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
ON_DEVICE: Final = "memory_scope_device"
# The one that is done last reads what each group has left: what `done` orders is open.
LAST: Final = (
    "if (l == 0) {{ a[g] = atomic_load(d);"
    f" if (atomic_fetch_add_explicit(done, 1, {{}}, {ON_DEVICE}) == 1) {{{{ r = a[0] + a[1]; }}}} }}}}"
)
ADDED: Final = f"if (l == 0) {{ atomic_init(d, 0); }} {LOCAL} atomic_fetch_add(d, l + 1); {LOCAL}"
MODELS: Final = ("opencl-2.0", "opencl-3.0", "opencl-3.0+sc-both", "opencl-3.1", "sycl-2020", "sycl-next", "c11")
STORE, LOAD = (
    f"atomic_store_explicit({{}}, 1, memory_order_relaxed, {ON_DEVICE});",
    f"r = atomic_load_explicit({{}}, memory_order_relaxed, {ON_DEVICE});",
)


def skeleton_of(body: str, groups: int = 1, items: int = 1) -> Skeleton:
    text = f"""OPENCL eased
{{ atomic_int x[2]; [done]=0; [c]=0; }}
kernel K (global int* a, global atomic_int* x, global atomic_int* done, global atomic_int* c, local atomic_int* d) {{
  int l = get_local_id(0); int g = get_group_id(0); int r = 0;
  {body}
}}
launch K global {2 * groups}, local 2, dev 0;
locations [0:r; 1:r; {2 * groups - 2}:r; a; x; c;]
"""
    text = text.replace("atomic_int x[2];", f"atomic_int x[2]; int a[{groups * items}];")
    (skeleton,) = elaborate(read_test(Source("eased", text)).program)
    return skeleton


def accessed(skeleton: Skeleton) -> set[str]:
    """The objects that threads access."""
    return {
        skeleton.program.objects[place.object].name
        for event in skeleton.events
        if event.thread is not None
        for place in event.locations
    }


def left_of(skeleton: Skeleton, model: Model) -> set[str]:
    """The objects that threads access in what is left, which has the states and flags of the whole."""
    watched = observed_by(skeleton.program)
    query = Query((skeleton,), model, watched, wants_witnesses=False)
    taken_out, searched = decide(query, many_events=0), decide(query, many_events=1 << 30)
    assert searched.undecided is None
    assert [state.values for state in taken_out.states] == [state.values for state in searched.states]
    assert [flag.name for flag in taken_out.flags] == [flag.name for flag in searched.flags]
    return accessed(without_settled(skeleton, model, watched))


@pytest.mark.parametrize("order", ["memory_order_acq_rel", "memory_order_seq_cst"])
@pytest.mark.parametrize("model", MODELS)
def test_what_a_group_adds_up_is_settled_where_the_last_group_is_open(order: str, model: str) -> None:
    # The group barrier of SYCL orders all memory.
    added = ADDED.replace(LOCAL, BOTH) if model.startswith("sycl") else ADDED
    skeleton = skeleton_of(added + LAST.format(order), groups=2)

    assert left_of(skeleton, registry.get(model)) == {"a", "done"}


@pytest.mark.parametrize(
    ("body", "stays"),
    [
        pytest.param(STORE.format("&x[l]") + "atomic_fetch_add(c, 1);" + LOAD.format("&x[1 - l]"), True, id="between"),
        pytest.param(STORE.format("x") + "atomic_fetch_add(c, 1);", False, id="nothing behind"),
        pytest.param("atomic_fetch_add(c, 1);" + LOAD.format("&x[1 - l]") + STORE.format("&x[l]"), False, id="behind"),
        pytest.param(
            STORE.format("&x[l]") + GLOBAL + "atomic_fetch_add(c, 1);" + GLOBAL + LOAD.format("&x[1 - l]"),
            False,
            id="barriers order it",
        ),
        pytest.param(
            STORE.format("&x[l]") + LOCAL + "atomic_fetch_add(c, 1);" + LOCAL + LOAD.format("&x[1 - l]"),
            True,
            id="barriers of other memory",
        ),
        pytest.param(
            STORE.format("&x[l]") + "atomic_fetch_add(d, 1);" + LOAD.format("&x[1 - l]"), False, id="other memory"
        ),
        pytest.param(
            "atomic_store(&x[l], 1); atomic_fetch_add(c, 1); r = atomic_load(&x[1 - l]);", True, id="one total order"
        ),
        pytest.param(
            "atomic_fetch_add(c, 1); atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst);"
            + LOAD.format("x"),
            True,
            id="fences in the total order",
        ),
        pytest.param("if (l == 0) { a[0] = 1; } atomic_fetch_add(c, 1); if (l) { r = a[0]; }", True, id="a race"),
    ],
)
def test_updates_stay_where_they_order_what_is_open(body: str, *, stays: bool) -> None:
    body = f"if (l == 0) {{ atomic_init(d, 0); }} {LOCAL} {body}"

    assert bool(left_of(skeleton_of(body), registry.get("opencl-3.0")) & {"c", "d"}) is stays


def test_updates_stay_where_a_barrier_may_be_missed() -> None:
    """The order in which a run performs them means nothing then."""
    begin = f"if (l == 0) {{ atomic_init(d, 0); }} {LOCAL}"
    update = "atomic_fetch_add_explicit(d, 1, memory_order_acq_rel, memory_scope_work_group);"
    missed = f"{LOAD.format('x')} if (r == 0) {{ {LOCAL} }}"
    skeleton = skeleton_of(f"{begin} {STORE.format('&x[l]')} {update} {missed}")

    assert "d" in left_of(skeleton, registry.get("opencl-3.0"))


def test_what_fences_still_synchronise_through_keeps_its_orders() -> None:
    """Relaxed, these updates would not be settled either."""
    model, begin = registry.get("opencl-3.1"), f"if (l == 0) {{ atomic_init(d, 0); }} {LOCAL}"
    fence = "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, {});"
    update = "atomic_fetch_or_explicit(d, l + 1, memory_order_acq_rel, memory_scope_work_group);"
    store = f"atomic_store_explicit(&x[l], 1, memory_order_release, {ON_DEVICE});"

    for more, is_kept in ((store + GLOBAL, True), (store, False)):
        skeleton = skeleton_of(f"{begin} {fence.format(ON_DEVICE)} {update} {more}", groups=2)
        watched = observed_by(skeleton.program)
        whatever = settled_of_any_order(skeleton, model, watched)
        assert whatever is not None
        assert (with_relaxed(skeleton, model, watched, whatever) is skeleton) is is_kept


@pytest.mark.parametrize(("place", "eases"), [("l", True), ("n + l - 2", False)])
def test_what_is_settled_only_where_orders_are_relaxed_keeps_them(place: str, *, eases: bool) -> None:
    """How often `x` was counted up is known of relaxed updates: so of what place is written by it."""
    counted = f"r = atomic_fetch_add_explicit(x, 1, memory_order_relaxed, {ON_DEVICE}); {GLOBAL}"
    known = f"int n = atomic_load_explicit(x, memory_order_relaxed, {ON_DEVICE}); a[{place}] = 1;"
    skeleton = skeleton_of(f"atomic_fetch_add(c, 1); {BOTH} {counted} {known}", items=2)
    model, watched = registry.get("opencl-3.0"), observed_by(skeleton.program)
    whatever = settled_of_any_order(skeleton, model, watched)
    assert whatever is not None

    assert (with_relaxed(skeleton, model, watched, whatever) is not skeleton) is eases


# A model without flags, in which each condition is alone: those of OpenCL mostly differ in races, too.
UNFLAGGED: Final = """"Checks alone"
let mo = co
let bar = [EF] ; (syncbar & ext) ; [XF]
let sw = ([REL & W & A] ; (rf ; [RMW])* ; rf ; [ACQ & R & A]) & ext
let hb = (po | sw | bar | IW * ~IW)+
irreflexive hb as happens-before-acyclic
let hb-any = hb
let hb-loc = hb & loc
let plain-reads = R \\ AO
include "coherence.cat"
include "visibility.cat"
"""


def checks_alone(tmp_path: Path, statement: str = "") -> Model:
    file = tmp_path / "own.cat"
    file.write_text(UNFLAGGED + statement)
    return Session().load_model(str(file)).model


def added(order: str) -> str:
    return f"atomic_fetch_add_explicit(c, 1, memory_order_{order}, {ON_DEVICE});"


@pytest.mark.parametrize("order", ["acq_rel", "release", "seq_cst"])
@pytest.mark.parametrize(
    ("body", "stays"),
    [
        pytest.param(STORE.format("&x[l]") + "{add}" + LOAD.format("&x[1 - l]"), True, id="between"),
        pytest.param("a[l] = 1; {add} r = a[1 - l];", True, id="between plain accesses"),
        pytest.param(STORE.format("&x[l]") + "{add}", False, id="nothing behind"),
        pytest.param("{add}" + LOAD.format("&x[1 - l]"), False, id="nothing before"),
        pytest.param(
            STORE.format("&x[l]") + "{add} " + GLOBAL + " {add}" + LOAD.format("&x[1 - l]"), False, id="apart"
        ),
    ],
)
def test_updates_stay_where_they_synchronise_others(body: str, order: str, tmp_path: Path, *, stays: bool) -> None:
    skeleton = skeleton_of(body.replace("{add}", added(order)))

    assert ("c" in left_of(skeleton, checks_alone(tmp_path))) is (stays and order != "release")


@pytest.mark.parametrize(
    ("order", "stays"),
    [
        pytest.param("([RMW] ; po) | (po ; [RMW]) | mo", True, id="updates are between others"),
        pytest.param("([RMW] ; po) | mo", False, id="updates are before others"),
    ],
)
def test_updates_stay_where_a_total_order_leads_through_them(order: str, tmp_path: Path, *, stays: bool) -> None:
    store = f"atomic_store_explicit(&x[{{}}], {{}}, memory_order_seq_cst, {ON_DEVICE});"
    skeleton = skeleton_of(store.format("l", "1 + l") + added("release") + store.format("1 - l", "3 + l"))
    ordered = f"with T from linearisations((RMW & REL) | (W & SC), {order})\n"

    assert ("c" in left_of(skeleton, checks_alone(tmp_path, ordered + "irreflexive T as total"))) is stays


def opencl_with(tmp_path: Path, statement: str) -> Model:
    file = tmp_path / "own.cat"
    file.write_text(f'"Own"\ninclude "opencl-3.0.cat"\n{statement}\n')
    return Session().load_model(str(file)).model


@pytest.mark.parametrize(
    ("statement", "stays"),
    [
        pytest.param("flag ~empty [SC & RMW] as any", True, id="a flag about a set"),
        pytest.param("flag ~empty [SC] ; rf ; [SC] as read", True, id="a flag about pairs"),
        pytest.param("acyclic (rf ; [ACQ]) | sb | mo as in-order", True, id="a check that leads through what is open"),
        pytest.param("irreflexive [SC] ; mo ; [SC] ; mo as twice", False, id="a check that holds of what leads on"),
        pytest.param("empty [RLX & PIPES] as none", False, id="what is not there"),
        pytest.param("with T from linearisations(A, mo)\nirreflexive T ; mo as other", True, id="an order of all"),
    ],
)
def test_models_that_say_more_of_orders(statement: str, tmp_path: Path, *, stays: bool) -> None:
    skeleton = skeleton_of(ADDED + LAST.format("memory_order_acq_rel"), groups=2)

    assert ("d" in left_of(skeleton, opencl_with(tmp_path, statement))) is stays
