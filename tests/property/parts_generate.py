"""Random kernels with much around barriers: group functions, loops that are cut, signs of zero, groups of their own."""

from __future__ import annotations

from random import Random
from typing import Final

_BARRIERS: Final = (
    "work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    "work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    "work_group_barrier(CLK_LOCAL_MEM_FENCE);",
    "work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);",
    "sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
)
_TOLD: Final = (
    "work_group_any({} == 1)",
    "work_group_all({} == 1)",
    "work_group_reduce_add({})",
    "work_group_broadcast({}, 0)",
    "sub_group_reduce_max({})",
    "work_group_scan_inclusive_add({})",
)
_FENCE: Final = (
    "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);"
)
# Work-items of a group, groups, work-items of a sub-group.
_SHAPES: Final = ((2, 1, 2), (2, 1, 2), (2, 1, 1), (2, 2, 2), (3, 1, 3), (4, 1, 2))
_QUESTIONS: Final = (
    "exists (x[0]=1 /\\ 0:r=1)",
    "~exists (0:r=1 /\\ 1:r=0)",
    "forall (x[0]=1 \\/ 0:s=0)",
    "filter (x[1]=1)\nexists (0:r=1 \\/ 1:s=2)",
    "",
)


def kernel_of_parts(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    return _Kernel(Random(f"parts {seed} {number}")).text(number)  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, self._groups, self._sub = random.choice(_SHAPES)
        self._is_whole = random.random() < 0.7
        self._open = 3 if self._local * self._groups == 2 else 2
        self._scopes = random.choice((("work_group",), ("device",), ("work_group", "device", "all_svm_devices")))
        # With more groups, each mostly has memory of its own.
        self._places = random.choice(
            (
                ("&x[0]", "&x[1]", "&x[l & 1]", "&x[r & 1]"),
                ("&d[0]", "&d[1]", "&d[l & 1]"),
                ("&x[get_group_id(0)]", "&d[0]", "&x[get_group_id(0)]"),
                ("&x[0]", "&d[0]"),
            )
        )

    def text(self, number: int) -> str:
        random, items = self._random, self._local * self._groups
        init = "if (l == 0) { atomic_init(&d[0], 0); atomic_init(&d[1], 0); u[0] = 0; u[1] = 1; }"
        lines = [init, self._barrier(), *(line for _ in range(random.choice((2, 3, 3))) for line in self._part())]
        if self._groups > 1 and random.random() < 0.3:
            lines = [lines[0], "if (get_group_id(0) == 0) {", *lines[1:], "} else {", *self._part(), "}"]
        body = "\n  ".join(filter(None, lines))
        return f"""OPENCL parts-{number}
{{ atomic_int x[2] = {{0, {random.randrange(2)}}}; int a[{items}]; float f[2]; }}
kernel K (global atomic_int* x, global int* a, global float* f) {{
  local atomic_int d[2]; local int u[2];
  int l = get_local_id(0); int g = get_global_id(0); int r = 0; int s = 0; int c = 0; float h = 1;
  {body}
}}
launch K global {items}, local {self._local}, sub {self._sub}, dev 0;
locations [ x; a; f; 0:r; {items - 1}:r; {items - 1}:s; ]
{random.choice(_QUESTIONS)}
"""

    def _barrier(self) -> str:
        return _BARRIERS[0] if self._is_whole else self._random.choice(_BARRIERS)

    def _value(self) -> str:
        return self._random.choice(("r", "s", "c", "l", "r + l", "(r == 1)", "1"))

    def _part(self) -> list[str]:
        random = self._random
        lines = [self._statement() for _ in range(random.choice((1, 2)))]
        told = f"c = {random.choice(_TOLD).format(self._value())};"
        match random.randrange(9):
            case 0:
                return [*lines, told]
            case 1:
                return [*lines, told, f"if (c) {{ {self._statement()}", self._barrier(), f"{self._statement()} }}"]
            case 2:
                return [*lines, told, "if (c) {", self._barrier(), "} else { s = r; }", self._statement()]
            case 3:
                return [*lines, self._barrier(), f"for (int k = 0; k < {self._value()} * 2; k++) {{ s += k; }}"]
            case 4:
                waits = f"while (atomic_load_explicit({self._place()}, {self._how('load')}) < {self._value()}) "
                return [*lines, waits + random.choice((";", "{ s++; }")), self._barrier()]
            case 5:
                return ["do {", *lines, self._barrier(), told, f"}} while ({random.choice(('c', 'c == 1'))});"]
            case _:
                return [*lines, self._barrier()]

    def _place(self) -> str:
        return self._random.choice(self._places)

    def _how(self, call: str) -> str:
        order = self._random.choice(("relaxed", "relaxed", "seq_cst", "acq_rel"))
        if order == "acq_rel":
            order = {"load": "acquire", "store": "release"}.get(call, order)
        return f"memory_order_{order}, memory_scope_{self._random.choice(self._scopes)}"

    def _statement(self) -> str:
        random = self._random
        if self._open and random.random() < 0.6:
            self._open -= 1
            return self._atomic()
        return random.choice(
            (
                f"a[g] = {self._value()};",
                f"if ({self._value()} == 0) {{ a[(g + {self._local}) % {self._local * self._groups}] = 1; }}",
                "if (l == 0) { u[r & 1] = s; }",
                "if (r) { f[l & 1] = l ? -0.0f : 0.0f; }" if self._local * self._groups == 2 else "s++;",
                "if (f[0] < 1) { s += 1 / f[0] < 0; }",
                "h = h / 2; s = h < 0.3f;",
                "if (s) { a[g] = 6 / s; }",
                "if (r == 0) { a[0] = 1; }",
                "s = u[r & 1];",
                _FENCE,
            )
        )

    def _atomic(self) -> str:
        where = self._place()
        weak = (
            f"{{ int e = 0; if (atomic_compare_exchange_weak_explicit({where}, &e, l + 1, memory_order_acq_rel, "
            f"memory_order_relaxed, memory_scope_{self._random.choice(self._scopes)})) {{ s = s + 1; }} r = e; }}"
        )
        store = f"atomic_store_explicit({where}, 1, {self._how('store')});"
        load = f"r = atomic_load_explicit({where}, {self._how('load')});"
        return self._random.choice(
            (
                f"atomic_store_explicit({where}, {self._value()}, {self._how('store')});",
                f"r = atomic_load_explicit({where}, {self._how('load')});",
                f"r = atomic_exchange_explicit({where}, l + 1, {self._how('update')});",
                f"r = atomic_fetch_max_explicit({where}, {self._value()}, {self._how('update')});",
                f"s = atomic_fetch_add_explicit({where}, 1, {self._how('update')}) + r;",
                f"if (l == 0) {{ {store} }} else {{ {load} }}",
                weak,
            )
        )
