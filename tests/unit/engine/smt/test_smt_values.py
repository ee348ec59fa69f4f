from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from smt_inputs import SB, query, seeded

from mcm.answer.query import Limits
from mcm.engine.smt import domain
from mcm.engine.smt.budget import Budget, UndecidedError
from mcm.engine.smt.circuit import FALSE, Circuit
from mcm.engine.smt.domain import MOST_VALUES, in_order, read_domains, value_rows
from mcm.engine.smt.evaluation import Evaluation
from mcm.engine.smt.solver import new_solver
from mcm.engine.smt.values import Values
from mcm.execution.evaluate import evaluate
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Choice, Constant, ReadValue, Select, UnaryValue
from mcm.program.types import Location, RegisterPointer, Scalar
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from random import Random

    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton

READS = (0, 1)
DOMAINS = {0: (0, 1, 3), 1: (0, 2, Location(0))}
OPERATORS = ("+", "-", "*", "&", "|", "^", "==", "!=", "<", ">=", "&&", "||", "min", "<<", "/", "%")


def random_expression(random: Random, depth: int) -> Expression:
    if depth == 0:
        return random.choice((ReadValue(0), ReadValue(1), Choice(0), Constant(random.choice((0, 1, 3, Location(0))))))
    match random.randrange(4):
        case 0:
            return UnaryValue(random.choice("-~!"), random_expression(random, depth - 1), Scalar.INT)
        case 1 | 2:
            left, right = random_expression(random, depth - 1), random_expression(random, depth - 1)
            return BinaryValue(random.choice(OPERATORS), left, right, Scalar.CHAR)
        case _:
            return Select(*(random_expression(random, depth - 1) for _ in range(3)))


def two_reads() -> Skeleton:
    """A skeleton whose first event is always executed, and whose second is if choice 1 says so."""
    base = query(SB, "sc").skeletons[0]
    events = tuple(
        replace(base.events[0], identifier=i, kind=EventKind.READ, guard=guard)
        for i, guard in enumerate((Constant(1), Choice(1)))
    )
    return replace(base, events=events, choices=2)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_literals_of_expressions_say_what_evaluation_says(seed: int, late: bool) -> None:
    random = seeded(seed)
    circuit = Circuit(Budget(Limits()))
    values = Values(two_reads(), circuit, Budget(Limits()))
    known = {read: {value: circuit.variable() for value in DOMAINS[read]} for read in READS}
    expression = random_expression(random, 3)
    if not late:
        values.set_reads(known)
    true, zero = values.true(expression), values.zero(expression)
    if late:
        values.set_reads(known)
        values.resolve_deferred()
    asked = [circuit.variable() for _ in range(4)]
    for assumption, literal in zip(asked, (true, -true, zero, -zero), strict=True):
        circuit.require(-assumption, literal)
    cases = {value: circuit.variable() for value in values.cases(expression)}
    for value, assumption in cases.items():
        circuit.require(-assumption, values.cases(expression)[value])
    solver = new_solver(Budget(Limits()))
    solver.add(circuit.take_clauses())
    for one, other, *choices in product(DOMAINS[0], (*DOMAINS[1], None), (False, True), (False, True)):
        if (other is not None) != choices[1]:
            continue
        reads = {0: one} | ({} if other is None else {1: other})
        fixed = [v if taken else -v for v, taken in zip(values.choices, choices, strict=True)]
        fixed += [v if reads.get(read) == value else -v for read in READS for value, v in known[read].items()]
        meant = evaluate(expression, reads, choices)
        truths = (meant is not None and is_true(meant), meant == 0)
        assert [solver.solve([*fixed, a]) for a in asked] == [truths[0], not truths[0], truths[1], not truths[1]]
        assert meant is None or meant in cases
        for value, assumption in cases.items():
            assert solver.solve([*fixed, assumption]) == (value == meant)
        assert Evaluation(reads, choices).value(expression) == meant


def test_values_are_ordered_whatever_they_are() -> None:
    values = [Location(1), 3, RegisterPointer(0, "r"), 1.5, Location(0, 2), -1]
    assert in_order(values) == [-1, 1.5, 3, Location(0, 2), Location(1), RegisterPointer(0, "r")]


def chain(skeleton: Skeleton, values: list[Expression]) -> Skeleton:
    """Event 0 writes the first value; each further pair of events reads, and writes the next value."""
    events = [replace(skeleton.events[0], identifier=0, value=values[0])]
    for value in values[1:]:
        read = len(events)
        events.append(replace(skeleton.events[0], identifier=read, kind=EventKind.READ, value=None))
        events.append(replace(skeleton.events[0], identifier=read + 1, kind=EventKind.WRITE, value=value))
    return replace(skeleton, events=tuple(events))


def domains(skeleton: Skeleton, sources: dict[int, list[int]]) -> dict[int, object]:
    return read_domains(skeleton, sources, value_rows(skeleton, sources), Budget(Limits()))


def plus(read: int, summand: int) -> Expression:
    return BinaryValue("+", ReadValue(read), Constant(summand), Scalar.INT)


def test_values_come_along_chains_of_reads() -> None:
    skeleton = chain(query(SB, "sc").skeletons[0], [Constant(5), plus(1, 1), plus(3, 10)])
    assert domains(skeleton, {1: [0], 3: [2]}) == {1: {5}, 3: {6}}


def test_values_are_looked_for_within_the_time() -> None:
    skeleton = chain(query(SB, "sc").skeletons[0], [Constant(5), plus(1, 1)])
    sources = {1: [0]}
    with pytest.raises(UndecidedError):
        read_domains(skeleton, sources, value_rows(skeleton, sources), Budget(Limits(seconds=0.0)))


def test_a_chain_visits_each_read_of_a_component_once() -> None:
    # Read 1 may read from 0 or from what is computed from read 3, and the other way round.
    skeleton = chain(query(SB, "sc").skeletons[0], [Constant(0), plus(1, 1), plus(3, 1)])
    assert domains(skeleton, {1: [0, 4], 3: [0, 2]}) == {1: {0, 1}, 3: {0, 1}}


def test_values_that_depend_on_themselves_have_no_domain() -> None:
    skeleton = chain(query(SB, "sc").skeletons[0], [Constant(0), ReadValue(1), ReadValue(3)])
    assert domains(skeleton, {1: [4], 3: [2]}) == {1: set(), 3: set()}


def test_too_many_values_are_said_to_be_too_many() -> None:
    wide = Constant(0)
    for bit in range(MOST_VALUES.bit_length()):
        wide = BinaryValue("+", wide, Select(Choice(bit), Constant(1 << bit), Constant(0)), Scalar.INT)
    skeleton = chain(query(SB, "sc").skeletons[0], [wide, ReadValue(1)])
    with pytest.raises(UndecidedError, match="values"):
        domains(skeleton, {1: [0]})


def test_too_many_pairs_of_values_are_not_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (Select(Choice(bit), Constant(1 << bit), Constant(0)) for bit in range(2))
    skeleton = chain(query(SB, "sc").skeletons[0], [BinaryValue("+", one, other, Scalar.INT), ReadValue(1)])
    monkeypatch.setattr(domain, "MOST_PAIRS", 4)
    assert domains(skeleton, {1: [0]}) == {1: {0, 1, 2, 3}}
    monkeypatch.setattr(domain, "MOST_PAIRS", 3)
    with pytest.raises(UndecidedError, match="pairs of values"):
        domains(skeleton, {1: [0]})


def test_a_read_that_is_never_executed_has_no_value() -> None:
    circuit = Circuit(Budget(Limits()))
    values = Values(two_reads(), circuit, Budget(Limits()))
    values.set_reads({0: {}, 1: {}})
    assert values.true(ReadValue(0)) == FALSE
