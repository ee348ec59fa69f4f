"""Random kernels: a few work-items, barriers, local memory, loops, atomics, in groups of two or three."""

from __future__ import annotations

import re
from random import Random
from typing import Final

_FLAGS: Final = ("CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE")
_ORDERS: Final = ("relaxed", "relaxed", "acq_rel", "seq_cst")
_SCOPES: Final = ("work_group", "device")
_REGISTERS: Final = ("r0", "r1")


def kernel_from_seed(seed: str, number: int) -> str:
    """The litmus test of this number."""
    return _Kernel(Random(f"{seed} {number}")).text(f"kernel-{number}")  # noqa: S311 - nothing secret


def synchronising(text: str, seed: str) -> str:
    """A kernel in which most relaxed atomics have orders that synchronise."""
    random = Random(seed)  # noqa: S311 - nothing secret

    def stronger(found: re.Match[str]) -> str:
        call, own = found[1], "acquire" if "load" in found[1] else "release" if "store" in found[1] else "acq_rel"
        return f"{call}memory_order_{random.choice((own, 'seq_cst', 'seq_cst', 'relaxed'))}"

    return re.sub(r"(atomic_(?:load|store|fetch_\w+)_explicit\([^;]*?)memory_order_relaxed", stronger, text)


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, self._groups = random.choice(((2, 1), (2, 1), (3, 1), (4, 1), (2, 2), (3, 2)))
        self._items = self._local * self._groups
        # A kernel with much that is open has too many executions to compare.
        self._open = random.randrange(4 if self._items <= 4 else 3)
        self._careful = random.random() < 0.7
        self._orders = _ORDERS if random.random() < 0.3 else ("relaxed",)

    def text(self, name: str) -> str:
        body = ["  int l = get_local_id(0);", "  int g = get_global_id(0);", "  int r0 = 0;", "  int r1 = 0;"]
        if self._careful:
            body.append("  t[l] = g + 1;")
            body.append("  if (l == 0) atomic_init(d, g);")
            body.append(self._barrier())
        for _ in range(self._random.randint(2, 5)):
            body += self._statement()
            if self._careful and self._random.random() < 0.5:
                body.append(f"  work_group_barrier({_FLAGS[2]});")
        if self._open and self._random.random() < 0.5:
            body += [
                self._barrier(),
                f"  r1 = atomic_load_explicit(d, memory_order_relaxed, memory_scope_{_SCOPES[0]});",
            ]
        if self._random.random() < 0.5:
            body += [self._barrier(), f"  out[g] = {self._place(read=True)};"]
        observed = "".join(f" out[{i}];" for i in range(self._items)) + " a[0]; c; e[0]; e[1];"
        values = ", ".join(str(i) for i in range(self._items))
        return f"""OPENCL {name}
{{ int a[{self._items}] = {{{values}}}; int out[{self._items}]; [c] = 0; int e[2]; }}
kernel K (global int* a, global int* out, local int t[{self._local}], global atomic_int* c, local atomic_int* d,
          global atomic_int* e) {{
{chr(10).join(body)}
}}
launch K global {self._items}, local {self._local}, dev 0;
locations [{observed} 0:r0; 1:r1;]
"""

    def _barrier(self) -> str:
        return f"  work_group_barrier({self._random.choice(_FLAGS)});"

    def _statement(self) -> list[str]:
        kind = self._random.random()
        if kind < 0.3:
            return [self._guarded(self._access())]
        if kind < 0.5:
            return [self._barrier()]
        if kind < 0.6:
            return [self._guarded(self._access()), self._barrier()]
        if kind < 0.7:
            return self._loop()
        if self._open and kind < 0.95:
            self._open -= 1
            return [self._guarded(self._atomic())]
        return [f"  {self._random.choice(_REGISTERS)} = {self._place(read=True)};"]

    def _guarded(self, statement: str) -> str:
        kind = self._random.random()
        if kind < 0.4:
            return f"  {statement}"
        if kind < 0.85:
            which = self._random.choice(("l == 0", "l < 1", "l > 0", "g == 1", "(l & 1) == 0"))
        else:
            which = f"{self._random.choice(_REGISTERS)} {self._random.choice(('== 0', '> 1', '< 2'))}"
        return f"  if ({which}) {{ {statement} }}"

    def _index(self, size: int) -> str:
        if self._careful and self._random.random() < 0.7:
            return "g" if size == self._items else "l"
        choices = ["l", "l ^ 1" if size % 2 == 0 else "l", str(self._random.randrange(size)), f"(l + 1) % {size}"]
        if self._random.random() < 0.1:
            choices.append(f"(r0 & {1 if size < 4 else 3})")
        return self._random.choice(choices)

    def _place(self, *, read: bool) -> str:
        if self._random.random() < 0.6:
            return f"t[{self._index(self._local)}]"
        name = self._random.choice(("a", "out")) if read else "out"
        return f"{name}[{self._index(self._items)}]"

    def _access(self) -> str:
        value = self._random.choice(("g", "1", "l + 2", "r0", "r1 + 1", self._place(read=True)))
        return f"{self._place(read=False)} = {value};"

    def _loop(self) -> list[str]:
        return [
            f"  for (int s = {self._local // 2}; s > 0; s = s / 2) {{",
            "    if (l < s) { t[l] = t[l] + t[l + s]; }",
            f"  {self._barrier() if self._random.random() < 0.8 else ''}",
            "  }",
        ]

    def _atomic(self) -> str:
        order, scope = self._random.choice(self._orders), self._random.choice(_SCOPES)
        where = self._random.choice(("c", "d", "e[l & 1]", "e[0]"))
        how = f"memory_order_{order}, memory_scope_{scope}"
        kind = self._random.random()
        if kind < 0.45:
            operator = self._random.choice(("add", "add", "sub", "or", "xor", "and", "min", "max"))
            operand = self._random.choice(("1", "l + 1", "g", "r0", self._place(read=True)))
            return f"atomic_fetch_{operator}_explicit(&{where}, {operand}, {how});".replace("&c", "c").replace(
                "&d", "d"
            )
        named = f"&{where}" if "[" in where else where
        if kind < 0.55:
            return f"r0 = atomic_fetch_add_explicit({named}, l + 1, {how});"
        if kind < 0.6:
            return f"atomic_init({named}, l);"
        if kind < 0.7:
            return f"atomic_store_explicit({named}, g, {how.replace('acq_rel', 'release')});"
        if kind < 0.9:
            return f"r1 = atomic_load_explicit({named}, {how.replace('acq_rel', 'acquire')});"
        return f"atomic_work_item_fence({self._random.choice(_FLAGS)}, {how});"
