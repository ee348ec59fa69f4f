"""Random kernels that go on in rounds until a counter, or a flag, in local memory says that nothing is left to do.

The counter is raised by atomics and read plainly, most often in another phase.
"""

from __future__ import annotations

from random import Random
from typing import Final

_BARRIER: Final = "work_group_barrier(CLK_LOCAL_MEM_FENCE);"


def rounds_kernel(seed: str, number: int) -> str:
    """The litmus test of this number; there are at most two rounds."""
    random = Random(f"{seed} rounds {number}")  # noqa: S311 - nothing secret
    local = 2

    def barrier() -> str:
        return _BARRIER if random.random() < 0.93 else ""

    start = ", ".join(str(random.randrange(4)) for _ in range(local))
    change = random.choice(
        (
            "if (x < y) { t[l] = y; BUSY }",
            "if (t[l] > 0) { t[l]--; BUSY }",
            "if (x > 0 && y > 0) { t[l] = x - 1; BUSY }",
            f"if (t[l] != l) {{ t[l] = (t[l] + 1) % {local}; BUSY }}",
            "if (l == k && x > 0) { t[l] = 0; BUSY }",
        )
    )
    add = "atomic_fetch_add_explicit(busy, 1, memory_order_relaxed, memory_scope_work_group);"
    is_atomic = random.random() < 0.8
    busy = random.choice((add, "atomic_inc(busy);")) if is_atomic else "*busy = 1;"
    type_ = "atomic_int" if busy == add else "int"
    test = random.choice(("b == 0", "b < 1", "!b"))
    leave = f"if ({test}) break;" if random.random() < 0.8 else f"if ({test}) return;"
    return f"""OPENCL rounds-{number}
{{ int a[{local}] = {{{start}}}; }}
kernel K (global int* a, local int t[{local}], local {type_}* busy) {{
  int l = get_local_id(0);
  t[l] = a[l];
  int k = 0;
  for (;;) {{
    if (l == 0) *busy = 0;
    {barrier()}
    int x = t[l], y = t[(l + 1) % {local}];
    {barrier()}
    {change.replace("BUSY", busy)}
    {barrier()}
    int b = *busy;
    {leave}
    {barrier()}
    if (++k == 2) break;
  }}
  a[l] = t[l] + k;
}}
launch K global {local}, local {local}, dev 0;
locations [ {" ".join(f"a[{i}];" for i in range(local))} ]
"""
