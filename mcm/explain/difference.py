"""What two models say differently, and which of it matters for a test."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mcm.answer.result import Separation
from mcm.relation.show import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcm.answer.result import Result
    from mcm.cat.model import Check, Flag, Model, Rule


_ABSENT: Final[tuple[str, Rule | None]] = ("", None)


def separations(
    results: Sequence[Result], load: Callable[[str], Model], judge: Callable[[str, str], Result]
) -> tuple[Separation, ...]:
    """For neighbours of different verdicts, the rules that make the difference.

    A rule makes the difference when one of the two models without it says what the other says. `judge` is given the
    name of a model and the rule to leave out.
    """
    found = []
    for first, second in _neighbours(results):
        if _outcome(first) != _outcome(second):
            rules = tuple(
                rule
                for rule in differing_rules(load(first.model), load(second.model))
                if _outcome(judge(first.model, rule)) == _outcome(second)
                or _outcome(judge(second.model, rule)) == _outcome(first)
            )
            found.append(Separation(first.model, second.model, rules))
    return tuple(found)


def _neighbours(results: Sequence[Result]) -> Iterator[tuple[Result, Result]]:
    """Each model with the next; a variant `NAME+READING` is a neighbour of NAME alone."""
    by_name = {result.model: result for result in results}
    for result in results:
        base, plus, _ = result.model.partition("+")
        if plus and base in by_name:
            yield by_name[base], result
    yield from pairwise(result for result in results if "+" not in result.model)


def differing_rules(first: Model, second: Model) -> tuple[str, ...]:
    """The rules whose text differs between two models, or stands in one of them only."""
    one, other = _parts(first), _parts(second)
    differing = [name for name in one | other if one.get(name, _ABSENT)[0] != other.get(name, _ABSENT)[0]]
    rules = [rule for name in differing for _, rule in (one.get(name, _ABSENT), other.get(name, _ABSENT)) if rule]
    return tuple(dict.fromkeys(rule.identifier for rule in rules))


def _parts(model: Model) -> dict[str, tuple[str, Rule | None]]:
    """Definitions and checks by name; terms are compared as they are written, with names for what is defined."""
    parts: dict[str, tuple[str, Rule | None]] = {}
    for definition in model.definitions:
        parts[f"let {definition.name}"] = (show(definition.term), definition.rule)
    checks: tuple[Check | Flag, ...] = (*model.checks, *model.flags)
    for check in checks:
        sign = "~" if check.negated else ""
        parts[f"check {check.name}"] = (f"{sign}{check.shape.value} {show(check.term)}", check.rule)
    return parts


def _outcome(result: Result) -> tuple[object, ...]:
    return result.verdict, result.observation
