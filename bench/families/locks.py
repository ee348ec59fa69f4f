"""Work-groups that wait for each other: locks around a counter, barriers, a latch, a scan that looks back."""

from __future__ import annotations

from typing import Final

from bench.family import family
from bench.litmus import Kernel

_ACQUIRE: Final = "memory_order_acquire, memory_scope_device"
_RELEASE: Final = "memory_order_release, memory_scope_device"
_BOTH: Final = "memory_order_acq_rel, memory_scope_device"
_RELAXED: Final = "memory_order_relaxed, memory_scope_device"
_COUNT: Final = "*x = *x + 1;"


@family("spin-lock", model="opencl-3.0", states=lambda _: 1)
def spin_lock(n: int) -> Kernel:
    """A lock made of an exchange: n work-groups of one count."""
    return _counting((f"while (atomic_exchange_explicit(lock, 1, {_ACQUIRE}) != 0) {{ }}",), n)


@family("locked-sum", model="opencl-3.0", states=lambda _: 1)
def locked_sum(n: int) -> Kernel:
    """A lock made of an exchange: n work-groups of four add their numbers to a total."""
    taking = f"while (atomic_exchange_explicit(lock, 1, {_ACQUIRE}) != 0) {{ }}"
    section = f"{taking} *x += get_group_id(0); atomic_store_explicit(lock, 0, {_RELEASE});"
    parameters = ("global atomic_int* lock", "global int* x")
    total = n * (n - 1) // 2
    return Kernel(
        parameters, (f"if (get_local_id(0) == 0) {{ {section} }}",), 4, f"forall (x={total})", n, "[lock]=0; [x]=0;"
    )


@family("lock-across-groups", model="opencl-3.0", states=lambda _: 1)
def lock_across_groups(n: int) -> Kernel:
    """A lock that the work-items of n groups of four take with a compare-exchange."""
    taking = (
        "int free = 0;",
        "while (!atomic_compare_exchange_weak_explicit(",
        "    lock, &free, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) { free = 0; }",
    )
    return _counting(taking, n, items=4)


@family("leader", model="opencl-3.0", states=lambda n: n)
def leader(n: int) -> Kernel:
    """One of n work-groups of one is the first to exchange, in one total order with all, and leaves its number."""
    body = ("int nobody = 0;", "if (atomic_compare_exchange_strong(taken, &nobody, 1)) { *who = get_global_id(0); }")
    return Kernel(
        ("global atomic_int* taken", "global int* who"), body, 1, f"exists (who={n - 1})", n, "[taken]=0; [who]=0;"
    )


@family("group-leader", model="opencl-3.0", states=lambda n: n)
def group_leader(n: int) -> Kernel:
    """The first of a work-group of n to exchange, in local memory, is the leader, as all read behind a barrier."""
    barrier = "barrier(CLK_LOCAL_MEM_FENCE);"
    body = (
        "local int taken; local int leader;",
        "if (get_local_id(0) == 0) { taken = 0; }",
        barrier,
        "if (atomic_cmpxchg(&taken, 0, 1) == 0) { leader = get_local_id(0); }",
        barrier,
        "out[get_local_id(0)] = leader;",
    )
    return Kernel(("global int* out",), body, n, f"exists (out[0]={n - 1})", 1, f"int out[{n}];")


@family("first-initialises", model="opencl-3.0", states=lambda _: 1)
def first_initialises(n: int) -> Kernel:
    """The first of the work-items of n groups of four writes what all the others wait for."""
    body = (
        "int nobody = 0;",
        "if (atomic_compare_exchange_strong_explicit(",
        "    state, &nobody, 1, memory_order_acquire, memory_order_acquire, memory_scope_device)) {",
        "  *data = 42;",
        f"  atomic_store_explicit(state, 2, {_RELEASE});",
        "} else {",
        f"  while (atomic_load_explicit(state, {_ACQUIRE}) != 2) {{ }}",
        "}",
        "out[get_global_id(0)] = *data;",
    )
    parameters = ("global atomic_int* state", "global int* data", "global int* out")
    initial = f"[state]=0; [data]=0; int out[{4 * n}];"
    return Kernel(parameters, body, 4, f"forall (out[0]=42 /\\ out[{4 * n - 1}]=42)", n, initial)


@family("cas-lock", model="opencl-scoped", states=lambda _: 1)
def cas_lock(n: int) -> Kernel:
    """A lock that is taken with a compare-exchange: n work-groups of one count."""
    taking = (
        "int free = 0;",
        "while (atomic_compare_exchange_strong_explicit(",
        "    lock, &free, 1, memory_order_acquire, memory_order_acquire, memory_scope_device) == 0) {",
        "  free = 0;",
        "}",
    )
    return _counting(taking, n)


def _counting(taking: tuple[str, ...], groups: int, items: int = 1) -> Kernel:
    """Work-groups of so many work-items that count one after the other, each when it has taken a lock."""
    body = (*taking, _COUNT, f"atomic_store_explicit(lock, 0, {_RELEASE});")
    parameters = ("global atomic_int* lock", "global int* x")
    return Kernel(parameters, body, items, f"forall (x={groups * items})", groups, "[lock]=0; [x]=0;")


@family("spinning-ticket-lock", model="opencl-3.0", states=lambda _: 1)
def spinning_ticket_lock(n: int) -> Kernel:
    """A ticket lock whose work-groups of one, n of them, wait for their turn and count."""
    body = (
        f"int ticket = atomic_fetch_add_explicit(next, 1, {_RELAXED});",
        f"while (atomic_load_explicit(owner, {_ACQUIRE}) != ticket) {{ }}",
        _COUNT,
        f"atomic_store_explicit(owner, ticket + 1, {_RELEASE});",
    )
    parameters = ("global atomic_int* next", "global atomic_int* owner", "global int* x")
    return Kernel(parameters, body, 1, f"forall (x={n})", n, "[next]=0; [owner]=0; [x]=0;")


@family("sense-barrier", model="opencl-3.0", states=lambda _: 1)
def sense_reversing_barrier(n: int) -> Kernel:
    """A barrier of n work-groups of one that turns its sense: each sees what its neighbour wrote before."""
    body = (
        "int me = get_global_id(0);",
        "a[me] = 1;",
        f"if (atomic_fetch_add_explicit(arrived, 1, {_BOTH}) == {n - 1}) {{",
        f"  atomic_store_explicit(arrived, 0, {_RELAXED});",
        f"  atomic_store_explicit(go, 1, {_RELEASE});",
        "} else {",
        f"  while (atomic_load_explicit(go, {_ACQUIRE}) != 1) {{ }}",
        "}",
        f"r[me] = a[(me + 1) % {n}];",
    )
    return _at_a_barrier(n, body)


@family("two-round-barrier", model="opencl-3.0", states=lambda _: 1)
def two_rounds_of_a_barrier(n: int) -> Kernel:
    """Two rounds of a barrier of n work-groups of one that turns its sense: each reads what the first one separates."""
    body = (
        "int me = get_global_id(0), sense = 0;",
        "for (int round = 0; round < 2; round++) {",
        "  sense = !sense;",
        f"  if (round == 0) a[me] = 1; else r[me] = a[(me + 1) % {n}];",
        f"  if (atomic_fetch_add_explicit(arrived, 1, {_BOTH}) == {n - 1}) {{",
        f"    atomic_store_explicit(arrived, 0, {_RELAXED});",
        f"    atomic_store_explicit(go, sense, {_RELEASE});",
        "  } else {",
        f"    while (atomic_load_explicit(go, {_ACQUIRE}) != sense) {{ }}",
        "  }",
        "}",
    )
    return _at_a_barrier(n, body)


def _at_a_barrier(n: int, body: tuple[str, ...]) -> Kernel:
    """Work-groups of one, each of which reads what its neighbour wrote before a barrier of a counter and a flag."""
    parameters = ("global atomic_int* arrived", "global atomic_int* go", "global int* a", "global int* r")
    seen = " /\\ ".join(f"r[{i}]=1" for i in range(n))
    initial = f"[arrived]=0; [go]=0; int a[{n}]; int r[{n}];"
    return Kernel(parameters, body, 1, f"forall ({seen})", n, initial)


@family("latch", model="opencl-3.0", states=lambda _: 1)
def latch(n: int) -> Kernel:
    """A latch for n work-groups of n: the first item of each counts down and waits; then all read another group's."""
    both = "work_group_barrier(CLK_GLOBAL_MEM_FENCE);"
    body = (
        "int g = get_group_id(0);",
        "a[get_global_id(0)] = 1;",
        both,
        "if (get_local_id(0) == 0) {",
        f"  atomic_fetch_sub_explicit(left, 1, {_BOTH});",
        f"  while (atomic_load_explicit(left, {_ACQUIRE}) != 0) {{ }}",
        "}",
        both,
        f"r[get_global_id(0)] = a[(get_global_id(0) + {n}) % {n * n}];",
    )
    parameters = ("global atomic_int* left", "global int* a", "global int* r")
    return Kernel(parameters, body, n, "forall (r[0]=1)", n, f"[left]={n}; int a[{n * n}]; int r[{n * n}];")


@family("look-back", model="opencl-3.0", states=lambda _: 1)
def look_back(n: int) -> Kernel:
    """A scan by n work-groups of one that look back: each waits for the prefix of the one before and adds to it."""
    body = (
        "int g = get_group_id(0), before = 0;",
        "if (g == 0) {",
        "  prefix[0] = 1;",
        f"  atomic_store_explicit(&state[0], 2, {_RELEASE});",
        "} else {",
        "  sum[g] = 1;",
        f"  atomic_store_explicit(&state[g], 1, {_RELEASE});",
        f"  while (atomic_load_explicit(&state[g - 1], {_ACQUIRE}) != 2) {{ }}",
        "  before = prefix[g - 1];",
        "  prefix[g] = before + 1;",
        f"  atomic_store_explicit(&state[g], 2, {_RELEASE});",
        "}",
        "out[g] = before + 1;",
    )
    return _scan(n, body, local=1)


@family("look-back-groups", model="opencl-3.0", states=lambda _: 1)
def look_back_of_groups(n: int) -> Kernel:
    """A scan by n work-groups of n: the last item of each adds up what the groups before have published so far."""
    return _look_back_of_groups(n, ("int g = get_group_id(0);",))


@family("look-back-tickets", model="opencl-3.0", states=lambda _: 1)
def look_back_with_tickets(n: int) -> Kernel:
    """The same, where each group takes the number of what it scans from a counter."""
    first = (
        "local int tile;",
        "if (get_local_id(0) == 0) {",
        "  tile = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);",
        "}",
        "work_group_barrier(CLK_LOCAL_MEM_FENCE);",
        "int g = tile;",
    )
    return _look_back_of_groups(n, first)


def _look_back_of_groups(n: int, first: tuple[str, ...]) -> Kernel:
    body = (
        *first,
        f"local int t[{n}];",
        "local int base;",
        "int i = get_local_id(0), before = 0;",
        "t[i] = 1;",
        "work_group_barrier(CLK_LOCAL_MEM_FENCE);",
        f"for (int d = 1; d < {n}; d *= 2) {{",
        "  int v = i >= d ? t[i - d] : 0;",
        "  work_group_barrier(CLK_LOCAL_MEM_FENCE);",
        "  t[i] += v;",
        "  work_group_barrier(CLK_LOCAL_MEM_FENCE);",
        "}",
        f"if (i == {n - 1}) {{",
        "  if (g > 0) {",
        "    sum[g] = t[i];",
        f"    atomic_store_explicit(&state[g], 1, {_RELEASE});",
        "    int p = g - 1;",
        "    while (1) {",
        f"      int s = atomic_load_explicit(&state[p], {_ACQUIRE});",
        "      if (s == 2) { before += prefix[p]; break; }",
        "      if (s == 1) { before += sum[p]; p--; }",
        "    }",
        "  }",
        "  prefix[g] = before + t[i];",
        f"  atomic_store_explicit(&state[g], 2, {_RELEASE});",
        "  base = before;",
        "}",
        "work_group_barrier(CLK_LOCAL_MEM_FENCE);",
        f"out[g * {n} + i] = base + t[i];",
    )
    return _scan(n, body, local=n)


def _scan(n: int, body: tuple[str, ...], *, local: int) -> Kernel:
    """A scan of ones by n work-groups that publish their own sums, and those of all before."""
    items = n * local
    parameters = (
        "global int* out",
        f"global atomic_uint state[{n}]",
        f"global int sum[{n}]",
        f"global int prefix[{n}]",
        "global atomic_int* next",
    )
    return Kernel(parameters, body, local, f"forall (out[{items - 1}]={items})", n, f"int out[{items}];")


@family("look-back-words", model="opencl-3.0", states=lambda _: 1)
def look_back_of_words(n: int) -> Kernel:
    """The same by n work-groups of one, where a flag and a sum are published in one word."""
    body = (
        "int g = get_group_id(0), before = 0;",
        f"atomic_store_explicit(&state[g], g == 0 ? 512 + 1 : 256 + 1, {_RELEASE});",
        "int p = g - 1;",
        "while (p >= 0) {",
        f"  int s = atomic_load_explicit(&state[p], {_ACQUIRE});",
        "  if (s >= 512) { before += s - 512; p = -1; }",
        "  else if (s >= 256) { before += s - 256; p--; }",
        "}",
        f"if (g > 0) {{ atomic_store_explicit(&state[g], 512 + before + 1, {_RELEASE}); }}",
        "out[g] = before + 1;",
    )
    parameters = ("global int* out", f"global atomic_uint state[{n}]")
    return Kernel(parameters, body, 1, f"forall (out[{n - 1}]={n})", n, f"int out[{n}];")


@family("mcs-lock", model="opencl-3.0", states=lambda _: 1)
def mcs_lock(n: int) -> Kernel:
    """The queue lock of Mellor-Crummey and Scott: n work-groups of one tell the one before who they are, and count."""
    body = (
        "int me = get_global_id(0);",
        f"int before = atomic_exchange_explicit(tail, me + 1, {_BOTH});",
        "if (before != 0) {",
        f"  atomic_store_explicit(&next[before - 1], me + 1, {_RELEASE});",
        f"  while (atomic_load_explicit(&locked[me], {_ACQUIRE})) {{ }}",
        "}",
        _COUNT,
        f"int after = atomic_load_explicit(&next[me], {_ACQUIRE});",
        "if (after == 0) {",
        "  int mine = me + 1;",
        "  if (atomic_compare_exchange_strong_explicit(",
        "      tail, &mine, 0, memory_order_release, memory_order_relaxed, memory_scope_device)) { return; }",
        f"  while ((after = atomic_load_explicit(&next[me], {_ACQUIRE})) == 0) {{ }}",
        "}",
        f"atomic_store_explicit(&locked[after - 1], 0, {_RELEASE});",
    )
    initial = f"[tail]=0; int next[{n}]; int locked[{n}] = {{{', '.join(['1'] * n)}}}; [x]=0;"
    parameters = ("global atomic_int* tail", "global atomic_int* next", "global atomic_int* locked", "global int* x")
    return Kernel(parameters, body, 1, f"forall (x={n})", n, initial)


@family("clh-lock", model="opencl-3.0", states=lambda _: 1)
def clh_lock(n: int) -> Kernel:
    """The queue lock of Craig, Landin and Hagersten: n work-groups of one wait for the one before, and count."""
    body = (
        "int me = get_global_id(0) + 1;",
        f"atomic_store_explicit(&busy[me], 1, {_RELAXED});",
        f"int before = atomic_exchange_explicit(tail, me, {_BOTH});",
        f"while (atomic_load_explicit(&busy[before], {_ACQUIRE})) {{ }}",
        _COUNT,
        f"atomic_store_explicit(&busy[me], 0, {_RELEASE});",
    )
    parameters = ("global atomic_int* tail", "global atomic_int* busy", "global int* x")
    return Kernel(parameters, body, 1, f"forall (x={n})", n, f"[tail]=0; int busy[{n + 1}]; [x]=0;")


@family("semaphore", model="opencl-3.0", states=lambda _: 1)
def semaphore(n: int) -> Kernel:
    """Two permits that n work-groups of one take with a compare-exchange and give back with an addition."""
    body = (
        "for (;;) {",
        f"  int seen = atomic_load_explicit(permits, {_RELAXED});",
        "  if (seen > 0 && atomic_compare_exchange_strong_explicit(",
        "      permits, &seen, seen - 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) { break; }",
        "}",
        f"atomic_fetch_add_explicit(inside, 1, {_RELAXED});",
        f"atomic_fetch_sub_explicit(inside, 1, {_RELAXED});",
        f"atomic_fetch_add_explicit(permits, 1, {_RELEASE});",
    )
    parameters = ("global atomic_int* permits", "global atomic_int* inside")
    return Kernel(parameters, body, 1, "forall (permits=2 /\\ inside=0)", n, "[permits]=2; [inside]=0;")


@family("readers-writer-lock", model="opencl-3.0", states=lambda _: 1)
def readers_writer_lock(n: int) -> Kernel:
    """A lock for one writer or many readers: one of n work-groups writes, the others count themselves and read."""
    exchange = "atomic_compare_exchange_strong_explicit"
    orders = "memory_order_acquire, memory_order_relaxed, memory_scope_device"
    body = (
        "int me = get_global_id(0);",
        "if (me == 0) {",
        "  int nobody = 0;",
        f"  while (!{exchange}(inside, &nobody, -1, {orders})) {{ nobody = 0; }}",
        "  *x = *x + 1; *y = *y + 1;",
        f"  atomic_store_explicit(inside, 0, {_RELEASE});",
        "} else {",
        "  for (;;) {",
        f"    int seen = atomic_load_explicit(inside, {_RELAXED});",
        f"    if (seen >= 0 && {exchange}(inside, &seen, seen + 1, {orders})) {{ break; }}",
        "  }",
        "  r[me] = *x - *y;",
        f"  atomic_fetch_sub_explicit(inside, 1, {_RELEASE});",
        "}",
    )
    same = " /\\ ".join(f"r[{i}]=0" for i in range(n))
    parameters = ("global atomic_int* inside", "global int* x", "global int* y", "global int* r")
    return Kernel(parameters, body, 1, f"forall (x=1 /\\ {same})", n, f"[inside]=0; [x]=0; [y]=0; int r[{n}];")


@family("readers-first-lock", model="opencl-3.0", states=lambda _: 1)
def readers_first_lock(n: int) -> Kernel:
    """A lock for one writer or many readers, who count themselves first and then wait for the writer to leave."""
    body = (
        "int me = get_global_id(0);",
        "if (me == 0) {",
        "  int nobody = 0;",
        "  while (!atomic_compare_exchange_strong_explicit(inside, &nobody, 1000,",
        "      memory_order_acquire, memory_order_relaxed, memory_scope_device)) { nobody = 0; }",
        "  *x = *x + 1; *y = *y + 1;",
        f"  atomic_fetch_sub_explicit(inside, 1000, {_RELEASE});",
        "} else {",
        f"  int seen = atomic_fetch_add_explicit(inside, 1, {_ACQUIRE});",
        f"  while (seen >= 1000) {{ seen = atomic_load_explicit(inside, {_ACQUIRE}); }}",
        "  r[me] = *x - *y;",
        f"  atomic_fetch_sub_explicit(inside, 1, {_RELEASE});",
        "}",
    )
    parameters = ("global atomic_int* inside", "global int* x", "global int* y", "global int* r")
    return Kernel(parameters, body, 1, "forall (x=1 /\\ r[1]=0)", n, f"[inside]=0; [x]=0; [y]=0; int r[{n}];")


@family("array-lock", model="opencl-3.0", states=lambda _: 1)
def array_lock(n: int) -> Kernel:
    """Anderson's lock: n work-groups of one take the next element of an array each, wait there, and count."""
    body = (
        f"int place = atomic_fetch_add_explicit(next, 1, {_RELAXED}) % {n};",
        f"while (!atomic_load_explicit(&may_go[place], {_ACQUIRE})) {{ }}",
        _COUNT,
        f"atomic_store_explicit(&may_go[place], 0, {_RELAXED});",
        f"atomic_store_explicit(&may_go[(place + 1) % {n}], 1, {_RELEASE});",
    )
    parameters = ("global atomic_int* next", "global atomic_int* may_go", "global int* x")
    first = ", ".join(["1"] + ["0"] * (n - 1))
    return Kernel(parameters, body, 1, f"forall (x={n})", n, f"[next]=0; int may_go[{n}] = {{{first}}}; [x]=0;")
