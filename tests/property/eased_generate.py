"""Random kernels whose work-items count by atomics that synchronise, while other memory is written and read."""

from __future__ import annotations

from random import Random
from typing import Final

_FLAGS: Final = ("CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE")
_BOTH: Final = "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"
# Work-items of a group, and groups.
_SHAPES: Final = ((2, 1), (2, 1), (3, 1), (2, 2), (1, 2))


def counting_kernel(seed: str, number: int) -> str:
    """The litmus test of this number."""
    return _Kernel(Random(f"eased {seed} {number}")).text(f"eased-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, self._groups = random.choice(_SHAPES)
        self._orders = random.choice((("seq_cst",), ("acq_rel",), ("seq_cst", "acq_rel", "relaxed")))
        # What is open has many executions.
        self._open = random.choice((1, 2, 2, 3))
        self._flags = random.choice((_FLAGS, (_BOTH,), (*_FLAGS, _BOTH)))

    def text(self, name: str) -> str:
        items = self._local * self._groups
        body = ["int l = get_local_id(0); int g = get_global_id(0); int o = 0; int p = 0;"]
        if self._random.random() < 0.6:
            body += ["if (l == 0) { atomic_init(d, 0); }", self._barrier()]
        for _ in range(self._random.choice((1, 1, 2))):
            before, after = self._around() if self._random.random() < 0.4 else (self._other(), self._other())
            body += [before, self._count(), after, self._between()]
        body.append(self._end())
        lines = "\n  ".join(line for line in body if line)
        return f"""OPENCL {name}
{{ int a[{items}]; atomic_int x[2]; [c]=0; [done]=0; int out[2]; }}
kernel K (global int* a, global atomic_int* x, global atomic_int* c, global atomic_int* done, global int* out,
          local atomic_int* d, local int* u) {{
  {lines}
}}
launch K global {items}, local {self._local}, dev 0;
locations [a; x; c; out; 0:o; {items - 1}:o; {items - 1}:p;]
"""

    def _barrier(self) -> str:
        return f"work_group_barrier({self._random.choice(self._flags)});"

    def _between(self) -> str:
        return self._barrier() if self._random.random() < 0.7 else ""

    def _how(self, call: str = "update") -> str:
        order = self._random.choice(self._orders)
        if order == "acq_rel":
            order = {"update": "acq_rel", "load": "acquire", "store": "release"}[call]
        return f"memory_order_{order}, memory_scope_{self._random.choice(('device', 'device', 'work_group'))}"

    def _count(self) -> str:
        counter = self._random.choice(("c", "d", "d"))
        update = f"atomic_fetch_{self._random.choice(('add', 'add', 'or'))}_explicit({counter}, l + 1, {self._how()});"
        return self._random.choice((update, update, f"if (l == 1) {{ {update} }}"))

    def _around(self) -> tuple[str, str]:
        """What is open before an update and behind it, whose order the update may be seen to keep."""
        self._open = 0
        store, load = "atomic_store_explicit(&x[{}], 1, {});", "o = atomic_load_explicit(&x[{}], {});"
        how = "memory_order_relaxed, memory_scope_device"
        return self._random.choice(
            (
                (store.format("g & 1", how), load.format("(g & 1) ^ 1", how)),
                (f"if (g == 0) {{ {store.format(0, how)} }}", f"if (g == 1) {{ {load.format(0, how)} }}"),
                (load.format("g & 1", how), store.format("(g & 1) ^ 1", how)),
                (store.format("0", how), load.format("0", how)),
                ("if (g == 0) { out[0] = 1; }", "if (g == 1) { p = out[0]; }"),
            )
        )

    def _other(self) -> str:
        """Something that is open, or that barriers order, or nothing."""
        random = self._random
        if self._open == 0 or random.random() < 0.4:
            return random.choice(
                ("", "", "a[g] = g + 1;", f"a[g] = 1; {self._barrier()} p = a[g ^ {self._is_even()}];")
            )
        self._open -= 1
        how = random.choice((self._how("store"), "memory_order_relaxed, memory_scope_device"))
        then = how.replace("release", "acquire")
        return random.choice(
            (
                f"atomic_store_explicit(&x[g & 1], 1, {how}); ",
                f"o = atomic_load_explicit(&x[(g & 1) ^ 1], {then});",
                f"if (g == 0) {{ atomic_store_explicit(x, 1, {how}); }}",
                f"if (g == 1) {{ o = atomic_load_explicit(x, {then}); }}",
                f"atomic_work_item_fence({_BOTH}, {self._how().replace('work_group', 'device')});",
                "if (g == 0) { out[0] = 1; }",
                f"if (l == 0) {{ *u = 1; }} {self._barrier()} p = *u;",
            )
        )

    def _is_even(self) -> int:
        return int(self._local % 2 == 0)

    def _end(self) -> str:
        kind = self._random.random()
        if kind < 0.4:
            return (
                f"if (l == 0) {{ a[g] = atomic_load_explicit(d, {self._how('load')}); "
                f"if (atomic_fetch_add_explicit(done, 1, {self._how()}) == {self._groups - 1}) "
                f"{{ out[1] = a[0] + a[{self._local * (self._groups - 1)}]; }} }}"
            )
        if kind < 0.6:
            return f"p = atomic_load_explicit({self._random.choice('cd')}, {self._how('load')});"
        return ""
