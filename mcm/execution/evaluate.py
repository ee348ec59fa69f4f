"""The value of symbolic expressions under an assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.expression import (
    LARGE,
    BinaryValue,
    Choice,
    Constant,
    Expression,
    GroupResult,
    ReadValue,
    Select,
    UnaryValue,
    is_large,
    operands,
)
from mcm.program.value_arithmetic import apply_binary, apply_unary, is_true

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mcm.program.types import Value

    # What reads return and which way choices went, as far as it is known; and what else is needed.
    Reads = Mapping[int, Value]
    Choices = Sequence[bool | None]
    Missing = list[ReadValue | Choice]
    # The values of parts, None for those that have none.
    Found = dict[Expression, Value | None]


def evaluate(expression: Expression, reads: Reads, choices: Choices) -> Value | None:
    """The value of an expression when `reads` gives what reads return; None when it needs a read or choice not given.

    Only the taken branch of a Select is looked at, and a decided `&&` or `||` does not need its other side.
    """
    # A table, not a `match`: engines do this more often than anything else.
    return _READINGS[expression.__class__](expression, reads, choices)


def _of_constant(expression: Constant, reads: Reads, choices: Choices) -> Value:
    del reads, choices
    return expression.value


def _of_read(expression: ReadValue, reads: Reads, choices: Choices) -> Value | None:
    del choices
    return reads.get(expression.event)


def _of_choice(expression: Choice, reads: Reads, choices: Choices) -> Value | None:
    del reads
    choice = choices[expression.index]
    return None if choice is None else int(choice)


def _of_unary(expression: UnaryValue, reads: Reads, choices: Choices) -> Value | None:
    if expression.size > LARGE:
        return _of_large(expression, reads, choices)
    inner = evaluate(expression.operand, reads, choices)
    return None if inner is None else apply_unary(expression.operator, inner, expression.type)


def _of_binary(expression: BinaryValue, reads: Reads, choices: Choices) -> Value | None:
    if expression.size > LARGE:
        return _of_large(expression, reads, choices)
    symbol = expression.operator
    one = evaluate(expression.left, reads, choices)
    if symbol in {"&&", "||"}:
        decides = symbol == "||"
        if one is not None and (one != 0) is decides:
            return int(decides)
        other = evaluate(expression.right, reads, choices)
        if other is not None and (other != 0) is decides:
            return int(decides)
        return None if one is None or other is None else int(not decides)
    if one is None:
        return None
    other = evaluate(expression.right, reads, choices)
    return None if other is None else apply_binary(symbol, one, other, expression.type)


def _of_select(expression: Select, reads: Reads, choices: Choices) -> Value | None:
    if expression.size > LARGE:
        return _of_large(expression, reads, choices)
    test = evaluate(expression.condition, reads, choices)
    if test is None:
        return None
    return evaluate(expression.then if is_true(test) else expression.otherwise, reads, choices)


_READINGS: Final[dict[type, Callable[..., Value | None]]] = {
    Constant: _of_constant,
    ReadValue: _of_read,
    Choice: _of_choice,
    UnaryValue: _of_unary,
    BinaryValue: _of_binary,
    Select: _of_select,
}


def _of_large(expression: Expression, reads: Reads, choices: Choices) -> Value | None:
    """As `evaluate`, each part once."""
    found: Found = {}
    _find_parts(expression, reads, choices, found)
    return found[expression]


def _find_parts(expression: Expression, reads: Reads, choices: Choices, found: Found) -> None:
    """Find the values of a large expression and of those of its parts that it needs."""
    waiting = [expression]
    while waiting:
        part = waiting[-1]
        if part in found:
            waiting.pop()
        elif (needed := _next_needed(part, found)) is None:
            found[part] = _value_by_parts(part, found)
        elif is_large(needed):
            waiting.append(needed)
        else:
            found[needed] = evaluate(needed, reads, choices)


def _next_needed(part: Expression, found: Found) -> Expression | None:
    """The operand whose value is needed next for that of a part, or None if that can be told now."""
    match part:
        case Select(condition, then, otherwise):
            if condition not in found:
                return condition
            test = found[condition]
            branch = None if test is None else then if is_true(test) else otherwise
            return None if branch in found else branch
        case BinaryValue("&&" | "||" as symbol, left, right, _):
            if left not in found:
                return left
            one = found[left]
            return None if right in found or (one is not None and is_true(one) is (symbol == "||")) else right
        case _:
            return next((operand for operand in operands(part) if operand not in found), None)


def _value_by_parts(part: Expression, found: Found) -> Value | None:
    """The value of a part from those of its operands."""
    match part:
        case Select(condition, then, otherwise):
            test = found[condition]
            return None if test is None else found[then if is_true(test) else otherwise]
        case BinaryValue("&&" | "||" as symbol, left, right, _):
            decides = symbol == "||"
            sides = [found[side] for side in (left, right) if side in found]
            if any(side is not None and is_true(side) is decides for side in sides):
                return int(decides)
            return None if None in sides else int(not decides)
        case BinaryValue(symbol, left, right, type_):
            one, other = found[left], found[right]
            return None if one is None or other is None else apply_binary(symbol, one, other, type_)
        case UnaryValue(symbol, operand, type_):
            inner = found[operand]
            return None if inner is None else apply_unary(symbol, inner, type_)
        case Constant() | ReadValue() | Choice() | GroupResult():
            message = "an expression without parts is not large"
            raise AssertionError(message)


def probe(expression: Expression, reads: Reads, choices: Choices, missing: Missing) -> Value | None:
    """The value as `evaluate` gives it; where that is None, the reads and choices that it waits for join `missing`."""
    return _PROBES[expression.__class__](expression, reads, choices, missing)


def missing_of(expression: Expression, reads: Reads, choices: Choices) -> Missing:
    """The reads and choices that the value of an expression waits for; none where it has one."""
    missing: Missing = []
    return missing if probe(expression, reads, choices, missing) is None else []


def _probe_constant(expression: Constant, reads: Reads, choices: Choices, missing: Missing) -> Value:
    del reads, choices, missing
    return expression.value


def _probe_atom(expression: ReadValue | Choice, reads: Reads, choices: Choices, missing: Missing) -> Value | None:
    value = evaluate(expression, reads, choices)
    if value is None:
        missing.append(expression)
    return value


def _probe_unary(expression: UnaryValue, reads: Reads, choices: Choices, missing: Missing) -> Value | None:
    if expression.size > LARGE:
        return _probe_large(expression, reads, choices, missing)
    inner = probe(expression.operand, reads, choices, missing)
    return None if inner is None else apply_unary(expression.operator, inner, expression.type)


def _probe_binary(expression: BinaryValue, reads: Reads, choices: Choices, missing: Missing) -> Value | None:
    if expression.size > LARGE:
        return _probe_large(expression, reads, choices, missing)
    symbol = expression.operator
    known = len(missing)
    one = probe(expression.left, reads, choices, missing)
    if symbol in {"&&", "||"}:
        decides = symbol == "||"
        if one is not None and (one != 0) is decides:
            return int(decides)
        other = probe(expression.right, reads, choices, missing)
        if other is not None and (other != 0) is decides:
            del missing[known:]
            return int(decides)
        return None if one is None or other is None else int(not decides)
    other = probe(expression.right, reads, choices, missing)
    return None if one is None or other is None else apply_binary(symbol, one, other, expression.type)


def _probe_select(expression: Select, reads: Reads, choices: Choices, missing: Missing) -> Value | None:
    if expression.size > LARGE:
        return _probe_large(expression, reads, choices, missing)
    test = probe(expression.condition, reads, choices, missing)
    if test is None:
        return None
    return probe(expression.then if is_true(test) else expression.otherwise, reads, choices, missing)


_PROBES: Final[dict[type, Callable[..., Value | None]]] = {
    Constant: _probe_constant,
    ReadValue: _probe_atom,
    Choice: _probe_atom,
    UnaryValue: _probe_unary,
    BinaryValue: _probe_binary,
    Select: _probe_select,
}


def _probe_large(expression: Expression, reads: Reads, choices: Choices, missing: Missing) -> Value | None:
    """As `probe`, each part once."""
    found: Found = {}
    _find_parts(expression, reads, choices, found)
    return _probe_parts(expression, found, reads, choices, missing)


def _probe_parts(
    expression: Expression,
    found: Found,
    reads: Reads,
    choices: Choices,
    missing: Missing,
    seen: set[Expression] | None = None,
) -> Value | None:
    """The value of a large expression whose parts have been found, and what it waits for but for `seen` parts."""
    value = found[expression]
    waiting = [expression] if value is None else []
    seen = set() if seen is None else seen
    while waiting:
        part = waiting.pop()
        if part in seen or part not in found or found[part] is not None:
            continue
        seen.add(part)
        if is_large(part):
            waiting += reversed(_waited_for(part, found))
        else:
            probe(part, reads, choices, missing)
    return value


def _waited_for(part: Expression, found: Found) -> tuple[Expression, ...]:
    """The operands of a large part without a value that may be why it has none."""
    if isinstance(part, Select):
        test = found[part.condition]
        return (part.condition if test is None else part.then if is_true(test) else part.otherwise,)
    return operands(part)


class Evaluation:
    """What expressions come to while more and more is known.

    Each part of a large one is looked at once while nothing new is known, and not again where it has a value: more
    that is known does not change a value.
    """

    __slots__ = ("_choices", "_found", "_is_outdated", "_reads")

    def __init__(self, reads: Reads, choices: Choices) -> None:
        self._reads = reads
        self._choices = choices
        self._found: Found = {}
        self._is_outdated = False

    def copy(self, reads: Reads, choices: Choices) -> Evaluation:
        """What is known so far; from now on that goes on which these say."""
        twin = Evaluation(reads, choices)
        twin._found, twin._is_outdated = self._found.copy(), self._is_outdated
        return twin

    def learn(self) -> None:
        """There is more that is known: what had no value is looked at again."""
        self._is_outdated = True

    def value(self, expression: Expression) -> Value | None:
        """As `evaluate`."""
        if expression.size <= LARGE:
            return evaluate(expression, self._reads, self._choices)
        if self._is_outdated:
            self._found = {part: value for part, value in self._found.items() if value is not None}
            self._is_outdated = False
        if expression not in self._found:
            _find_parts(expression, self._reads, self._choices, self._found)
        return self._found[expression]

    def missing(self, expression: Expression, seen: set[Expression]) -> Missing:
        """What the value of an expression waits for, but for what parts of it wait for that were `seen` before."""
        if expression.size > LARGE:
            found: Missing = []
            if self.value(expression) is None:
                _probe_parts(expression, self._found, self._reads, self._choices, found, seen)
            return found
        return missing_of(expression, self._reads, self._choices)

    def first_missing(self, expression: Expression) -> ReadValue | Choice | None:
        """The first read or choice that the value of an expression waits for; None if there is a value."""
        if expression.size > LARGE:
            if self.value(expression) is not None:
                return None
            while is_large(expression):
                known = self._found
                expression = next(
                    part for part in _waited_for(expression, known) if part in known and known[part] is None
                )
        return next(iter(missing_of(expression, self._reads, self._choices)), None)


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """The expression and everything inside it, each part once however often it is shared."""
    seen: set[Expression] = set()
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if part not in seen:
            seen.add(part)
            yield part
            waiting += reversed(operands(part))


def reads_of(expression: Expression) -> frozenset[int]:
    """The events whose read values an expression mentions."""
    return frozenset(part.event for part in subexpressions(expression) if isinstance(part, ReadValue))


def reads_of_all(expressions: Iterable[Expression], seen: set[Expression] | None = None) -> set[int]:
    """The events whose read values some expressions mention, which share most of their parts.

    Parts that are `seen` are not looked into again, and what is looked into is added to them.
    """
    seen = set() if seen is None else seen
    found: set[int] = set()
    waiting = list(expressions)
    while waiting:
        part = waiting.pop()
        if part not in seen:
            seen.add(part)
            if isinstance(part, ReadValue):
                found.add(part.event)
            waiting += operands(part)
    return found


def choices_of(expression: Expression) -> frozenset[int]:
    """The choices that an expression mentions."""
    return frozenset(part.index for part in subexpressions(expression) if isinstance(part, Choice))
