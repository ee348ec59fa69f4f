"""What each rule of a model does for a test: the result without it, where that may be another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.page import Effect, Switch
from mcm.answer.result import Judged
from mcm.cat.model import Shape
from mcm.catalogue.rules import rules as rules_of
from mcm.execution.skeleton import FAULT_RULES
from mcm.explain.reach import Reach
from mcm.relation.evaluate import is_acyclic, is_empty, is_irreflexive
from mcm.relation.term import SetTerm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcm.answer.result import Found
    from mcm.cat.model import Check, Definition, Flag, Model
    from mcm.execution.skeleton import Skeleton


def switches(
    model: Model,
    result: Found,
    skeletons: Sequence[Skeleton] | None,
    judge: Callable[[str], Found | None],
) -> tuple[Switch, ...]:
    """The rules of a model in its order, with what the test is without each of them.

    `judge` gives the result without a rule, None where it takes too long. It is asked only where the rule may matter:
    a definition that has the same value without it in every execution of the `skeletons` does not, nor does a check
    that nothing can break. Without skeletons, nothing is asked.
    """
    reaches = None if skeletons is None else [Reach(skeleton, model.linearisations) for skeleton in skeletons]
    found: dict[str, Switch] = {}
    for entry in rules_of(model):
        rule = entry.rule
        name = rule.identifier
        if name in found:
            continue
        if not entry.removable:
            found[name] = Switch(rule.identifiers, rule.section, rule.statement, Effect.FIXED)
        else:
            effect, other = _effect(name, model, result, reaches, judge)
            found[name] = Switch(rule.identifiers, rule.section, rule.statement, effect, other)
    for name in _faults_in(result):
        if name not in found:
            effect, other = (Effect.UNKNOWN, None) if reaches is None else _compare(result, judge(name))
            found[name] = Switch((name,), "the language", FAULT_RULES[name], effect, other)
    return tuple(found.values())


def _faults_in(result: Found) -> Iterator[str]:
    for problem in (*result.undefined, *result.impl_defined):
        yield from (rule for rule in problem.rules if rule in FAULT_RULES)


def _effect(
    name: str,
    model: Model,
    result: Found,
    reaches: Sequence[Reach] | None,
    judge: Callable[[str], Found | None],
) -> tuple[Effect, Found | None]:
    if reaches is None:
        return Effect.UNKNOWN, None
    if not _may_matter(name, model, result, reaches):
        return Effect.IDLE, None
    return _compare(result, judge(name))


def _compare(result: Found, other: Found | None) -> tuple[Effect, Found | None]:
    if other is None or not isinstance(other, Judged):
        return Effect.UNKNOWN, None
    return (Effect.NONE, None) if is_same(other, result) else (Effect.CHANGES, other)


def is_same(one: Found, other: Found) -> bool:
    """Whether two results of a test show people the same."""
    return _outcome(one) == _outcome(other)


def _outcome(result: Found) -> tuple[object, ...]:
    """What people see of a result."""
    problems = (*result.undefined, *result.impl_defined, *result.flags)
    return (
        result.verdict,
        tuple((tuple(state.values.items()), state.satisfies) for state in result.states),
        tuple((problem.kind, problem.sites) for problem in problems),
        tuple(blocked.units for blocked in result.blocked),
    )


def _may_matter(name: str, model: Model, result: Found, reaches: Sequence[Reach]) -> bool:
    """Whether the model without a rule may say something else."""

    def is_meant(each: Definition | Check | Flag) -> bool:
        return each.rule is not None and name in each.rule.identifiers

    return (
        any(is_meant(each) and any(_may_differ(each, reach) for reach in reaches) for each in model.definitions)
        or any(is_meant(each) and any(_may_break(each, reach) for reach in reaches) for each in model.checks)
        or any(is_meant(each) and _may_be_raised(each, result) for each in model.flags)
    )


def _may_differ(definition: Definition, reach: Reach) -> bool:
    """Whether a definition may have another value without its rule."""
    term, other = definition.term, definition.without
    assert other is not None, "a definition with a rule says what it is without it"
    if isinstance(term, SetTerm):
        assert isinstance(other, SetTerm)
        values = {*reach.set(term), *reach.set(other)}
        return len(values) > 1
    assert not isinstance(other, SetTerm)
    return len({*reach.relation(term), *reach.relation(other)}) > 1


def _may_break(check: Check, reach: Reach) -> bool:
    """Whether some execution may violate a check."""
    if check.negated:
        return True
    if isinstance(check.term, SetTerm):
        return reach.set(check.term)[1] != 0
    _, most = reach.relation(check.term)
    match check.shape:
        case Shape.ACYCLIC:
            return not is_acyclic(most)
        case Shape.IRREFLEXIVE:
            return not is_irreflexive(most)
        case Shape.EMPTY:
            return not is_empty(most)


def _may_be_raised(flag: Flag, result: Found) -> bool:
    """Whether some execution raises a flag: of those that were looked at, it is known."""
    kinds = {problem.kind for problem in (*result.undefined, *result.impl_defined, *result.flags)}
    return not result.complete or flag.name.replace("_", "-") in kinds
