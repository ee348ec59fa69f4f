"""Random kernels of two work-items about floats that are equal and not the same, or equal to nothing: zeros and NaN."""

from __future__ import annotations

from random import Random
from typing import Final

_HOW: Final = "memory_order_relaxed, memory_scope_work_group"
_VALUES: Final = (
    *("0.0f", "-0.0f", "1.0f", "NAN", "k", "-k", "k * 0", "k + 1", "f[l]", "f[1 - l]", "(float)r"),
    *("k == 0 ? -k : k", "1 / k", "copysign(1.0f, k)"),
)
_LOOKS: Final = (
    *("r = 1 / k > 0;", "r = k == 0;", "r = as_int(k) & 1;", "r = k != k;", "if (k) r = r + 1;"),
    *("r = isequal(k, 0.0f) + 2 * signbit(k);", "r = ((global int*)f)[l] < 0;"),
)


def kernel_of_floats(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    random = Random(f"floats {seed} {number}")  # noqa: S311 - nothing secret
    flags = random.choice(("CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE"))
    lines = [_statement(random) for _ in range(random.choice((3, 4, 5, 6)))]
    body = "\n  ".join(lines).replace("BARRIER", f"work_group_barrier({flags});")
    return f"""OPENCL floats-{number}
{{ atomic_int x[2]; float f[2] = {{{random.choice(("0.0", "-0.0", "1.0"))}}}; atomic_float y = -0.0; int o[2]; }}
kernel K (global atomic_int* x, global float* f, global atomic_float* y, global int* o) {{
  local float u[1]; int l = get_local_id(0); float k = {random.choice(("0", "-0.0f", "l"))}; int r = 0;
  {body}
  o[l] = r;
}}
launch K global 2, local 2, dev 0;
locations [ {random.choice(("x; f; y; o;", "o;", "o; f;"))} ]
exists (o[0]={random.randrange(3)} /\\ f[0]={random.choice(("0.0", "-0.0", "1.0"))})
"""


def _statement(random: Random) -> str:
    value = random.choice(_VALUES)
    return random.choice(
        (
            f"f[l] = {value};",
            f"k = {value};",
            "BARRIER k = f[1 - l]; BARRIER",
            f"if (atomic_exchange_explicit(&x[0], l + 1, {_HOW}) == 0) {{ f[{value != 'k':d}] = {value}; }} BARRIER",
            f"k = atomic_exchange_explicit(y, {value}, {_HOW});",
            f"atomic_store_explicit(y, {value}, {_HOW});",
            f"k = atomic_load_explicit(y, {_HOW});",
            f"r = atomic_compare_exchange_strong_explicit(y, &k, {value}, memory_order_relaxed, {_HOW});",
            f"if (l == 0) {{ u[0] = {value}; }} BARRIER k = u[0]; BARRIER",
            *random.sample(_LOOKS, 3),
        )
    )
