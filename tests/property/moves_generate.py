"""Random kernels whose work-items move values between arrays, at places and for as often as values say.

Each phase ends at a barrier, and in none do two work-items write one element; so nothing races, and most reads have
writes that were replaced before.
"""

from __future__ import annotations

from random import Random
from typing import Final

BARRIER: Final = "  barrier(CLK_LOCAL_MEM_FENCE);\n"
SEARCH: Final = (
    "  {{ int lo = 0, hi = {items}; while (lo < hi) {{ int mid = (lo + hi) / 2;"
    " if ({of}[mid] <= {to}[l]) lo = mid + 1; else hi = mid; }} x = lo; }}\n"
)


def moves_kernel(seed: str, number: int) -> str:
    """The kernel of this number, as a test."""
    random = Random(f"{seed} moves {number}")  # noqa: S311 - nothing secret
    items = random.randint(2, 3)
    phases = [_phase(random, items) for _ in range(random.randint(2, 4))]
    values = ", ".join(str(random.randint(0, 9)) for _ in range(items))
    return (
        f"OPENCL moves-{number}\n{{ int in[{items}] = {{{values}}}; int out[{items}]; }}\n"
        f"kernel K (global const int* in, global int* out, local int t[{items}], local int u[{items}]) {{\n"
        f"  int l = get_local_id(0), x = 0;\n  t[l] = in[l];\n  u[l] = in[(l + 1) % {items}];\n{BARRIER}"
        f"{BARRIER.join(phases)}{BARRIER}  out[l] = t[l] + x;\n}}\nlaunch K global {items}, local {items};\n"
        f"locations [{' '.join(f'out[{place}];' for place in range(items))}]\n"
    )


def _phase(random: Random, items: int) -> str:
    to, of = random.sample("tu", 2)
    step = random.randint(0, items - 1)
    there = f"(l + {step}) % {items}"
    return random.choice(
        (
            f"  {to}[{there}] = {of}[l];\n",
            f"  {to}[{there}] += {of}[l] + {random.randint(1, 3)};\n",
            f"  if ({of}[{there}] > {random.randint(1, 6)}) {to}[l] = {of}[l] + 1;\n",
            f"  x = {of}[({of}[l] & 3) % {items}];\n{BARRIER}  {to}[l] = x;\n",
            f"  for (int k = 0; k < ({of}[l] & 1) + 1; k++) x += {of}[(l + k) % {items}];\n{BARRIER}  {to}[l] = x;\n",
            SEARCH.format(items=items, of=of, to=to),
        )
    )
