"""What of a skeleton is its own image under a permutation, against comparing all of it."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from mcm import parse
from mcm.execution.elaborate import elaborate
from mcm.execution.expression import Choice, Constant, ReadValue
from mcm.execution.images import Images, Mentioning
from mcm.execution.renaming import Renaming

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.execution.skeleton import Skeleton

# Units that spin, units that look at what others have written, and groups with a barrier.
PROGRAMS = [
    """OPENCL spin
{ [l]=0; [c]=0; }
kernel K (global atomic_int* l, global int* c) {
  while (atomic_exchange(l, 1)) { }
  *c = *c + 1;
  atomic_store(l, 0);
}
launch K global 3, local 1, dev 0;
exists (c=3)
""",
    """OPENCL groups
{ }
kernel K (global int a[6], local int b[3]) {
  int l = get_local_id(0);
  b[l] = l;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = b[(l + 1) % 3];
}
launch K global 6, local 3, dev 0;
exists (a[0]=1)
""",
    """C updates
{ [x]=0; [y]=0; }
P0 (atomic_int* x, atomic_int* y) { int r0 = atomic_fetch_add(x, 1); if (r0) { atomic_store(y, r0); } }
P1 (atomic_int* x, atomic_int* y) { int r0 = atomic_fetch_add(x, 1); if (r0) { atomic_store(y, r0); } }
P2 (atomic_int* x, atomic_int* y) { int r0 = atomic_load(y); int r1 = atomic_load(x); }
exists (2:r0=1)
""",
]


def exchanges(skeleton: Skeleton) -> Iterator[Renaming]:
    """The exchange of any two units, event by event, whether it is a symmetry or not."""
    units: dict[int, list[int]] = {}
    for event in skeleton.events:
        if event.thread is not None:
            units.setdefault(event.thread, []).append(event.identifier)
    for ones, others in combinations(units.values(), 2):
        events = list(range(len(skeleton.events)))
        for one, other in zip(ones, others, strict=False):
            events[one], events[other] = other, one
        yield Renaming(events, range(skeleton.choices))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param(PROGRAMS[0], {True}, id="spin"),
        pytest.param(PROGRAMS[1], {True, False}, id="groups"),
        pytest.param(PROGRAMS[2], {True, False}, id="units"),
    ],
)
def test_what_is_not_looked_at_is_its_own_image(text: str, kept: set[bool]) -> None:
    (skeleton,) = elaborate(parse(text).program, bound=2)
    images = Images(skeleton)
    answers = set()
    for renaming in exchanges(skeleton):
        looked_at = images.changing(renaming)
        for event in skeleton.events:
            is_kept = renaming.events[event.identifier] == event.identifier and all(
                renaming.expression(expression) is expression for expression in event.expressions
            )
            assert is_kept or event.identifier in looked_at
        all_kept = all(
            renaming.mask(row) == rows[renaming.events[event]]
            for rows in skeleton.relations.values()
            for event, row in enumerate(rows)
        )
        assert images.keep_relations(renaming) == all_kept
        answers.add(all_kept)
    assert answers == kept


def test_items_are_found_by_what_they_mention() -> None:
    mentioning = Mentioning([[ReadValue(0)], [Choice(0), ReadValue(2)], [Constant(1)], []])
    assert mentioning.moved(Renaming([1, 0, 2], [0])) == {0}
    assert mentioning.moved(Renaming([0, 1, 2], [1, 0])) == {1}
    assert mentioning.moved(Renaming([0, 1, 2], [0, 1])) == set()
