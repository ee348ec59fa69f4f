"""Random kernels that count with atomics: who is last, who may go on, which element is whose; and what disturbs it."""

from __future__ import annotations

from random import Random
from typing import Final

# Work-items of a group, and groups: 2 to 6 work-items.
_SHAPES: Final = ((1, 3), (1, 3), (3, 1), (1, 4), (2, 2), (1, 2), (1, 5), (3, 2))
_ORDERS: Final = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
_LOADS: Final = ("relaxed", "acquire", "seq_cst")
_STORES: Final = ("relaxed", "release", "seq_cst")
_SCOPE: Final = "memory_scope_device"
# With the last one a counter comes round after two steps.
_STEPS: Final = ("1", "1", "1", "2", "0x80000000")


def counting_kernel(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    return _Kernel(Random(f"counters {seed} {number}")).text(f"counting-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, groups = random.choice(_SHAPES)
        self._items = self._local * groups
        self._step = random.choice(_STEPS)
        self._last = int(self._step, 0) * (self._items - 1) % (1 << 32)

    def text(self, name: str) -> str:
        random = self._random
        body = [self._count("r0"), self._react()]
        if self._items <= 4 and random.random() < 0.6:
            body += [self._more()]
        if self._items <= 3 and random.random() < 0.3:
            body += [self._count("r1"), self._react()]
        if random.random() < 0.3:
            body.insert(0, self._filled())
            body.append(f"{self._barrier()} r2 = t[{random.randrange(self._local)}];")
        other = ""
        if random.random() < 0.2:
            order = random.choice(_STORES)
            store = f"atomic_store_explicit(c, {random.randrange(3)}, memory_order_{order}, {_SCOPE});"
            other = f"P0@wg 9, dev 0 (global atomic_uint* c) {{ {store} }}\n"
        watched = random.choice(("c=1", "f=1", "K[0]:r0=0", "p=1", "a[1]=1 /\\ c=2", "K[1]:r1=1 /\\ p=1"))
        lines = "\n".join(f"  {line}" for line in body)
        return f"""OPENCL {name}
{{ [c]={random.choice((0, 0, 0, 1))}; [f]=0; [p]=0; int a[8]; }}
kernel K (global atomic_uint* c, global atomic_uint* f, global int* p, global int* a,
          local int t[{self._local}]) {{
  int l = get_local_id(0); uint r0 = 0; uint r1 = 0; int r2 = 0;
{lines}
}}
launch K global {self._items}, local {self._local}, dev 0;
{other}exists ({watched})
"""

    def _filled(self) -> str:
        return f"t[l] = l + 1; for (int i = 0; i < 2; i++) {{ t[l] = t[l] + i; }} {self._barrier()}"

    def _barrier(self) -> str:
        return "work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"

    def _count(self, register: str) -> str:
        random = self._random
        how = random.choice(("add", "add", "sub"))
        order = random.choice(_ORDERS)
        step = self._step if random.random() < 0.9 else "3"
        if random.random() < 0.15:
            return (
                f"{register} = atomic_load_explicit(c, memory_order_{random.choice(_LOADS)}, {_SCOPE}); while"
                f" (!atomic_compare_exchange_strong_explicit(c, &{register}, {register} + {step}, memory_order_{order},"
                f" memory_order_relaxed, {_SCOPE})) {{ }}"
            )
        return f"{register} = atomic_fetch_{how}_explicit(c, {step}, memory_order_{order}, {_SCOPE});"

    def _react(self) -> str:
        random = self._random
        store = random.choice(_STORES)
        read = random.choice(_LOADS)
        return random.choice(
            (
                f"if (r0 == {self._last}) {{ *p = 1; }}",
                f"if (r0 == {self._last}) {{ atomic_store_explicit(f, 1, memory_order_{store}, {_SCOPE}); }}",
                f"if (r0 == {self._last}) {{ atomic_store_explicit(c, 0, memory_order_{store}, {_SCOPE}); }}",
                "a[r0 & 7] = 1;",
                f"if (r0 > {random.randrange(3)}) {{ {self._count('r1')} }} else {{ a[r0 & 7] = 1; }}",
                f"if (r0 == 0) {{ *p = 1; }} else if (r0 == {self._last}) {{ r2 = *p; }}",
                f"while (atomic_load_explicit(c, memory_order_{read}, {_SCOPE}) < {self._last}) {{ }} r2 = *p;",
            )
        )

    def _more(self) -> str:
        random = self._random
        order = random.choice(_LOADS)
        return random.choice(
            (
                f"r1 = atomic_load_explicit(c, memory_order_{order}, {_SCOPE});",
                f"r1 = atomic_load_explicit(f, memory_order_{order}, {_SCOPE}); if (r1 == 1) {{ r2 = *p; }}",
                f"if (l == 0) {{ atomic_store_explicit(c, 4, memory_order_relaxed, {_SCOPE}); }}",
                (
                    "uint e = 1; atomic_compare_exchange_strong_explicit(c, &e, 5, memory_order_relaxed,"
                    f" memory_order_relaxed, {_SCOPE});"
                ),
                f"atomic_fetch_add_explicit(f, r0, memory_order_relaxed, {_SCOPE});",
            )
        )
