"""Of which models a unit that has stopped can go on after everything else, so that all before it is as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.settled.going_on import can_go_on, lets_go_on
from mcm.engine.explicit.settled.kinds import empty_bases
from mcm.execution.elaborate import elaborate
from mcm.front_end.read import read_test
from mcm.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from mcm.cat.model import Model
    from mcm.execution.skeleton import Skeleton

ORDERS: Final = "memory_order_relaxed, memory_scope_device"
TEXT: Final = f"""OPENCL goes-on
{{ [c]=0; [p]=0; }}
kernel K (global atomic_int* c, global int* p, local int* l) {{
  atomic_fetch_add(c, 1); atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
  *p = atomic_load_explicit(c, {ORDERS}); barrier(CLK_GLOBAL_MEM_FENCE); atomic_store(c, *p);
}}
launch K global 4, local 2, dev 0;
"""


def skeleton_of(text: str = TEXT) -> Skeleton:
    (skeleton,) = elaborate(read_test(Source("goes-on", text)).program, waiting=True)
    return skeleton


def model_with(lines: str, path: Path) -> Model:
    path.write_text(f'"more"\ninclude "opencl-3.0.cat"\n{lines}\n')
    return Session().load_model(str(path)).model


@pytest.mark.parametrize(
    "name",
    ["opencl-2.0", "opencl-3.0", "opencl-3.1", "opencl-scoped", "sycl-2020", "c11", "c11-simp", "rc11", "c20", "sc"],
)
def test_built_in_models_let_units_go_on(name: str) -> None:
    assert lets_go_on(registry.get(name), empty_bases(skeleton_of()))


@pytest.mark.parametrize(
    ("lines", "lets"),
    [
        pytest.param("flag ~empty (W * W) & loc & ext \\ hb-any as unordered", True, id="what-leads-on"),
        pytest.param("flag ~empty (rf^-1 ; rf) & ext as readers", True, id="back-and-on"),
        pytest.param("flag ~empty (mo^-1 ; hb-any^-1) & ext as backwards", True, id="back"),
        pytest.param("acyclic rf | ((mo ; [RMW] ; loc) & po) as around", False, id="what-a-check-intersects"),
        pytest.param("flag ~empty (W * W) & loc & ext \\ (loc ; [RMW] ; loc) as unwatched", False, id="by-way-of-any"),
        pytest.param("flag ~empty (loc & ext)+ & (R * R) as around", False, id="closure"),
        pytest.param("flag ~empty [W \\ domain(mo)] as last", False, id="domain-of-what-leads-on"),
        pytest.param("flag ~empty [W \\ range(mo)] as first", True, id="range-of-what-leads-on"),
        pytest.param("flag ~empty [R \\ range(loc & ext)] as alone", False, id="range-of-what-leads-anywhere"),
        pytest.param("irreflexive mo ; mo^-1 ; po as steps", True, id="steps-of-a-check"),
        pytest.param("irreflexive po \\ (mo ; mo^-1) as taken-away", False, id="what-a-check-takes-away"),
        pytest.param("with T from linearisations(SC, mo | po)", True, id="order-with-mo"),
        pytest.param("with T from linearisations(SC, po)", False, id="order-without-mo"),
        pytest.param("with T from linearisations(SC & domain(mo), mo)", False, id="order-of-others"),
    ],
)
def test_what_was_before_has_to_stay_as_it_was(lines: str, lets: bool, tmp_path: Path) -> None:
    assert lets_go_on(model_with(lines, tmp_path / "more.cat"), empty_bases(skeleton_of())) is lets


def test_plain_reads_of_atomic_objects_may_not_see_what_was_written_last() -> None:
    model, skeleton = registry.get("c11"), skeleton_of()
    text = "C plainly\n{{}}\nP0 (atomic_int* x) {{ {} }}\nP1 (atomic_int* x) {{ int r = {}; }}\nlocations [x;]\n"
    store, load = "atomic_store_explicit(x, 1, memory_order_relaxed);", "atomic_load_explicit(x, memory_order_relaxed)"
    assert can_go_on(skeleton, skeleton_of(text.format(store, load)), model)
    assert not can_go_on(skeleton, skeleton_of(text.format(store, "*x")), model)
