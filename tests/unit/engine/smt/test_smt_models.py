"""Models of all shapes, built-in and made up, against listing every execution."""

from __future__ import annotations

from random import Random

import pytest
from smt_enumeration import expected
from smt_inputs import SB, assert_witnessed, query, states

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
    Recursive,
    Union,
    Variable,
)

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


def random_relation(random: Random, depth: int, variables: tuple[str, ...] = ()):
    if depth == 0:
        names = ["rf", "rf", "mo", "mo", "po", "loc", "ext"]
        return random.choice([*map(Base, names), *map(Variable, variables), *map(Variable, variables)])

    def deeper(*, closed: bool = False):
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


def random_model(random: Random) -> Model:
    shapes = (Shape.ACYCLIC, Shape.IRREFLEXIVE, Shape.EMPTY)

    def demand(kind, name: str):
        return kind(name, random.choice(shapes), random.random() < 0.3, random_relation(random, 3), None, SPAN)

    checks = [Check("hb", Shape.ACYCLIC, False, Union(Base("po"), Base("rf")), None, SPAN)] * (random.random() < 0.5)
    checks += [demand(Check, f"check{i}") for i in range(random.randint(1, 2))]
    order = Linearisation("S", BaseSet("SC"), Intersection(random_relation(random, 2), Difference(Base("loc"), Base("int"))))
    orders = (order,) * (random.random() < 0.4)
    if orders:
        checks.append(Check("S-check", Shape.EMPTY, False, Intersection(Base("S"), random_relation(random, 2)), None, SPAN))
    return Model("random", "random", (), orders, tuple(checks), tuple(demand(Flag, f"flag{i}") for i in range(2)))


@pytest.mark.parametrize("seed", range(90))
def test_random_models_have_the_states_counts_and_flags_that_listing_finds(seed: int):
    random = Random(seed)
    asked = query(PROGRAMS[seed % len(PROGRAMS)], random_model(random), counts=True)
    answer = decide(asked)
    executions, flags = expected(asked)
    assert answer.undecided is None
    assert {state.values: state.executions for state in answer.states} == executions
    assert {flag.name for flag in answer.flags} == flags
    assert_witnessed(answer, asked.model)


@pytest.mark.parametrize("model", ["sc", "c11", "c11-simp", "rc11", "c20"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_built_in_models_have_the_states_counts_and_flags_that_listing_finds(program: str, model: str):
    asked = query(program, model, counts=True)
    answer = decide(asked)
    executions, flags = expected(asked)
    assert {state.values: state.executions for state in answer.states} == executions
    assert {flag.name for flag in answer.flags} == flags
    assert_witnessed(answer, asked.model)


def test_without_a_check_that_forbids_cycles_closures_have_no_pairs_from_nowhere():
    # Every read must be reached from the initial write of `y` over steps that go there and back: pairs could support
    # each other in circles, and only one with a real reason counts.
    steps = Union(Base("rf"), Inverse(Base("rf")))
    reached = Closure(Union(steps, Intersection(Base("po"), Base("loc"))))
    lonely = Difference(Product(BaseSet("W"), BaseSet("R")), reached)
    model = Model("m", "m", (), (), (Check("reach", Shape.EMPTY, False, Intersection(lonely, Base("loc")), None, SPAN),), ())
    asked = query(SB, model)
    executions, _ = expected(asked)
    assert states(decide(asked)) == sorted(executions)
    assert executions == {}


def test_reasons_on_cycles_that_a_check_forbids_need_no_ranks():
    base = Union(Base("po"), Base("rf"))
    visible = Intersection(Closure(base), Product(BaseSet("IW"), BaseSet("R")))
    checks = (
        Check("acyclic", Shape.ACYCLIC, False, base, None, SPAN),
        Check("seen", Shape.EMPTY, False, Difference(Base("rf"), visible), None, SPAN),
    )
    asked = query(SB, Model("m", "m", (), (), checks, ()))
    executions, _ = expected(asked)
    assert states(decide(asked)) == sorted(executions)
    assert executions.keys() == {(0, 0)}


def test_a_model_without_rules_allows_everything():
    asked = query(SB, Model("m", "m", (), (), (), ()))
    assert len(states(decide(asked))) == 4


def test_a_rule_that_nothing_meets_leaves_no_state():
    never = Check("never", Shape.EMPTY, True, Empty(), None, SPAN)
    answer = decide(query(SB, Model("m", "m", (), (), (never,), ())))
    assert states(answer) == []
    assert answer.reachable is False


def test_flags_of_a_set_name_single_events():
    flag = Flag("reads", Shape.EMPTY, True, BaseSet("R"), None, SPAN)
    answer = decide(query(SB, Model("m", "m", (), (), (), (flag,))))
    assert [len(raised.events) for raised in answer.flags] == [1, 1]


def test_flags_of_cycles_name_the_events_on_one_and_flags_of_nothing_name_none():
    flags = (
        Flag("cyclic", Shape.ACYCLIC, True, Union(Base("po"), Union(Base("rf"), Inverse(Base("rf")))), None, SPAN),
        Flag("acyclic", Shape.ACYCLIC, False, Base("po"), None, SPAN),
        Flag("never", Shape.ACYCLIC, True, Base("po"), None, SPAN),
    )
    answer = decide(query(SB, Model("m", "m", (), (), (), flags)))
    # Every access can read from something or be read by something.
    assert [(raised.name, len(raised.events)) for raised in answer.flags] == [("cyclic", 1)] * 6 + [("acyclic", 0)]
    assert_witnessed(answer, Model("m", "m", (), (), (), flags))


def test_everything_is_every_event():
    flag = Flag("all", Shape.EMPTY, True, Everything(), None, SPAN)
    answer = decide(query(SB, Model("m", "m", (), (), (), (flag,))))
    assert len(answer.flags) == 6
