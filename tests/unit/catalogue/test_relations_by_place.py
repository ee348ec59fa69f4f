"""What models see of the groups that work-items are in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import parse
from mcm.base.bits import transposed
from mcm.catalogue import registry
from mcm.catalogue.places import relations_by_place
from mcm.execution.elaborate import elaborate
from mcm.execution.images import Images
from mcm.execution.renaming import Renaming

if TYPE_CHECKING:
    from mcm.execution.skeleton import Skeleton

KERNEL = """OPENCL K
{{ [x]=0; [y]=0; }}
kernel K (global atomic_int* x, global atomic_int* y{parameters}) {{
  {body}
}}
launch K global 4, local 2, dev 0;
exists (x=1)
"""
ADD = "atomic_fetch_add_explicit(x, 1, memory_order_acq_rel, memory_scope_{scope});"


def skeleton_of(body: str, parameters: str = "") -> Skeleton:
    (skeleton,) = elaborate(parse(KERNEL.format(body=body, parameters=parameters)).program)
    return skeleton


def exchange(skeleton: Skeleton, one: int, other: int) -> Renaming:
    """The exchange of the events of two threads, position by position."""
    events = list(range(len(skeleton.events)))
    mine, its = ([e.identifier for e in skeleton.events if e.thread == thread] for thread in (one, other))
    for a, b in zip(mine, its, strict=True):
        events[a], events[b] = b, a
    return Renaming(events, range(skeleton.choices))


def keeps(skeleton: Skeleton, one: int, other: int, model: str = "opencl-3.0") -> bool:
    chosen = registry.get(model)
    images = Images(skeleton, lambda: relations_by_place(skeleton, chosen))
    return images.keep_relations(exchange(skeleton, one, other))


def test_at_device_scope_groups_are_of_no_account() -> None:
    skeleton = skeleton_of(ADD.format(scope="device"))
    assert keeps(skeleton, 0, 1)
    assert keeps(skeleton, 1, 2)
    assert not Images(skeleton).keep_relations(exchange(skeleton, 1, 2))


@pytest.mark.parametrize("scope", ["work_group", "sub_group"])
def test_at_smaller_scopes_they_matter(scope: str) -> None:
    skeleton = skeleton_of(ADD.format(scope=scope))
    assert not keeps(skeleton, 1, 2)


def test_a_model_without_scopes_does_not_look_at_groups() -> None:
    assert keeps(skeleton_of(ADD.format(scope="work_group")), 1, 2, "sc")


def test_who_meets_at_a_barrier_is_in_one_group() -> None:
    skeleton = skeleton_of("work_group_barrier(CLK_GLOBAL_MEM_FENCE); " + ADD.format(scope="device"))
    assert keeps(skeleton, 0, 1)
    assert not keeps(skeleton, 1, 2)


def test_one_operation_at_a_smaller_scope_is_enough() -> None:
    body = f"{ADD.format(scope='device')} if (get_global_id(0) == 3) {{ {ADD.format(scope='work_group')} }}"
    skeleton = skeleton_of(body)
    related = relations_by_place(skeleton, registry.get("opencl-3.0"))
    assert related is not None
    last = next(event for event in skeleton.events if event.thread == 3)
    same = exchange(skeleton, 0, 1)
    assert Images(skeleton, lambda: related).keep_relations(same)
    # Nobody else has an operation at this scope.
    assert all(rows[last.identifier] == transposed(rows)[last.identifier] for rows in related)


def test_nothing_is_said_where_a_value_decides_on_whose_memory_is_accessed() -> None:
    body = (
        "atomic_int* p = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device) ? (atomic_int*)d : y; "
        "atomic_store_explicit(p, 1, memory_order_release, memory_scope_device);"
    )
    skeleton = skeleton_of(body, ", local atomic_int* d")
    assert relations_by_place(skeleton, registry.get("opencl-3.0")) is None
