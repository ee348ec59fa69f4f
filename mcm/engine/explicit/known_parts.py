"""What the parts of expressions come to while more and more is known: each is computed once, when it can be.

`ExpressionGraph` is the same for all nodes of a search; `KnownParts` is what is known in one of them.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final, NamedTuple

from mcm.execution.expression import (
    BinaryValue,
    Choice,
    Constant,
    Expression,
    GroupResult,
    ReadValue,
    Select,
    UnaryValue,
    operands,
    parts,
)
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import apply_binary, apply_unary, is_true

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.program.types import Type, Value


class _Kind(Enum):
    """How a part is computed of its operands."""

    ATOM = auto()
    CHOICE = auto()
    UNARY = auto()
    BINARY = auto()
    AND = auto()
    OR = auto()
    SELECT = auto()


class _Step(NamedTuple):
    """How a part is computed: the numbers of its operands, and its operator."""

    kind: _Kind
    operands: tuple[int, ...] = ()
    symbol: str = ""
    type: Type = Scalar.INT


_ATOM: Final = _Step(_Kind.ATOM)
_CHOICE: Final = _Step(_Kind.CHOICE)
_CONDITIONS: Final = {"&&": _Kind.AND, "||": _Kind.OR}


class ExpressionGraph:
    """The parts of some expressions, numbered, each once and after its operands.

    `users` are the parts that a part is an operand of; `reads` and `choices` have the numbers of the atoms. `values`:
    those that need no read and no choice.
    """

    __slots__ = ("choices", "numbers", "parts", "reads", "steps", "users", "values")

    def __init__(self, expressions: Iterable[Expression]) -> None:
        self.numbers: Final[dict[Expression, int]] = {}
        self.parts: Final[list[Expression]] = []
        self.steps: Final[list[_Step]] = []
        self.users: Final[list[list[int]]] = []
        self.values: Final[list[Value | None]] = []
        self.reads: Final[dict[int, int]] = {}
        self.choices: Final[dict[int, int]] = {}
        numbers = self.numbers
        for expression in expressions:
            if expression not in numbers:
                for part in parts(expression, lambda each: each not in numbers):
                    if part not in numbers:
                        self._add(part)

    def _add(self, part: Expression) -> None:
        number = self.numbers[part] = len(self.parts)
        step = _step_of(part, [self.numbers[operand] for operand in operands(part)])
        self.parts.append(part)
        self.steps.append(step)
        self.users.append([])
        match part:
            case ReadValue(event):
                self.reads[event] = number
            case Choice(index):
                self.choices[index] = number
            case _:
                pass
        value = part.value if isinstance(part, Constant) else computed(step, self.values)
        self.values.append(value)
        if value is None:
            for operand in dict.fromkeys(step.operands):
                if self.values[operand] is None:
                    self.users[operand].append(number)

    def inside_conditions(self, conditions: Sequence[Expression]) -> dict[int, int]:
        """For each part that a condition has by way of `&&`, `||` and `!` alone, or is, those conditions, as a mask."""
        found: dict[int, int] = {}
        for index, condition in enumerate(conditions):
            number = self.numbers[condition]
            found[number] = found.get(number, 0) | 1 << index
        for number in reversed(range(len(self.parts))):
            step, mask = self.steps[number], found.get(number, 0)
            if mask and (step.kind in {_Kind.AND, _Kind.OR} or step.symbol == "!"):
                for operand in step.operands:
                    found[operand] = found.get(operand, 0) | mask
        return found


def _step_of(part: Expression, inside: Sequence[int]) -> _Step:
    match part:
        case UnaryValue(symbol, _, type_):
            return _Step(_Kind.UNARY, tuple(inside), symbol, type_)
        case BinaryValue(symbol, _, _, type_):
            return _Step(_CONDITIONS.get(symbol, _Kind.BINARY), tuple(inside), symbol, type_)
        case Select():
            return _Step(_Kind.SELECT, tuple(inside))
        case Choice():
            return _CHOICE
        case Constant() | ReadValue() | GroupResult():
            return _ATOM


def computed(step: _Step, values: Sequence[Value | None]) -> Value | None:
    """The value of a part as far as the values of its operands tell it; None where they do not."""
    kind = step.kind
    if kind is _Kind.AND or kind is _Kind.OR:
        one, other = values[step.operands[0]], values[step.operands[1]]
        decides = kind is _Kind.OR
        if (one is not None and is_true(one) is decides) or (other is not None and is_true(other) is decides):
            return int(decides)
        return None if one is None or other is None else int(not decides)
    if kind is _Kind.SELECT:
        condition, then, otherwise = step.operands
        test = values[condition]
        return None if test is None else values[then if is_true(test) else otherwise]
    if kind is _Kind.BINARY:
        one, other = values[step.operands[0]], values[step.operands[1]]
        return None if one is None or other is None else apply_binary(step.symbol, one, other, step.type)
    if kind is _Kind.UNARY:
        inner = values[step.operands[0]]
        return None if inner is None else apply_unary(step.symbol, inner, step.type)
    return None


class KnownParts:
    """The values of the parts of a graph by what is known of reads and choices, None for those that have none yet."""

    __slots__ = ("_graph", "_values")

    def __init__(self, graph: ExpressionGraph, values: list[Value | None] | None = None) -> None:
        self._graph = graph
        self._values = (graph.values if values is None else values).copy()

    def copy(self) -> KnownParts:
        """What is known so far; more will be known of it by itself."""
        return KnownParts(self._graph, self._values)

    def has(self, expression: Expression) -> bool:
        """Whether an expression is a part of the graph."""
        return expression in self._graph.numbers

    def value(self, expression: Expression) -> Value | None:
        """The value of a part."""
        return self._values[self._graph.numbers[expression]]

    def learn_read(self, event: int, value: Value) -> list[int]:
        """Know what a read returns: the numbers of the parts whose values are known by that."""
        return self._learn(self._graph.reads.get(event), value)

    def learn_choice(self, index: int, *, taken: bool) -> list[int]:
        """Know a choice: the numbers of the parts whose values are known by that."""
        return self._learn(self._graph.choices.get(index), int(taken))

    def _learn(self, number: int | None, value: Value) -> list[int]:
        values, users, steps = self._values, self._graph.users, self._graph.steps
        if number is None or values[number] is not None:
            return []
        values[number] = value
        known = [number]
        # It grows: what is known tells more.
        for part in known:
            for user in users[part]:
                if values[user] is None:
                    found = computed(steps[user], values)
                    if found is not None:
                        values[user] = found
                        known.append(user)
        return known

    def implied(self, condition: Expression) -> Iterator[tuple[int, bool]]:
        """The choices, each with its value, that follow if a part that has no value yet holds."""
        steps, values = self._graph.steps, self._values
        waiting = [(self._graph.numbers[condition], True)]
        seen = set(waiting)
        while waiting:
            number, holds = waiting.pop()
            step = steps[number]
            kind = step.kind
            if kind is _Kind.CHOICE:
                part = self._graph.parts[number]
                assert isinstance(part, Choice)
                yield part.index, holds
                continue
            follows: tuple[tuple[int, bool], ...] = ()
            if kind is _Kind.AND or kind is _Kind.OR:
                # One operand of a disjunction that holds must be true only if the other one is known to be false.
                needs_both = (kind is _Kind.AND) is holds
                left, right = step.operands
                is_open = values[left] is None, values[right] is None
                if needs_both or is_open != (True, True):
                    follows = (*(((right, holds),) if is_open[1] else ()), *(((left, holds),) if is_open[0] else ()))
            elif step.symbol == "!":
                follows = ((step.operands[0], not holds),)
            for each in follows:
                if each not in seen:
                    seen.add(each)
                    waiting.append(each)

    def missing(self, expression: Expression, seen: set[Expression]) -> list[ReadValue | Choice]:
        """The reads and choices that the value of a part waits for, but for what parts `seen` before wait for."""
        found: list[ReadValue | Choice] = []
        graph, values = self._graph, self._values
        waiting = [graph.numbers[expression]]
        while waiting:
            number = waiting.pop()
            part = graph.parts[number]
            if values[number] is None and part not in seen:
                seen.add(part)
                if isinstance(part, ReadValue | Choice):
                    found.append(part)
                waiting += reversed(self._waited_for(graph.steps[number]))
        return found

    def first_missing(self, expression: Expression) -> ReadValue | Choice | None:
        """The first read or choice that the value of a part waits for; None if there is a value."""
        graph, values = self._graph, self._values
        number = graph.numbers[expression]
        if values[number] is not None:
            return None
        while graph.steps[number].operands:
            number = next(part for part in self._waited_for(graph.steps[number]) if values[part] is None)
        part = graph.parts[number]
        assert isinstance(part, ReadValue | Choice), "nothing else is unknown"
        return part

    def _waited_for(self, step: _Step) -> tuple[int, ...]:
        """The operands of a part without a value that may be why it has none."""
        if step.kind is not _Kind.SELECT:
            return step.operands
        condition, then, otherwise = step.operands
        test = self._values[condition]
        return (condition if test is None else then if is_true(test) else otherwise,)
