"""Forms of expressions, and threads that are exchanged with the numbers that they write."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from smt_inputs import query

from mcm.answer.query import Limits
from mcm.engine.explicit.decide import decide as decide_by_search
from mcm.engine.smt import automorphism
from mcm.engine.smt.automorphism import Compared
from mcm.engine.smt.decide import decide
from mcm.engine.smt.symmetry import Symmetry
from mcm.engine.smt.value_forms import FormImages, Forms, Table
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Choice, Constant, ReadValue, Select, UnaryValue
from mcm.execution.renaming import Renaming
from mcm.program.types import Location, Scalar, Value

if TYPE_CHECKING:
    from mcm.execution.expression import Expression

# A queue of those who wait: each finds who came before, and waits for that one's element.
CLH = """OPENCL clh
{{ [tail]={first}; int locked[{size}]; [x]=0; }}
kernel k (global atomic_int* tail, global atomic_int* locked, global int* x) {{
  int me = get_global_id(0) + 1;
  atomic_store_explicit(&locked[me], 1, memory_order_relaxed, memory_scope_device);
  int before = atomic_exchange_explicit(tail, me, memory_order_acq_rel, memory_scope_device);
  {wait}
  *x = *x + 1;
  atomic_store_explicit(&locked[me], 0, memory_order_{release}, memory_scope_device);
}}
launch k global {number}, local 1, dev 0;
exists ({condition})
"""
WAIT = "while (atomic_load_explicit(&locked[before], memory_order_acquire, memory_scope_device) != 0) {}"
# A queue in which each tells the one before who comes next, and hands the lock on.
MCS = """OPENCL mcs
{{ [tail]=0; int next[{number}]; int locked[{number}] = {{{ones}}}; [x]=0; }}
kernel k (global atomic_int* tail, global atomic_int* next, global atomic_int* locked, global int* x) {{
  int me = get_global_id(0);
  int before = atomic_exchange_explicit(tail, me + 1, memory_order_acq_rel, memory_scope_device);
  if (before != 0) {{
    atomic_store_explicit(&next[before - 1], me + 1, memory_order_release, memory_scope_device);
    while (atomic_load_explicit(&locked[me], memory_order_{acquire}, memory_scope_device)) {{}}
  }}
  *x = *x + 1;
  int after = atomic_load_explicit(&next[me], memory_order_acquire, memory_scope_device);
  if (after == 0) {{
    int mine = me + 1;
    if (atomic_compare_exchange_strong_explicit(tail, &mine, 0, memory_order_release, memory_order_relaxed,
                                                memory_scope_device)) {{ return; }}
    while ((after = atomic_load_explicit(&next[me], memory_order_acquire, memory_scope_device)) == 0) {{}}
  }}
  atomic_store_explicit(&locked[after - 1], 0, memory_order_release, memory_scope_device);
}}
launch k global {number}, local 1, dev 0;
exists (x={number})
"""


def clh(number: int, wait: str = WAIT, condition: str = "x=2", release: str = "release", first: int = 0) -> str:
    return CLH.format(
        number=number, size=number + 1, wait=wait, condition=condition, release=release, first=first
    ).replace("{}", "{ }")


def mcs(number: int, acquire: str = "acquire") -> str:
    return MCS.format(number=number, ones=", ".join(["1"] * number), acquire=acquire)


def pairs(text: str) -> int:
    asked = query(text, "opencl-3.0")
    return len(Symmetry(Compared(asked.skeletons[0], asked.model), asked.observed).ordered)


def test_threads_of_a_queue_are_exchanged_with_their_numbers() -> None:
    assert pairs(clh(4)) == 3
    assert pairs(mcs(4)) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Which number is the last is observed.
        (clh(4, condition="tail=2"), 0),
        # A number stands there at first.
        (clh(4, first=1), 2),
        (clh(4, first=2), 1),
        # What is greater is told apart, and whose element comes next.
        (clh(4, wait="if (before < me) { *x = 7; }"), 0),
        (clh(4, wait="*x = atomic_load(&locked[(before + 1) % 5]);"), 0),
        # Any number may be written; another location holds it, too.
        (clh(4, wait="atomic_fetch_or(tail, before);"), 0),
        (clh(4, wait="*x = before;"), 0),
        # Numbers are compared for equality only.
        (clh(4, wait="if (before == me || before == 0) { *x = 7; }"), 3),
    ],
)
def test_what_tells_numbers_apart(text: str, expected: int) -> None:
    assert pairs(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        clh(3),
        clh(3, release="relaxed"),
        clh(2, condition="tail=2"),
        clh(3, first=2),
        clh(3, wait="if (before == 2) { *x = 7; }"),
        clh(3, wait="if (before == 0) { atomic_store(&locked[before], 3); }"),
        mcs(2),
        mcs(2, "relaxed"),
    ],
)
def test_answers_are_the_same_with_and_without_exchanges_of_numbers(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = query(text, "opencl-3.0", limits=Limits(nodes=5000))
    exchanged, searched = decide(asked), decide_by_search(asked)
    monkeypatch.setattr(automorphism, "_value_exchange", lambda *_: None)
    plain = decide(asked)

    assert searched.undecided is None
    for other in (plain, searched):
        assert [state.values for state in other.states] == [state.values for state in exchanged.states]
        assert {flag.name for flag in other.flags} == {flag.name for flag in exchanged.flags}
        assert {fault.fault.reported for fault in other.faults} == {fault.fault.reported for fault in exchanged.faults}
        assert other.waits == exchanged.waits


ONE, TWO = Constant(1), Constant(2)
SKELETON = query(clh(3), "opencl-3.0").skeletons[0]
THREADS = [[event for event in SKELETON.events if event.thread == thread] for thread in range(3)]
# What the exchange of each thread returns, and what is read of `x`, which is not known.
BEFORE, OTHERS, THIRD = (
    ReadValue(event.identifier) for thread in THREADS for event in thread if event.kind is EventKind.UPDATE
)
UNKNOWN, NOT_MINE, _ = (
    ReadValue(event.identifier)
    for thread in THREADS
    for event in thread
    if event.kind is EventKind.READ and event.locations == (Location(2, 0),)
)


def binary(symbol: str, left: Expression, right: Expression) -> BinaryValue:
    return BinaryValue(symbol, left, right, Scalar.INT)


def images(known: Forms) -> FormImages:
    """The exchange of the first two threads, of their numbers and elements."""
    events = list(range(len(SKELETON.events)))
    for one, other in zip(*THREADS[:2], strict=True):
        events[one.identifier], events[other.identifier] = other.identifier, one.identifier
    moved = {Location(1, 1): Location(1, 2), Location(1, 2): Location(1, 1)}
    return FormImages(known, Renaming(events, []), moved, {r.event: {1: 2, 2: 1} for r in (BEFORE, OTHERS, THIRD)})


def test_expressions_that_say_the_same_have_one_form() -> None:
    known = Forms(SKELETON.events)
    either = binary("||", binary("==", BEFORE, ONE), binary("==", BEFORE, TWO))
    assert known.are_known(BEFORE.event)
    assert not known.are_known(UNKNOWN.event)
    assert known.of(either) == known.of(binary("||", binary("==", TWO, BEFORE), binary("==", BEFORE, ONE)))
    assert known.of(either) != known.of(binary("==", BEFORE, ONE))
    first, second = binary("==", UNKNOWN, ONE), binary("<", UNKNOWN, TWO)
    assert known.of(binary("&&", first, second)) == known.of(binary("&&", second, first))
    assert known.of(binary("&&", first, second)) != known.of(binary("||", second, first))
    # A choice between sums is a sum of a choice.
    chosen = Select(Choice(0), BEFORE, OTHERS)
    sums = Select(Choice(0), binary("+", BEFORE, ONE), binary("+", OTHERS, ONE))
    assert known.of(binary("+", chosen, ONE)) == known.of(sums)


def test_images_of_forms() -> None:
    known = Forms(SKELETON.events)
    exchange = images(known)
    element = binary("+", Constant(Location(1, 0)), BEFORE)
    moved = {Location(1, 1): Location(1, 2), Location(1, 2): Location(1, 1)}
    assert exchange.image(binary("==", BEFORE, ONE)) == known.of(binary("==", OTHERS, TWO))
    assert exchange.image(binary("==", BEFORE, ONE)) != known.of(binary("==", OTHERS, ONE))
    assert exchange.image(element, moved) == known.of(binary("+", Constant(Location(1, 0)), OTHERS))
    assert exchange.image(element) != known.of(binary("+", Constant(Location(1, 0)), OTHERS))
    assert exchange.image(UnaryValue("!", binary("==", UNKNOWN, ONE), Scalar.INT)) == known.of(
        UnaryValue("!", binary("==", NOT_MINE, ONE), Scalar.INT)
    )
    # As they are written, neither numbers nor locations may change.
    assert exchange.image(binary("+", UNKNOWN, BEFORE)) is None
    assert exchange.image(binary("==", UNKNOWN, Constant(Location(1, 1)))) is None
    assert exchange.image(binary("+", UNKNOWN, ONE), {1: 2, 2: 1}) is None


def test_conditions_may_be_nested_deep() -> None:
    known = Forms(SKELETON.events)
    one: Expression = binary("==", UNKNOWN, ONE)
    other: Expression = binary("==", NOT_MINE, ONE)
    for number in range(2, 600):
        one = UnaryValue("!", binary("||", one, binary("==", UNKNOWN, Constant(number))), Scalar.INT)
        other = UnaryValue("!", binary("||", other, binary("==", NOT_MINE, Constant(number))), Scalar.INT)
    assert images(known).image(one) == known.of(other) != known.of(one)


class Counted(dict[Value, Value]):
    """An exchange of values that counts how often it is asked."""

    asked = 0

    def get(self, value: Value, otherwise: Value = 0) -> Value:  # type: ignore[override] - of one kind
        self.asked += 1
        return super().get(value, otherwise)


@pytest.mark.parametrize("seed", range(12))
def test_images_of_tables_are_those_of_their_rows(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - no secret
    known = Forms((), {0: tuple(range(5)), 1: tuple(range(4)), 2: tuple(range(3))})
    reads = random.sample((0, 1, 2), 2)
    expression = binary(random.choice(["+", "<", "=="]), *(ReadValue(read) for read in reads))
    table = known.of(expression)
    assert isinstance(table, Table)
    events = random.sample((0, 1, 2), 3)
    values = {read: {0: 2, 2: 0} for read in random.sample((0, 1, 2), random.randrange(3))}
    results = random.choice(({}, {0: 1, 1: 0}, {2: 0}))
    rows = {
        (
            *sorted((events[r], values.get(r, {}).get(v, v)) for r, v in zip(table.reads, returned, strict=True)),
            results.get(result, result),
        )
        for returned, result in table.rows
        if None not in returned
    }
    image = FormImages(known, Renaming(events, []), {}, values).image(expression, results)
    assert isinstance(image, Table)
    found = {
        (*zip(image.reads, returned, strict=True), result) for returned, result in image.rows if None not in returned
    }
    assert found == rows
    assert image.reads == tuple(sorted(events[read] for read in table.reads))


def test_of_many_numbers_two_are_exchanged() -> None:
    known = Forms((), {0: tuple(range(200)), 1: ()})
    exchanged = Counted({7: 9, 9: 7})
    is_seven, is_nine, is_one = (binary("==", ReadValue(0), Constant(number)) for number in (7, 9, 1))
    images = FormImages(known, Renaming([0, 1], []), {}, {0: exchanged})
    assert images.image(is_seven) == known.of(is_nine)
    assert images.image(is_one) == known.of(is_one)
    assert exchanged.asked < 20
