"""What several rules of a model do together: the result without them, for those that people will ask about."""

from __future__ import annotations

from itertools import combinations as choose
from itertools import islice, product
from typing import TYPE_CHECKING, Final

from mcm.answer.page import Combination, Effect
from mcm.answer.result import Judged
from mcm.explain.switches import is_same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcm.answer.page import Switch
    from mcm.answer.result import Found

# So many combinations of rules are asked for, for each model on a page (a small test answers each in a hundredth of a
# second), and so many of them because they take a rule of each set.
MOST_COMBINATIONS: Final = 30
_MOST_OF_SETS: Final = 12


def combinations(
    result: Found,
    switches: Sequence[Switch],
    sets: Sequence[Sequence[str]],
    judge: Callable[[tuple[str, ...]], Found | None],
) -> tuple[Combination, ...]:
    """The results without a rule of each set that forbids the outcome, and without two rules that change something.

    `judge` gives the result without some rules, None where it takes too long; it is asked `MOST_COMBINATIONS` times at
    most. What each rule does alone, the `switches` say.
    """
    alone = {switch.identifiers[0]: switch.result or result for switch in switches if _is_open(switch.effect)}
    found: dict[tuple[str, ...], Combination] = {}
    for number, rules in enumerate(_worth_asking(switches, sets, alone)):
        if number == MOST_COMBINATIONS:
            break
        other = judge(rules)
        if isinstance(other, Judged):
            found[rules] = _compared(rules, other, result, alone)
    return tuple(found.values())


def _is_open(effect: Effect) -> bool:
    """Whether the rule may matter, and it was worked out what is without it."""
    return effect in {Effect.NONE, Effect.CHANGES}


def _compared(rules: tuple[str, ...], other: Judged, result: Found, alone: dict[str, Found]) -> Combination:
    if is_same(other, result):
        return Combination(rules, like=())
    for rule in rules:
        if is_same(other, alone[rule]):
            return Combination(rules, like=(rule,))
    return Combination(rules, result=other)


def _worth_asking(
    switches: Sequence[Switch], sets: Sequence[Sequence[str]], alone: dict[str, Found]
) -> Iterator[tuple[str, ...]]:
    """Combinations, each once and in the order of the switches."""
    chosen = list(islice((rules for rules in _of_each(sets) if alone.keys() >= rules), _MOST_OF_SETS))
    changing = [switch.identifiers[0] for switch in switches if switch.effect is Effect.CHANGES]
    chosen += [pair for pair in map(frozenset, choose(changing, 2)) if pair not in chosen]
    yield from (tuple(rule for rule in alone if rule in rules) for rules in chosen)


def _of_each(sets: Sequence[Sequence[str]]) -> Iterator[frozenset[str]]:
    """The smallest ways to take one rule of each set, without those that take a single rule."""
    found: list[frozenset[str]] = []
    for rules in sorted(map(frozenset, product(*map(sorted, sets))), key=lambda one: (len(one), sorted(one))):
        if not any(one <= rules for one in found):
            found.append(rules)
            if len(rules) > 1:
                yield rules
