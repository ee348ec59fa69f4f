"""Of many units a picture shows those that it is about, and folds the others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import mcm
from mcm.picture.layout import lay_out

if TYPE_CHECKING:
    from mcm.picture.scene import Scene

ITEMS = 64

REDUCTION = f"""OPENCL reduction
{{ int in[{ITEMS}] = {{{",".join("1" * ITEMS)}}}; int out; }}
kernel sum (global int* in, global int* out) {{
  local int t[{ITEMS}];
  int i = get_local_id(0);
  t[i] = in[i];
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (i < 32) t[i] += t[i + 32];
  if (i < 16) t[i] += t[i + 16];
  if (i == 0) *out = t[0];
}}
launch sum global {ITEMS}, local {ITEMS};
exists ([out]=64)
"""

DIVERGENT = f"""OPENCL divergent
{{ int out; }}
kernel k (global int* out) {{
  if (get_local_id(0) < 40) work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_global_id(0) == 0) *out = 1;
}}
launch k global {ITEMS}, local {ITEMS};
exists ([out]=1)
"""

OUTSIDE = f"""OPENCL outside
{{ int a[{ITEMS}]; }}
kernel k (global int* a) {{
  a[get_global_id(0) + 1] = 1;
}}
launch k global {ITEMS}, local 8;
exists (a[1]=1)
"""

STATES = """OPENCL states
{{ atomic_int x; }}
kernel k (global atomic_int* x) {{
  int r = -1;
  if (get_global_id(0) == 0) r = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
  if (get_global_id(0) == 5) atomic_store_explicit(x, 5, memory_order_relaxed, memory_scope_device);
}}
launch k global {count}, local 8;
exists (k[0]:r=5)
"""


def scene_of(text: str, kind: str) -> Scene:
    problem = next(one for one in mcm.check(text).undefined if one.kind == kind)
    assert problem.execution is not None
    return problem.execution.scene()


def names(scene: Scene) -> list[str]:
    return [unit.name for unit in scene.units]


def folded(scene: Scene) -> int:
    return sum(unit.folded for unit in scene.units)


@pytest.mark.slow
def test_of_a_race_the_two_units_are_drawn_and_whose_values_they_read() -> None:
    scene = scene_of(REDUCTION, "data-race")
    (race,) = (edge for edge in scene.edges if edge.name == "race")
    columns = {node.number: node.column for node in scene.nodes}

    assert not any(scene.units[columns[number]].folded for number in (race.source, race.target))
    shown = [unit for unit in scene.units if not unit.folded]
    assert 2 <= len(shown) <= 8
    assert folded(scene) + len(shown) == ITEMS
    assert scene.notes[-1] == f"{folded(scene)} of {ITEMS} units are not drawn, nor is what is read from them"
    assert lay_out(scene).width < 2000
    # At the barrier all meet.
    assert any(re.fullmatch(r"\d\d units enter", bar.title) for bar in scene.bars)
    assert max(bar.last for bar in scene.bars) == len(scene.units) - 1
    titles = [unit.title for unit in scene.units if unit.folded]
    assert titles[0] == "and 15 more, which are not drawn: sum[1] to sum[15]"


def test_of_a_divergence_some_who_come_and_some_who_do_not_are_drawn() -> None:
    scene = scene_of(DIVERGENT, "barrier-divergence")

    assert names(scene) == ["k[0]", "k[1]", "and 38 more", "k[40]", "k[41]", "and 22 more"]


def test_of_an_access_out_of_bounds_its_unit_is_drawn_and_other_groups_are_one_column() -> None:
    scene = scene_of(OUTSIDE, "out-of-bounds")

    assert names(scene) == ["and 56 more", "and 7 more", "k[63]"]
    assert [(group.title, group.first, group.last) for group in scene.groups] == [
        ("device 0", 0, 2),
        ("work-group 7", 1, 2),
    ]
    assert "write a[64]" in [node.text for node in scene.nodes if node.marked]


@pytest.mark.parametrize("count", [16, 24])
def test_of_a_state_those_are_drawn_whom_the_condition_names(count: int) -> None:
    result = mcm.check(STATES.format(count=count), executions=True, timeout=60)
    execution = next(state.execution for state in result.states if state.satisfies)
    assert execution is not None
    scene = execution.scene()

    assert [unit.name for unit in scene.units if not unit.folded] == ["k[0]", "k[5]"]
    assert "rf" in [edge.name for edge in scene.edges]
    # What is told of is drawn, too.
    number = next(event.number for event in execution.events if event.thread == "k[0]")
    assert names(execution.scene(about=[number]))[0] == "k[0]"


IDLE = """OPENCL idle
{ int x; }
kernel k (global int* x) {
  if (get_global_id(0) == 0) *x = 1;
  if (get_global_id(0) == WRITER) *x = 2;
}
launch k global 8, local 2;
exists ([x]=1)
"""


def test_work_items_that_execute_nothing_are_folded_where_they_are_many() -> None:
    scene = scene_of(IDLE.replace("WRITER", "4"), "data-race")

    assert names(scene) == ["k[0]", "and 1 more", "and 2 more", "k[4]", "and 1 more", "and 2 more"]
    assert scene.notes[-1] == "6 of 8 units are not drawn: they execute nothing in this execution"

    few = scene_of(IDLE.replace("WRITER", "4").replace("global 8", "global 6"), "data-race")
    assert names(few) == [f"k[{number}]" for number in range(6)]
    assert not few.notes


def test_every_form_says_who_is_folded() -> None:
    problem = next(one for one in mcm.check(OUTSIDE, timeout=60).undefined if one.kind == "out-of-bounds")
    execution = problem.execution
    assert execution is not None

    assert 'class="unit folded"><title>and 56 more, which are not drawn: k[0] to k[55]</title>' in execution.svg()
    assert 'tooltip="and 56 more, which are not drawn: k[0] to k[55]"' in execution.dot()
    assert "and 56 more" in execution.text()
    assert "(63 of 64 units are not drawn: they execute nothing in this execution)" in execution.text()
