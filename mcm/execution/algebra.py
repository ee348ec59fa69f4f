"""Building symbolic expressions: constants are folded, and what a guard already decides is left out.

Truth values are 0 and 1. A guard is a conjunction; `facts` opens it into what holds and what does not.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

from mcm.execution.expression import (
    BinaryValue,
    Choice,
    Constant,
    Expression,
    GroupResult,
    ReadValue,
    Select,
    UnaryValue,
    is_large,
    size_of,
)
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import apply_binary, apply_unary, bits_operator, is_true

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcm.program.types import Type

# What is known of the comparisons of a condition.
Known = TypeVar("Known")

TRUE: Final = Constant(1)
FALSE: Final = Constant(0)
ZERO: Final = FALSE

_COMPARISONS: Final = frozenset({"==", "!=", "<", ">", "<=", ">="})
# Cases of so many parts in all are looked at before a condition counts as one that may hold.
_MOST_NODES: Final = 512
# Of how many pointers the cases are kept: they are asked for several times, and a loop that moves one makes many.
_POINTERS: Final = 512
_TRUTH_OPERATORS: Final = _COMPARISONS | {"&&", "||"}
_OPPOSITES: Final = {"==": "!=", "!=": "=="}


def unary(symbol: str, operand: Expression, type_: Type) -> Expression:
    """`- ~ !` or `convert` of an expression."""
    if type(operand) is Constant:
        return Constant(apply_unary(symbol, operand.value, type_))
    if type(operand) is Select and _has_few_leaves(operand):
        return select(operand.condition, unary(symbol, operand.then, type_), unary(symbol, operand.otherwise, type_))
    # A truth is the same in each type but for floats, of which 0 has a sign.
    if symbol == "convert" and is_truth(operand) and not type_.is_floating:
        return operand
    return UnaryValue(symbol, operand, type_)


def as_bits(value: Expression, source: Type, to: Type) -> Expression:
    """The number of another type of the same size that has the bits of a value of type `source`."""
    return unary(bits_operator(source, to), value, to)


_BITS: Final = {Scalar.HALF: Scalar.USHORT, Scalar.FLOAT: Scalar.UINT, Scalar.DOUBLE: Scalar.ULONG}


def held_bits(value: Expression, type_: Type) -> Expression:
    """What a compare-exchange compares of a value: the bits of a float, as memory holds them (C11 7.17.7.4)."""
    return as_bits(value, type_, _BITS[type_]) if isinstance(type_, Scalar) and type_.is_floating else value


def value_held(bits: Expression, type_: Type) -> Expression:
    """The value whose `held_bits` they are."""
    return as_bits(bits, _BITS[type_], type_) if isinstance(type_, Scalar) and type_.is_floating else bits


def binary(symbol: str, left: Expression, right: Expression, type_: Type) -> Expression:
    """A binary operator on two expressions."""
    if type(left) is Constant and type(right) is Constant:
        return Constant(apply_binary(symbol, left.value, right.value, type_))
    if symbol == "&&":
        return conjunction(truth(left), truth(right))
    if symbol == "||":
        return disjunction(truth(left), truth(right))
    if symbol in {"==", "!="} and type(right) is Constant and is_truth(left):
        same = negation(left) if right is FALSE else left if right is TRUE else FALSE
        return same if symbol == "==" else negation(same)
    # A choice between few constants keeps being one, and a comparison of one with a constant is decided on that side:
    # conditions then fold instead of growing.
    if type(left) is Select and type(right) is Constant and (_few_constants(left) or _folds(symbol, left)):
        return select(
            left.condition, binary(symbol, left.then, right, type_), binary(symbol, left.otherwise, right, type_)
        )
    if type(right) is Select and type(left) is Constant and _few_constants(right):
        return select(
            right.condition, binary(symbol, left, right.then, type_), binary(symbol, left, right.otherwise, type_)
        )
    return BinaryValue(symbol, left, right, type_)


def _folds(symbol: str, choice: Select) -> bool:
    """Whether comparing a choice with a constant folds on one of its sides."""
    constant = isinstance(choice.then, Constant) or isinstance(choice.otherwise, Constant)
    return symbol in _COMPARISONS and constant and _has_few_leaves(choice)


_FEW: Final = 8


def _has_few_leaves(expression: Expression) -> bool:
    """Whether a choice is between a few expressions, so that what is done to each of them does not grow it much."""
    return _few(expression, lambda _: True)


def _few_constants(expression: Expression) -> bool:
    """Whether an expression is a choice between at most a few constants."""
    return _few(expression, lambda leaf: isinstance(leaf, Constant))


def _few(expression: Expression, accepts: Callable[[Expression], bool]) -> bool:
    budget = _FEW
    waiting = [expression]
    while waiting and budget:
        part = waiting.pop()
        if type(part) is Select:
            waiting += (part.then, part.otherwise)
        elif accepts(part):
            budget -= 1
        else:
            return False
    return not waiting


def is_truth(expression: Expression) -> bool:
    """Whether an expression can only be 0 or 1."""
    # Classes are compared, here and below: a `match` looks for each in turn, and this is done all the time.
    if type(expression) is BinaryValue:
        return expression.operator in _TRUTH_OPERATORS
    if type(expression) is ReadValue or type(expression) is GroupResult:
        return False
    if type(expression) is Constant:
        # 1.0 is no truth: as a constant it is another one than 1, which it would be compared with.
        return expression is TRUE or expression is FALSE
    if type(expression) is UnaryValue:
        return expression.operator == "!"
    return type(expression) is Choice or _few(expression, is_truth)


def truth(expression: Expression) -> Expression:
    """The expression as a condition: 1 where it is not zero."""
    if type(expression) is Constant:
        return TRUE if is_true(expression.value) else FALSE
    if type(expression) is Select and _has_few_leaves(expression):
        return select(expression.condition, truth(expression.then), truth(expression.otherwise))
    return expression if is_truth(expression) else BinaryValue("!=", expression, FALSE, Scalar.LONG)


def negation(expression: Expression) -> Expression:
    """The condition that an expression is zero."""
    if type(expression) is Constant:
        return FALSE if is_true(expression.value) else TRUE
    if type(expression) is BinaryValue:
        opposite = _OPPOSITES.get(expression.operator)
        if opposite is not None:
            return BinaryValue(opposite, expression.left, expression.right, expression.type)
    elif type(expression) is UnaryValue:
        if expression.operator == "!":
            return truth(expression.operand)
    elif type(expression) is Select and _has_few_leaves(expression):
        return select(expression.condition, negation(expression.then), negation(expression.otherwise))
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
    kept = set(conjuncts(result))
    for condition in given[1:]:
        for part in conjuncts(condition):
            if kept.issuperset(conjuncts(negation(part))):
                return FALSE
            if part not in kept:
                kept.add(part)
                result = BinaryValue("&&", result, part, Scalar.INT)
    return result


def disjunction(*conditions: Expression) -> Expression:
    """At least one of the conditions; `g && c || g && !c` is `g`, and `c || !c` holds."""
    given = [condition for condition in conditions if condition is not FALSE]
    if len(given) < 2:
        return given[0] if given else FALSE
    if TRUE in given or any(negation(condition) in given for condition in given):
        return TRUE
    kept = {condition: frozenset(conjuncts(condition)) for condition in given}
    while (pair := _complementary(kept)) is not None:
        first, second, merged = pair
        if merged is TRUE:
            return TRUE
        parts = frozenset(conjuncts(merged))
        kept = dict((merged, parts) if c is first else (c, p) for c, p in kept.items() if c is not second)
    result: Expression = FALSE
    for part in kept:
        result = part if result is FALSE else BinaryValue("||", result, part, Scalar.INT)
    return result


def _complementary(
    conditions: Mapping[Expression, frozenset[Expression]],
) -> tuple[Expression, Expression, Expression] | None:
    """Two conditions that differ in the sign of one conjunct only, with what is left of them."""
    # By the other conjuncts: each condition under the one by which it may differ.
    known: dict[frozenset[Expression], dict[Expression, Expression]] = {}
    for second, parts in conditions.items():
        for part in conjuncts(second):
            rest = parts - {part}
            first = known.get(rest, {}).get(negation(part))
            if first is not None:
                return first, second, conjunction(*(c for c in conjuncts(first) if c in rest))
        for part in parts:
            known.setdefault(parts - {part}, {})[part] = second
    return None


def conjuncts(condition: Expression) -> Iterable[Expression]:
    """The parts of a conjunction, in order."""
    parts: list[Expression] = []
    if type(condition) is not BinaryValue or condition.operator != "&&":
        return (condition,)
    while type(condition) is BinaryValue and condition.operator == "&&":
        parts.append(condition.right)
        condition = condition.left
    parts.append(condition)
    return reversed(parts)


def disjuncts(condition: Expression) -> tuple[Expression, ...]:
    """The parts of a disjunction, or of the negation of a conjunction, in order."""
    if type(condition) is UnaryValue and condition.operator == "!":
        return tuple(negation(part) for part in conjuncts(condition.operand))
    parts: list[Expression] = []
    while type(condition) is BinaryValue and condition.operator == "||":
        parts.append(condition.right)
        condition = condition.left
    return (condition, *reversed(parts))


def either(first: Expression, second: Expression) -> Expression:
    """One of two conditions that exclude each other; what the second one says of the first is left out."""
    refused = negation(first)
    return disjunction(first, conjunction(*(part for part in conjuncts(second) if part is not refused)))


def select(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    """`then` where the condition holds, else `otherwise`."""
    if type(condition) is Constant:
        return then if is_true(condition.value) else otherwise
    if then is otherwise:
        return then
    if then is FALSE and is_truth(otherwise):
        return conjunction(negation(condition), otherwise)
    if otherwise is FALSE and is_truth(then):
        return conjunction(truth(condition), then)
    if then is TRUE and is_truth(otherwise):
        return disjunction(truth(condition), otherwise)
    if otherwise is TRUE and is_truth(then):
        return disjunction(negation(condition), then)
    return Select(condition, then, otherwise)


def facts(guard: Expression) -> dict[Expression, Expression]:
    """What a guard decides: its conjuncts are TRUE and their negations FALSE."""
    known: dict[Expression, Expression] = {}
    if guard is TRUE:
        return known
    for part in conjuncts(guard):
        if type(part) is not Constant:
            known[part] = TRUE
            known[negation(part)] = FALSE
    return known


def under(
    expression: Expression,
    known: Mapping[Expression, Expression],
    memo: dict[Expression, Expression] | None = None,
    oldest: int = -1,
) -> Expression:
    """The expression simplified by facts: what they decide is replaced, in conditions and in the choice of a Select.

    `memo` keeps what has been found for parts, for further calls with the same facts. Each fact depends on an event
    with the number `oldest` or a higher one: what depends on none of these has no part that is a fact.
    """
    if not known or expression.newest < oldest:
        return expression
    found: dict[Expression, Expression] = {} if memo is None else memo
    waiting = [expression]
    while waiting:
        part = waiting[-1]
        if part not in found:
            # What is known needs none of its parts.
            is_known = part in known and type(part) is not Select
            is_free = part.newest < oldest
            needed = () if is_known or is_free else [p for p in _needed(part, found) if p not in found]
            if needed:
                waiting += reversed(needed)
                continue
            found[part] = known[part] if is_known else part if is_free else _replaced(part, known, found)
        waiting.pop()
    return found[expression]


def _needed(part: Expression, found: Mapping[Expression, Expression]) -> tuple[Expression, ...]:
    """What has to be simplified before a part is, as far as it is known already."""
    match part:
        case Select(condition, then, otherwise):
            match found.get(condition):
                case None:
                    return (condition,)
                case Constant(value):
                    return (then if is_true(value) else otherwise,)
                case _:
                    return (then, otherwise)
        case BinaryValue("&&" | "||", left, right, _):
            return (left, right)
        case UnaryValue("!", operand, _):
            return (operand,)
    return ()


def _replaced(
    part: Expression, known: Mapping[Expression, Expression], found: Mapping[Expression, Expression]
) -> Expression:
    match part:
        case Select(condition, then, otherwise):
            test = found[condition]
            if isinstance(test, Constant):
                return found[then if is_true(test.value) else otherwise]
            return select(test, found[then], found[otherwise])
        case BinaryValue("&&", left, right, _) if part not in known:
            return conjunction(found[left], found[right])
        case BinaryValue("||", left, right, _) if part not in known:
            return disjunction(found[left], found[right])
        case UnaryValue("!", operand, _) if part not in known:
            return negation(found[operand])
    return known.get(part, part)


def is_never(condition: Expression) -> bool:
    """Whether a condition cannot hold whatever its comparisons say; False also where it takes long to find that out."""
    return is_never_by(condition, TRUE, lambda known, *_: known)


def is_never_by(
    condition: Expression, known: Known, narrowed: Callable[[Known, Expression, bool], Known | None]
) -> bool:
    """Whether a condition cannot hold by what is known; False also where it takes long to find that out.

    `narrowed` tells what is known besides if a comparison holds, or does not; None where that cannot be.
    """
    cases, budget = [(condition, known)], _MOST_NODES
    while cases:
        case, its = cases.pop()
        if case is FALSE:
            continue
        comparison = _first_comparison(case)
        budget -= size_of(case)
        if comparison is None or is_large(case) or budget < 0:
            return False
        for holds, said in ((True, comparison), (False, negation(comparison))):
            more = narrowed(its, comparison, holds)
            if more is not None:
                cases.append((under(case, facts(said)), more))
    return True


def _first_comparison(condition: Expression) -> Expression | None:
    """The first part of a condition that is not made of conditions; None where it holds."""
    while True:
        match condition:
            case Constant():
                return None
            case BinaryValue("&&" | "||", left, _, _):
                condition = left
            case UnaryValue("!", operand, _):
                condition = operand
            case _:
                return condition


@lru_cache(_POINTERS)
def leaves(expression: Expression) -> tuple[tuple[Expression, Expression], ...]:
    """The cases of nested Selects, as (condition, expression without Select at the top) pairs, each expression once."""
    conditions: dict[Expression, Expression] = {expression: TRUE}
    for part in _choices(expression):
        if isinstance(part, Select) and part in conditions:
            for branch, test in ((part.then, part.condition), (part.otherwise, negation(part.condition))):
                case = conjunction(conditions[part], test)
                if case is not FALSE:
                    conditions[branch] = disjunction(conditions.get(branch, FALSE), case)
    return tuple(
        (conditions[part], part) for part in _choices(expression) if not isinstance(part, Select) and part in conditions
    )


def _choices(expression: Expression) -> list[Expression]:
    """The nested Selects of an expression and what they choose between, each after all in which it occurs."""
    order: list[Expression] = []
    entered: set[Expression] = set()
    waiting: list[tuple[Expression, bool]] = [(expression, False)]
    while waiting:
        part, is_left = waiting.pop()
        if is_left:
            order.append(part)
        elif part not in entered:
            entered.add(part)
            waiting.append((part, True))
            if isinstance(part, Select):
                waiting += ((part.then, False), (part.otherwise, False))
    order.reverse()
    return order
