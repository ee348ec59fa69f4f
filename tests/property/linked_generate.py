"""Random kernels whose work-items link nodes that bear their numbers into stacks and lists, and take nodes there."""

from __future__ import annotations

from random import Random
from typing import Final

# Work-items of a group, and groups.
_SHAPES: Final = ((1, 2), (1, 3), (1, 3), (2, 1), (3, 1))
_ORDERS: Final = ("relaxed", "acquire", "release", "acq_rel", "acq_rel", "seq_cst")
_LOADS: Final = ("relaxed", "acquire", "acquire", "seq_cst")
_SCOPE: Final = "memory_scope_device"
# What is left of a node that was found: numbers of nodes tell work-items apart where they are computed with.
_LEFT: Final = ("h", "h", "h", "value[h]", "next[h]", "h == node", "h + 1", "h > node", "h != 0", "next[node]")


def linking_kernel(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    return _Kernel(Random(f"linked {seed} {number}")).text(f"linked-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, groups = random.choice(_SHAPES)
        self._items = self._local * groups
        self._are_atomic = random.random() < 0.5

    def text(self, name: str) -> str:
        random, items = self._random, self._items
        body = [*(["value[node] = 5 + me;"] if random.random() < 0.5 else []), self._put(), *self._take()]
        lines = "\n".join(f"  {line}" for line in body)
        type_ = "atomic_int" if self._are_atomic else "int"
        node = random.choice(("me + 1", "me + 1", "me + 1", f"{items} - me"))
        return f"""OPENCL {name}
{{ [top]={random.choice((0, 0, 0, 1))}; int next[{items + 1}]; int value[{items + 1}]; int out[{items}]; }}
kernel K (global atomic_int* top, global {type_}* next, global int* value, global int* out) {{
  int me = get_global_id(0); int node = {node}; int h = 0;
{lines}
}}
launch K global {items}, local {self._local}, dev 0;
exists ({self._watched()})
"""

    def _watched(self) -> str:
        items = self._items
        outs = [f"out[{item}]=1" for item in range(items)]
        nexts = [f"next[{item}]=0" for item in range(1, items + 1)]
        return " /\\ ".join(
            self._random.choice((outs, outs, [*outs, *nexts], nexts, [*outs, "top=0"], [outs[0]], [nexts[-1]]))
        )

    def _next(self, node: str) -> str:
        if self._are_atomic:
            order = self._random.choice(_LOADS)
            return f"atomic_load_explicit(&next[{node}], memory_order_{order}, {_SCOPE})"
        return f"next[{node}]"

    def _link(self, value: str) -> str:
        if self._are_atomic:
            return f"atomic_store_explicit(&next[node], {value}, memory_order_relaxed, {_SCOPE});"
        return f"next[node] = {value};"

    def _exchange(self, expected: str, new: str) -> str:
        strength = self._random.choice(("strong", "strong", "weak"))
        order = self._random.choice(_ORDERS)
        return (
            f"atomic_compare_exchange_{strength}_explicit(top, &{expected}, {new}, memory_order_{order},"
            f" memory_order_relaxed, {_SCOPE})"
        )

    def _load(self) -> str:
        return f"atomic_load_explicit(top, memory_order_{self._random.choice(_LOADS)}, {_SCOPE})"

    def _put(self) -> str:
        random = self._random
        swap = f"atomic_exchange_explicit(top, node, memory_order_{random.choice(_ORDERS)}, {_SCOPE})"
        return random.choice(
            (
                f"int old = {self._load()}; {self._link('old')} {self._exchange('old', 'node')};",
                f"int old = {self._load()}; if ({self._exchange('old', 'node')}) {{ {self._link('old')} }}",
                f"int old = 0; {self._link('0')} if (!{self._exchange('old', 'node')}) {{ {self._link('old')} }}",
                f"int old = {swap}; {self._link('old')}",
                f"int old = {self._load()}; do {{ {self._link('old')} }} while (!{self._exchange('old', 'node')});",
            )
        )

    def _take(self) -> list[str]:
        random = self._random
        left = random.choice(_LEFT).replace("next[h]", self._next("h")).replace("next[node]", self._next("node"))
        out = f"out[me] = {left};"
        swap = f"atomic_exchange_explicit(top, 0, memory_order_{random.choice(_ORDERS)}, {_SCOPE})"
        taken = f"h = {self._load()}; if (h != 0 && {self._exchange('h', self._next('h'))}) {{ {out} }}"
        return random.choice(
            (
                [taken],
                [taken],
                [f"h = {swap}; if (h != 0) {{ {out} }}"],
                [f"h = {self._load()}; {out}"],
                [f"h = {self._next('node')}; if (h != 0) {{ {out} }}"],
                [f"h = old; {out}"],
            )
        )
