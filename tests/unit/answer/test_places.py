"""Which of the raisings at the same places comes first."""

from __future__ import annotations

from itertools import permutations

import pytest

from mcm import parse
from mcm.answer.places import Places
from mcm.execution.elaborate import elaborate
from mcm.program.types import Location

TEXT = """C two
{ int x[2] = {0, 0}; }
P0 (int* x) { for (int n = 0; n < 2; n++) { x[n] = 1; } }
P1 (int* x) { for (int n = 0; n < 2; n++) { x[n] = 2; } }
exists (x[0]=1)
"""


@pytest.fixture
def places() -> Places:
    (skeleton,) = elaborate(parse(TEXT).program, 2)
    return Places(skeleton.events)


def test_iterations_of_an_operation_are_at_one_place(places: Places) -> None:
    writes = [events for place, events in places.at.items() if place[0] != -1]
    assert [len(events) for events in writes] == [2, 2]
    assert [[places.ordinals[event] for event in events] for events in writes] == [[0, 1], [0, 1]]
    (a, b), (c, d) = writes
    assert places.pair((a, c)) == places.pair((d, b)) != places.pair((a, b))


def test_early_iterations_come_first_then_low_locations(places: Places) -> None:
    (a, b), (c, d) = (events for place, events in places.at.items() if place[0] != -1)
    low, high = Location(0, 0), Location(0, 1)
    ordered = [
        places.rank((a, c), {a: low}),
        places.rank((a, c), {a: high}),
        places.rank((a, d), {a: low}),
        places.rank((b, c), {b: low}),
        places.rank((b, d), {b: low}),
    ]
    assert ordered == sorted(ordered)
    assert len(set(ordered)) == len(ordered)


def test_the_order_of_the_events_does_not_matter(places: Places) -> None:
    (a, _), (c, d) = (events for place, events in places.at.items() if place[0] != -1)
    for pair in ((a, c), (a, d)):
        assert len({places.rank(events, {a: Location(0, 0)}) for events in permutations(pair)}) == 1
    assert places.first((d, a)) == a
