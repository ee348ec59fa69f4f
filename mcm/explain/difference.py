"""What two models say differently, and which of it matters for a test."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mcm.answer.result import Judged, Separation, Undecided
from mcm.relation.show import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcm.answer.result import Result
    from mcm.cat.model import Check, Flag, Model, Rule
    from mcm.catalogue.library import ChosenModel


_ABSENT: Final[tuple[str, Rule | None]] = ("", None)


def separations(
    judged: Sequence[tuple[ChosenModel, Result]], judge: Callable[[ChosenModel, str], Result]
) -> tuple[Separation, ...]:
    """For neighbours of different verdicts, the rules that make the difference.

    A rule makes the difference when one of the two models without it says what the other says. `judge` gives the
    result of a model without a rule. Results without a verdict are not compared.
    """
    found = []
    for (first, one), (second, other) in _neighbours(judged):
        if isinstance(one, Judged) and isinstance(other, Judged) and _outcome(one) != _outcome(other):
            rules = tuple(
                rule
                for rule in differing_rules(first.model, second.model)
                if _outcome(judge(first, rule)) == _outcome(other) or _outcome(judge(second, rule)) == _outcome(one)
            )
            found.append(Separation(first.name, second.name, rules))
    return tuple(found)


_Judged = tuple["ChosenModel", "Result"]


def _neighbours(judged: Sequence[_Judged]) -> Iterator[tuple[_Judged, _Judged]]:
    """Each model with the next; a variant `NAME+READING` is a neighbour of NAME alone."""
    by_name = {model.keys[0]: (model, result) for model, result in judged}
    for model, result in judged:
        base, plus, _ = model.keys[0].partition("+")
        if plus and base in by_name:
            yield by_name[base], (model, result)
    yield from pairwise((model, result) for model, result in judged if "+" not in model.keys[0])


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
    return result.verdict, result.observation if isinstance(result, Judged | Undecided) else None
