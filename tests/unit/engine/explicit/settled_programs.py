"""Programs of which parts are settled, and what is left of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from mcm.execution.skeleton import Skeleton

LOCAL, GLOBAL = "CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE"
RELAXED = "memory_order_relaxed, memory_scope_work_group"
ON_DEVICE = "memory_order_relaxed, memory_scope_device"


def skeleton_of(
    body: str, question: str = "exists (0:r=0)", items: int = 2, groups: int = 1, *, elements: int = 4
) -> Skeleton:
    text = f"""OPENCL settled
{{ int a[4] = {{1, 0, 3, 4}}; }}
kernel K (global int* a, local int t[{elements}], global atomic_int* c, local int* u, global atomic_int* f) {{
  int l = get_local_id(0);
  int r = 0;
  {body}
}}
launch K global {items * groups}, local {items}, dev 0;
{question}
"""
    (skeleton,) = elaborate(read_test(Source("settled", text)).program)
    return skeleton


def reduced(skeleton: Skeleton, model: str = "opencl-3.0") -> Skeleton:
    return without_settled(skeleton, registry.get(model), observed_by(skeleton.program))


def accessed(skeleton: Skeleton) -> set[str]:
    """The objects that threads access."""
    return {
        skeleton.program.objects[place.object].name
        for event in skeleton.events
        if event.thread is not None
        for place in event.locations
    }


def exchange(flag: str) -> str:
    return f"t[l] = l + 5; work_group_barrier({flag}); r = t[1 - l];"


def add(to: str, how: str = RELAXED) -> str:
    return f"atomic_fetch_add_explicit({to}, l + 1, {how});"
