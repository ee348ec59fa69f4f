"""Which threads are recognised as exchangeable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from small_models import RELEASE_ACQUIRE, check
from small_programs import Builder

import mcm
from mcm import parse
from mcm.answer.query import Query
from mcm.cat.model import Shape
from mcm.engine.explicit.exchanges import symmetry_of
from mcm.engine.explicit.symmetry import Exchange
from mcm.execution.elaborate import elaborate
from mcm.execution.expression import Constant, ReadValue
from mcm.program.condition import Comparison, Fixed, Observed, RegisterName
from mcm.program.topology import WorkItem, sub_group
from mcm.program.types import Location, Order
from mcm.relation.term import Base, Difference

if TYPE_CHECKING:
    from mcm.engine.explicit.symmetry import Symmetry
    from mcm.execution.candidate import Candidate
    from mcm.program.condition import Observable


def copiers(number: int, *, odd_value: int | None = None, odd_group: bool = False) -> Builder:
    """Threads that read x and write what they read, or perhaps (the first) a constant, to y under a choice."""
    builder = Builder(locations=2)
    for index in range(number):
        thread = builder.thread(WorkItem(sub_group(work_group=int(odd_group and index == 0))))
        read = builder.read(thread, 0, Order.RELAXED)
        value = ReadValue(read) if odd_value is None or index else Constant(odd_value)
        builder.write(thread, 1, value, Order.RELAXED, builder.choice())
    return builder


def symmetry(builder: Builder, *observed: Observable, **options: object) -> Symmetry:
    skeleton = builder.skeleton()
    watched = observed or (*skeleton.registers, Location(1))
    return symmetry_of(skeleton, Query((skeleton,), RELEASE_ACQUIRE, watched, **options), watched)  # type: ignore[arg-type]


def test_three_alike_are_exchangeable() -> None:
    found = symmetry(copiers(3))
    (group,) = found.groups
    assert [(thread.events, thread.choices) for thread in group.threads] == [
        ((2, 3), (0,)),
        ((4, 5), (1,)),
        ((6, 7), (2,)),
    ]
    first, _ = found.exchanges
    assert first.events == (0, 1, 4, 5, 2, 3, 6, 7)
    assert first.choices == (1, 0, 2)
    assert first.image_of_state((10, 20, 30, 9)) == (20, 10, 30, 9)


def test_two_are_not_worth_it() -> None:
    assert symmetry(copiers(2)).groups == ()


def test_one_that_differs_is_left_out() -> None:
    assert symmetry(copiers(3, odd_value=1)).groups == ()


def test_one_in_another_group_is_left_out_where_the_model_asks_for_groups() -> None:
    skeleton = copiers(3, odd_group=True).skeleton()
    in_groups = check("in-groups", Shape.EMPTY, Difference(Base("rf"), Base("swg")))
    asking = replace(RELEASE_ACQUIRE, checks=(*RELEASE_ACQUIRE.checks, in_groups))

    assert len(symmetry_of(skeleton, Query((skeleton,), RELEASE_ACQUIRE, ()), ()).groups) == 1
    assert symmetry_of(skeleton, Query((skeleton,), asking, ()), ()).groups == ()


def test_watching_one_of_them_breaks_the_symmetry() -> None:
    builder = copiers(3)
    assert symmetry(builder, next(iter(builder.registers))).groups == ()
    assert symmetry(builder, Location(1)).groups != ()


def test_watching_their_own_constants_does_not() -> None:
    builder = copiers(3)
    for index in range(3):
        builder.registers[RegisterName(index, "i")] = Constant(index)
    (exchange, _) = symmetry(builder).exchanges
    assert exchange.image_of_state((10, 20, 30, 0, 1, 2, 9)) == (20, 10, 30, 0, 1, 2, 9)


def test_a_filter_on_their_registers_breaks_the_symmetry() -> None:
    builder = copiers(3)
    one = Comparison("=", Observed(next(iter(builder.registers))), Fixed(1))
    assert symmetry(builder, filter=one).groups == ()


def test_counting_needs_every_execution() -> None:
    assert symmetry(copiers(3), counts=True).groups == ()


WAITING = """OPENCL waiting
{}
kernel k (global atomic_int* x) { while (atomic_load(x) == 0) {} }
launch k global 4, local 1;
P4 (global atomic_int* x) { atomic_store(x, 1); }
exists (x=1)
"""


def test_a_stop_is_the_image_of_itself_where_its_thread_stays() -> None:
    (skeleton,) = elaborate(parse(WAITING).program, 2)
    watched = (Location(0),)
    found = symmetry_of(skeleton, Query((skeleton,), RELEASE_ACQUIRE, watched), watched)
    (threads,) = found.threads
    numbers = [thread.thread for thread in threads]
    assert [stop.thread for stop in skeleton.stops] == numbers
    beside = [found.threads_beside(stop, number) for number, stop in enumerate(skeleton.stops)]
    assert [[thread.thread for thread in others] for (others,) in beside] == [
        [other for other in numbers if other != number] for number in numbers
    ]


@pytest.mark.parametrize(("first", "second"), [(0, 8), (8, 0)])
def test_a_relation_to_an_event_that_stays_tells_threads_apart(first: int, second: int) -> None:
    skeleton = copiers(4).skeleton()
    name, rows = next(iter(skeleton.relations.items()))
    changed = tuple(row | (event == first) << second for event, row in enumerate(rows))
    told_apart = replace(skeleton, relations={**skeleton.relations, name: changed})
    sizes = []
    for one in (skeleton, told_apart):
        found = symmetry_of(one, Query((one,), RELEASE_ACQUIRE, ()), ())
        sizes += [len(group.threads) for group in found.groups]
    assert sizes == [4, 3]


DIVERGENT = """OPENCL divergent
{ }
kernel sum (global int* out) {
  local int s[8];
  int t = get_local_id(0);
  s[t] = t;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t < 4) { for (int k = 4; k > 0; k >>= 1) { s[t] += s[t + k]; barrier(CLK_LOCAL_MEM_FENCE); } }
  if (t == 0) atomic_add(out, s[0]);
}
launch sum global 16, local 8;
"""


def test_mistakes_that_are_known_need_no_images(monkeypatch: pytest.MonkeyPatch) -> None:
    images = []

    def counted(exchange: Exchange, candidate: Candidate) -> Candidate:
        images.append(exchange)
        return candidate

    monkeypatch.setattr(Exchange, "image_of_candidate", counted)
    found = mcm.check(DIVERGENT, engine="explicit", timeout=20)
    assert isinstance(found, mcm.Judged)
    assert "barrier-divergence" in {problem.kind for problem in found.undefined}
    assert len(images) < 20
