"""Building symbolic expressions: constants are folded, and what a guard already decides is left out.

Truth values are 0 and 1. A guard is a conjunction; `facts` opens it into what holds and what does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.evaluate import apply_binary, apply_unary, is_true
from mcm.execution.expression import BinaryValue, Choice, Constant, Expression, ReadValue, Select, UnaryValue
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcm.program.types import Type

TRUE: Final = Constant(1)
FALSE: Final = Constant(0)

_TRUTH_OPERATORS: Final = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})


def unary(symbol: str, operand: Expression, type_: Type) -> Expression:
    """`- ~ !` or `convert` of an expression."""
    match operand:
        case Constant(value):
            return Constant(apply_unary(symbol, value, type_))
        case Select(condition, then, otherwise):
            return select(condition, unary(symbol, then, type_), unary(symbol, otherwise, type_))
    if symbol == "convert" and is_truth(operand):
        return operand
    return UnaryValue(symbol, operand, type_)


def binary(symbol: str, left: Expression, right: Expression, type_: Type) -> Expression:
    """A binary operator on two expressions."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(apply_binary(symbol, left.value, right.value, type_))
    if symbol == "&&":
        return conjunction(truth(left), truth(right))
    if symbol == "||":
        return disjunction(truth(left), truth(right))
    if symbol in {"==", "!="} and isinstance(right, Constant) and is_truth(left):
        same = negation(left) if right is FALSE else left if right is TRUE else FALSE
        return same if symbol == "==" else negation(same)
    # A choice between few constants keeps being one: conditions then fold instead of growing.
    if isinstance(left, Select) and isinstance(right, Constant) and _few_constants(left):
        return select(
            left.condition, binary(symbol, left.then, right, type_), binary(symbol, left.otherwise, right, type_)
        )
    if isinstance(right, Select) and isinstance(left, Constant) and _few_constants(right):
        return select(
            right.condition, binary(symbol, left, right.then, type_), binary(symbol, left, right.otherwise, type_)
        )
    return BinaryValue(symbol, left, right, type_)


_FEW: Final = 8


def _few_constants(expression: Expression) -> bool:
    """Whether an expression is a choice between at most a few constants."""
    budget = _FEW
    waiting = [expression]
    while waiting and budget:
        match waiting.pop():
            case Select(_, then, otherwise):
                waiting += (then, otherwise)
            case Constant():
                budget -= 1
            case _:
                return False
    return not waiting


def is_truth(expression: Expression) -> bool:
    """Whether an expression can only be 0 or 1."""
    match expression:
        case Constant(value):
            return value in {0, 1}
        case Choice():
            return True
        case UnaryValue(symbol, _, _):
            return symbol == "!"
        case BinaryValue(symbol, _, _, _):
            return symbol in _TRUTH_OPERATORS
        case Select(_, then, otherwise):
            return is_truth(then) and is_truth(otherwise)
        case ReadValue():
            return False


def truth(expression: Expression) -> Expression:
    """The expression as a condition: 1 where it is not zero."""
    match expression:
        case Constant(value):
            return TRUE if is_true(value) else FALSE
        case Select(condition, then, otherwise):
            return select(condition, truth(then), truth(otherwise))
    return expression if is_truth(expression) else BinaryValue("!=", expression, FALSE, Scalar.LONG)


def negation(expression: Expression) -> Expression:
    """The condition that an expression is zero."""
    match expression:
        case Constant(value):
            return FALSE if is_true(value) else TRUE
        case UnaryValue("!", operand, _):
            return truth(operand)
        case BinaryValue("==", left, right, type_):
            return BinaryValue("!=", left, right, type_)
        case BinaryValue("!=", left, right, type_):
            return BinaryValue("==", left, right, type_)
        case Select(condition, then, otherwise):
            return select(condition, negation(then), negation(otherwise))
    return UnaryValue("!", truth(expression), Scalar.INT)


def conjunction(*conditions: Expression) -> Expression:
    """All of the conditions; each conjunct is kept once, in order."""
    given = [condition for condition in conditions if condition is not TRUE]
    if len(given) < 2:
        return given[0] if given else TRUE
    if FALSE in given:
        return FALSE
    # A condition is a conjunction made here: no part of it is there twice, or contradicts another.
    result = given[0]
    kept = set(_conjuncts(result))
    for condition in given[1:]:
        for part in _conjuncts(condition):
            if negation(part) in kept:
                return FALSE
            if part not in kept:
                kept.add(part)
                result = BinaryValue("&&", result, part, Scalar.INT)
    return result


def disjunction(*conditions: Expression) -> Expression:
    """At least one of the conditions; `g && c || g && !c` is `g`."""
    given = [condition for condition in conditions if condition is not FALSE]
    if len(given) < 2:
        return given[0] if given else FALSE
    if TRUE in given:
        return TRUE
    kept = {condition: frozenset(_conjuncts(condition)) for condition in given}
    while (pair := _complementary(kept)) is not None:
        first, second, merged = pair
        if merged is TRUE:
            return TRUE
        parts = frozenset(_conjuncts(merged))
        kept = dict((merged, parts) if c is first else (c, p) for c, p in kept.items() if c is not second)
    result: Expression = FALSE
    for part in kept:
        result = part if result is FALSE else BinaryValue("||", result, part, Scalar.INT)
    return result


def _complementary(
    conditions: Mapping[Expression, frozenset[Expression]],
) -> tuple[Expression, Expression, Expression] | None:
    """Two conditions that differ in the sign of one conjunct only, with what is left of them."""
    of_length: dict[int, list[Expression]] = {}
    for second, parts in conditions.items():
        earlier = of_length.setdefault(len(parts), [])
        for first in earlier:
            only_first = conditions[first] - parts
            if len(only_first) == 1:
                (a,) = only_first
                (b,) = parts - conditions[first]
                if negation(a) is b:
                    return first, second, conjunction(*(c for c in _conjuncts(first) if c is not a))
        earlier.append(second)
    return None


def _conjuncts(condition: Expression) -> Iterable[Expression]:
    parts: list[Expression] = []
    while isinstance(condition, BinaryValue) and condition.operator == "&&":
        parts.append(condition.right)
        condition = condition.left
    parts.append(condition)
    return reversed(parts)


def select(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """`then` where the condition holds, else `otherwise`."""
    if isinstance(condition, Constant):
        return then if is_true(condition.value) else otherwise
    if then is otherwise:
        return then
    if then is TRUE and otherwise is FALSE:
        return truth(condition)
    if then is FALSE and otherwise is TRUE:
        return negation(condition)
    return Select(condition, then, otherwise)


def facts(guard: Expression) -> dict[Expression, Expression]:
    """What a guard decides: its conjuncts are TRUE and their negations FALSE."""
    known: dict[Expression, Expression] = {}
    if guard is TRUE:
        return known
    for part in _conjuncts(guard):
        if not isinstance(part, Constant):
            known[part] = TRUE
            known[negation(part)] = FALSE
    return known


def under(expression: Expression, known: Mapping[Expression, Expression]) -> Expression:
    """The expression simplified by facts: what they decide is replaced, in conditions and in the choice of a Select."""
    if not known:
        return expression
    match expression:
        case Select(condition, then, otherwise):
            test = under(condition, known)
            if isinstance(test, Constant):
                return under(then if is_true(test.value) else otherwise, known)
            refuted = {**known, test: FALSE, negation(test): TRUE}
            return select(test, under(then, {**known, **facts(test)}), under(otherwise, refuted))
        case BinaryValue("&&", left, right, _):
            return conjunction(under(left, known), under(right, known))
        case BinaryValue("||", left, right, _):
            return disjunction(under(left, known), under(right, known))
    return known.get(expression, expression)


def leaves(expression: Expression) -> list[tuple[Expression, Expression]]:
    """The cases of nested Selects, as (condition, expression without Select at the top) pairs."""
    match expression:
        case Select(condition, then, otherwise):
            taken = [(conjunction(condition, c), e) for c, e in leaves(then)]
            skipped = [(conjunction(negation(condition), c), e) for c, e in leaves(otherwise)]
            return [(c, e) for c, e in taken + skipped if c is not FALSE]
    return [(TRUE, expression)]
