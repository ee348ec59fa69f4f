"""Random kernels in which barriers stand between parts that are open: atomics of all orders, fences, loops, races."""

from __future__ import annotations

from random import Random
from typing import Final

_FLAGS: Final = ("CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE")
_SCOPES: Final = ("device", "work_group", "work_group", "all_svm_devices")
# Work-items of a group, and groups.
_SHAPES: Final = ((2, 1), (2, 1), (2, 1), (3, 1), (2, 2))
_ATOMICS: Final = ("&x[0]", "&x[1]", "&x[l & 1]", "&d[0]", "&d[1]", "&d[l & 1]", "&x[r & 1]")


def kernel_of_phases(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    return _Kernel(Random(f"phases {seed} {number}")).text(number)  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, self._groups = random.choice(_SHAPES)
        self._orders = random.choice((("relaxed",), ("seq_cst",), ("acq_rel",), ("relaxed", "seq_cst", "acq_rel")))
        self._flags = random.choice((_FLAGS, _FLAGS[2:], _FLAGS[2:], _FLAGS[:1]))
        self._races = random.random() < 0.15
        self._open = 4 if self._local * self._groups == 2 else 2

    def text(self, number: int) -> str:
        items = self._local * self._groups
        lines = ["if (l == 0) { atomic_init(&d[0], 0); atomic_init(&d[1], 0); u[0] = 0; u[1] = 1; }", self._barrier()]
        for _ in range(self._random.choice((2, 2, 3))):
            lines += self._phase()
        body = "\n  ".join(filter(None, lines))
        return f"""OPENCL phases-{number}
{{ atomic_int x[2] = {{0, {self._random.randrange(2)}}}; int a[{items}]; int out[2]; }}
kernel K (global atomic_int* x, global int* a, global int* out) {{
  local atomic_int d[2]; local int u[2];
  int l = get_local_id(0); int g = get_global_id(0); int r = 0; int s = 0;
  {body}
}}
launch K global {items}, local {self._local}, dev 0;
locations [ x; a; out; 0:r; {items - 1}:r; {items - 1}:s; ]
exists (x[0]=1 /\\ 0:r=1)
"""

    def _barrier(self) -> str:
        return f"work_group_barrier({self._random.choice(self._flags)});" if self._random.random() < 0.93 else ""

    def _phase(self) -> list[str]:
        random = self._random
        lines = [self._statement() for _ in range(random.choice((1, 1, 2)))]
        shape = random.random()
        if shape < 0.15:
            test = random.choice(("s < 1", "r == 1", "u[0] == 1", "atomic_load_explicit(&d[0], RELAXED) == 1"))
            return [
                "do {",
                *lines,
                self._barrier(),
                "s++;",
                f"}} while ({test.replace('RELAXED', self._how('load'))});",
            ]
        if shape < 0.3:
            return [
                f"if ({random.choice(('r == 0', 'l == 0', 's == r', 'u[1] == 1'))}) {{",
                *lines,
                "}",
                self._barrier(),
            ]
        return [*lines, self._barrier()]

    def _how(self, call: str) -> str:
        order = self._random.choice(self._orders)
        if order == "acq_rel":
            order = {"load": "acquire", "store": "release"}.get(call, order)
        return f"memory_order_{order}, memory_scope_{self._random.choice(_SCOPES)}"

    def _statement(self) -> str:
        random = self._random
        if self._open and random.random() < 0.75:
            self._open -= 1
            return self._atomic()
        mine = ["a[g] = r + 1;", "s = s + r;", "a[g] = s;", "s = out[0];", "if (l == 0) { u[0] = r; }"]
        if self._races:
            mine += ["s = a[0];", "u[1] = l;", "out[0] = l;", "s = u[0];"]
        elif random.random() < 0.4:
            return f"u[l & 1] = r; {self._barrier()} s = u[(l + 1) & 1]; {self._barrier()}"
        return random.choice(mine)

    def _atomic(self) -> str:
        random, where = self._random, self._random.choice(_ATOMICS)
        fence = (
            f"atomic_work_item_fence({random.choice(_FLAGS)}, memory_order_"
            f"{random.choice(('acquire', 'release', 'acq_rel', 'seq_cst'))}, memory_scope_work_group);"
        )
        exchange = (
            f"int e = {random.randrange(2)}; if (atomic_compare_exchange_{random.choice(('strong', 'weak'))}_explicit("
            f"{where}, &e, l + 1, {self._how('update')}"
            ")) { s = s + 1; } r = e;"
        ).replace("memory_scope", "memory_order_relaxed, memory_scope")
        store, load = (
            f"atomic_store_explicit({where}, 1, {self._how('store')});",
            f"r = atomic_load_explicit({where}, {self._how('load')});",
        )
        return random.choice(
            (
                f"atomic_store_explicit({where}, l, {self._how('store')});",
                f"atomic_store_explicit({where}, r + 1, {self._how('store')});",
                f"r = atomic_load_explicit({where}, {self._how('load')});",
                f"r = atomic_load_explicit({where}, {self._how('load')});",
                f"r = atomic_fetch_{random.choice(('add', 'or', 'min'))}_explicit({where}, 1, {self._how('update')});",
                f"if (l == 0) {{ {store} }} else {{ {load} }}",
                f"s = atomic_exchange_explicit({where}, l, {self._how('update')});",
                f"{{ {exchange} }}",
                f"{fence} r = atomic_load_explicit({where}, {self._how('load')}); {fence}",
                f"{fence} atomic_store_explicit({where}, 1, {self._how('store')}); {fence}",
            )
        )
