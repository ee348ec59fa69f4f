"""Terms as literals against the plain evaluator, in every assignment that is tried and in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from smt_inputs import SB, query, seeded

from mcm.answer.query import Limits
from mcm.engine.smt.acyclic import require_acyclic, some_cycle
from mcm.engine.smt.base import BaseLiterals
from mcm.engine.smt.budget import Budget
from mcm.engine.smt.circuit import Circuit
from mcm.engine.smt.closure import TransitiveClosure
from mcm.engine.smt.execution import Execution
from mcm.engine.smt.relation import Relation, reduced
from mcm.engine.smt.solver import new_solver
from mcm.engine.smt.terms import Terms
from mcm.engine.smt.values import Values
from mcm.engine.smt.wellfounded import relies_on_nothing
from mcm.execution.algebra import conjunction, negation
from mcm.execution.event import Event, EventKind
from mcm.execution.expression import Choice, Constant
from mcm.execution.skeleton import SetMembers
from mcm.relation.evaluate import Evaluator, Structure, is_acyclic
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    Defined,
    DefinedSet,
    Difference,
    Domain,
    Empty,
    Everything,
    Identity,
    Intersection,
    Inverse,
    Nothing,
    Product,
    Range,
    RecursionVariable,
    Recursive,
    SetDifference,
    SetIntersection,
    SetUnion,
    Union,
)

if TYPE_CHECKING:
    from random import Random

    from mcm.execution.expression import Expression
    from mcm.relation.term import RelationTerm, SetTerm

pytestmark = pytest.mark.slow

SIZE = 5


class World:
    """Events under random guards with a static relation `s`, a free one `r`, and a set `A`."""

    def __init__(self, random: Random, density: float = 0.3) -> None:
        self.random = random
        base = query(SB, "sc").skeletons[0]
        a, b = Choice(0), Choice(1)
        guards = [Constant(1), Constant(1), a, conjunction(a, b), negation(a), b]
        events = tuple(self._event(i, random.choice(guards), base.events[0]) for i in range(SIZE))
        rows = tuple(self._row(density) for _ in range(SIZE))
        # An order, so that there are sure steps to leave out.
        order = tuple(sum(1 << b for b in range(a + 1, SIZE) if random.random() < 0.7) for a in range(SIZE))
        self.skeleton = replace(
            base,
            events=events,
            sets={"A": SetMembers(self._row(0.6))},
            relations={"s": rows, "o": order},
            choices=2,
            registers={},
        )
        self.budget = Budget(Limits())
        self.circuit = Circuit(self.budget)
        self.values = Values(self.skeleton, self.circuit, self.budget)
        self.values.set_reads({})
        self.execution = Execution(self.skeleton, {}, {}, self.values, self.circuit)
        self.free = {
            (a, b): self.circuit.variable() for a in range(SIZE) for b in range(SIZE) if random.random() < 2 * density
        }
        literals = BaseLiterals(self.execution, self.circuit)
        may = [sum(1 << b for b in range(SIZE) if (a, b) in self.free) for a in range(SIZE)]
        must = [sum(1 << b for b in range(SIZE) if (a, b) in self.free and random.random() < 0.2) for a in range(SIZE)]
        self.must = must
        literals.add("r", Relation(self.execution, may, must, self._free_pair))
        self.terms = Terms(literals, self.circuit, relies_on_nothing)
        self.solver = new_solver(self.budget)

    def _row(self, density: float) -> int:
        return sum(1 << i for i in range(SIZE) if self.random.random() < density)

    def _free_pair(self, a: int, b: int) -> int:
        return self.circuit.both(self.execution.both_executed(a, b), self.free[a, b])

    @staticmethod
    def _event(identifier: int, guard: Expression, like: Event) -> Event:
        return replace(
            like, identifier=identifier, kind=EventKind.FENCE, guard=guard, address=None, locations=(), value=None
        )

    def assignment(self) -> tuple[list[int], Structure]:
        """Random values of everything free: the assumptions, and the structure that they make."""
        choices = [self.random.random() < 0.6 for _ in range(2)]
        pairs = {pair for pair in self.free if self.random.random() < 0.5 or self.must[pair[0]] >> pair[1] & 1}
        fixed = [v if true else -v for v, true in zip(self.values.choices, choices, strict=True)]
        fixed += [variable if pair in pairs else -variable for pair, variable in self.free.items()]
        meaning = {
            Constant(1): True,
            Choice(0): choices[0],
            Choice(1): choices[1],
            negation(Choice(0)): not choices[0],
            conjunction(Choice(0), Choice(1)): all(choices),
        }
        universe = sum(1 << e.identifier for e in self.skeleton.events if meaning[e.guard])
        relations = {"r": tuple(sum(1 << b for b in range(SIZE) if (a, b) in pairs) for a in range(SIZE))}
        relations |= self.skeleton.relations
        relations = {
            name: tuple(row & universe if universe >> a & 1 else 0 for a, row in enumerate(rows))
            for name, rows in relations.items()
        }
        sets = {name: members.events & universe for name, members in self.skeleton.sets.items()}
        return fixed, Structure(SIZE, universe, sets, relations)

    def both_ways(self, literal: int) -> tuple[int, int]:
        positive, negative = self.circuit.variable(), self.circuit.variable()
        self.circuit.require(-positive, literal)
        self.circuit.require(-negative, -literal)
        return positive, negative

    def can(self, assumptions: list[int]) -> bool:
        self.solver.add(self.circuit.take_clauses())
        return self.solver.solve(assumptions)


def random_set(random: Random, depth: int) -> SetTerm:
    if depth == 0:
        return random.choice((BaseSet("A"), Everything(), Nothing()))
    match random.randrange(6):
        case 0:
            return SetUnion(random_set(random, depth - 1), random_set(random, depth - 1))
        case 1:
            return SetIntersection(random_set(random, depth - 1), random_set(random, depth - 1))
        case 2:
            return SetDifference(random_set(random, depth - 1), random_set(random, depth - 1))
        case 3:
            return Domain(random_relation(random, depth - 1))
        case 4:
            return Range(random_relation(random, depth - 1))
        case _:
            return DefinedSet("named", random_set(random, depth - 1))


def random_relation(random: Random, depth: int, variables: tuple[str, ...] = ()) -> RelationTerm:
    if depth == 0:
        names = [Base("r"), Base("r"), Base("s"), Base("o"), Empty(), *(RecursionVariable(name) for name in variables)]
        return random.choice(names)

    def deeper(*, closed: bool = False) -> RelationTerm:
        return random_relation(random, depth - 1, () if closed else variables)

    match random.randrange(11):
        case 0 | 1:
            return Union(deeper(), deeper())
        case 2:
            return Intersection(deeper(), deeper())
        case 3:
            return Difference(deeper(), deeper(closed=True))
        case 4 | 5:
            return Compose(deeper(), deeper())
        case 6:
            return Inverse(deeper())
        case 7:
            return Closure(deeper())
        case 8:
            return Identity(random_set(random, depth - 1)) if random.random() < 0.5 else Defined("named", deeper())
        case 9:
            return Product(random_set(random, depth - 1), random_set(random, depth - 1))
        case _:
            names = ("p", "q")
            equations = tuple((name, random_relation(random, depth - 1, names)) for name in names)
            return Recursive(random.choice(names), equations)


def assert_means_what_the_plain_reading_says(world: World, term: RelationTerm) -> None:
    relation = world.terms.relation(term)
    asked = {(a, b): world.both_ways(relation.literal(a, b)) for a in range(SIZE) for b in range(SIZE)}
    for _ in range(4):
        fixed, structure = world.assignment()
        meant = Evaluator(structure).relation(term)
        for (a, b), (positive, negative) in asked.items():
            holds = bool(meant[a] >> b & 1)
            assert world.can([*fixed, positive]) == holds, (term, a, b)
            assert world.can([*fixed, negative]) != holds, (term, a, b)


@pytest.mark.parametrize("seed", range(60))
def test_relations_mean_what_the_plain_reading_says(seed: int) -> None:
    random = seeded(seed)
    world = World(random)
    term = random_relation(random, 3)
    assert_means_what_the_plain_reading_says(world, term)


@pytest.mark.parametrize("seed", range(30))
def test_sets_mean_what_the_plain_reading_says(seed: int) -> None:
    random = seeded(seed)
    world = World(random)
    term = random_set(random, 3)
    members = world.terms.set(term)
    asked = [world.both_ways(members.literal(event)) for event in range(SIZE)]
    for _ in range(4):
        fixed, structure = world.assignment()
        meant = Evaluator(structure).set(term)
        for event, (positive, negative) in enumerate(asked):
            assert world.can([*fixed, positive]) == bool(meant >> event & 1)
            assert world.can([*fixed, negative]) != bool(meant >> event & 1)


@pytest.mark.parametrize("seed", range(40))
def test_bounds_hold_in_every_assignment(seed: int) -> None:
    random = seeded(seed)
    world = World(random)
    term = random_relation(random, 3)
    relation = world.terms.relation(term)
    for _ in range(10):
        _, structure = world.assignment()
        meant = Evaluator(structure).relation(term)
        for a, row in enumerate(meant):
            assert row & ~relation.may[a] == 0
            if structure.universe >> a & 1:
                assert relation.must[a] & structure.universe & ~row == 0


def test_pairs_of_a_closure_do_not_support_each_other() -> None:
    world = World(seeded(2), density=1.0)
    literals = BaseLiterals(world.execution, world.circuit)
    full = (1 << SIZE) - 1
    literals.add("r", Relation(world.execution, [full] * SIZE, [0] * SIZE, world._free_pair))
    closure = Terms(literals, world.circuit, relies_on_nothing).relation(Closure(Base("r")))
    alive = [e.identifier for e in world.skeleton.events if world.execution.executed[e.identifier] == 1]
    a, b = alive[:2]
    target = next(i for i in range(SIZE) if i not in alive[:2])
    circle = [v if pair in {(a, b), (b, a)} else -v for pair, v in world.free.items()]
    reached, _ = world.both_ways(closure.literal(a, target))
    assert not world.can([*circle, reached])
    itself, _ = world.both_ways(closure.literal(a, a))
    assert world.can([*circle, itself])


@pytest.mark.parametrize("reuses", [True, False])
@pytest.mark.parametrize("seed", range(30))
def test_pairs_of_a_closure_with_and_without_those_of_the_event_before(
    seed: int, reuses: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not reuses:
        monkeypatch.setattr(TransitiveClosure, "_only_step", lambda *_: None)
    world = World(seeded(seed), density=0.15)
    term = Closure(Union(Base("r"), Base("o")))
    assert_means_what_the_plain_reading_says(world, term)


def test_what_one_step_leads_to_has_the_literals_of_the_event_before() -> None:
    world = World(seeded(2))
    alive = [e.identifier for e in world.skeleton.events if world.execution.executed[e.identifier] == 1]
    a, b, c = alive[:3]
    may, must = [0] * SIZE, [0] * SIZE
    may[a], may[b], must[b] = 1 << b, 1 << c, 1 << c
    steps = Relation(world.execution, may, must, lambda *_: world.circuit.variable())
    closure = TransitiveClosure(steps, world.execution, world.circuit, wellfounded=False).relation
    assert closure.literal(a, c) == closure.literal(a, b) == steps.literal(a, b)


@pytest.mark.parametrize("seed", range(40))
def test_cycles_are_forbidden_and_found(seed: int) -> None:
    random = seeded(seed)
    world = World(random, density=0.25)
    relation = world.terms.relation(Union(Base("r"), Base("o")))
    guard = world.circuit.variable()
    require_acyclic(world.circuit, reduced(relation, world.execution), relation.literal, -guard)
    chosen = world.circuit.variable()
    world.circuit.require(-chosen, *some_cycle(world.circuit, relation.may, relation.literal).values())
    for _ in range(6):
        fixed, structure = world.assignment()
        acyclic = is_acyclic(Evaluator(structure).relation(Union(Base("r"), Base("o"))))
        assert world.can([*fixed, guard]) == acyclic
        assert world.can([*fixed, chosen]) != acyclic
