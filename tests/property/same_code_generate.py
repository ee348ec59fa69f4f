"""Random kernels whose work-groups run the same code: locks, counters, flags, plain accesses, and ids that differ.

Some have local memory that a group fills, and reads after a barrier, and loops that count.
"""

from __future__ import annotations

from random import Random
from typing import Final

ORDERS: Final = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
_SCOPE: Final = "memory_scope_device"
# Work-groups, and work-items of each: 2 to 6 work-items.
_SHAPES: Final = ((2, 1), (2, 1), (3, 1), (3, 1), (4, 1), (2, 2), (2, 2), (3, 2), (2, 3), (5, 1))


def same_code_from_seed(seed: str, number: int) -> str:
    """The text of a kernel; the same seed and number give the same text."""
    random = Random(f"{seed}-{number}")  # noqa: S311 - nothing secret
    groups, items = random.choice(_SHAPES)
    is_large = groups * items > 3
    body = [
        _statement(random, groups * items, items) for _ in range(random.choice((1, 2) if is_large else (1, 2, 2, 3)))
    ]
    has_local = random.random() < 0.4
    if has_local:
        body = [_first(items), *body, _last(random, items)]
    other = ""
    if random.random() < 0.3:
        order = random.choice(("relaxed", "release", "seq_cst"))
        what = random.choice(("l", "x"))
        other = (
            f"P0@wg {groups}, dev 0 (global atomic_int* {what})"
            f" {{ atomic_store_explicit({what}, 1, memory_order_{order}, {_SCOPE}); }}\n"
        )
    local = f", local int t[{items}], local atomic_int* d" if has_local else ""
    condition = random.choice(
        ("p=1", "x=1", "x=1 /\\ p=1", "K[0]:r=1", "p=2 /\\ K[1]:r=0", "a[0]=1 /\\ p=1", "x=2 /\\ l=0")
    )
    filtered = random.choice(("", "", "", "filter (K[0]:r=0)\n", "filter (p=1)\n"))
    return f"""OPENCL alike-{number}
{{ [l]=0; [x]=0; [p]=0; int a[{groups * items}]; }}
kernel K (global atomic_int* l, global atomic_int* x, global int* p, global int* a{local}) {{
  int me = get_global_id(0); int w = get_local_id(0); int r = 0;
{"".join(body)}}}
launch K global {groups * items}, local {items}, dev 0;
{other}{filtered}exists ({condition})
"""


def _first(items: int) -> str:
    """Each work-item fills its element of local memory, and one of them the counter of its group."""
    return f"  t[w] = w + 1; if (w == 0) {{ atomic_init(d, 0); }} {_barrier(items)}\n"


def _last(random: Random, items: int) -> str:
    """What others have left in local memory is looked at, and counted in a loop."""
    how = f"memory_order_relaxed, {random.choice((_SCOPE, 'memory_scope_work_group'))}"
    return "  " + random.choice(
        (
            f"{_barrier(items)} r = r + t[(w + 1) % {items}];\n",
            f"for (int i = 0; i < {items}; i++) {{ if (i == w) {{ atomic_fetch_add_explicit(d, 1, {how}); }} }}\n",
            f"atomic_fetch_add_explicit(d, t[w], {how}); {_barrier(items)} r = atomic_load_explicit(d, {how});\n",
            f"for (int i = 0; i < 2; i++) {{ t[w] = t[w] + r; {_barrier(items)} }}\n",
        )
    )


def _barrier(items: int) -> str:
    return "work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);" if items > 1 else ""


def _statement(random: Random, number: int, items: int) -> str:
    order, cell = random.choice(ORDERS), random.choice(("l", "x"))
    reading = order if order in {"relaxed", "acquire", "seq_cst"} else "acquire"
    writing = order if order in {"relaxed", "release", "seq_cst"} else "release"
    guarded = random.choice(("*p = *p + 1;", "a[me] = 1;", "r = *p;", f"r = a[(me + 1) % {number}];"))
    choices = [
        f"r = atomic_fetch_add_explicit({cell}, 1, memory_order_{order}, {_SCOPE});",
        f"atomic_store_explicit({cell}, {random.choice(('1', '2', 'me', 'r'))}, memory_order_{writing}, {_SCOPE});",
        f"r = atomic_load_explicit({cell}, memory_order_{reading}, {_SCOPE});",
        guarded,
        f"if (r == {random.randrange(2)}) {{ {guarded} }}",
        (
            f"while (atomic_exchange_explicit(l, 1, memory_order_acquire, {_SCOPE}) != 0) {{ }} {guarded}"
            f" atomic_store_explicit(l, 0, memory_order_{writing}, {_SCOPE});"
        ),
        (
            f"int e = 0; if (atomic_compare_exchange_strong_explicit({cell}, &e, 1, memory_order_{order},"
            f" memory_order_relaxed, {_SCOPE})) {{ {guarded} }}"
        ),
        (
            f"int f = 0; while (!atomic_compare_exchange_weak_explicit(l, &f, 1, memory_order_acquire,"
            f" memory_order_relaxed, {_SCOPE})) {{ f = 0; }} {guarded}"
            f" atomic_store_explicit(l, 0, memory_order_{writing}, {_SCOPE});"
        ),
        (
            f"if (atomic_fetch_add_explicit(x, 1, memory_order_{order}, {_SCOPE}) == {number - 1})"
            f" {{ atomic_store_explicit(l, 1, memory_order_{writing}, {_SCOPE}); }}"
            f" else {{ while (atomic_load_explicit(l, memory_order_{reading}, {_SCOPE}) == 0) {{ }} }} {guarded}"
        ),
        f"r = atomic_exchange_explicit({cell}, me + 1, memory_order_{order}, {_SCOPE});",
        f"if (r > 0 && r <= {number}) {{ {random.choice(('a[r - 1] = 1;', 'r = a[r - 1];'))} }}",
        f"if (r {random.choice(('==', '!=', '<'))} me + 1) {{ {guarded} }}",
        (
            f"int g = me + 1; atomic_compare_exchange_strong_explicit({cell}, &g, 0, memory_order_{order},"
            f" memory_order_relaxed, {_SCOPE}); r = g;"
        ),
        f"atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_{order}, {_SCOPE});",
    ]
    if items > 1:
        choices += ["work_group_barrier(CLK_GLOBAL_MEM_FENCE);"] * 2
    return f"  {{ {random.choice(choices)} }}\n"
