"""Which work-item performs the asynchronous copies of a group: any where it may matter, else the last."""

from __future__ import annotations

import pytest

import mcm
from mcm.execution.elaborate import elaborate

FILE = """
kernel void K(global int *a, global int *b, constant int *c, global int *only_read, write_only pipe int p) {
  local int t[4];
  int i = get_local_id(0);
  int n = 2;
  BEFORE
  event_t e = async_work_group_copy(t, a, n, 0);
  wait_group_events(1, &e);
  BEHIND
}
"""
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"

# What stands before the copy, and whether it may matter who performs that.
BEFORE = {
    "": False,
    "int r = i * 2 + c[0];": False,
    "int r = only_read[i];": False,
    "n = only_read[3] + 2;": False,
    f"b[i] = 1; t[i] = 1; {BARRIER}": False,
    f"b[i] = 1; t[i] = 1; {BARRIER} int r = only_read[0]; {BARRIER}": False,
    "t[i] = 1; barrier(CLK_LOCAL_MEM_FENCE);": False,
    "for (int k = 0; k < 2; k++) { t[i + 2] = k; barrier(CLK_LOCAL_MEM_FENCE); }": False,
    "b[i] = 1;": True,
    "int r = b[0];": True,
    "if (i == 0) t[3] = 1;": True,
    "b[i] = 1; barrier(CLK_LOCAL_MEM_FENCE);": True,
    "t[i] = 1; barrier(CLK_GLOBAL_MEM_FENCE);": True,
    f"{BARRIER} b[i] = 1;": True,
    f"if (only_read[0] == 0) {{ {BARRIER} }}": True,
    f"atomic_inc(b); {BARRIER}": True,
    "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);": True,
    "int v = 1; write_pipe(p, &v);": True,
    "if (b[0] == 9) return;": True,
}


def source(before: str, behind: str) -> mcm.KernelSource:
    text = FILE.replace("BEFORE", before).replace("BEHIND", behind)
    initial = ("int a[4] = {5, 6, 7, 8}", "pipe int p[4]", "int only_read[4]")
    return mcm.KernelSource("copies.cl", text, mcm.KernelRequest(("K global 2, local 2",), initial=initial))


@pytest.mark.parametrize("before", BEFORE)
def test_a_choice_is_made_where_it_may_matter(before: str) -> None:
    (skeleton,) = elaborate(mcm.parse(source(before, "if (i == 1) b[0] = 2;")).program)
    performers = {event.thread for event in skeleton.events if event.asynchronous is not None}
    assert performers == ({0, 1} if BEFORE[before] else {1})


@pytest.mark.parametrize("engine", ["explicit", "smt"])
@pytest.mark.parametrize(("reader", "writer"), [(0, 1), (1, 0)])
def test_what_is_ordered_by_way_of_the_performer_races_with_another_one(
    reader: int, writer: int, engine: mcm.EngineName
) -> None:
    """The copy does not touch `b`: it orders the read before the write only where the reader performs it."""
    result = mcm.check(source(f"if (i == {reader}) n += b[0];", f"if (i == {writer}) b[0] = 1;"), engine=engine)
    assert isinstance(result, mcm.Judged)
    assert [problem.location for problem in result.races] == ["b[0]"]


@pytest.mark.slow
@pytest.mark.parametrize(("waits", "kinds"), [(True, set()), (False, {"data-race", "uninitialised-read"})])
def test_a_tile_of_many_elements(kinds: set[str], *, waits: bool) -> None:
    """With a choice among all work-items of the group this took longer than anybody waits."""
    wait = "wait_group_events(1, &e);"
    text = f"""kernel void K(global float2 *p) {{
      local float2 tile[24];
      event_t e = async_work_group_copy(tile, p + 24 * get_group_id(0), 24, 0);
      {wait if waits else ""}
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      p[get_global_id(0)] = 2 * tile[23 - get_local_id(0)];
      {wait}
    }}"""
    result = mcm.check(mcm.KernelSource("tile.cl", text, mcm.KernelRequest(("K global 48, local 24",))))
    assert isinstance(result, mcm.Judged)
    assert {problem.kind for problem in result.undefined} == kinds
