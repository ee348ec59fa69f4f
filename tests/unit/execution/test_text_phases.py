"""Objects that no phase of a program's text both reads plainly and writes."""

from __future__ import annotations

import pytest

from mcm.base.source import Source
from mcm.execution.text_phases import ReadKind, written_in_other_phases
from mcm.front_end.read import read_test

BARRIER = "work_group_barrier(CLK_LOCAL_MEM_FENCE);"
OTHER = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);"
ADD = "atomic_fetch_add_explicit(f, 1, memory_order_relaxed, memory_scope_work_group);"
FUNCTION = f"int look(local int* p) {{ {BARRIER} if (*p) return 1; {BARRIER} return 0; }}"


def is_apart(body: str, *, parameters: str = "", kind: ReadKind = ReadKind.PLAIN) -> bool:
    text = f"""OPENCL phases
{{ }}
{FUNCTION}
kernel K (local int* f, local int* g{parameters}) {{
  int l = get_local_id(0), r = 0;
  {body}
}}
launch K global 2, local 2, dev 0;
"""
    program = read_test(Source("phases", text)).program
    numbers = [number for number, item in enumerate(program.objects) if item.name.startswith("f")]
    return bool(written_in_other_phases(program, numbers, kind))


@pytest.mark.parametrize(
    ("body", "is_so"),
    [
        (f"*f = 0; {BARRIER} {ADD} {BARRIER} r = *f;", True),
        (f"*f = 0; {BARRIER} {ADD} r = *f;", False),
        (f"{ADD} {OTHER} r = *f;", False),  # the barrier is one of global memory
        (f"{ADD} {BARRIER} r = *g; *g = 1;", True),  # another object
        (f"{ADD} {BARRIER} r = *(l ? f : g);", True),
        (f"{ADD} r = *(l ? f : g);", False),
        (f"{ADD} if (l) {{ {BARRIER} }} r = *f;", False),  # a way round the barrier
        (f"{ADD} if (l) {{ {BARRIER} }} else {{ {BARRIER} }} r = *f;", True),
        (f"*f += 1; {BARRIER}", False),  # it reads and writes
        (f"local int* p = f; {BARRIER} *p = 1; r = *f;", False),
        (f"for (int k = 0; k < 2; k++) {{ r = *f; {BARRIER} {ADD} {BARRIER} }}", True),
        (f"for (int k = 0; k < 2; k++) {{ r = *f; {BARRIER} {ADD} }}", False),  # on the way back
        (f"while (*f == 0) {{ {BARRIER} {ADD} {BARRIER} }}", True),
        (f"while (*f == 0) {{ {BARRIER} {ADD} }}", False),
        (f"do {{ {ADD} {BARRIER} if (r) continue; r = 1; }} while (*f < 2);", False),  # another turn begins there
        (f"do {{ {ADD} {BARRIER} r = *f; {BARRIER} }} while (r < 2);", True),
        (f"while (true) {{ r = *f; if (r) break; {BARRIER} {ADD} {BARRIER} }}", True),
        (f"while (true) {{ r = *f; if (r) break; {BARRIER} {ADD} {BARRIER} }} {ADD}", False),  # behind `break`
        (f"while (true) {{ r = *f; if (r) return; {BARRIER} {ADD} {BARRIER} }}", True),
        (f"switch (l) {{ case 0: {ADD} case 1: {BARRIER} break; default: r = *f; }}", False),
        (f"switch (l) {{ case 0: {BARRIER} {ADD} break; case 1: r = *f; default: {BARRIER} }}", True),
        (f"switch (l) {{ case 0: {BARRIER} {ADD} break; case 1: {BARRIER} r = *f; }}", True),  # they never meet
        (f"switch (l) {{ case 0: A: {BARRIER} {ADD} }} if (r) {{ A: {BARRIER} r = *f; }}", False),  # they may meet
        (f"{ADD} r = look(f);", True),
        (f"{ADD} r = look(f); {ADD}", False),  # behind the first `return`
        (f"{ADD} r = look(f); {BARRIER} {ADD}", True),
    ],
)
def test_reads_and_writes_are_in_other_phases(body: str, is_so: bool) -> None:
    assert is_apart(body) == is_so


@pytest.mark.parametrize(
    ("loop", "is_so"),
    [
        (f"for (int k = 0; k < 2; k++) {{ if (k == 0) {{ {ADD} }} {BARRIER} }} r = *f;", True),
        (f"for (int k = 0; k < 2; k++) {{ {ADD} {BARRIER} }} r = *f;", True),
        (f"for (int k = 8; k > 1; k /= 2) {{ {ADD} {BARRIER} }} r = *f;", True),
        (f"for (int k = 0; k < 2; k++) {{ {BARRIER} {ADD} }} r = *f;", False),  # in the phase of the last barrier
        (f"for (int k = 0; k < g[0]; k++) {{ {ADD} {BARRIER} }} r = *f;", False),
        (f"for (int k = 0; k < 2; k++) {{ {ADD} {BARRIER} if (g[0]) k = 0; }} r = *f;", False),
        (f"for (int k = 0; k < 17; k++) {{ {ADD} {BARRIER} }} r = *f;", False),  # too many to tell apart
        (f"for (int k = 0; k < 2; k++) {{ {ADD} {BARRIER} if (g[0]) break; }} r = *f;", False),
        (f"for (int k = 0; k < 2; k++) {{ {ADD} {BARRIER} if (g[0]) continue; {BARRIER} }} r = *f;", True),
        (f"while (g[0]) {{ for (int k = 0; k < 2; k++) {{ {ADD} {BARRIER} }} r = *f; {BARRIER} }}", True),
        (f"while (g[0]) {{ for (int k = 0; k < 2; k++) {{ {ADD} {BARRIER} }} r = *f; }}", False),
    ],
)
def test_turns_of_loops_with_constant_bounds_are_told_apart(loop: str, *, is_so: bool) -> None:
    assert is_apart(loop) == is_so


LOAD = "r = atomic_load_explicit(f, memory_order_relaxed, memory_scope_work_group);"


@pytest.mark.parametrize(
    ("body", "plain", "loads"),
    [
        (f"{ADD} {BARRIER} {LOAD}", True, True),
        (f"{ADD} {LOAD} {BARRIER} r = *f;", True, False),
        (f"{ADD} r = *f; {BARRIER} {LOAD}", False, True),
        (f"for (int k = 0; k < 2; k++) {{ {ADD} {BARRIER} {LOAD} }}", True, False),
        (f"for (int k = 0; k < 2; k++) {{ {ADD} {BARRIER} {LOAD} {BARRIER} }}", True, True),
    ],
)
def test_loads_and_plain_reads_are_told_apart(body: str, *, plain: bool, loads: bool) -> None:
    assert is_apart(body, kind=ReadKind.PLAIN) == plain
    assert is_apart(body, kind=ReadKind.LOAD) == loads


def test_phases_of_all_threads_are_looked_at() -> None:
    text = f"""OPENCL phases
{{ int f = 0; }}
P0@wg 0 (global int* f) {{ {OTHER} int r = *f; }}
P1@wg 0 (global int* f) {{ WHERE }}
"""

    def apart(where: str) -> bool:
        program = read_test(Source("phases", text.replace("WHERE", where))).program
        return 0 in written_in_other_phases(program, [0], ReadKind.PLAIN)

    assert apart(f"atomic_inc(f); {OTHER}")
    assert not apart(f"{OTHER} atomic_inc(f);")
