"""Data structures without locks: maxima, stacks and frontiers of compare-exchanges, and jobs from a counter."""

from __future__ import annotations

from typing import Final

from bench.family import family
from bench.litmus import Kernel

_RELAXED: Final = "memory_order_relaxed, memory_scope_device"
_ACQUIRE: Final = "memory_order_acquire, memory_scope_device"


@family("maximum", model="opencl-3.0", states=lambda _: 1)
def maximum(n: int) -> Kernel:
    """The largest of n numbers: work-groups of one try to write theirs as long as they find a smaller one."""
    body = (
        f"int mine = (get_global_id(0) * 7 + 3) % {n} + 1;",
        f"int seen = atomic_load_explicit(most, {_RELAXED});",
        "while (seen < mine) {",
        "  if (atomic_compare_exchange_strong_explicit(",
        "      most, &seen, mine, memory_order_relaxed, memory_order_relaxed, memory_scope_device)) { break; }",
        "}",
    )
    return Kernel(("global atomic_int* most",), body, 1, f"forall (most={n})", n, "[most]=0;")


@family("popped-stack", model="opencl-3.0", states=lambda _: 1)
def popped_stack(n: int) -> Kernel:
    """A free list of n nodes, of which n work-groups of one pop one each (Treiber's stack)."""
    body = (
        f"int item = atomic_load_explicit(top, {_ACQUIRE});",
        "while (item != 0) {",
        f"  int following = atomic_load_explicit(&next[item], {_RELAXED});",
        "  if (atomic_compare_exchange_strong_explicit(",
        "      top, &item, following, memory_order_acquire, memory_order_acquire, memory_scope_device)) { break; }",
        "}",
        "if (item != 0) { uses[item] = uses[item] + 1; }",
    )
    following = ", ".join(str(max(0, node - 1)) for node in range(n + 1))
    initial = f"[top]={n}; int next[{n + 1}] = {{{following}}}; int uses[{n + 1}];"
    parameters = ("global atomic_int* top", "global atomic_int* next", "global int* uses")
    return Kernel(parameters, body, 1, "forall (top=0 /\\ uses[1]=1)", n, initial)


@family("pushed-stack", model="opencl-3.0", states=lambda n: n)
def pushed_stack(n: int) -> Kernel:
    """A stack to which n work-groups of one push a node each (Treiber's); the one on top is asked for."""
    body = (
        "int node = get_global_id(0) + 1;",
        f"int old = atomic_load_explicit(top, {_RELAXED});",
        "do {",
        "  next[node] = old;",
        "} while (!atomic_compare_exchange_weak_explicit(",
        "    top, &old, node, memory_order_release, memory_order_relaxed, memory_scope_device));",
    )
    parameters = ("global atomic_int* top", "global int* next")
    return Kernel(parameters, body, 1, "exists (top=1)", n, f"[top]=0; int next[{n + 1}];")


@family("visited", model="opencl-3.0", states=lambda _: 1)
def visited(n: int) -> Kernel:
    """Work-groups of n work-items visit n nodes: who is the first at a node counts it."""
    body = (
        f"int v = get_global_id(0) % {n};",
        "if (atomic_cmpxchg(&seen[v], 0, 1) == 0) { atomic_inc(count); }",
    )
    parameters = ("global int* seen", "global int* count")
    return Kernel(parameters, body, n, f"forall (count={n})", 4, f"int seen[{n}]; [count]=0;")


@family("frontier", model="opencl-3.0", states=lambda _: 1)
def frontier(n: int) -> Kernel:
    """Breadth-first search by n work-items: who sets the level of a node puts it into the next frontier."""
    body = (
        "int node = get_global_id(0);",
        "for (int edge = 0; edge < 3; edge++) {",
        f"  int other = (2 * node + edge) % {n}, unseen = -1;",
        "  if (atomic_compare_exchange_strong_explicit(",
        "      &level[other], &unseen, 1, memory_order_relaxed, memory_order_relaxed, memory_scope_device)) {",
        f"    next[atomic_fetch_add_explicit(size, 1, {_RELAXED})] = other;",
        "  }",
        "}",
    )
    initial = f"int level[{n}] = {{{', '.join(['-1'] * n)}}}; [size]=0; int next[{n}];"
    parameters = ("global atomic_int* level", "global atomic_int* size", "global int* next")
    return Kernel(parameters, body, n, f"forall (size={n})", 1, initial)


@family("jobs", model="opencl-3.0", states=lambda _: 1)
def jobs(n: int) -> Kernel:
    """Work-groups of one take n jobs from a counter until there are no more; to be asked with a bound of n."""
    body = (
        "int job;",
        f"while ((job = atomic_fetch_add(head, 1)) < {n}) {{",
        "  results[job] = job * job;",
        "}",
    )
    parameters = ("global atomic_int* head", "global int* results")
    return Kernel(parameters, body, 1, f"forall (head={2 * n} /\\ results[1]=1)", n, f"[head]=0; int results[{n}];")


@family("group-jobs", model="opencl-3.0", states=lambda _: 1)
def group_jobs(n: int) -> Kernel:
    """Work-groups of eight, four of them, take n jobs from a counter, one work-item for all, until none is left."""
    barrier = "barrier(CLK_LOCAL_MEM_FENCE);"
    body = (
        "local int task;",
        "for (;;) {",
        f"  if (get_local_id(0) == 0) {{ task = atomic_fetch_add_explicit(next, 1, {_RELAXED}); }}",
        f"  {barrier}",
        "  int job = task;",
        f"  {barrier}",
        f"  if (job >= {n}) {{ break; }}",
        "  out[8 * job + get_local_id(0)] = job;",
        "}",
    )
    parameters = ("global atomic_int* next", "global int* out")
    return Kernel(parameters, body, 8, f"forall (next={n + 4})", 4, f"[next]=0; int out[{8 * n}];")


@family("compaction", model="opencl-3.0", states=lambda _: 1)
def compaction(n: int) -> Kernel:
    """Work-groups of four, n of them, put what is not zero into places that they take from a counter."""
    body = (
        "int value = in[get_global_id(0)];",
        "if (value != 0) {",
        f"  out[atomic_fetch_add_explicit(count, 1, {_RELAXED})] = value;",
        "}",
    )
    data = [item * 5 % 3 for item in range(4 * n)]
    initial = f"int in[{4 * n}] = {{{', '.join(map(str, data))}}}; int out[{4 * n}]; [count]=0;"
    parameters = ("global const int* in", "global int* out", "global atomic_int* count")
    return Kernel(parameters, body, 4, f"forall (count={sum(map(bool, data))})", n, initial)


@family("group-compaction", model="opencl-3.0", states=lambda _: 1)
def group_compaction(n: int) -> Kernel:
    """Work-groups of eight, n of them, take a range each for what is not zero, and work-items places in it."""
    barrier = "barrier(CLK_LOCAL_MEM_FENCE);"
    body = (
        "local atomic_int own; local int base;",
        "int value = in[get_global_id(0)], place = 0;",
        "if (get_local_id(0) == 0) { atomic_store_explicit(&own, 0, memory_order_relaxed, memory_scope_work_group); }",
        barrier,
        "if (value != 0) {",
        "  place = atomic_fetch_add_explicit(&own, 1, memory_order_relaxed, memory_scope_work_group);",
        "}",
        barrier,
        "if (get_local_id(0) == 0) {",
        "  int needed = atomic_load_explicit(&own, memory_order_relaxed, memory_scope_work_group);",
        f"  base = atomic_fetch_add_explicit(count, needed, {_RELAXED});",
        "}",
        barrier,
        "if (value != 0) { out[base + place] = value; }",
    )
    data = [item * 5 % 3 for item in range(8 * n)]
    initial = f"int in[{8 * n}] = {{{', '.join(map(str, data))}}}; int out[{8 * n}]; [count]=0;"
    parameters = ("global const int* in", "global int* out", "global atomic_int* count")
    return Kernel(parameters, body, 8, f"forall (count={sum(map(bool, data))})", n, initial)


@family("scatter", model="opencl-3.0", states=lambda _: 1)
def scatter(n: int) -> Kernel:
    """Work-groups of four, n of them, sort by three keys: each work-item takes a place from the counter of its key."""
    body = (
        "int i = get_global_id(0);",
        f"out[atomic_fetch_add_explicit(&next[key[i]], 1, {_RELAXED})] = i;",
    )
    keys = [item * 5 % 3 for item in range(4 * n)]
    first = ", ".join(str(sum(key < other for key in keys)) for other in range(3))
    initial = f"int key[{4 * n}] = {{{', '.join(map(str, keys))}}}; int out[{4 * n}]; int next[3] = {{{first}}};"
    parameters = ("global const int* key", "global int* out", "global atomic_int* next")
    return Kernel(parameters, body, 4, f"forall (next[2]={4 * n})", n, initial)


@family("hash-table", model="opencl-3.0", states=lambda _: 1)
def hash_table(n: int) -> Kernel:
    """Work-groups of one, n of them, insert a key each into a hash table of twice as many elements."""
    size = 2 * n
    body = (
        f"int key = get_global_id(0) * 5 % {size} + 1, at = key * 7 % {size};",
        f"for (int probe = 0; probe < {size}; probe++) {{",
        "  int empty = 0;",
        "  if (atomic_compare_exchange_strong_explicit(",
        "      &table[at], &empty, key, memory_order_relaxed, memory_order_relaxed, memory_scope_device)) { break; }",
        f"  at = (at + 1) % {size};",
        "}",
    )
    return Kernel(("global atomic_int* table",), body, 1, "exists (table[0]=0)", n, f"int table[{size}];")


@family("bounded-queue", model="opencl-3.0", states=lambda _: 1)
def bounded_queue(n: int) -> Kernel:
    """Of n work-groups of one, half put an item each into Vyukov's queue of two cells, and the others take one."""

    def wait_for(mine: str, turn: str) -> str:
        """Take a number from a counter when the cell of that number has its turn."""
        load = f"pos = atomic_load_explicit({mine}, {_RELAXED});"
        exchange = (
            f"if (atomic_compare_exchange_weak_explicit({mine}, &pos, pos + 1, memory_order_relaxed, "
            "memory_order_relaxed, memory_scope_device)) { break; }"
        )
        has_turn = f"atomic_load_explicit(&turn[pos % 2], memory_order_acquire, memory_scope_device) == {turn}"
        return f"{load} for (;;) {{ if ({has_turn}) {{ {exchange} }} else {{ {load} }} }}"

    def pass_on(turn: str) -> str:
        return f"atomic_store_explicit(&turn[pos % 2], {turn}, memory_order_release, memory_scope_device);"

    body = (
        f"uint pos; if (get_global_id(0) < {n // 2}) {{",
        f"  {wait_for('head', 'pos')}",
        "  item[pos % 2] = get_global_id(0);",
        f"  {pass_on('pos + 1')}",
        "} else {",
        f"  {wait_for('tail', 'pos + 1')}",
        f"  out[get_global_id(0) - {n // 2}] = item[pos % 2];",
        f"  {pass_on('pos + 2')}",
        "}",
    )
    parameters = (
        "global atomic_uint* turn",
        "global int* item",
        "global atomic_uint* head",
        "global atomic_uint* tail",
        "global int* out",
    )
    initial = f"uint turn[2] = {{0, 1}}; int item[2]; [head]=0; [tail]=0; int out[{n - n // 2}];"
    return Kernel(parameters, body, 1, f"forall (head={n // 2} /\\ tail={n // 2})", n, initial)
