"""Random kernels whose counters hand out elements: who clears and who uses them; what disturbs that."""

from __future__ import annotations

from random import Random
from typing import Final

# Work-items of a group, and groups: 3 to 6 work-items.
_SHAPES: Final = ((3, 1), (3, 1), (4, 1), (2, 2), (1, 3), (5, 1), (3, 2))
_ORDERS: Final = ("relaxed", "relaxed", "acquire", "release", "acq_rel", "seq_cst")
_SCOPES: Final = ("memory_scope_device", "memory_scope_device", "memory_scope_work_group")
_BARRIER: Final = "work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
# Elements by what an update has returned: different ones, and some that are not.
_ELEMENTS: Final = ("r0 & 7", "r0 & 7", "r0 & 7", "(r0 + 1) & 7", "7 - (r0 & 7)", "(r0 * 3) & 7", "(r0 / 2) & 7")

# What has been counted: each sees it, one passes it on, it decides what is written.
_COUNTED: Final = "(int)atomic_load_explicit(c, memory_order_relaxed, memory_scope_work_group)"
_TOTALS: Final = (
    f"r1 = {_COUNTED};",
    f"if (l == 1) {{ a[7] = {_COUNTED}; }}",
    f"r1 = {_COUNTED}; if (l == 0 && r1 > 2) {{ a[r1 & 7] = 1; }}",
)


def handing_out(seed: str, number: int) -> str:
    """The litmus test of this number: the same seed and number give the same text."""
    return _Kernel(Random(f"elements {seed} {number}")).text(f"elements-{number}")  # noqa: S311 - nothing secret


class _Kernel:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._local, self._groups = random.choice(_SHAPES)
        # Where the counter is: in local memory each group has one of its own.
        self._space = "local" if self._groups > 1 and self._local > 2 else random.choice(("global", "global", "local"))
        self._step = random.choice(("1", "1", "1", "1", "1", "2", "0x80000000"))
        self._how = random.choice(("add", "add", "sub"))

    def text(self, name: str) -> str:
        random = self._random
        body = [self._count(), self._use()]
        clears = self._space == "local" or random.random() < (0.6 if self._groups == 1 else 0.15)
        if clears:
            body.insert(0, self._clear())
            if random.random() < 0.2 and self._local * self._groups <= 4:
                body += [_BARRIER, self._clear(), self._count(), self._use()]
        if random.random() < 0.3:
            body.append(f"{_BARRIER} {random.choice((f'r1 = a[{random.randrange(3)}];', *_TOTALS))}")
        other = ""
        if self._space == "global" and random.random() < 0.15:
            change = random.choice(("atomic_store(c, 1)", "atomic_fetch_add(c, 2)", "atomic_fetch_add(c, 1)"))
            other = f"P0@wg 9, dev 0 (global atomic_uint* c) {{ {change}; }}\n"
        declared, parameter = ("", "local") if self._space == "local" else (f"[c]={random.randrange(3)}; ", "global")
        lines = "\n".join(f"  {line}" for line in body)
        watched = random.choice(("a[0]=1", "a[1]=2", "a[2]=1 /\\ a[0]=2", "K[0]:r1=1", "a[7]=1"))
        return f"""OPENCL {name}
{{ {declared}int a[8]; int in[4] = {{1, 1, 0, 1}}; }}
kernel K ({parameter} atomic_uint* c, global int* a, global int* in) {{
  int l = get_local_id(0); uint r0 = 0; int r1 = 0;
{lines}
}}
launch K global {self._local * self._groups}, local {self._local}, dev 0;
{other}exists ({watched})
"""

    def _clear(self) -> str:
        """One work-item sets the counter back; sometimes each does, or nothing orders it before what counts."""
        random = self._random
        value = random.choice(("0", "0", "1", "4"))
        how = random.choice(
            (
                f"atomic_init(c, {value});",
                f"atomic_store(c, {value});",
                f"atomic_store_explicit(c, {value}, memory_order_relaxed, memory_scope_work_group);",
            )
        )
        who = random.choice(
            ("if (l == 0) ", "if (l == 0) ", "if (l == 0) ", "if (l == 1) ", "if (in[l & 3] == 0) ", "")
        )
        return f"{who}{{ {how} }} {_BARRIER if random.random() < 0.9 else ''}"

    def _count(self) -> str:
        random = self._random
        step = self._step if random.random() < 0.95 else "3"
        order, scope = random.choice(_ORDERS), random.choice(_SCOPES)
        count = f"r0 = atomic_fetch_{self._how}_explicit(c, {step}, memory_order_{order}, {scope});"
        return random.choice((count, count, count, f"if (in[l & 3] > 0) {{ {count} }}"))

    def _use(self) -> str:
        random = self._random
        element = random.choice(_ELEMENTS)
        return random.choice(
            (
                f"a[{element}] = l + 1;",
                f"a[{element}] = 1;",
                f"r1 = a[{element}]; a[{element}] = r1 + 1;",
                f"if (r0 < 4) {{ a[{element}] = 1; }}",
                f"a[{element}] = 1; a[{random.choice(_ELEMENTS)}] = 2;",
            )
        )
