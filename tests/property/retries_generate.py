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
_NEW: Final = (
    *("o + v", "o + v", "o - v", "o | v", "max(o, v)", "min(v, o)", "o < v ? v : o"),
    *("o + 1", "v", "v", "2 * o + v", "2 * o + 1"),
)
# Where it is tried at all: what is not larger yet, has no such bit, or has not come to a limit.
_WANTED: Final = ("o < v", "o < v", "!(o & v)", "(o & v) == 0", "o < 2", "o != v", "v > 1")
_NEW_FLOAT: Final = ("o + v", "o + v", "o - v", "o + 0.5f", "v", "2 * o + v")
# What a number is, how it is written, and what it begins with.
_TYPES: Final = (("int", "", 0), ("int", "", 0), ("int", "", 1), ("int", "", 2147483647), ("float", ".0f", -0.0))


def retrying_kernel(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    return _Kernel(Random(f"anew {seed} {number}")).text(f"retries-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, groups = random.choice(_SHAPES)
        self._items = self._local * groups
        self._type, self._suffix, self._first = random.choice(_TYPES)
        # Who comes to a call behind such a loop is not known where it depends on what is read.
        self._guesses = random.random() < 0.3

    def text(self, name: str) -> str:
        random = self._random
        # Where complete executions are filtered, unfinished ones may still race.
        kept = random.choice(("", "", "", f"filter (c={random.choice((3, 100))}{self._suffix[:2]})\n"))
        body = [self._other() for _ in range(random.choice((0, 0, 0, 1)))]
        if kept:
            body.append(random.choice(("", "*p = 1;")))
        for _ in range(random.choice((1, 1, 2)) if self._items < 3 else 1):
            body.append(self._retry())
            body += [self._other() for _ in range(random.choice((0, 0, 0, 1)))]
        lines = "\n".join(f"  {line}" for line in body)
        seen = random.choice(("", "", "", "", "0:o; "))
        added = random.choice(("me + 1", "me + 1", "1", "me & 1"))
        return f"""OPENCL {name}
{{ [c]={self._first}; [d]=0; [p]=0; int a[4]; }}
kernel K (global atomic_{self._type}* c, global atomic_int* d, global int* p, global int* a) {{
  int me = get_global_id(0); {self._type} v = {added}; {self._type} o = 0; int r = 0, z = 0; {self._type} e = 0;
{lines}
}}
launch K global {self._items}, local {self._local}, sub {self._local}, dev 0;
{kept}locations [c; d; p; a; {seen}]
"""

    def _order(self, orders: tuple[str, ...]) -> str:
        return f"memory_order_{self._random.choice(orders)}"

    def _retry(self) -> str:
        random = self._random
        places = ("c", "c", "c", "d") if self._type == "int" else ("c",)
        at, scope = random.choice(places), f"memory_scope_{random.choice(_SCOPES)}"
        strength = random.choice(("weak", "strong"))
        new = random.choice(_NEW if self._type == "int" else _NEW_FLOAT)
        success, failure = random.choice(_BOTH)
        loads = random.choice((_LOADS, (failure,), (failure,), (failure,)))
        load = f"o = atomic_load_explicit({at}, {self._order(loads)}, {scope});"
        exchange = (
            f"atomic_compare_exchange_{strength}_explicit({at}, &o, {new}, memory_order_{success},"
            f" memory_order_{failure}, {scope})"
        )
        between = random.choice(("", "", "", "", " r = *p;", " a[me] = o;"))
        once = exchange.replace("&o", "&e")
        wanted = random.choice(_WANTED if self._type == "int" else ("o < v",))
        guess = f"o = {random.choice((0, 0, 1, 2))}{self._suffix};" if self._guesses else load
        # The last three do more where they have failed, and expect what was read once.
        usual = (
            f"{load}{between} while (!{exchange}) {{ }}",
            f"do {{ {load}{between} }} while (!{exchange});",
            f"{guess} while (!{exchange}) {{ }}",
        )
        loop = random.choice(
            (
                *usual * (3 if self._type == "int" else 1),
                f"{load} while ({wanted} && !{exchange}) {{ }}",
                f"{load}{between} while ({wanted} && !{exchange}) {{ }}",
                f"{guess} while ({wanted} && !{exchange}) {{ }}",
                f"{load} while ({wanted}) {{ if ({exchange}) break; }}",
                f"{load} do {{ if (!({wanted})) break; }} while (!{exchange});",
                f"while (1) {{ {load} int done = {exchange}; r = *p; if (done) break; }}",
                f"{load} while (!{exchange}) {{ r = 8 / z; }}",
                f"{load} e = o; while (!{once}) {{ e = o; }}",
            )
        )
        return random.choice((loop, loop, loop, f"if (me > 0) {{ {loop} }}"))

    def _other(self) -> str:
        random = self._random
        call = "r = sub_group_non_uniform_reduce_add(1); if (r == 1) { *p = 1; }"
        return random.choice(
            (
                "a[me] = 1;",
                "*p = 1;",
                "a[me] = o;",
                "barrier(CLK_GLOBAL_MEM_FENCE);",
                "barrier(CLK_GLOBAL_MEM_FENCE);",
                "r = *p;" if self._guesses else call,
                f"r = atomic_load_explicit(c, {self._order(_LOADS)}, memory_scope_device);",
                f"atomic_fetch_add_explicit(c, 1{self._suffix}, {self._order(_UPDATES)}, memory_scope_device);",
                f"atomic_store_explicit(d, 1, {self._order(('relaxed', 'release'))}, memory_scope_device);",
                f"if (atomic_load_explicit(d, {self._order(_LOADS)}, memory_scope_device) == 1) {{ r = *p; }}",
            )
        )
