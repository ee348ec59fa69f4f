"""Random kernels in which whoever is first goes on: to count, to write to an element of its own, or to try again."""

from __future__ import annotations

from random import Random
from typing import Final

_SHAPES: Final = ((1, 2), (2, 1), (1, 3), (1, 3), (3, 1), (1, 4))
_ORDERS: Final = ("relaxed", "relaxed", "acquire", "release", "acq_rel", "seq_cst")
_SCOPE: Final = "memory_scope_device"
_WATCHED: Final = ("c=1", "c=2 /\\ f[0]=1", "a[0]=1", "a[1]=1 /\\ c=3", "K[0]:r=0", "p=1", "K[1]:r=1 /\\ c=2")


def winning_kernel(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    return _Kernel(Random(f"winners {seed} {number}")).text(f"winners-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, groups = random.choice(_SHAPES)
        self._items = self._local * groups

    def text(self, name: str) -> str:
        random = self._random
        body = [self._first() for _ in range(1 if self._items > 3 else random.choice((1, 2)))]
        if random.random() < 0.3:
            body.append(random.choice((self._count(), "if (r == 1) { *p = 1; }")))
        other = ""
        if random.random() < 0.2:
            other = (
                f"P0@wg 9, dev 0 (global atomic_int* f) {{ atomic_store_explicit({self._flag()},"
                f" {random.randrange(3)}, memory_order_relaxed, {_SCOPE}); }}\n"
            )
        lines = "\n".join(f"  {line}" for line in body)
        return f"""OPENCL {name}
{{ [c]={random.choice((0, 0, 1))}; int f[2] = {{0, {random.choice((0, 0, 1))}}}; [p]=0; int a[8]; }}
kernel K (global atomic_int* c, global atomic_int* f, global int* p, global int* a) {{
  int me = get_global_id(0); int e = 0; int r = 0;
{lines}
}}
launch K global {self._items}, local {self._local}, dev 0;
{other}exists ({random.choice(_WATCHED)})
"""

    def _flag(self) -> str:
        return self._random.choice(("&f[0]", "&f[0]", "&f[1]"))

    def _first(self) -> str:
        random = self._random
        at = random.choice(("&f[0]", "&f[0]", "&f[1]", "&f[me & 1]", "&f[r & 1]"))
        order = random.choice(_ORDERS)
        new = random.choice(("1", "1", "1", "me", "2"))
        exchange = (
            f"atomic_compare_exchange_strong_explicit({at}, &e, {new}, memory_order_{order}, memory_order_relaxed,"
            f" {_SCOPE})"
        )
        wins = random.choice(
            (
                f"e = {random.choice('0001')}; if ({exchange})",
                f"e = 0; if ({exchange})",
                f"if (atomic_exchange_explicit({at}, {new}, memory_order_{order}, {_SCOPE}) == 0)",
                f"if (atomic_fetch_add_explicit({at}, {new}, memory_order_{order}, {_SCOPE}) == 0)",
                f"if (atomic_fetch_or_explicit({at}, 1, memory_order_{order}, {_SCOPE}) != 1)",
            )
        )
        return f"{wins} {{ {self._count()} {random.choice(('', '', self._count()))} }}"

    def _count(self) -> str:
        random = self._random
        count = f"r = atomic_fetch_add_explicit(c, {random.choice('1112')}, memory_order_relaxed, {_SCOPE});"
        return count + random.choice(("", " a[r & 7] = 1;", " if (r == 0) { *p = 1; }"))
