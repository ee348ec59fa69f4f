"""Random kernels that go on in rounds until a counter, or a flag, in local memory says that nothing is left to do.

The counter is raised, or the flag set, by atomics, and read plainly or by an atomic load, most often in another phase;
or a group function says so.
"""

from __future__ import annotations

from random import Random
from typing import Final

_BARRIER: Final = "work_group_barrier(CLK_LOCAL_MEM_FENCE);"


def _how(random: Random, own: str) -> str:
    """The order of an atomic operation, most often relaxed, and its scope."""
    order = random.choice(("relaxed", "relaxed", "relaxed", own, "seq_cst"))
    return f"memory_order_{order}, memory_scope_work_group"


def _raised(random: Random) -> tuple[str, str]:
    """How a work-item says that something is left to do, and the type of what it says it by."""
    if random.random() < 0.2:
        return "*busy = 1;", "int"
    call = random.choice(("fetch_add", "fetch_or", "store", "store", "exchange", ""))
    if not call:
        return "atomic_inc(busy);", "int"
    # Now and then the values differ, so that it matters who is last.
    value = "1" if random.random() < 0.8 else "l + 1"
    return f"atomic_{call}_explicit(busy, {value}, {_how(random, 'release')});", "atomic_int"


def _asked(random: Random, type_: str) -> str:
    """The declaration of what is tested in the end of a round."""
    if random.random() < 0.25:
        function = random.choice(("any", "all", "reduce_add", "reduce_max", "scan_exclusive_add"))
        return f"int b = work_group_{function}({random.choice(('t[l] > 0', 'x < y', '*busy', 'l'))});"
    if type_ == "atomic_int" and random.random() < 0.6:
        return f"int b = atomic_load_explicit(busy, {_how(random, 'acquire')});"
    return "int b = *busy;"


def rounds_kernel(seed: str, number: int) -> str:
    """The litmus test of this number; there are at most two rounds."""
    random = Random(f"{seed} rounds {number}")  # noqa: S311 - nothing secret
    local = 2

    def barrier() -> str:
        return _BARRIER if random.random() < 0.93 else ""

    start = ", ".join(str(random.randrange(4)) for _ in range(local))
    change = random.choice(
        (
            "if (x < y) { t[l] = y; BUSY }",
            "if (t[l] > 0) { t[l]--; BUSY }",
            "if (x > 0 && y > 0) { t[l] = x - 1; BUSY }",
            f"if (t[l] != l) {{ t[l] = (t[l] + 1) % {local}; BUSY }}",
            "if (l == k && x > 0) { t[l] = 0; BUSY }",
        )
    )
    busy, type_ = _raised(random)
    test = random.choice(("b == 0", "b < 1", "!b"))
    leave = f"if ({test}) break;" if random.random() < 0.8 else f"if ({test}) return;"
    return f"""OPENCL rounds-{number}
{{ int a[{local}] = {{{start}}}; }}
kernel K (global int* a, local int t[{local}], local {type_}* busy) {{
  int l = get_local_id(0);
  t[l] = a[l];
  int k = 0;
  for (;;) {{
    if (l == 0) *busy = 0;
    {barrier()}
    int x = t[l], y = t[(l + 1) % {local}];
    {barrier()}
    {change.replace("BUSY", busy)}
    {barrier()}
    {_asked(random, type_)}
    {leave}
    {barrier()}
    if (++k == 2) break;
  }}
  a[l] = t[l] + k;
}}
launch K global {local}, local {local}, dev 0;
locations [ {" ".join(f"a[{i}];" for i in range(local))} ]
"""
