"""Random kernels whose updates make locations only grow, or shrink, or nearly so: compare-exchanges, tried again."""

from __future__ import annotations

from random import Random
from typing import Final

# Work-items of a group, and groups.
_SHAPES: Final = ((1, 2), (1, 2), (2, 1), (1, 3), (1, 3), (3, 1))
_ORDERS: Final = ("relaxed", "relaxed", "acquire", "release", "acq_rel", "seq_cst")
_LOADS: Final = ("relaxed", "acquire", "seq_cst")
_SCOPE: Final = "memory_scope_device"
# What a compare-exchange writes where it has read `e`: nearly always more, or less.
_MORE: Final = ("e + 1", "e + 1", "me + 2", "3", "e + me", "next[e & 3]")
_LESS: Final = ("e - 1", "e - 1", "me - 1", "0", "e - me", "next[e & 3] - 4")
_WATCHED: Final = ("m=2", "m=3 /\\ p=1", "m=1 /\\ u[1]=0", "K[0]:e=1", "u[0]=1", "p=1", "p=2 /\\ m=0", "K[1]:r=2")


def updating_kernel(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    return _Kernel(Random(f"updates {seed} {number}")).text(f"updates-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, groups = random.choice(_SHAPES)
        self._items = self._local * groups
        self._written = random.choice((_MORE, _LESS))
        # Work-items that are alike are told apart by nothing that they write.
        self._is_alike = random.random() < 0.4

    def text(self, name: str) -> str:
        random = self._random
        body = [self._update(), self._react()]
        if self._items == 2 and random.random() < 0.6:
            body.append(self._update())
        if random.random() < 0.3:
            body.append(self._react())
        me = "0" if self._is_alike else "get_global_id(0)"
        other = ""
        if random.random() < 0.15:
            other = (
                f"P0@wg 9, dev 0 (global atomic_int* m) {{ atomic_store_explicit(m, {random.randrange(3)},"
                f" memory_order_relaxed, {_SCOPE}); }}\n"
            )
        lines = "\n".join(f"  {line}" for line in body)
        first = "0" if self._written is _MORE else "3"
        return f"""OPENCL {name}
{{ [m]={first}; int u[3] = {{{first}, 1, 2}}; [p]=0; int a[8]; int next[4] = {{1, 2, 3, 4}}; }}
kernel K (global atomic_int* m, global atomic_int* u, global int* p, global int* a, global int* next) {{
  int me = {me}; int e = 0; int r = 0;
{lines}
}}
launch K global {self._items}, local {self._local}, dev 0;
{other}exists ({random.choice(_WATCHED)})
"""

    def _update(self) -> str:
        random = self._random
        order = random.choice(_ORDERS)
        at = random.choice(("m", "m", "m", "&u[1]", "&u[me & 1]", "&u[r & 1]"))
        new = random.choice(self._written)
        exchange = (
            f"atomic_compare_exchange_strong_explicit({at}, &e, {new}, memory_order_{order}, memory_order_relaxed,"
            f" {_SCOPE})"
        )
        load = f"e = atomic_load_explicit({at}, memory_order_{random.choice(_LOADS)}, {_SCOPE});"
        limit = random.randrange(1, 4)
        goes_on = f"e < {limit}" if self._written is _MORE else f"e > {3 - limit}"
        step = random.choice(("1", "1", "2", "-1"))
        best = "max" if self._written is _MORE else "min"
        return random.choice(
            (
                f"{load} if ({exchange}) {{ r = e + 1; }}",
                f"{load} while ({goes_on}) {{ if ({exchange}) {{ r = e + 1; break; }} }}",
                f"{load} while ({goes_on} && !{exchange}) {{ }}",
                f"e = {random.randrange(3)}; if ({exchange}) {{ r = 1; }}",
                f"r = atomic_fetch_{best}_explicit({at}, me + {limit}, memory_order_{order}, {_SCOPE});",
                f"r = atomic_fetch_add_explicit({at}, {step}, memory_order_{order}, {_SCOPE});",
                f"r = atomic_fetch_or_explicit({at}, {limit}, memory_order_{order}, {_SCOPE});",
                f"r = atomic_exchange_explicit({at}, me + {limit}, memory_order_{order}, {_SCOPE});",
            )
        )

    def _react(self) -> str:
        random = self._random
        return random.choice(
            (
                "a[r & 7] = 1;",
                "if (r == 1) { *p = 1; }",
                "if (e > 1) { *p = *p + 1; }",
                "a[e & 7] = a[e & 7] + 1;",
                f"r = atomic_load_explicit(m, memory_order_{random.choice(_LOADS)}, {_SCOPE});",
                f"if (atomic_load_explicit(m, memory_order_{random.choice(_LOADS)}, {_SCOPE}) == 2) {{ r = *p; }}",
            )
        )
