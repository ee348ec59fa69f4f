"""Random kernels whose work-items take one place each from one of several counters, and put something there."""

from __future__ import annotations

from random import Random
from typing import Final

# Work-items of a group, and groups.
_SHAPES: Final = ((3, 1), (1, 3), (2, 2), (4, 1), (1, 4))
_ORDERS: Final = ("relaxed", "relaxed", "acq_rel", "seq_cst")
# What is put at a place `p`, most often where nobody else puts anything if the counters begin far apart.
_PUTS: Final = (
    "out[p] = me;",
    "out[p] = me;",
    "out[p] = p + me;",
    "out[me] = p;",
    "if (p < 3) { out[p] = me; }",
    "atomic_fetch_add(&bins[p & 1], me);",
    "atomic_fetch_max(&bins[p & 1], p);",
    "atomic_store(&bins[p & 3], me);",
    "out[p] = me; int r = out[p]; out[p] = r;",
    "out[p & 1] = me;",
    "int old = atomic_fetch_add(&bins[3], 1); out[p] = old;",
)


def kernel_of_places(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    random = Random(f"places {seed} {number}")  # noqa: S311 - nothing secret
    local, groups = random.choice(_SHAPES)
    items = local * groups
    which = random.choice(("0", "me & 1", "me & 1", "me / 2", "me == 0", "me % 3"))
    first = random.choice(("0, 3, 6", "0, 3, 6", "0, 2, 4", "1, 1, 1", "0, 4, 6"))
    order, scope = random.choice(_ORDERS), random.choice(("device", "device", "device", "work_group"))
    puts = " ".join(f"{{ {random.choice(_PUTS)} }}" for _ in range(random.choice((1, 1, 1, 2))))
    return f"""OPENCL places-{number}
{{ int head[3] = {{{first}}}; int out[10]; atomic_int bins[4]; [done]=0; }}
kernel K (global atomic_int* head, global int* out, global atomic_int* bins, global atomic_int* done) {{
  int me = get_global_id(0);
  int p = atomic_fetch_add_explicit(&head[{which}], 1, memory_order_{order}, memory_scope_{scope});
  {puts}
  atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_device);
}}
launch K global {items}, local {local}, dev 0;
locations [head; out; bins; done;]
exists (done={items})
"""
