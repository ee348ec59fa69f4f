"""Random kernels whose work-items take ranges of several sizes from counters, and write into them; some miss them."""

from __future__ import annotations

from random import Random
from typing import Final

# Work-items of a group, and groups.
_SHAPES: Final = ((2, 1), (3, 1), (1, 3), (2, 2), (1, 2))
_ORDERS: Final = ("relaxed", "relaxed", "acq_rel", "seq_cst")
# What is put into a range that begins at `b` and has `n` places, in the right way and beside it.
_PUTS: Final = (
    "for (int k = 0; k < n; k++) { out[b + k] = me; }",
    "for (int k = 0; k < n; k++) { out[b + k] = me; }",
    "if (b + n <= 4) { for (int k = 0; k < n; k++) { out[b + k] = k; } }",
    "for (int k = 0; k < n; k++) { out[2 * (b + k)] = me; out[2 * (b + k) + 1] = k; }",
    "for (int k = 0; k < n; k++) { if (me == 1) { out[b + k] = 1; } else { out[b + k] = 2; } }",
    "for (int k = 0; k < n; k++) { out[7 - b - k] = me; }",
    "if (n) { out[b] = 1; out[b + n - 1] = 2; }",
    "out[b] = 1;",
    "out[b + 1] = 1;",
    "for (int k = 0; k <= n; k++) { out[b + k] = me; }",
    "if (n) { out[b] = me; int r = out[b]; out[b + n - 1] = r; }",
    "if (b < 2) { out[b] = me; }",
    "out[me] = b;",
)
_PLACES: Final = (
    "out[base + p] = me;",
    "out[base + p] = me;",
    "out[base + p + 1] = me;",
    "out[base] = me;",
    "out[p] = 1;",
)
_TAKE: Final = "atomic_fetch_add_explicit({of}, {by}, memory_order_{order}, memory_scope_{scope})"


def kernel_of_ranges(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    random = Random(f"ranges {seed} {number}")  # noqa: S311 - nothing secret
    local, groups = random.choice(_SHAPES)
    sizes = [random.choice((0, 1, 1, 2)) for _ in range(4)]
    order, scope = random.choice(_ORDERS), random.choice(("device", "device", "device", "work_group"))
    body = _two_levels(random, order) if local > 1 and random.random() < 0.5 else _one_level(random, order, scope)
    first, places = random.choice((0, 0, 1)), random.choice((8, 8, 4))
    more = random.choice(("", "", "", "out[0] = 9;", "out[7] = 9;"))
    return f"""OPENCL ranges-{number}
{{ [head]={first}; int out[{places}]; int size[4] = {{{", ".join(map(str, sizes))}}}; [done]=0; }}
kernel K (global atomic_int* head, global int* out, global const int* size, global atomic_int* done) {{
  int me = get_global_id(0); int l = get_local_id(0); int n = size[me];
  {body} {more}
  atomic_fetch_add_explicit(done, 1, memory_order_relaxed, memory_scope_device);
}}
launch K global {local * groups}, local {local}, dev 0;
locations [head; out; done;]
exists (done={local * groups})
"""


def _one_level(random: Random, order: str, scope: str) -> str:
    """Each takes a range for itself, perhaps from a counter that is an element of the array."""
    of, end = random.choice((("head", ""), ("head", ""), ("head", ""), ("&out[3]", "")))
    take = f"atomic_add({of}, n)" if of != "head" else _TAKE.format(of=of, by="n", order=order, scope=scope)
    puts = random.choice(_PUTS)
    asks = random.choice(("if (n > 0)", "if (n > 0)", ""))
    return f"{asks} {{ int b = {take}; {puts} }}{end}"


def _two_levels(random: Random, order: str) -> str:
    """Each takes a place in its group, and the group a range for all."""
    by = random.choice(("m", "m", "m", "1", "2"))
    barrier = "barrier(CLK_LOCAL_MEM_FENCE);"
    take = _TAKE.format(of="head", by=by, order=order, scope="device")
    place = random.choice(("atomic_fetch_add_explicit(&c, 1, memory_order_relaxed, memory_scope_work_group)", "l"))
    return f"""local atomic_int c; local int base; int p = 0;
  if (l == 0) {{ atomic_store_explicit(&c, 0, memory_order_relaxed, memory_scope_work_group); }} {barrier}
  if (n > 0) {{ p = {place}; }} {barrier}
  if (l == 0) {{
    int m = atomic_load_explicit(&c, memory_order_relaxed, memory_scope_work_group); base = {take}; }}
  {random.choice((barrier, barrier, barrier, ""))}
  if (n > 0) {{ {random.choice(_PLACES)} }}"""
