"""Random kernels with functions of sub-groups that take together the work-items that come, as data decides."""

from __future__ import annotations

from random import Random
from typing import Final

_VALUES: Final = (
    "sub_group_non_uniform_reduce_add({})",
    "sub_group_non_uniform_scan_exclusive_max({})",
    "sub_group_broadcast_first({})",
    "(int)sub_group_ballot({} > 1).x",
    "(int)sub_group_ballot_exclusive_scan(sub_group_ballot({} > 1))",
    "sub_group_clustered_reduce_min({}, 2)",
    "sub_group_elect() + {}",
)
# All have to come to these.
_OF_ALL: Final = ("sub_group_reduce_add({})", "sub_group_shuffle({}, (uint)(l & 1))", "sub_group_rotate({}, 1)")
_BARRIER: Final = "barrier(CLK_LOCAL_MEM_FENCE);"


def sub_groups_kernel(seed: str, number: int) -> str:
    """The litmus test of this number."""
    random = Random(f"{seed} sub-groups {number}")  # noqa: S311 - nothing secret
    size = random.choice((2, 2, 4))
    items = random.choice((2, 4))
    given = ", ".join(str(random.randint(0, 3)) for _ in range(items))
    body = "\n".join(f"  {line}" for _ in range(random.randint(2, 4)) for line in _block(random, items))
    observed = " ".join(f"a[{i}];" for i in range(items))
    return f"""OPENCL sub-groups-{number}
{{ int in[{items}]={{{given}}}; int a[{items}]; [c] = 0; }}
kernel K (global const int* in, global int* a, local int t[{items}], global atomic_int* c) {{
  int l = get_local_id(0);
  int r0 = 0;
  t[l] = in[l];
  {_BARRIER}
  int v = t[{items - 1} - l];
{body}
  a[l] = r0;
}}
launch K global {items}, local {items}, sub {min(size, items)}, dev 0;
locations [{observed} c;]
"""


def _block(random: Random, items: int) -> list[str]:
    """Statements that all work-items come to."""
    match random.randrange(6):
        case 0:
            return [f"v = {random.choice(_OF_ALL).format('v')};"]
        case 1:
            return [_BARRIER, f"t[l] = {_value(random)};", _BARRIER, f"v += t[(l + 1) % {items}];"]
        case 2:
            return [f"for (int k = 0; k < (v & 3); k++) {{ {_statement(random)} }}"]
        case 3:
            leaves = f"if (v == sub_group_broadcast_first(v)) {{ {_statement(random)} break; }}"
            return [f"for (int k = 0; k < {items}; k++) {{ {leaves} }}"]
        case 4:
            return [f"if ({_condition(random)}) {{ {_statement(random)} }} else {{ {_statement(random)} }}"]
        case _:
            return [f"if ({_condition(random)}) {{ {_statement(random)} {_statement(random)} }}"]


def _condition(random: Random) -> str:
    return random.choice(("v > 1", "l == 0", "v == r0", "r0 > 2", "(v ^ l) & 1"))


def _value(random: Random) -> str:
    return random.choice(_VALUES).format(random.choice(("v", "r0", "(v + l)")))


def _statement(random: Random) -> str:
    adds = "atomic_fetch_add_explicit(c, v & 3, memory_order_relaxed, memory_scope_device);"
    return random.choice(
        (f"r0 += {_value(random)};", f"r0 = {_value(random)} - r0;", f"v = {_value(random)};", adds, adds)
    )
