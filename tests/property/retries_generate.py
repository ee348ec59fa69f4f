"""Random kernels whose work-items try compare-exchanges until they succeed, beside other accesses and barriers."""

from __future__ import annotations

from random import Random
from typing import Final

_SHAPES: Final = ((1, 2), (2, 1), (2, 1), (1, 3), (3, 1))
_LOADS: Final = ("relaxed", "relaxed", "relaxed", "acquire", "seq_cst")
_UPDATES: Final = ("relaxed", "relaxed", "relaxed", "acquire", "release", "acq_rel", "seq_cst")
# Of success and failure.
_BOTH: Final = (*((order, "relaxed") for order in _UPDATES), ("acq_rel", "acquire"), ("seq_cst", "seq_cst"))
_SCOPES: Final = ("device", "device", "device", "device", "work_group")
_NEW: Final = ("o + v", "o + v", "o + v", "o - v", "o | v", "max(o, v)", "o + 1", "v", "2 * o + v")


def retrying_kernel(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    return _Kernel(Random(f"retries {seed} {number}")).text(f"retries-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, groups = random.choice(_SHAPES)
        self._items = self._local * groups

    def text(self, name: str) -> str:
        random = self._random
        body = [self._other() for _ in range(random.choice((0, 0, 0, 1)))]
        for _ in range(random.choice((1, 1, 2)) if self._items < 3 else 1):
            body.append(self._retry())
            body += [self._other() for _ in range(random.choice((0, 0, 0, 1)))]
        lines = "\n".join(f"  {line}" for line in body)
        seen = random.choice(("", "", "", "", "0:o; "))
        return f"""OPENCL {name}
{{ [c]={random.choice((0, 0, 0, 1))}; [d]=0; [p]=0; int a[4]; }}
kernel K (global atomic_int* c, global atomic_int* d, global int* p, global int* a) {{
  int me = get_global_id(0); int v = {random.choice(("me + 1", "me + 1", "1", "me & 1"))}; int o = 0; int r = 0;
{lines}
}}
launch K global {self._items}, local {self._local}, dev 0;
locations [c; d; p; a; {seen}]
"""

    def _order(self, orders: tuple[str, ...]) -> str:
        return f"memory_order_{self._random.choice(orders)}"

    def _retry(self) -> str:
        random = self._random
        at, scope = random.choice(("c", "c", "c", "d")), f"memory_scope_{random.choice(_SCOPES)}"
        strength, new = random.choice(("weak", "strong")), random.choice(_NEW)
        success, failure = random.choice(_BOTH)
        loads = random.choice((_LOADS, (failure,), (failure,), (failure,)))
        load = f"o = atomic_load_explicit({at}, {self._order(loads)}, {scope});"
        exchange = (
            f"atomic_compare_exchange_{strength}_explicit({at}, &o, {new}, memory_order_{success},"
            f" memory_order_{failure}, {scope})"
        )
        between = random.choice(("", "", "", "", " r = *p;", " a[me] = o;"))
        loop = random.choice(
            (f"{load}{between} while (!{exchange}) {{ }}", f"do {{ {load}{between} }} while (!{exchange});")
        )
        return random.choice((loop, loop, loop, f"if (me > 0) {{ {loop} }}"))

    def _other(self) -> str:
        random = self._random
        return random.choice(
            (
                "a[me] = 1;",
                "*p = 1;",
                "a[me] = o;",
                "barrier(CLK_GLOBAL_MEM_FENCE);",
                "barrier(CLK_GLOBAL_MEM_FENCE);",
                f"r = atomic_load_explicit(c, {self._order(_LOADS)}, memory_scope_device);",
                f"atomic_fetch_add_explicit(c, 1, {self._order(_UPDATES)}, memory_scope_device);",
                f"atomic_store_explicit(d, 1, {self._order(('relaxed', 'release'))}, memory_scope_device);",
                f"if (atomic_load_explicit(d, {self._order(_LOADS)}, memory_scope_device) == 1) {{ r = *p; }}",
            )
        )
