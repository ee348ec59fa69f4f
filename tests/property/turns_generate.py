"""Random kernels whose groups go round a loop together, as long as one member says so; some do not stay together."""

from __future__ import annotations

from random import Random
from typing import Final

# Work-items of a group, and groups.
_SHAPES: Final = ((2, 1), (2, 2), (3, 1), (2, 1))
_BARRIER: Final = "barrier(CLK_LOCAL_MEM_FENCE);"
# What one member finds out for all: in `said` is what they go on with.
_SAYS: Final = (
    "atomic_fetch_add_explicit(head, 1, memory_order_relaxed, memory_scope_device)",
    "atomic_fetch_add_explicit(head, 1, memory_order_relaxed, memory_scope_device)",
    "atomic_fetch_add_explicit(head, 1, memory_order_seq_cst, memory_scope_device)",
    "atomic_load_explicit(head, memory_order_relaxed, memory_scope_device)",
    "out[turn]",
    "turn",
    "in[turn]",
)
_WHO: Final = ("l == 0", "l == 0", "l == 0", "l == 1", "l == turn", "true", "l == 0 && turn < 1")
_ENDS: Final = ("t >= 1", "t >= 1", "t >= 1", "t >= 2", "t + l >= 1", "t != 0", "t >= 1 || in[l] == 1")
_DOES: Final = (
    "out[t * 2 + l] = l;",
    "out[t] = 1;",
    "if (l == 0) { out[t] = t; }",
    "kept = t; out[2 + l] = kept;",
    "atomic_fetch_add_explicit(done, t + 1, memory_order_relaxed, memory_scope_device);",
    "said = said + 0;",
    "",
)


def kernel_of_turns(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    random = Random(f"turns {seed} {number}")  # noqa: S311 - nothing secret
    local, groups = random.choice(_SHAPES)
    between = random.choice((_BARRIER, _BARRIER, _BARRIER, ""))
    behind = random.choice((_BARRIER, _BARRIER, _BARRIER, ""))
    first = random.choice(("", "", f"if (l == 0) {{ said = 0; }} {_BARRIER}"))
    return f"""OPENCL turns-{number}
{{ [head]=0; int out[8]; int in[4] = {{0, {random.choice((0, 1))}, 1, 2}}; [done]=0; }}
kernel K (global atomic_int* head, global int* out, global const int* in, global atomic_int* done) {{
  local int said; int l = get_local_id(0); int turn = 0; int kept = 0;
  {first}
  for (;;) {{
    if ({random.choice(_WHO)}) {{ said = {random.choice(_SAYS)}; }}
    {between}
    int t = said;
    {behind}
    if ({random.choice(_ENDS)}) break;
    {random.choice(_DOES)}
    turn++;
  }}
  {random.choice(("", "", "atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_device);"))}
}}
launch K global {local * groups}, local {local}, dev 0;
locations [head; out; done;]
exists (done=1)
"""
