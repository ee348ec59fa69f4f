"""Executions that a model excludes, told: what they read, what follows from that, and what it breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.answer.execution import Execution
from mcm.answer.explanation import Sentence, Story
from mcm.explain.naming import Names
from mcm.explain.readings import readings_of
from mcm.explain.telling import Teller, following

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from mcm.answer.explanation import Broken
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.explain.forbidden import Excluded
    from mcm.explain.linear_order import Contradiction, Forced
    from mcm.program.condition import Proposition


def excluded_story(
    candidate: Candidate,
    excluded: Excluded,
    model: Model,
    proposition: Proposition | None,
    rules: Collection[str] | None,
) -> Story:
    """How one execution would come about, and how the model excludes it; only `rules` are cited."""
    names = Names(candidate)
    teller = Teller(names, rules)
    phrases = {check.name: check.phrase for check in model.checks}
    if excluded.contradiction is None:
        sentences = _of_check(excluded.broken, teller, phrases)
    else:
        sentences = list(_of_order(excluded.contradiction, teller, names, phrases))
    about = {event for sentence in sentences for event in sentence.events}
    about |= {event for edge in excluded.broken.edges for event in (edge.first, edge.last)}
    readings = readings_of(candidate, proposition, names, about)
    return Story(readings, following(_distinct(sentences)), excluded.broken, Execution(candidate, model))


def _of_check(broken: Broken, teller: Teller, phrases: dict[str, str | None]) -> list[Sentence]:
    if broken.derivation is None:
        return [teller.breaking(phrases.get(broken.check), broken.check, (), broken.rules)]
    told, rules = teller.within(broken.derivation)
    last = teller.breaking(phrases.get(broken.check), broken.check, broken.edges, (*broken.rules, *rules))
    return [*told, replace(last, derivation=broken.derivation)]


def _of_order(
    contradiction: Contradiction, teller: Teller, names: Names, phrases: dict[str, str | None]
) -> Iterator[Sentence]:
    """Why no order does: what is forced, then the cycle that comes of it."""
    order = contradiction.broken.check if contradiction.cycle else _order_of(contradiction.forced)
    for edge in contradiction.cycle:
        if edge.derivation is not None:
            yield from teller.sentences(edge.derivation)
    for forced in contradiction.forced:
        yield from _of_forced(forced, teller, names, phrases)
    if contradiction.cycle:
        given = [edge.derivation.all_rules() for edge in contradiction.cycle if edge.derivation is not None]
        cited = {rule for one in contradiction.forced for rule in _cited_by(one)}
        rest = [rule for rule in contradiction.rules if rule not in cited or any(rule in rules for rules in given)]
        text = f"{order} would have to go round in a circle"
        yield Sentence(text, teller.cited((*rest, order)), teller.path(contradiction.cycle), breaks=True)
    elif contradiction.tried:
        counts = ", ".join(f"{check} in {number}" for check, number in contradiction.tried)
        total = sum(number for _, number in contradiction.tried)
        text = f"each of the {total} orders that are left for {order} breaks a rule: {counts}"
        yield Sentence(text, teller.cited(contradiction.rules), breaks=True)
    else:
        yield from _of_check(contradiction.broken, teller, phrases)


def _order_of(forced: tuple[Forced, ...]) -> str:
    return forced[0].order if forced else "the order"


def _cited_by(forced: Forced) -> tuple[str, ...]:
    inner = () if forced.otherwise.derivation is None else forced.otherwise.derivation.all_rules()
    return (*forced.otherwise.rules, *inner)


def _of_forced(forced: Forced, teller: Teller, names: Names, phrases: dict[str, str | None]) -> Iterator[Sentence]:
    broken = forced.otherwise
    told: tuple[Sentence, ...] = ()
    rules: tuple[str, ...] = ()
    if broken.derivation is not None:
        told, rules = teller.within(broken.derivation)
    yield from told
    wrong = teller.breaking(phrases.get(broken.check), broken.check, broken.edges, ())
    first, last = names.full(forced.first), names.full(forced.last)
    text = f"{first} comes before {last} in {forced.order}; otherwise {wrong.text}"
    cited = teller.cited((*broken.rules, *rules))
    yield Sentence(text, cited, wrong.path, (forced.first, forced.last), derivation=broken.derivation)


def _distinct(sentences: Iterable[Sentence]) -> list[Sentence]:
    """Each sentence once, where it comes first."""
    found: dict[tuple[str, str], Sentence] = {}
    for sentence in sentences:
        found.setdefault((sentence.text, sentence.path), sentence)
    return list(found.values())


def told_once(stories: Iterable[Story], most: int) -> tuple[Story, ...]:
    """The stories that differ in what they break; the others are counted with the first that is like them."""
    found: dict[tuple[object, ...], Story] = {}
    counts: dict[tuple[object, ...], int] = {}
    for story in stories:
        key = _likeness(story)
        if key not in found:
            found[key] = story
        counts[key] = counts.get(key, 0) + 1
    told = [replace(story, others=counts[key] - 1) for key, story in found.items()]
    return tuple(told[:most])


def _likeness(story: Story) -> tuple[object, ...]:
    broken = story.broken
    if broken is None:
        return ()
    rules = sorted({rule for sentence in story.sentences for rule in sentence.rules})
    return broken.check, tuple(edge.name for edge in broken.edges), tuple(rules)
