from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from smt_inputs import seeded

from mcm.answer.query import Limits
from mcm.engine.smt.budget import Budget, UndecidedError
from mcm.engine.smt.circuit import FALSE, TRUE, Circuit
from mcm.engine.smt.solver import new_solver

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random


def circuit_and_inputs(number: int) -> tuple[Circuit, list[int]]:
    circuit = Circuit(Budget(Limits()))
    return circuit, [circuit.variable() for _ in range(number)]


def random_formula(
    random: Random, circuit: Circuit, inputs: list[int], depth: int
) -> tuple[int, Callable[[tuple[bool, ...]], bool]]:
    """A literal, and the function of the inputs that it stands for."""
    if depth == 0:
        position, sign = random.randrange(len(inputs)), random.choice((1, -1))
        return sign * inputs[position], lambda given: given[position] == (sign > 0)
    parts = [random_formula(random, circuit, inputs, depth - 1) for _ in range(random.randint(1, 3))]
    literals, meanings = [p[0] for p in parts], [p[1] for p in parts]
    match random.choice(("any", "all", "not", "both", "either")):
        case "any":
            return circuit.any_of(literals), lambda given: any(m(given) for m in meanings)
        case "all":
            return circuit.all_of(literals), lambda given: all(m(given) for m in meanings)
        case "not":
            return -literals[0], lambda given: not meanings[0](given)
        case "both":
            return circuit.both(literals[0], literals[-1]), lambda given: meanings[0](given) and meanings[-1](given)
        case _:
            return circuit.either(literals[0], literals[-1]), lambda given: meanings[0](given) or meanings[-1](given)


@pytest.mark.parametrize("seed", range(40))
def test_formulas_mean_what_they_were_built_from_in_both_directions(seed: int) -> None:
    random = seeded(seed)
    circuit, inputs = circuit_and_inputs(4)
    formulas = [random_formula(random, circuit, inputs, 4) for _ in range(3)]
    solver = new_solver(Budget(Limits()))
    asked = []
    for literal, meaning in formulas:
        positive, negative = circuit.variable(), circuit.variable()
        circuit.require(-positive, literal)
        circuit.require(-negative, -literal)
        asked.append((positive, negative, meaning))
    solver.add(circuit.take_clauses())
    for given in product((False, True), repeat=4):
        fixed = [variable if true else -variable for variable, true in zip(inputs, given, strict=True)]
        for positive, negative, meaning in asked:
            assert solver.solve([*fixed, positive]) == meaning(given)
            assert solver.solve([*fixed, negative]) != meaning(given)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_asserted_may_be_used_in_what_is_built_later(seed: int) -> None:
    random = seeded(seed)
    circuit, inputs = circuit_and_inputs(5)
    meanings = []
    for depth in (0, 1, 3, 0, 4, 2):
        literal, meaning = random_formula(random, circuit, inputs, depth)
        circuit.require(literal)
        meanings.append(meaning)
    solver = new_solver(Budget(Limits()))
    solver.add(circuit.take_clauses())
    for given in product((False, True), repeat=5):
        fixed = [variable if true else -variable for variable, true in zip(inputs, given, strict=True)]
        assert solver.solve(fixed) == all(meaning(given) for meaning in meanings)


def test_what_is_surely_true_or_false_is_not_written() -> None:
    circuit, (a, b, c) = circuit_and_inputs(3)
    circuit.require(FALSE, -circuit.either(a, -b))
    assert (circuit.both(b, c), circuit.both(a, c), circuit.any_of([a, c]), circuit.any_of([b, c])) == (
        c,
        FALSE,
        c,
        TRUE,
    )
    circuit.require(a, c, -b)
    assert sorted(each for each in circuit.take_clauses() if each) == sorted([TRUE, -a, b, c])


def test_constants_are_folded() -> None:
    circuit, (a, b) = circuit_and_inputs(2)
    assert circuit.both(a, TRUE) == a
    assert circuit.both(a, FALSE) == FALSE
    assert circuit.both(a, -a) == FALSE
    assert circuit.either(a, -a) == TRUE
    assert circuit.any_of([a, FALSE, a]) == a
    assert circuit.any_of([a, b, -a]) == TRUE
    assert circuit.any_of([]) == FALSE
    assert circuit.all_of([]) == TRUE


def test_equal_gates_are_one() -> None:
    circuit, (a, b) = circuit_and_inputs(2)
    assert circuit.both(a, b) == circuit.both(b, a) == circuit.all_of([b, a]) == -circuit.either(-a, -b)


def test_gates_below_no_assertion_cost_nothing() -> None:
    circuit, inputs = circuit_and_inputs(4)
    circuit.take_clauses()
    circuit.any_of([circuit.both(a, b) for a in inputs for b in inputs])
    assert circuit.take_clauses() == []


def test_deferred_literals_get_their_meaning_in_the_directions_that_were_asked_for() -> None:
    circuit, (a, b) = circuit_and_inputs(2)
    late = circuit.deferred()
    circuit.require(-a, late)
    circuit.bind(late, b)
    solver = new_solver(Budget(Limits()))
    solver.add(circuit.take_clauses())
    assert not solver.solve([a, -b])
    assert solver.solve([-a, b, -late])  # nobody needed b -> late
    circuit.require(-late, a)
    solver.add(circuit.take_clauses())
    assert not solver.solve([-a, b])


@pytest.mark.parametrize("number", [1, 2, 5, 7, 8, 13, 20])
def test_at_most_one(number: int) -> None:
    circuit, inputs = circuit_and_inputs(number)
    circuit.at_most_one(inputs)
    solver = new_solver(Budget(Limits()))
    solver.add(circuit.take_clauses())
    for position, literal in enumerate(inputs):
        others = [-each for each in inputs if each != literal]
        assert solver.solve([literal, *others])
        assert solver.solve([literal])
        assert all(not solver.solve([literal, other]) for other in inputs[:position])


def test_values_of_the_last_solution() -> None:
    circuit, (a, b, free) = circuit_and_inputs(3)
    circuit.require(a, b)
    circuit.require(-a)
    solver = new_solver(Budget(Limits()))
    solver.add(circuit.take_clauses())
    assert solver.solve()
    assert solver.truth([a, b, free]) == {b}


def all_pairs(circuit: Circuit, inputs: list[int]) -> None:
    for a in inputs:
        for b in inputs:
            circuit.both(a, b)


def test_a_budget_that_is_used_up_is_noticed_while_encoding() -> None:
    circuit = Circuit(Budget(Limits(seconds=0)))
    with pytest.raises(UndecidedError, match="timeout"):
        all_pairs(circuit, [circuit.variable() for _ in range(200)])


@pytest.mark.parametrize("build", [Circuit.both, Circuit.either])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_gate_that_is_asserted_alone_is_surely_true(build: Callable[[Circuit, int, int], int], sign: int) -> None:
    circuit, (a, b, c) = circuit_and_inputs(3)
    gate = sign * build(circuit, a, b)
    assert not circuit.is_fixed(gate)
    circuit.require(gate)
    assert circuit.is_fixed(gate)
    assert circuit.both(gate, c) == c
    assert circuit.any_of([c, gate]) == TRUE
    assert circuit.both(-gate, c) == FALSE
    solver = new_solver(Budget(Limits()))
    solver.add(circuit.take_clauses())
    for first, second in product((True, False), repeat=2):
        meant = (first and second if build is Circuit.both else first or second) == (sign > 0)
        assert solver.solve([a if first else -a, b if second else -b]) == meant


def pigeons(circuit: Circuit, holes: int) -> None:
    inside = [[circuit.variable() for _ in range(holes)] for _ in range(holes + 1)]
    for pigeon in inside:
        circuit.require(*pigeon)
    for hole in range(holes):
        circuit.at_most_one([pigeon[hole] for pigeon in inside])


def test_the_solver_stops_in_time() -> None:
    budget = Budget(Limits(seconds=0.3))
    circuit = Circuit(budget)
    pigeons(circuit, 12)
    solver = new_solver(budget)
    solver.add(circuit.take_clauses())
    with pytest.raises(UndecidedError, match="timeout"):
        solver.solve()
    assert budget.milliseconds > -1000


def test_the_solver_stops_when_memory_is_used_up() -> None:
    circuit = Circuit(Budget(Limits()))
    pigeons(circuit, 12)
    solver = new_solver(Budget(Limits(megabytes=1)))

    def solve() -> None:
        """Memory may be looked at before the last clause."""
        solver.add(circuit.take_clauses())
        solver.solve()

    with pytest.raises(UndecidedError, match="memory"):
        solve()
