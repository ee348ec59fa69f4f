"""Random kernels in which what work-items have read decides what they write, and where."""

from __future__ import annotations

from random import Random
from typing import Final

_FLAGS: Final = ("CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",) * 5 + ("CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE")
_HOW: Final = "memory_order_relaxed, memory_scope_work_group"


def dependent_kernel(seed: str, number: int) -> str:
    """The litmus test of this number."""
    random = Random(f"{seed} dependent {number}")  # noqa: S311 - nothing secret
    local, groups = random.choice(((2, 1), (2, 1), (3, 1), (4, 1), (2, 2)))
    barriers = 0.95 if local * groups > 2 else 0.8
    body = []
    for _ in range(random.randint(2, 4)):
        body.append(f"  {_statement(random, local)}")
        if random.random() < barriers:
            body.append(f"  work_group_barrier({random.choice(_FLAGS)});")
    items = local * groups
    start = ", ".join(str(random.randrange(4)) for _ in range(items))
    observed = " ".join(f"a[{i}];" for i in range(items)) + " c; 0:r0; 1:r0;"
    return f"""OPENCL dependent-{number}
{{ int a[{items}] = {{{start}}}; [c] = 0; atomic_int f[2]; }}
kernel K (global int* a, local int t[{local}], global atomic_int* c, global atomic_int* f) {{
  int l = get_local_id(0);
  int g = get_global_id(0);
  int r0 = 0;
  t[l] = a[g];
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
{chr(10).join(body)}
}}
launch K global {items}, local {local}, dev 0;
locations [{observed}]
"""


def _statement(random: Random, local: int) -> str:
    other = random.choice((f"(l + 1) % {local}", "l ^ 1" if local % 2 == 0 else "l", "0", "l"))
    value = random.choice(("1", "r0", f"t[{other}]", "l + 2", "t[l] + 1"))
    condition = random.choice((f"t[{other}] > 1", "t[l] < 2", "r0 == 1", "a[g] > t[l]", "r0 > 0"))
    mask = 3 if local == 4 else 1
    return random.choice(
        (
            (
                f"if (l % 2 == 0 && l + 1 < {local}) {{ int x = t[l], y = t[l + 1]; "
                "if (x > y) { t[l] = y; t[l + 1] = x; } }"
            ),
            f"if ({condition}) {{ t[l] = {value}; }}",
            f"if ({condition}) {{ a[g] = {value}; }}",
            f"if ({condition}) {{ r0 = t[{other}]; }}",
            f"r0 = t[{other}];",
            f"t[t[l] & {mask}] = {value};",
            f"if (l == 0) {{ a[t[{other}] & 1] = {value}; }}",
            f"if ({condition}) {{ atomic_fetch_add_explicit(c, {value}, {_HOW}); }}",
            f"if (l == 1) {{ r0 = atomic_load_explicit(&f[{random.randrange(2)}], {_HOW}); }}",
            f"if ({condition}) {{ atomic_store_explicit(&f[l & 1], 1, {_HOW}); }}",
            (
                f"if (atomic_load_explicit(&f[l & 1], {_HOW}) == 1) "
                f"{{ atomic_store_explicit(&f[(l + 1) & 1], 1, {_HOW}); }}"
            ),
        )
    )
