"""Which write updates count from is known where barriers fix it, and nowhere else: a case for each condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.rules import without as leave_out
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.execution.skeleton import Skeleton

BARRIER = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);"
CLEAR = f"if (l == 0) {{ atomic_init(c, 0); }} {BARRIER}"
COUNT = "r = atomic_fetch_add(c, 1);"
# What is read of x is open then.
COMPETE = "atomic_store(x, l);"


def left_of(body: str, model: str = "opencl-3.0", *, groups: int = 1, rules: tuple[str, ...] = ()) -> Skeleton:
    text = f"""OPENCL bases
{{ [c]=5; [x]=0; int in[2] = {{1, 0}}; }}
kernel K (global atomic_int* c, global atomic_int* x, global int* in, local atomic_int* u) {{
  int l = get_local_id(0); int r = 0;
  {body}
}}
launch K global {2 * groups}, local 2, dev 0;
exists (0:r=0 /\\ 1:r=0)
"""
    (skeleton,) = elaborate(read_test(Source("bases", text)).program)
    return without_settled(skeleton, leave_out(registry.get(model), rules), observed_by(skeleton.program))


def bases_of(skeleton: Skeleton) -> list[int]:
    """The values that updates count from, as far as they are known."""
    found = []
    for event in skeleton.events:
        if event.kind is EventKind.UPDATE and event.identifier in skeleton.bases:
            value = skeleton.events[skeleton.bases[event.identifier]].value
            found.append(value.value if isinstance(value, Constant) and isinstance(value.value, int) else -1)
    return found


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(CLEAR + COUNT, [0, 0], id="cleared"),
        pytest.param(CLEAR + "if (in[l] == 1) { " + COUNT + " } else { r = atomic_load(c); }", [0], id="one counts"),
        pytest.param(COMPETE + CLEAR + "if (atomic_load(x) == 0) { " + COUNT + " }", [0, 0], id="who counts is open"),
        pytest.param(CLEAR + COUNT + BARRIER + CLEAR.replace("c, 0", "c, 3") + COUNT, [0, 3, 0, 3], id="cleared again"),
        pytest.param(COUNT + BARRIER + CLEAR + COUNT, [5, 0, 5, 0], id="counted before it is cleared"),
        pytest.param(COUNT, [], id="nobody clears"),
        pytest.param(CLEAR.replace(BARRIER, "") + COUNT, [0], id="the others do not wait"),
        pytest.param(CLEAR.replace("l == 0", "l >= 0") + COUNT, [], id="both clear"),
        pytest.param(COMPETE + CLEAR.replace("l == 0", "atomic_load(x) == 0") + COUNT, [], id="who clears is open"),
        pytest.param(
            COMPETE + CLEAR.replace("l == 0", "l + atomic_load(x) == 0") + COUNT, [], id="whether one clears is open"
        ),
        pytest.param(
            COMPETE + CLEAR + COUNT + "if (atomic_load(x) == 1) { atomic_store(c, 9); }",
            [],
            id="set while others count",
        ),
        pytest.param(
            COMPETE + CLEAR + COUNT + BARRIER + "if (l == 1 && atomic_load(x) == 1) { atomic_store(c, 9); }",
            [0, 0],
            id="set when all have counted",
        ),
        pytest.param(
            COMPETE + CLEAR + COUNT + "global atomic_int* p = atomic_load(x) ? c : x; atomic_store(p, 1);",
            [],
            id="set perhaps",
        ),
    ],
)
def test_the_write_that_updates_count_from(body: str, expected: list[int]) -> None:
    assert bases_of(left_of(body)) == expected


def test_barriers_of_a_group_do_not_order_what_others_clear() -> None:
    assert bases_of(left_of(CLEAR + COUNT, groups=2)) == []


@pytest.mark.parametrize(("flag", "expected"), [("LOCAL", [0, 0]), ("GLOBAL", [0])])
def test_a_barrier_orders_memory_of_its_flags(flag: str, expected: list[int]) -> None:
    body = (CLEAR + COUNT).replace("(c, ", "(u, ").replace("GLOBAL", flag)

    assert bases_of(left_of(body)) == expected


def test_the_model_must_not_let_the_modification_order_go_against_happens_before() -> None:
    assert bases_of(left_of(CLEAR + COUNT, rules=("COH-WR",))) == [0, 0]
    assert bases_of(left_of(CLEAR + COUNT, rules=("COH-WW",))) == []
    assert bases_of(left_of(CLEAR + COUNT, "sc")) == []
