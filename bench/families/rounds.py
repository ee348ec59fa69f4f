"""Kernels that go on in rounds until data says that nothing is left to do: by a flag, or by a group function."""

from __future__ import annotations

from typing import Final

from bench.family import family
from bench.litmus import Kernel

_BARRIER: Final = "work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"


def _countdown(n: int, flag: str, *, clear: str, raised: str, asked: str) -> Kernel:
    """Each of n work-items counts down from a number of its own, up to 3; all go on until none has anything left."""
    body = (
        "int i = get_local_id(0);",
        "int left;",
        "do {",
        f"  {_BARRIER}",
        f"  if (i == 0) {{ {clear} }}",
        f"  {_BARRIER}",
        "  left = d[i] > 0;",
        f"  if (left) {{ d[i]--; {raised} }}",
        f"  {_BARRIER}",
        f"}} while ({asked});",
    )
    start = ", ".join(str(item % 4) for item in range(n))
    condition = " /\\ ".join(f"d[{item}]=0" for item in range(n))
    return Kernel(("global int* d", flag), body, n, f"forall ({condition})", initial=f"int d[{n}] = {{{start}}};")


@family("rounds-flag", model="opencl-3.0", states=lambda _: 1)
def rounds_flag(n: int) -> Kernel:
    """The flag is set by atomic stores, and loaded, without an order that is named."""
    return _countdown(
        n, "local atomic_int* f", clear="atomic_store(f, 0);", raised="atomic_store(f, 1);", asked="atomic_load(f)"
    )


@family("rounds-group-function", model="opencl-3.0", states=lambda _: 1)
def rounds_group_function(n: int) -> Kernel:
    """A group function says whether any work-item has something left."""
    return _countdown(n, "local int* f", clear="*f = 0;", raised="", asked="work_group_any(left)")


@family("odd-even-sort", model="opencl-3.0", states=lambda _: 1)
def odd_even_sort(n: int) -> Kernel:
    """Work-items, n of them, sort 2n numbers by swapping neighbours, until nothing is swapped."""
    numbers = [(7 * place + 3) % (2 * n) for place in range(2 * n)]
    body = (
        "int i = get_local_id(0);",
        "for (;;) {",
        "  if (i == 0) { *swapped = 0; }",
        f"  {_BARRIER}",
        "  for (int phase = 0; phase < 2; phase++) {",
        "    int j = 2 * i + phase;",
        f"    if (j + 1 < {2 * n} && a[j] > a[j + 1]) {{",
        "      int t = a[j];",
        "      a[j] = a[j + 1];",
        "      a[j + 1] = t;",
        "      atomic_or(swapped, 1);",
        "    }",
        f"    {_BARRIER}",
        "  }",
        "  int s = *swapped;",
        f"  {_BARRIER}",
        "  if (!s) { break; }",
        "}",
    )
    condition = " /\\ ".join(f"a[{place}]={number}" for place, number in enumerate(sorted(numbers)))
    return Kernel(
        ("global int* a", "local int* swapped"),
        body,
        n,
        f"forall ({condition})",
        initial=f"int a[{2 * n}] = {{{', '.join(map(str, numbers))}}};",
    )


@family("bellman-ford", model="opencl-3.0", states=lambda _: 1)
def bellman_ford(n: int) -> Kernel:
    """Work-items of a group, n of them, relax n edges of a graph, a chain with one short cut, until nothing changes."""
    how = "memory_order_relaxed, memory_scope_work_group"
    body = (
        "local atomic_int d[VERTICES]; local atomic_int changed;",
        "int i = get_local_id(0); int again;",
        f"atomic_store_explicit(&d[i], i == 0 ? 0 : 99, {how});",
        _BARRIER,
        "do {",
        f"  if (i == 0) {{ atomic_store_explicit(&changed, 0, {how}); }}",
        f"  {_BARRIER}",
        f"  int near = atomic_load_explicit(&d[tail[i]], {how}) + length[i];",
        f"  if (near < atomic_fetch_min_explicit(&d[head[i]], near, {how})) {{",
        f"    atomic_store_explicit(&changed, 1, {how});",
        "  }",
        f"  {_BARRIER}",
        f"  again = atomic_load_explicit(&changed, {how});",
        f"  {_BARRIER}",
        "} while (again);",
        f"out[i] = atomic_load_explicit(&d[i], {how});",
    )
    tails, heads, lengths = [*range(n - 1), 0], [*range(1, n), n - 1], [1] * (n - 1) + [5]
    starts = (("tail", tails), ("head", heads), ("length", lengths))
    initial = " ".join(f"int {name}[{n}] = {{{', '.join(map(str, of))}}};" for name, of in starts)
    return Kernel(
        (*(f"global const int* {name}" for name, _ in starts), "global int* out"),
        tuple(line.replace("VERTICES", str(n)) for line in body),
        n,
        f"forall (out[{n - 2}]={n - 2} /\\ out[{n - 1}]={min(n - 1, 5)})",
        initial=f"{initial} int out[{n}];",
    )
