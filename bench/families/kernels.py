"""Kernels as they are written: one work-group, whose barriers order its memory."""

from __future__ import annotations

from bench.family import family
from bench.litmus import Kernel

_BARRIER = "work_group_barrier(CLK_LOCAL_MEM_FENCE);"


@family("reduction", model="opencl-3.0", states=lambda _: 1)
def reduction(n: int) -> Kernel:
    """Work-items, n of them, add up n numbers in a tree, in local memory."""
    body = (
        "int l = get_local_id(0);",
        "t[l] = l + 1;",
        _BARRIER,
        f"for (int m = {n}; m > 1; m = (m + 1) / 2) {{",
        "  int s = (m + 1) / 2;",
        "  if (l + s < m) { t[l] = t[l] + t[l + s]; }",
        f"  {_BARRIER}",
        "}",
        "if (l == 0) { *out = t[0]; }",
    )
    return Kernel(("global int* out", f"local int t[{n}]"), body, n, f"exists (out={n * (n + 1) // 2})")


@family("scan", model="opencl-3.0", states=lambda _: 1)
def scan(n: int) -> Kernel:
    """Work-items, n of them, compute the prefix sums of n ones, each in log n steps (Hillis and Steele)."""
    body = (
        "int l = get_local_id(0);",
        "t[l] = 1;",
        _BARRIER,
        f"for (int s = 1; s < {n}; s = s * 2) {{",
        "  int v = t[l];",
        "  if (l >= s) { v = v + t[l - s]; }",
        f"  {_BARRIER}",
        "  t[l] = v;",
        f"  {_BARRIER}",
        "}",
        f"if (l == {n - 1}) {{ *out = t[l]; }}",
    )
    return Kernel(("global int* out", f"local int t[{n}]"), body, n, f"exists (out={n})")


@family("histogram", model="opencl-3.0", states=lambda _: 1)
def histogram(n: int) -> Kernel:
    """Work-items, n of them, count into four local bins, and then add these to global ones, all by relaxed atomics."""
    local = "memory_order_relaxed, memory_scope_work_group"
    body = (
        "int l = get_local_id(0);",
        f"for (int i = l; i < 4; i += {n}) {{ atomic_init(&bins[i], 0); }}",
        _BARRIER,
        f"atomic_fetch_add_explicit(&bins[l % 4], 1, {local});",
        _BARRIER,
        f"for (int i = l; i < 4; i += {n}) {{",
        f"  int sum = atomic_load_explicit(&bins[i], {local});",
        "  atomic_fetch_add_explicit(&out[i], sum, memory_order_relaxed, memory_scope_device);",
        "}",
    )
    return Kernel(("global atomic_int out[4]", "local atomic_int bins[4]"), body, n, f"exists (out[0]={(n + 3) // 4})")
