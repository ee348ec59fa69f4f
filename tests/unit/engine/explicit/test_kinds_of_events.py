"""An event has one kind for each object that it may access, however many elements that has."""

from __future__ import annotations

from mcm import parse
from mcm.engine.explicit.settled.kinds import Kinds
from mcm.execution.elaborate import elaborate
from mcm.execution.event import EventKind

TEST = """OPENCL kinds
{ int a[64]; int b[32]; global atomic_int at[8]; int i; }
P0 (global int a[64], global int b[32], global atomic_int at[8], global int* i) {
  int k = *i;
  global int* p = (k > 40) ? b : a;
  p[k & 31] = 1;
  atomic_store(&at[k & 7], 1);
}
exists (i=0)
"""


def test_an_event_has_a_kind_for_each_object() -> None:
    (skeleton,) = elaborate(parse(TEST).program, 2)
    kinds = Kinds(skeleton, frozenset())
    plain, atomic = (event for event in skeleton.events if event.kind is EventKind.WRITE)

    assert len(plain.locations) > 32
    assert len(kinds.all_of(plain)) == len({location.object for location in plain.locations}) == 2
    assert len(kinds.all_of(atomic)) == 1
    for event in skeleton.events:
        assert {kinds.of(event, location) for location in event.locations} <= set(kinds.all_of(event))
        assert kinds.of(event) in kinds.all_of(event)
        for location in event.locations:
            names = kinds.names[kinds.of(event, location)]
            bit = 1 << event.identifier
            assert {name for name, of in skeleton.sets.items() if of.events & bit or location in of.locations} == names
