"""Random kernels in which data decides how often loops are repeated, and which elements are accessed."""

from __future__ import annotations

from random import Random
from typing import Final

_BARRIER: Final = "work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
_SOME_BARRIERS: Final = (_BARRIER,) * 8 + ("work_group_barrier(CLK_LOCAL_MEM_FENCE);", "")


def data_kernel(seed: str, number: int) -> str:
    """The litmus test of this number; no loop is repeated more than three times."""
    random = Random(f"{seed} data {number}")  # noqa: S311 - nothing secret
    local, groups = random.choice(((2, 1), (2, 1), (3, 1), (2, 2)))
    items = local * groups
    has_atomics = random.random() < 0.4
    body = []
    for _ in range(random.randint(2, 4)):
        body += [f"  {_statement(random, local, has_atomics=has_atomics)}", f"  {random.choice(_SOME_BARRIERS)}"]
    start = ", ".join(str(random.randrange(4)) for _ in range(items))
    observed = " ".join(f"a[{i}];" for i in range(items)) + " c; 0:r0; 1:r0;"
    return f"""OPENCL data-{number}
{{ int a[{items}] = {{{start}}}; [c] = 0; atomic_int f[2]; }}
kernel K (global int* a, local int t[{local}], global atomic_int* c, global atomic_int* f) {{
  int l = get_local_id(0);
  int g = get_global_id(0);
  int r0 = 0;
  t[l] = a[g];
  {_BARRIER}
{chr(10).join(body)}
}}
launch K global {items}, local {local}, dev 0;
locations [{observed}]
"""


def _statement(random: Random, local: int, *, has_atomics: bool) -> str:
    other = random.choice((f"(l + 1) % {local}", "l", "0"))
    how = f"memory_order_{random.choice(('relaxed', 'relaxed', 'seq_cst'))}, memory_scope_work_group"
    plain = (
        f"for (int k = 0; k < (t[{other}] & 3); k++) r0 += t[(l + k) % {local}];",
        f"for (int k = t[l] & 3; k > 0; k--) if (t[k % {local}] > r0) r0 = t[k % {local}];",
        f"{{ int x = t[(l + 1) % {local}]; {_BARRIER} t[l] = x; }}",
        f"{{ int x = t[l]; {_BARRIER} t[(l + 1) % {local}] = x + r0; }}",
        (
            f"{{ int lo = 0, hi = {local}; while (lo < hi) {{ int mid = (lo + hi) / 2; "
            "if (t[mid] <= r0) lo = mid + 1; else hi = mid; } r0 = lo; }"
        ),
        f"for (int k = 0; k < (t[0] & 1) + 1; k++) {{ r0 += t[{other}]; {_BARRIER} if (l == k) t[l] = k; {_BARRIER} }}",
        f"t[(l + t[0]) % {local}] = r0;",
        f"if (l == 0) for (int k = 0; k < {min(local, 3)}; k++) {{ r0 += t[k]; t[k] = r0; }}",
        f"a[g] = t[(t[l] & 3) % {local}];",
        "a[g] += r0;",
        f"if (t[{other}] > 1) {{ t[l] = r0; }}",
    )
    atomic = (
        f"atomic_fetch_add_explicit(c, t[{other}] & 3, {how});",
        f"if (l == 0) {{ r0 = atomic_load_explicit(&f[t[0] & 1], {how}); }}",
        f"if (l == (t[0] & 1)) {{ atomic_store_explicit(&f[0], 1, {how}); }}",
        f"if (l == 0) {{ t[atomic_load_explicit(&f[0], {how}) & 1] = 2; }}",
    )
    return random.choice((*plain, *atomic) if has_atomics else plain)
