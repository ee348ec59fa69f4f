"""Random kernels whose groups take a number each from a counter, and work on what has that number."""

from __future__ import annotations

from random import Random
from typing import Final

# Work-items of a group, and groups.
_SHAPES: Final = ((1, 3), (1, 3), (2, 3), (1, 4))
_ORDERS: Final = ("relaxed", "relaxed", "acq_rel", "seq_cst")
_DOES: Final = (
    "out[t] = t + l;",
    "if (l == 0) { out[t] = t; }",
    "atomic_store_explicit(&flag[t], 1, memory_order_{order}, memory_scope_device);",
    "if (t > 0) { r = atomic_load_explicit(&flag[t - 1], memory_order_{other}, memory_scope_device); }",
    "if (t > 0 && r == 1) { out[4 + t] = out[t - 1]; }",
    "if (t == 1) { out[3] = 7; }",
    "if (t > 1) { out[3] = 7; }",
    "atomic_fetch_add_explicit(&flag[3], t, memory_order_relaxed, memory_scope_device);",
    "atomic_fetch_max_explicit(&flag[3], r + t, memory_order_relaxed, memory_scope_device);",
    "for (int i = 0; i < t; i++) { out[4 + i] = 1; }",
    "kept = kept + t; out[4 + t] = kept;",
)
# What tells groups apart, so that who takes what matters.
_TELLS: Final = ("out[get_group_id(0)] = t;", "if (get_global_id(0) == 0) { out[7] = t; }", "r = get_global_id(0);")


def kernel_of_tickets(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    random = Random(f"tickets {seed} {number}")  # noqa: S311 - nothing secret
    local, groups = random.choice(_SHAPES)
    order = random.choice(_ORDERS)
    words = {"order": random.choice(("release", "relaxed")), "other": random.choice(("acquire", "relaxed"))}
    does = [random.choice(_DOES) for _ in range(random.choice((1, 2, 3)))]
    does = [each.replace("{order}", words["order"]).replace("{other}", words["other"]) for each in does]
    if random.random() < 0.2:
        does.insert(random.randrange(len(does) + 1), random.choice(_TELLS))
    barrier = random.choice(("barrier(CLK_LOCAL_MEM_FENCE);", "barrier(CLK_LOCAL_MEM_FENCE);", ""))
    return f"""OPENCL tickets-{number}
{{ [next]={random.choice((0, 0, 1))}; int out[8]; atomic_int flag[5]; }}
kernel K (global atomic_int* next, global int* out, global atomic_int* flag) {{
  local int tile; int l = get_local_id(0); int r = 0; int kept = 1;
  if (l == 0) {{ tile = atomic_fetch_add_explicit(next, 1, memory_order_{order}, memory_scope_device); }}
  {barrier}
  int t = tile;
  {" ".join(does)}
}}
launch K global {local * groups}, local {local}, dev 0;
locations [next; out; flag;]
exists (next=3)
"""
