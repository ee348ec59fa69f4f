"""Asynchronous copies of vectors, and `prefetch` of them: what is said of numbers holds for each component."""

from __future__ import annotations

import pytest

import mcm

FILE = """
kernel void K(global VECTOR *p, global float *other) {{
  local VECTOR tile[2];
  int l = get_local_id(0);
  event_t e;
  {}
}}
"""
LOAD = "e = async_work_group_copy(tile, p + 2 * get_group_id(0), 2, 0);"
WAIT = "wait_group_events(1, &e);"
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
STORE = "e = async_work_group_copy(&p[2 * get_group_id(0)], tile, 2, 0);"
SWAP = f"{LOAD} {WAIT} VECTOR t = tile[1 - l]; {BARRIER} tile[l] = t; {BARRIER} {STORE} {WAIT}"

KINDS = {
    f"{LOAD} {WAIT} p[get_global_id(0)] = tile[1 - l];": set(),
    SWAP: set(),
    f"prefetch(p + 1, 2); {LOAD} {WAIT}": set(),
    f"global VECTOR *q = l < 9 ? p : NULL; {LOAD.replace('p +', 'q +')} {WAIT}": set(),
    "e = async_work_group_strided_copy(tile, p + get_group_id(0), 2, 2, 0); wait_group_events(1, &e);": set(),
    f"{LOAD} p[get_global_id(0)] = tile[1 - l]; {WAIT}": {"data-race", "uninitialised-read"},
    f"{LOAD} {BARRIER} p[get_global_id(0)] = 1; {WAIT}": {"data-race"},
    SWAP.replace(f"tile[l] = t; {BARRIER}", "tile[l] = t;"): {"data-race"},
    LOAD: {"copy-misuse"},
    f"if (l == 0) {{ {LOAD} {WAIT} }}": {"barrier-divergence"},
    f"{LOAD.replace('get_group_id', 'get_local_id')} {WAIT}": {"copy-misuse", "data-race"},
    f"global VECTOR *q = NULL; {LOAD.replace('p +', 'q +')} {WAIT}": {"out-of-bounds"},
    f"{LOAD.replace('2, 0', '3, 0')} {WAIT}": {"out-of-bounds"},
}


def source(statements: str) -> mcm.KernelSource:
    request = mcm.KernelRequest(("K global 2, local 2",), initial=("p[4]",))
    return mcm.KernelSource("copies.cl", FILE.format(statements).replace("VECTOR", "float2"), request)


@pytest.mark.slow
@pytest.mark.parametrize("statements", KINDS)
def test_both_engines_and_the_machine_find_what_is_wrong(statements: str) -> None:
    kinds = KINDS[statements]
    for engine in ("explicit", "smt"):
        result = mcm.check(source(statements), engine=engine)
        assert isinstance(result, mcm.Judged)
        found = {problem.kind for problem in result.undefined}
        assert found <= kinds
        assert bool(found) == bool(kinds)
    assert {problem.kind for problem in mcm.run(source(statements), runs=60).problems} <= kinds


def test_elements_have_changed_places() -> None:
    """The question is of the second group: `p[2]` and `p[3]`."""
    request = mcm.KernelRequest(
        ("K global 4, local 2",),
        initial=("int3 p[4] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}",),
        questions=(r"forall (p.x[2]=10 /\ p.z[2]=12 /\ p.y[3]=8 /\ p.z[0]=6)",),
    )
    result = mcm.check(mcm.KernelSource("copies.cl", FILE.format(SWAP).replace("VECTOR", "int3"), request))
    assert isinstance(result, mcm.Judged)
    assert result.holds


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "event_t e = async_work_group_copy(tile, p, 2, 0);",
            "'async_work_group_copy' copies numbers and vectors, 'tile' points to structures",
        ),
        (
            "event_t e = async_work_group_copy(two, v, 2, 0);",
            "'v' has other elements than 'two': expected vectors of one type",
        ),
        (
            "event_t e = async_work_group_copy(two, n, 2, 0);",
            "'n' has other elements than 'two': expected vectors of one type",
        ),
        (
            "event_t e = async_work_group_copy(two, w, i++, 0);",
            "not yet supported: 'i++' would be computed several times: give it a variable of its own",
        ),
    ],
)
def test_what_cannot_be_copied(statement: str, message: str) -> None:
    text = f"""struct S {{ int a; float b; }};
    kernel void K(global struct S *p, global float4 *v, global float *n, global float2 *w) {{
      local struct S tile[2]; local float2 two[2]; int i = 2; {statement}
    }}"""
    with pytest.raises(mcm.InputError) as raised:
        mcm.parse(mcm.KernelSource("copies.cl", text, mcm.KernelRequest(("K global 2",))))
    assert [one.message for one in raised.value.diagnostics] == [message]
