"""Models of all shapes, built-in and made up, against listing every execution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from smt_enumeration import expected
from smt_inputs import SB, assert_witnessed, query, seeded, states

from mcm.base.source import Source, Span
from mcm.cat.model import Check, Flag, Linearisation, Model, Shape
from mcm.engine.smt.decide import decide
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    Difference,
    Empty,
    Everything,
    Identity,
    Intersection,
    Inverse,
    Product,
    RecursionVariable,
    Recursive,
    Union,
)

if TYPE_CHECKING:
    from random import Random

    from mcm.relation.term import RelationTerm, Term

pytestmark = pytest.mark.slow

SPAN = Span(Source("model.cat", ""), 0, 0)
PROGRAMS = [
    SB,
    """C shapes
{ [x]=0; [y]=0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_acquire);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
P1 (atomic_int* x, int* y) { *y = 1; atomic_store_explicit(x, 2, memory_order_release); *y = 2; }
""",
    """C three
{ [x]=0; [y]=0; }
P0 (atomic_int* x, int* y) { *y = 1; atomic_thread_fence(memory_order_seq_cst); atomic_store(x, 1); }
P1 (atomic_int* x) { int r0 = atomic_load(x); atomic_store_explicit(x, 2, memory_order_relaxed); }
P2 (atomic_int* x, int* y) { int r1 = atomic_load_explicit(x, memory_order_acquire); int r2 = *y; }
""",
]


def random_relation(random: Random, depth: int, variables: tuple[str, ...] = ()) -> RelationTerm:
    if depth == 0:
        names = ["rf", "rf", "mo", "mo", "po", "loc", "ext"]
        return random.choice(
            [*map(Base, names), *map(RecursionVariable, variables), *map(RecursionVariable, variables)]
        )

    def deeper(*, closed: bool = False) -> RelationTerm:
        return random_relation(random, depth - 1, () if closed else variables)

    match random.randrange(10):
        case 0 | 1 | 2:
            return Union(deeper(), deeper())
        case 3:
            return Intersection(deeper(), deeper())
        case 4:
            return Difference(deeper(), deeper(closed=True))
        case 5 | 6:
            return Compose(deeper(), deeper())
        case 7:
            return random.choice((Inverse, Closure))(deeper())
        case 8:
            sets = [BaseSet(name) for name in ("R", "W", "SC", "A", "IW")]
            return Compose(Identity(random.choice(sets)), Compose(deeper(), Identity(random.choice(sets))))
        case _:
            equations = tuple((name, random_relation(random, depth - 1, ("p", "q"))) for name in ("p", "q"))
            return Recursive("p", equations)


def check(name: str, shape: Shape, term: Term, *, negated: bool = False) -> Check:
    return Check(name, shape, negated, term, None, SPAN)


def flag(name: str, shape: Shape, term: Term, *, negated: bool = True) -> Flag:
    return Flag(name, shape, negated, term, None, SPAN)


def model(*parts: Check | Flag | Linearisation) -> Model:
    orders = tuple(part for part in parts if isinstance(part, Linearisation))
    checks = tuple(part for part in parts if isinstance(part, Check))
    return Model("m", "m", (), orders, checks, tuple(part for part in parts if isinstance(part, Flag)))


def random_model(random: Random) -> Model:
    shapes = (Shape.ACYCLIC, Shape.IRREFLEXIVE, Shape.EMPTY)
    parts: list[Check | Flag | Linearisation] = []
    if random.random() < 0.5:
        parts.append(check("hb", Shape.ACYCLIC, Union(Base("po"), Base("rf"))))
    for kind, number in ((check, random.randint(1, 2)), (flag, 2)):
        for i in range(number):
            name, shape, negated = f"{kind.__name__}{i}", random.choice(shapes), random.random() < 0.3
            parts.append(kind(name, shape, random_relation(random, 3), negated=negated))
    if random.random() < 0.4:
        foreign = Difference(Base("loc"), Base("int"))
        parts.append(Linearisation("S", BaseSet("SC"), Intersection(random_relation(random, 2), foreign)))
        parts.append(check("S-check", Shape.EMPTY, Intersection(Base("S"), random_relation(random, 2))))
    return model(*parts)


@pytest.mark.parametrize("seed", range(90))
def test_random_models_have_the_states_counts_and_flags_that_listing_finds(seed: int) -> None:
    random = seeded(seed)
    asked = query(PROGRAMS[seed % len(PROGRAMS)], random_model(random), counts=True)
    answer = decide(asked)
    executions, flags = expected(asked)
    assert answer.undecided is None
    assert {state.values: state.executions for state in answer.states} == executions
    assert {flag.name for flag in answer.flags} == flags
    assert_witnessed(answer, asked.model)


@pytest.mark.parametrize("name", ["sc", "c11", "c11-simp", "rc11", "c20"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_built_in_models_have_the_states_counts_and_flags_that_listing_finds(program: str, name: str) -> None:
    asked = query(program, name, counts=True)
    answer = decide(asked)
    executions, flags = expected(asked)
    assert {state.values: state.executions for state in answer.states} == executions
    assert {flag.name for flag in answer.flags} == flags
    assert_witnessed(answer, asked.model)


def test_without_a_check_that_forbids_cycles_closures_have_no_pairs_from_nowhere() -> None:
    # Every read must be reached from every write of its location, over steps that go there and back: pairs could
    # support each other in circles, and only one with a real reason counts.
    reached = Closure(Union(Union(Base("rf"), Inverse(Base("rf"))), Intersection(Base("po"), Base("loc"))))
    lonely = Difference(Product(BaseSet("W"), BaseSet("R")), reached)
    asked = query(SB, model(check("reach", Shape.EMPTY, Intersection(lonely, Base("loc")))))
    assert expected(asked) == ({}, set())
    assert states(decide(asked)) == []


def test_reasons_on_cycles_that_a_check_forbids_need_no_ranks() -> None:
    base = Union(Base("po"), Base("rf"))
    visible = Intersection(Closure(base), Product(BaseSet("IW"), BaseSet("R")))
    seen = check("seen", Shape.EMPTY, Difference(Base("rf"), visible))
    asked = query(SB, model(check("acyclic", Shape.ACYCLIC, base), seen))
    executions, _ = expected(asked)
    assert executions.keys() == {(0, 0)}
    assert states(decide(asked)) == [(0, 0)]


def test_a_model_without_rules_allows_everything() -> None:
    assert len(states(decide(query(SB, model())))) == 4


def test_a_rule_that_nothing_meets_leaves_no_state() -> None:
    answer = decide(query(SB, model(check("never", Shape.EMPTY, Empty(), negated=True))))
    assert states(answer) == []
    assert answer.reachable is False


def test_flags_of_a_set_name_single_events() -> None:
    answer = decide(query(SB, model(flag("reads", Shape.EMPTY, BaseSet("R")))))
    assert [len(raised.events) for raised in answer.flags] == [1, 1]


def test_flags_of_cycles_name_the_events_on_one_and_flags_of_nothing_name_none() -> None:
    flags = model(
        flag("cyclic", Shape.ACYCLIC, Union(Base("po"), Union(Base("rf"), Inverse(Base("rf"))))),
        flag("acyclic", Shape.ACYCLIC, Base("po"), negated=False),
        flag("never", Shape.ACYCLIC, Base("po")),
    )
    answer = decide(query(SB, flags))
    # Every access can read from something or be read by something.
    assert [(raised.name, len(raised.events)) for raised in answer.flags] == [("cyclic", 1)] * 6 + [("acyclic", 0)]
    assert_witnessed(answer, flags)


def test_everything_is_every_event() -> None:
    answer = decide(query(SB, model(flag("all", Shape.EMPTY, Everything()))))
    assert len(answer.flags) == 6
