"""Random kernels that take addresses, conditions, counts and operands from inputs, which most of them never write."""

from __future__ import annotations

from random import Random
from typing import Final

_FLAGS: Final = ("CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE")
_SHAPES: Final = ((2, 1), (3, 1), (4, 1), (2, 2), (1, 3), (5, 1), (6, 1), (2, 3))


def kernel_with_inputs(seed: str, number: int) -> str:
    """The litmus test of this number: 2 to 6 work-items, with local memory, barriers, loops and atomics."""
    return _Kernel(Random(f"inputs {seed} {number}")).text(f"inputs-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, self._groups = random.choice(_SHAPES)
        self._items = self._local * self._groups
        # What is open multiplies with the work-items.
        self._atomics = 2 if self._items < 4 else 1
        # Whether a pointer may point to an input and to what is written.
        self._mixes = random.random() < 0.25

    def text(self, name: str) -> str:
        body = ["int l = get_local_id(0); int g = get_global_id(0); int r0 = 0; int r1 = 0;"]
        body.append(f"global int* p = {self._random.choice(('a', 'a', 'a + 1'))}; t[l] = a[l]; {self._barrier()}")
        if self._mixes:
            body.append(self._random.choice(("if (g == 0) { p = out; }", "p = g == 1 ? out : a;", "p = b;")))
        body += [self._statement() for _ in range(self._random.randint(2, 4))]
        body.append(f"{self._barrier()} out[g] = {self._random.choice(('r0', 'r0 + r1', self._input(), 't[l]'))};")
        ones = ", ".join(str(self._random.randrange(3)) for _ in range(self._items))
        others = ", ".join(str(self._random.randrange(self._items)) for _ in range(self._items))
        observed = "".join(f" out[{i}];" for i in range(self._items))
        lines = "\n".join(f"  {line}" for line in body)
        return f"""OPENCL {name}
{{ int a[{self._items}] = {{{ones}}}; int b[{self._items}] = {{{others}}}; int out[{self._items}]; [c] = 0; }}
kernel K (global int* a, global int* b, global int* out, local int t[{self._local}], global atomic_int* c) {{
{lines}
}}
launch K global {self._items}, local {self._local}, dev 0;
locations [{observed} c; b[0]; 0:r0; 1:r1;]
"""

    def _barrier(self) -> str:
        return f"work_group_barrier({self._random.choice(_FLAGS)});"

    def _input(self) -> str:
        return self._random.choice(("a[g]", "b[g]", "a[l]", "b[b[g]]", "a[b[l]]", "p[l]", "a[0]"))

    def _statement(self) -> str:
        kind = self._random.random()
        if kind < 0.25:
            return f"if ({self._input()} {self._random.choice(('> 0', '== 1', '!= 2'))}) {{ {self._plain()} }}"
        if kind < 0.45:
            return (
                f"for (int i = 0; i < ({self._input()} & 1) + {self._random.randrange(2)}; i++) {{ {self._plain()} }}"
            )
        if kind < 0.6:
            return f"{self._plain()} {self._barrier()}"
        if kind < 0.85 and self._atomics:
            self._atomics -= 1
            return self._atomic()
        if kind < 0.9 and self._mixes:
            return self._random.choice(("p[g] = 1;", "b[g] = r0;"))
        return self._plain()

    def _plain(self) -> str:
        index = self._random.choice(
            ("l", f"b[g] % {self._local}", f"(l + a[g]) % {self._local}", f"(l + 1) % {self._local}")
        )
        return self._random.choice(
            (
                f"t[{index}] = {self._input()} + r0;",
                f"r0 = t[{index}];",
                f"r1 = {self._input()};",
                f"out[{self._random.choice(('g', 'b[g]'))}] = r1 + {self._input()};",
                f"r0 = r0 + {self._input()};",
            )
        )

    def _atomic(self) -> str:
        order = self._random.choice(("relaxed", "acq_rel", "seq_cst"))
        target = self._random.choice(("", "r0 = ", "r1 = "))
        guard = self._random.choice((f"if ({self._input()} == 1) ", "", "if (l == 0) "))
        call = f"atomic_fetch_add_explicit(c, {self._input()}, memory_order_{order}, memory_scope_device);"
        return f"{guard}{{ {target}{call} }}"
