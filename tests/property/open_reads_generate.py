"""Random kernels that fill local memory, meet at barriers, write atomics, and then read them: many reads stay open."""

from __future__ import annotations

from random import Random
from typing import Final

_SHAPES: Final = ((2, 1), (3, 1), (4, 1), (2, 2), (1, 3), (1, 4), (5, 1), (6, 1), (3, 2))
_STORES: Final = ("relaxed", "release", "seq_cst")
_LOADS: Final = ("relaxed", "acquire", "seq_cst")


def kernel_with_open_reads(seed: str, number: int) -> str:
    """The litmus test of this number: 2 to 6 work-items, with local memory, barriers, loops and atomics."""
    return _Kernel(Random(f"reads {seed} {number}")).text(f"reads-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, self._groups = random.choice(_SHAPES)
        self._items = self._local * self._groups
        # All combinations of what is read are compared, so these must not be too many.
        self._reads = {2: 4, 3: 3, 4: 2}.get(self._items, 1)

    def text(self, name: str) -> str:
        random = self._random
        flags = random.choice(("CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"))
        body = [
            "int l = get_local_id(0); int g = get_global_id(0); int r0 = 0; int r1 = 0; int r2 = 0;",
            "if (l == 0) { atomic_init(d, 5); }",
            f"for (int i = l; i < {2 * self._local}; i += {self._local}) {{ t[i] = g + i; }}",
            f"work_group_barrier({flags});",
            *(self._write() for _ in range(random.choice((1, 1, 2) if self._items < 5 else (1,)))),
        ]
        if random.random() < 0.4:
            body.append(f"r2 = t[(l + 1) % {2 * self._local}]; work_group_barrier({flags});")
        body += [self._read(number) for number in range(random.randint(1, self._reads))]
        if random.random() < 0.2:
            body.append(f"work_group_barrier({flags}); r2 = t[l];")
        lines = "\n".join(f"  {line}" for line in body)
        wanted = "".join(f" {item}:r{register};" for item in range(self._items) for register in range(3))
        finals = random.choice(("", " x[0];", " x[0]; x[1];"))
        return f"""OPENCL {name}
{{ int x[2]; }}
kernel K (global atomic_int* x, local atomic_int* d, local int t[{2 * self._local}]) {{
{lines}
}}
launch K global {self._items}, local {self._local}, dev 0;
locations [{wanted}{finals}]
"""

    def _how(self, orders: tuple[str, ...]) -> str:
        scope = self._random.choice(("work_group", "device", "device"))
        return f"memory_order_{self._random.choice(orders)}, memory_scope_{scope}"

    def _place(self) -> str:
        return self._random.choice(("x", "x + 1", "x + (l & 1)", "x + (g & 1)", "d"))

    def _write(self) -> str:
        who = self._random.choice(("g == 0", "l == 0", "g == 1", "g < 2", "(g & 1) == 1"))
        value = self._random.choice(("1", "g + 1", "t[l] + 1"))
        kind = self._random.random()
        if kind < 0.7:
            return f"if ({who}) {{ atomic_store_explicit({self._place()}, {value}, {self._how(_STORES)}); }}"
        if kind < 0.8:
            return f"if ({who}) {{ atomic_fetch_add_explicit({self._place()}, {value}, {self._how(_STORES)}); }}"
        return (
            f"for (int i = 0; i < 2; i++) {{ if ({who}) {{"
            f" atomic_store_explicit(x + i, {value}, {self._how(_STORES)}); }} }}"
        )

    def _read(self, number: int) -> str:
        place, register = self._place(), f"r{number % 2}"
        load = f"atomic_load_explicit({place}, {self._how(_LOADS)})"
        kind = self._random.random()
        if kind < 0.6:
            return f"{register} = {load};"
        if kind < 0.75:
            return f"for (int i = 0; i < 2; i++) {{ {register} = atomic_load_explicit(x + i, {self._how(_LOADS)}); }}"
        if kind < 0.85:
            return f"r2 = r2 + {load};"
        if kind < 0.93:
            return f"if (g > 0) {{ {register} = {load}; }}"
        return f"if ({register} == 0) {{ {register} = {load}; }}"
