"""Random kernels whose work-items take locks and update what these protect, rightly and not, beside other accesses."""

from __future__ import annotations

from random import Random
from typing import Final

_SHAPES: Final = ((1, 2), (2, 1), (1, 2), (1, 3))
_TAKES: Final = ("acquire",) * 6 + ("acq_rel", "seq_cst", "relaxed")
_RELEASES: Final = ("release",) * 6 + ("seq_cst", "relaxed")
_SCOPES: Final = ("device", "device", "device", "device", "device", "work_group")
_INSIDE: Final = (
    *("*x += v;", "*x += v;", "*x = *x + v;", "*x += 3;", "*x -= v;", "*x = max(*x, v);", "*x |= v;"),
    *("*x += v; *x += 1;", "*x += v; *y += 2;", "*x += v; a[me] = v;", "*x += long_v;", "{ int t = *x; *x = t + v; }"),
    *("*x = 2 * *x + v;", "*x = v;", "r = *x; *x = r + v;", "*y = *x; *x += v;", "if (v > 1) *x += v;", "a[me] = *x;"),
    *("*x = *x + *x;", "if (*x < 2) *x += v;", "*x += v; *x = max(*x, 2);", "*x += v; *x += *y;", ""),
)
_OUTSIDE: Final = (
    *("a[me] = 7;", "r = a[me];", "barrier(CLK_GLOBAL_MEM_FENCE);", "barrier(CLK_LOCAL_MEM_FENCE);"),
    *("r = *x;", "*y = 1;", "atomic_fetch_add(c, 1);", "if (me == 0) *x = 1;", "if (me == 0) a[me] = *x;"),
    "atomic_add(y, 1);",
)
_TYPES: Final = ("int", "int", "int", "uint", "float")


def locking_kernel(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    return _Kernel(Random(f"sections {seed} {number}")).text(f"sections-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, groups = random.choice(_SHAPES)
        self._items = self._local * groups
        self._type = random.choice(_TYPES)
        self._free = random.choice((0, 0, 0, 0, 1, -1))
        self._scope = f"memory_scope_{random.choice(_SCOPES)}"

    def text(self, name: str) -> str:
        random = self._random
        kept = random.choice(("", "", "", "", "filter (c=0)\n"))
        sections = 1 if self._items > 2 else random.choice((1, 1, 2))
        body = [self._other() for _ in range(random.choice((0, 0, 1)))]
        for _ in range(sections):
            body.append(self._section())
            body += [self._other() for _ in range(random.choice((0, 0, 0, 1)))]
        lines = "\n".join(f"  {line}" for line in body)
        first = random.choice((self._free,) * 9 + (1 - self._free,))
        return f"""OPENCL {name}
{{ [lock]={first}; [gate]={self._free}; [c]=0; [x]=0{".0f" if self._type == "float" else ""}; [y]=0; int a[4]; }}
kernel K (
  global atomic_int* lock, global atomic_int* gate, global atomic_int* c, global {self._type}* x, global int* y,
  global int* a
) {{
  int me = get_global_id(0); ulong long_v = me; {self._type} v = {random.choice(("me + 1", "1", "me & 1"))};
  {self._type} r = 0; int e;
{lines}
}}
launch K global {self._items}, local {self._local}, sub {self._local}, dev 0;
{kept}locations [lock; c; x; y; a;]
"""

    def _other(self) -> str:
        return self._random.choice(_OUTSIDE)

    def _section(self) -> str:
        random = self._random
        held = self._free + random.choice((1, 1, 1, 2))
        inside = random.choice(_INSIDE)
        if self._type == "float" and any(sign in inside for sign in ("|", "max", "long")):
            inside = "*x += v;"
        fenced = random.random() < 0.25
        take, release = random.choice(_TAKES), random.choice(_RELEASES)
        before = after = ""
        if fenced:
            before = f"atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_{take}, {self._scope});"
            after = f"atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_{release}, {self._scope});"
            take = release = "relaxed"
        free = random.choice((f"{self._free}",) * 12 + (f"{held}", "2"))
        end = random.choice(("store", "store", "exchange"))
        freed = f"atomic_{end}_explicit(lock, {free}, memory_order_{release}, {self._scope});"
        if random.random() < 0.03:
            freed = ""
        section = f"{self._take(f'memory_order_{take}', held)} {before} {inside} {after} {freed}"
        if random.random() < 0.15:
            section = section.replace("(lock,", "(gate,")
        return random.choice((section,) * 8 + (f"if (get_local_id(0) == 0) {{ {section} }}",))

    def _take(self, order: str, held: int) -> str:
        random = self._random
        strength = random.choice(("strong", "strong", "weak"))
        relaxed = "memory_order_relaxed"
        exchange = f"atomic_exchange_explicit(lock, {held}, {order}, {self._scope}) != {self._free}"
        compare = f"!atomic_compare_exchange_{strength}_explicit(lock, &e, {held}, {order}, {relaxed}, {self._scope})"
        test = f"while (atomic_load_explicit(lock, {relaxed}, {self._scope}) != {self._free});"
        return random.choice(
            (
                f"while ({exchange});",
                f"e = {self._free}; while ({compare}) e = {self._free};",
                f"do e = {self._free}; while ({compare});",
                f"do {{ {test} }} while ({exchange});",
                f"do {{ {test} e = {self._free}; }} while ({compare});",
            )
        )
