"""What parts of expressions come to while more is known: as if each expression was evaluated anew."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from mcm.answer.query import Limits, Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.explicit import known_parts, packed_skeleton
from mcm.engine.explicit.budget import NodeBudget
from mcm.engine.explicit.decide import decide
from mcm.engine.explicit.known_parts import ExpressionGraph, KnownParts
from mcm.execution.elaborate import elaborate
from mcm.execution.evaluate import evaluate, missing_of
from mcm.execution.expression import BinaryValue, Choice, Constant, Expression, ReadValue, Select, UnaryValue
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import apply_binary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.program.types import Type, Value

INT = Scalar.INT

# Two work-items that take a node from a stack and push it back.
STACK = """OPENCL stack
{ top = 0; next = {1, 9}; }
kernel void P (global atomic_int* top, global int* next) {
  int t = atomic_load_explicit(top, memory_order_acquire, memory_scope_device);
  while (t != 9) {
    int n = next[t];
    if (atomic_compare_exchange_strong_explicit(top, &t, n, memory_order_acquire, memory_order_acquire, memory_scope_device)) break;
  }
  if (t != 9) {
    int s = atomic_load_explicit(top, memory_order_relaxed, memory_scope_device);
    do { next[t] = s; }
    while (!atomic_compare_exchange_strong_explicit(top, &s, t, memory_order_release, memory_order_relaxed, memory_scope_device));
  }
}
launch P global 2, local 1
exists (top=1)
"""  # noqa: E501 - calls of C


def random_expressions(random: Random, count: int) -> list[Expression]:
    made: list[Expression] = [*map(ReadValue, range(6)), Choice(0), Choice(1), Constant(0), Constant(1)]
    for _ in range(count):
        one, other, third = (random.choice(made[-8:] if random.random() < 0.6 else made) for _ in range(3))
        match random.randrange(4):
            case 0:
                made.append(Select(one, other, third))
            case 1:
                made.append(UnaryValue(random.choice("-!"), one, INT))
            case _:
                made.append(BinaryValue(random.choice(["+", "==", "&&", "||"]), one, other, INT))
    return made


def implied(condition: Expression, reads: dict[int, Value], choices: list[bool | None]) -> Iterator[tuple[int, bool]]:
    """The choices that follow if a condition holds, as the definition says it."""

    def follow(part: Expression, *, holds: bool) -> Iterator[tuple[int, bool]]:
        if evaluate(part, reads, choices) is not None:
            return
        match part:
            case Choice(index):
                yield index, holds
            case UnaryValue("!", operand, _):
                yield from follow(operand, holds=not holds)
            case BinaryValue("&&" | "||" as symbol, left, right, _):
                known = [evaluate(side, reads, choices) is not None for side in (left, right)]
                if (symbol == "&&") is holds or any(known):
                    yield from follow(left, holds=holds)
                    yield from follow(right, holds=holds)
            case _:
                pass

    return follow(condition, holds=True)


@pytest.mark.parametrize("seed", range(15))
def test_parts_are_what_evaluation_says(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - no secret
    expressions = random_expressions(random, 50)
    graph = ExpressionGraph(expressions)
    known = KnownParts(graph)
    reads: dict[int, Value] = {}
    choices: list[bool | None] = [None, None]
    unknown: list[ReadValue | Choice] = [*map(ReadValue, range(6)), Choice(0), Choice(1)]
    random.shuffle(unknown)
    before = [evaluate(each, reads, choices) for each in graph.parts]
    for found in unknown:
        for expression in expressions:
            missing = missing_of(expression, reads, choices)
            assert known.value(expression) == evaluate(expression, reads, choices)
            assert known.missing(expression, set()) == list(dict.fromkeys(missing))
            assert known.first_missing(expression) == (missing[0] if missing else None)
            if known.value(expression) is None:
                assert set(known.implied(expression)) == set(implied(expression, reads, choices))
        known = known.copy()
        if isinstance(found, ReadValue):
            reads[found.event] = random.randrange(3)
            learnt = known.learn_read(found.event, reads[found.event])
        else:
            choices[found.index] = random.random() < 0.5
            learnt = known.learn_choice(found.index, taken=choices[found.index] is True)
        after = [evaluate(each, reads, choices) for each in graph.parts]
        assert sorted(learnt) == [n for n, value in enumerate(after) if value is not None and before[n] is None]
        before = after


def test_a_part_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards behind a loop are each the one before and a test more: all of them are looked at with each read."""
    applied: list[str] = []

    def apply(symbol: str, left: Value, right: Value, type_: Type) -> Value:
        applied.append(symbol)
        return apply_binary(symbol, left, right, type_)

    monkeypatch.setattr(known_parts, "apply_binary", apply)
    guards: list[Expression] = [BinaryValue("==", ReadValue(0), Constant(1), INT)]
    for read in range(1, 50):
        test = BinaryValue("==", ReadValue(read), Constant(1), INT)
        guards.append(BinaryValue("&&", guards[-1], test, INT))
    known = KnownParts(ExpressionGraph(guards))
    for read in reversed(range(50)):
        known.learn_read(read, 1)
        assert (known.value(guards[-1]) is None) is (read > 0)
    assert len(applied) == 50


def test_conditions_are_found_by_what_they_are_made_of() -> None:
    one, other = (BinaryValue("==", ReadValue(read), Constant(1), INT) for read in (0, 1))
    both = BinaryValue("&&", one, UnaryValue("!", other, INT), INT)
    graph = ExpressionGraph((both, other))
    found = graph.inside_conditions((both, other))
    assert {part: found.get(graph.numbers[part], 0) for part in (both, one, other, ReadValue(0))} == {
        both: 1,
        one: 1,
        other: 3,
        ReadValue(0): 0,
    }


def test_a_search_is_the_same_with_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    program = read_test(Source("stack", STACK)).program
    query = Query(elaborate(program, 1), registry.get("opencl-3.0"), observed_by(program), limits=Limits())
    nodes: list[NodeBudget] = []
    charge = NodeBudget.charge_node

    def charged(budget: NodeBudget) -> None:
        nodes.append(budget)
        charge(budget)

    monkeypatch.setattr(NodeBudget, "charge_node", charged)
    found = []
    for many in (0, 1 << 60):
        monkeypatch.setattr(packed_skeleton, "MANY_PARTS", many)
        nodes.clear()
        answer = decide(query)
        states = [(state.values, state.satisfies, state.thin_air) for state in answer.states]
        flags = [(flag.name, flag.events) for flag in answer.flags]
        found.append((states, flags, answer.complete_exists, answer.undecided, len(nodes)))
    assert found[0] == found[1]
    assert found[0][-1] > 50
