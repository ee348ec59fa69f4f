"""Why a race is one: the order that comes nearest to preventing it, and the condition that it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.answer.execution import Execution
from mcm.answer.explanation import Sentence, Story
from mcm.explain.conditions import Conditions
from mcm.explain.naming import Names
from mcm.explain.near_miss import order_edges
from mcm.explain.nearest import gaps
from mcm.explain.nothing_near import nothing_near
from mcm.explain.readings import readings_of
from mcm.explain.telling import Teller
from mcm.relation.term import BaseSet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.explanation import Derivation, Edge
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.explain.near_miss import NearMiss


NO_RACE: Final = "these two would not race in this execution"
# Of flags that are not about races, such as those of what is implementation-defined.
NO_PROBLEM: Final = "this execution would not have the problem"


def race_story(candidate: Candidate, miss: NearMiss, model: Model, otherwise: str = NO_RACE) -> Story:
    """A race told: how the execution comes to it, what is nearest to ordering the pair, and what that lacks.

    `otherwise` is what would be the case if nothing was lacking.
    """
    names = Names(candidate)
    about = {miss.flagged.first, miss.flagged.last}
    sentences = what_is_nearest(candidate, miss, names, model, otherwise)
    if miss.nearest is not None:
        about |= {event for edge in order_edges(miss.nearest) for event in (edge.first, edge.last)}
    return Story(readings_of(candidate, None, names, about), sentences, None, Execution(candidate, model))


def what_is_nearest(
    candidate: Candidate, miss: NearMiss, names: Names, model: Model, otherwise: str = NO_RACE
) -> tuple[Sentence, ...]:
    """What comes nearest to ordering a pair, with each of its conditions; `otherwise` says what that would do.

    Of commands that nothing orders, that their accesses might be atomic says less than what would order them.
    """
    told: tuple[Sentence, ...] = ()
    if miss.nearest is None or _asks_for_atomics(miss.nearest):
        told = _of_commands(candidate, miss, model)
        if any(one.rules for one in told):
            return told
    if miss.nearest is None:
        lacking = told or nothing_near(candidate, miss.flagged.first, miss.flagged.last, names)
        return (*lacking, *(_excuse(candidate, miss.excuse, names) if miss.excuse and otherwise is NO_RACE else ()))
    return tuple(_nearest(candidate, miss, miss.nearest, order_edges(miss.nearest), names, otherwise))


def _asks_for_atomics(nearest: Derivation) -> bool:
    """Whether what comes nearest orders nothing, but excuses accesses if both were atomic."""
    return len(order_edges(nearest)) <= 1 and any(gap.term == BaseSet("A") for gap in gaps(nearest))


def _of_commands(candidate: Candidate, miss: NearMiss, model: Model) -> tuple[Sentence, ...]:
    if not candidate.skeleton.program.has_commands:
        return ()
    # Imported here: most programs have no commands.
    from mcm.explain.commands_story import commands_story  # noqa: PLC0415

    return commands_story(candidate, miss.flagged.first, miss.flagged.last, model)


def _nearest(
    candidate: Candidate, miss: NearMiss, nearest: Derivation, edges: tuple[Edge, ...], names: Names, otherwise: str
) -> Iterator[Sentence]:
    teller = Teller(names, None)
    if len(edges) > 1:
        text, path = "what comes nearest to ordering them", teller.path(edges)
    else:
        text, path = f"what comes nearest: they are {nearest.name} where all of these hold", ""
    yield Sentence(text, path=path, derivation=nearest)
    lacking = 0
    if gaps(nearest):
        conditions = Conditions(candidate, names).of(nearest)
        lacking = sum(condition.mark is False for condition in conditions)
        yield from conditions
    else:
        # All of it holds, and a rule says that it does not count.
        derivations = [edge.derivation for edge in edges if edge.derivation is not None]
        told = [sentence for derivation in derivations for sentence in teller.sentences(derivation)]
        yield from (replace(sentence, mark=True) for sentence in told)
    if miss.lifted is not None:
        yield Sentence(_clause(miss.lifted.statement), (miss.lifted.identifier,), mark=False)
    yield Sentence(_conclusion(lacking, otherwise, is_in_the_way=miss.lifted is not None))


def _excuse(candidate: Candidate, excuse: Derivation, names: Names) -> Iterator[Sentence]:
    """What would let two accesses race that nothing orders."""
    conditions = Conditions(candidate, names).of(excuse)
    yield Sentence("unordered as they are, they would have to be atomic", derivation=excuse)
    yield from conditions
    yield Sentence(_conclusion(sum(one.mark is False for one in conditions), NO_RACE, is_in_the_way=False))


def _clause(statement: str) -> str:
    """The statement of a rule as part of a sentence: without the full stop."""
    return statement[:1].lower() + statement[1:].rstrip(".")


def _conclusion(lacking: int, order: str, *, is_in_the_way: bool) -> str:
    if not lacking:
        return f"this rule alone is in the way: without it, {order}"
    count = "one condition fails" if lacking == 1 else f"{lacking} conditions fail"
    if is_in_the_way:
        return f"{count}, and a rule is in the way: otherwise {order}"
    return f"{count}: if {'it' if lacking == 1 else 'they'} held, {order}"
