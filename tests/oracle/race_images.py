"""Races that are images of each other under exchanges of threads: what is found of one holds of all.

An exchange is proven before it is used: every event, set, relation, constraint and stop of the program is then its own
image, so that what models allow, and what they flag, is too.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcm.engine.smt.automorphism import Compared, automorphism, threads_of
from mcm.execution import images

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.explanation import How
    from mcm.cat.model import Model
    from mcm.execution.renaming import Renaming
    from mcm.execution.skeleton import Skeleton
    from mcm.relation.term import Term


class Fact(Struct, frozen=True):
    """What two events lack, or one where they are the same."""

    term: Term
    how: How
    first: int
    last: int


class RaceWithRepair(Struct, frozen=True):
    """Two accesses, and what they lack to be no race: facts, and a rule that is in the way."""

    accesses: frozenset[int]
    facts: frozenset[Fact]
    lifted: str | None

    def image(self, renaming: Renaming) -> RaceWithRepair:
        """What it is of other threads."""
        events = renaming.events
        facts = (Fact(fact.term, fact.how, events[fact.first], events[fact.last]) for fact in self.facts)
        return RaceWithRepair(frozenset(events[access] for access in self.accesses), frozenset(facts), self.lifted)


class Findings(Struct):
    """What was counted of a race with its repair, and what was wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


class Images:
    """What was found of races of a skeleton, and so of their images."""

    def __init__(self, skeleton: Skeleton, model: Model) -> None:
        self._exchanges = tuple(exchanges_of(skeleton, model))
        self._found: dict[RaceWithRepair, Findings] = {}

    def known(self, race: RaceWithRepair) -> Findings | None:
        """What was found of an image of a race; None if none was looked at."""
        return self._found.get(race)

    def add(self, race: RaceWithRepair, findings: Findings) -> None:
        """Keeps what was found of a race."""
        self._found[race] = findings
        new = [race]
        while new:
            one = new.pop()
            for exchange in self._exchanges:
                image = one.image(exchange)
                if image not in self._found:
                    self._found[image] = findings
                    new.append(image)


def exchanges_of(skeleton: Skeleton, model: Model) -> Iterator[Renaming]:
    """The exchanges of a thread with the next one, and of threads side by side with as many behind them.

    Those that keep all relations of the program: a model without a rule, or with another one, may look at more of them.
    """
    keeps = images.Images(skeleton).keep_relations
    compared, threads = Compared(skeleton, model), threads_of(skeleton)
    numbers = sorted(threads)
    for size in range(1, len(numbers) // 2 + 1):
        if len(numbers) % size:
            continue
        blocks = [numbers[first : first + size] for first in range(0, len(numbers), size)]
        for one, other in pairwise(blocks):
            renamed = dict(zip((*one, *other), (*other, *one), strict=True))
            found = automorphism(compared, threads, renamed)
            if found is not None and keeps(found.renaming):
                yield found.renaming
