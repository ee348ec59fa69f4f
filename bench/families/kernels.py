"""Kernels as they are written: barriers order the memory of their groups, or what is wrong where one does not."""

from __future__ import annotations

from typing import Final

from bench.family import family
from bench.litmus import Kernel

_BARRIER: Final = "work_group_barrier(CLK_LOCAL_MEM_FENCE);"
_BARRIER_OF_ALL: Final = "work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"


_WRONG_FLAG: Final = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);"


@family("reduction", model="opencl-3.0", states=lambda _: 1)
def reduction(n: int) -> Kernel:
    """Work-items, n of them, add up n numbers in a tree, in local memory."""
    return _reduction(n, _BARRIER)


@family("reduction-race", model="opencl-3.0")
def reduction_race(n: int) -> Kernel:
    """The reduction by n work-items, but the barrier between its steps has the flag of the wrong memory."""
    return _reduction(n, _WRONG_FLAG)


def _reduction(n: int, barrier: str) -> Kernel:
    body = (
        "int l = get_local_id(0);",
        "t[l] = l + 1;",
        _BARRIER,
        f"for (int m = {n}; m > 1; m = (m + 1) / 2) {{",
        "  int s = (m + 1) / 2;",
        "  if (l + s < m) { t[l] = t[l] + t[l + s]; }",
        f"  {barrier}",
        "}",
        "if (l == 0) { *out = t[0]; }",
    )
    return Kernel(("global int* out", f"local int t[{n}]"), body, n, f"exists (out={n * (n + 1) // 2})")


@family("scan", model="opencl-3.0", states=lambda _: 1)
def scan(n: int) -> Kernel:
    """Work-items, n of them, compute the prefix sums of n ones, each in log n steps (Hillis and Steele)."""
    return _scan(n, _BARRIER)


@family("scan-race", model="opencl-3.0")
def scan_race(n: int) -> Kernel:
    """The prefix sums by n work-items, but without the barrier between reading and writing."""
    return _scan(n, "")


def _scan(n: int, barrier: str) -> Kernel:
    body = (
        "int l = get_local_id(0);",
        "t[l] = 1;",
        _BARRIER,
        f"for (int s = 1; s < {n}; s = s * 2) {{",
        "  int v = t[l];",
        "  if (l >= s) { v = v + t[l - s]; }",
        f"  {barrier}",
        "  t[l] = v;",
        f"  {_BARRIER}",
        "}",
        f"if (l == {n - 1}) {{ *out = t[l]; }}",
    )
    return Kernel(("global int* out", f"local int t[{n}]"), body, n, f"exists (out={n})")


@family("bitonic-sort", model="opencl-3.0", states=lambda _: 1)
def bitonic_sort(n: int) -> Kernel:
    """Work-items sort n numbers, filled up with zeros, in local memory: a bitonic sort."""
    items = 1 << (n - 1).bit_length()
    values = [(37 * item + 11) % 101 if item < n else 0 for item in range(items)]
    body = (
        "int l = get_local_id(0);",
        "t[l] = in[l];",
        _BARRIER,
        f"for (int k = 2; k <= {items}; k = k * 2) {{",
        "  for (int j = k / 2; j > 0; j = j / 2) {",
        "    int o = l ^ j;",
        "    if (o > l) {",
        "      int a = t[l], b = t[o];",
        "      if ((a > b) == ((l & k) == 0)) { t[l] = b; t[o] = a; }",
        "    }",
        f"    {_BARRIER}",
        "  }",
        "}",
        "out[l] = t[l];",
    )
    return Kernel(
        ("global const int* in", f"global int out[{items}]", f"local int t[{items}]"),
        body,
        items,
        "exists (" + " /\\ ".join(f"out[{place}]={value}" for place, value in enumerate(sorted(values))) + ")",
        initial=f"int in[{items}] = {{{', '.join(map(str, values))}}};",
    )


@family("merge-sort", model="opencl-3.0", states=lambda _: 1)
def merge_sort(n: int) -> Kernel:
    """Work-items, the next power of two from n on, merge sorted runs: each looks for its place in the other run."""
    items = 1 << (n - 1).bit_length()
    values = [(37 * item + 11) % 101 for item in range(items)]
    body = (
        "int l = get_local_id(0);",
        "t[l] = in[l];",
        _BARRIER,
        f"for (int w = 1; w < {items}; w = w * 2) {{",
        "  int x = t[l];",
        "  int block = l / (2 * w) * (2 * w);",
        "  int right = l / w % 2;",
        "  int begin = right ? block : block + w;",
        "  int low = begin, high = begin + w;",
        "  while (low < high) {",
        "    int middle = (low + high) / 2;",
        "    if (right ? t[middle] <= x : t[middle] < x) { low = middle + 1; } else { high = middle; }",
        "  }",
        "  u[block + l % w + low - begin] = x;",
        f"  {_BARRIER}",
        "  t[l] = u[l];",
        f"  {_BARRIER}",
        "}",
        "out[l] = t[l];",
    )
    return Kernel(
        ("global const int* in", f"global int out[{items}]", f"local int t[{items}]", f"local int u[{items}]"),
        body,
        items,
        "exists (" + " /\\ ".join(f"out[{place}]={value}" for place, value in enumerate(sorted(values))) + ")",
        initial=f"int in[{items}] = {{{', '.join(map(str, values))}}};",
    )


@family("list-ranking", model="opencl-3.0", states=lambda _: 1)
def list_ranking(n: int) -> Kernel:
    """A list of n nodes, one work-item each: in rounds, nodes jump to their successor's successor until all are there.

    How many have arrived is counted by atomics, read plainly, and set back for the next round.
    """
    following = ", ".join(str(min(node + 1, n - 1)) for node in range(n))
    distances = ", ".join("1" if node + 1 < n else "0" for node in range(n))
    body = (
        "int i = get_local_id(0);",
        "while (true) {",
        "  if (i == 0) { *done = 0; }",
        f"  {_BARRIER_OF_ALL}",
        "  int node = next[i];",
        "  int after = next[node], distance = rank[node];",
        f"  {_BARRIER_OF_ALL}",
        "  if (node != after) { next[i] = after; rank[i] += distance; } else { atomic_inc(done); }",
        f"  {_BARRIER_OF_ALL}",
        f"  if (*done == {n}) {{ break; }}",
        f"  {_BARRIER_OF_ALL}",
        "}",
    )
    return Kernel(
        ("global int* next", "global int* rank", "local int* done"),
        body,
        n,
        "forall (" + " /\\ ".join(f"rank[{node}]={n - 1 - node}" for node in range(n)) + ")",
        initial=f"int next[{n}] = {{{following}}}; int rank[{n}] = {{{distances}}};",
    )


@family("segmented-scan", model="opencl-3.0", states=lambda _: 1)
def segmented_scan(n: int) -> Kernel:
    """Work-items, n of them, add up what comes before in their segment: what they read decides what they read next."""
    values, flags = [item % 5 for item in range(n)], [int(item % 13 == 0) for item in range(n)]
    body = (
        "int l = get_local_id(0);",
        "v[l] = in[l]; f[l] = flag[l];",
        _BARRIER,
        f"for (int d = 1; d < {n}; d = d * 2) {{",
        "  int x = v[l], h = f[l];",
        "  if (l >= d && h == 0) { x = x + v[l - d]; h = f[l - d]; }",
        f"  {_BARRIER}",
        "  v[l] = x; f[l] = h;",
        f"  {_BARRIER}",
        "}",
        "out[l] = v[l];",
    )
    parameters = ("global const int* in", "global const int* flag", f"global int out[{n}]")
    return Kernel(
        (*parameters, f"local int v[{n}]", f"local int f[{n}]"),
        body,
        n,
        f"exists (out[{n - 1}]={sum(values[(n - 1) // 13 * 13 :])})",
        initial=f"int in[{n}] = {{{', '.join(map(str, values))}}}; int flag[{n}] = {{{', '.join(map(str, flags))}}};",
    )


@family("last-block", model="opencl-3.0", states=lambda _: 1)
def last_block(n: int) -> Kernel:
    """Work-groups of 64, n of them, add up 64 numbers each; the one that is done last adds up their sums."""
    both = "memory_order_acq_rel, memory_scope_device"
    body = (
        "int l = get_local_id(0);",
        "t[l] = get_global_id(0) + 1;",
        _BARRIER,
        "for (int s = 32; s > 0; s = s / 2) {",
        "  if (l < s) { t[l] = t[l] + t[l + s]; }",
        f"  {_BARRIER}",
        "}",
        "if (l == 0) {",
        "  partial[get_group_id(0)] = t[0];",
        f"  if (atomic_fetch_add_explicit(done, 1, {both}) == {n - 1}) {{",
        "    int sum = 0;",
        f"    for (int i = 0; i < {n}; i++) {{ sum += partial[i]; }}",
        "    *out = sum;",
        "  }",
        "}",
    )
    parameters = (f"global int partial[{n}]", "global atomic_int* done", "global int* out", "local int t[64]")
    return Kernel(parameters, body, 64, f"exists (out={32 * n * (64 * n + 1)})", groups=n)


@family("last-of-all", model="opencl-3.0", states=lambda _: 1)
def last_of_all(n: int) -> Kernel:
    """Work-groups of one work-item, n of them, leave a number each; the one that is done last adds them up."""
    both = "memory_order_acq_rel, memory_scope_device"
    body = (
        "int g = get_global_id(0);",
        "a[g] = g;",
        f"if (atomic_fetch_add_explicit(done, 1, {both}) == {n - 1}) {{",
        "  int sum = 0;",
        f"  for (int i = 0; i < {n}; i++) {{ sum += a[i]; }}",
        "  *out = sum;",
        "}",
    )
    parameters = (f"global int a[{n}]", "global atomic_int* done", "global int* out")
    return Kernel(parameters, body, 1, f"exists (out={n * (n - 1) // 2})", groups=n)


@family("last-block-seq-cst", model="opencl-3.0", states=lambda _: 1)
def last_block_without_orders(n: int) -> Kernel:
    """Work-groups of 64, n of them, add up by atomics that name no order; the last one that is done adds up all."""
    body = (
        "int l = get_local_id(0);",
        "if (l == 0) { atomic_init(total, 0); }",
        _BARRIER,
        "atomic_fetch_add(total, get_global_id(0) + 1);",
        _BARRIER,
        "if (l == 0) {",
        "  partial[get_group_id(0)] = atomic_load(total);",
        f"  if (atomic_fetch_add(done, 1) == {n - 1}) {{",
        "    int sum = 0;",
        f"    for (int i = 0; i < {n}; i++) {{ sum += partial[i]; }}",
        "    *out = sum;",
        "  }",
        "}",
    )
    parameters = (f"global int partial[{n}]", "global atomic_int* done", "global int* out", "local atomic_int* total")
    return Kernel(parameters, body, 64, f"exists (out={32 * n * (64 * n + 1)})", groups=n)


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


@family("histogram-groups", model="opencl-3.0", states=lambda _: 1)
def histogram_of_groups(n: int) -> Kernel:
    """Work-groups of 16, n of them, count bytes in eight local bins, and add these to those of all."""
    return _histogram_of_groups(n, _BARRIER)


@family("histogram-large", model="opencl-3.0", states=lambda _: 1)
def histogram_of_large_groups(n: int) -> Kernel:
    """Work-groups of n work-items, n of them, count bytes in eight local bins, and add these to those of all."""
    return _histogram_of_groups(n, _BARRIER, size=n)


@family("histogram-seq-cst", model="opencl-3.0", states=lambda _: 1)
def histogram_without_orders(n: int) -> Kernel:
    """Work-groups of 16, n of them, count bytes in eight local bins, by atomics that name no order."""
    return _histogram_of_groups(n, _BARRIER, relaxed=False)


@family("histogram-missed", model="opencl-3.0")
def histogram_of_what_is_there(n: int) -> Kernel:
    """Work-groups of 16, n of them, count by atomics that name no order, and add before all of a group have counted."""
    return _histogram_of_groups(n, _BARRIER, relaxed=False, counted="")


@family("histogram-missed-large", model="opencl-3.0")
def large_histogram_of_what_is_there(n: int) -> Kernel:
    """Work-groups of n work-items, n of them, count, and add before all of a group have counted."""
    return _histogram_of_groups(n, _BARRIER, size=n, counted="")


@family("histogram-race", model="opencl-3.0")
def histogram_race(n: int) -> Kernel:
    """Work-groups of 16, n of them, count bytes in eight local bins, which are not cleared before others count."""
    return _histogram_of_groups(n, "")


def _histogram_of_groups(
    n: int, cleared: str, size: int = 16, *, relaxed: bool = True, counted: str = _BARRIER
) -> Kernel:
    load, add = (
        ("atomic_load_explicit", "atomic_fetch_add_explicit") if relaxed else ("atomic_load", "atomic_fetch_add")
    )
    local, device = (
        f", memory_order_relaxed, memory_scope_{scope}" if relaxed else "" for scope in ("work_group", "device")
    )
    body = (
        "int l = get_local_id(0);",
        f"for (int i = l; i < 8; i += {size}) {{ atomic_init(&bins[i], 0); }}",
        cleared,
        f"{add}(&bins[data[get_global_id(0)] % 8], 1{local});",
        counted,
        f"for (int i = l; i < 8; i += {size}) {{",
        f"  int sum = {load}(&bins[i]{local});",
        f"  {add}(&out[i], sum{device});",
        "}",
    )
    data = [7 * item % 256 for item in range(size * n)]
    return Kernel(
        ("global const uchar* data", "global atomic_int out[8]", "local atomic_int bins[8]"),
        body,
        size,
        f"exists (out[0]={sum(value % 8 == 0 for value in data)})",
        groups=n,
        initial=f"uchar data[{size * n}] = {{{', '.join(map(str, data))}}};",
    )


@family("group-functions", model="opencl-3.0", states=lambda _: 1)
def group_functions(n: int) -> Kernel:
    """Work-items, n of them, add up n numbers by a group function, and look for the largest by another one."""
    body = (
        "int v = get_local_id(0) + 1;",
        "int sum = work_group_reduce_add(v), most = work_group_reduce_max(in[get_local_id(0)]);",
        "if (get_local_id(0) == 0) { *out = sum + most; }",
    )
    parameters = ("global const int* in", "global int* out")
    return Kernel(parameters, body, n, f"exists (out={n * (n + 1) // 2})", initial=f"int in[{n}]; [out]=0;")
