"""Why no total order that a model asks for (S) does: the pairs whose order is forced, and the contradiction.

Of two events that S orders, one stands before the other. Where either way round breaks a check, whatever the rest of S
is, the other is forced. What is forced is added until it makes a cycle. Where it never does, all orders are tried.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.answer.explanation import Broken, Edge
from mcm.base.bits import listed
from mcm.base.deadline import poll
from mcm.catalogue.evaluate import is_met
from mcm.explain.derivation import Deriver, Marks
from mcm.explain.derivation_check import holds
from mcm.explain.paths import shortest_cycle, shortest_path
from mcm.explain.violation import Violations, mentions, name_of, rules_of
from mcm.relation.evaluate import Evaluator, Structure, closure, is_irreflexive
from mcm.relation.term import (
    Base,
    BaseSet,
    Difference,
    RelationTerm,
    SetDifference,
    SetTerm,
    map_children,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.answer.explanation import Derivation
    from mcm.cat.model import Check, Linearisation, Model
    from mcm.relation.evaluate import Rows
    from mcm.relation.term import Term

# Of events that an order may arrange in any way, so many arrangements are tried one by one.
_MOST_ORDERS: Final = 5040

Pair = tuple[int, int]


class Forced(Struct, frozen=True):
    """That one event stands before another in an order: the other way round breaks a check."""

    order: str
    first: int
    last: int
    otherwise: Broken


class Contradiction(Struct, frozen=True):
    """Why there is no order: what is forced, step by step, and the cycle that comes of it.

    Where no cycle comes of it, `tried` counts the orders by the check that they break first, and `broken` is how one of
    them does.
    """

    forced: tuple[Forced, ...]
    cycle: tuple[Edge, ...]
    rules: tuple[str, ...]
    broken: Broken
    tried: tuple[tuple[str, int], ...] = ()


class Orders:
    """Looks for the orders of one linearisation in a structure of everything else."""

    def __init__(self, structure: Structure, model: Model, linearisation: Linearisation, marks: Marks) -> None:
        self._structure = structure
        self._order = linearisation
        self._marks = marks
        evaluator = Evaluator(structure)
        self._events: Final = listed(evaluator.set(linearisation.events))
        inside = sum(1 << event for event in self._events)
        self._given: Final = tuple(
            row & inside if inside >> event & 1 else 0
            for event, row in enumerate(evaluator.relation(linearisation.order))
        )
        name = linearisation.name
        self._checks: Final = [
            replace(check, term=_signed(check.term, name, grows=not check.negated))
            for check in model.checks
            if mentions(check.term, {name})
        ]
        self._quick: Final = _Reduced(evaluator, name)
        self._quick_checks: Final = [replace(check, term=self._quick.term(check.term)) for check in self._checks]

    def contradiction(self) -> Contradiction | None:
        """Why there is no order; None if there is one, or that is not found out."""
        forced: dict[Pair, Forced] = {}
        while True:
            lower = self._closed(forced)
            if not is_irreflexive(lower):
                return self._of_cycle(forced)
            broken = self._broken(lower)
            if broken is not None:
                turned = self._turned(broken)
                if turned is None:
                    return self._of_partial_order(forced, broken)
                forced[turned.first, turned.last] = turned
                continue
            new = next(self._newly_forced(lower), None)
            if new is None:
                return self._of_all_orders(lower, forced)
            forced[new.first, new.last] = new

    def _turned(self, broken: Broken) -> Forced | None:
        """That what is known of the order needs a pair the other way round, where only one pair of it is to blame."""
        leaves = broken.derivation.leaves() if broken.derivation else ()
        pairs = {(leaf.first, leaf.last) for leaf in leaves if self._is_of_order(leaf)}
        if len(pairs) != 1:
            return None
        ((first, last),) = pairs
        return Forced(self._order.name, last, first, broken)

    def _is_of_order(self, leaf: Derivation) -> bool:
        return isinstance(leaf.term, Base) and leaf.term.name == self._order.name

    def _of_partial_order(self, forced: dict[Pair, Forced], broken: Broken) -> Contradiction:
        """What is forced breaks a check by itself."""
        proof = _Proof(self._order, self._given, Deriver(self._structure, self._marks), tuple(forced.values()))
        proof.add_broken(broken, len(forced), ())
        return Contradiction(proof.used(), (), proof.rules(rules_of(broken)), broken)

    def _closed(self, forced: dict[Pair, Forced], *more: Pair) -> Rows:
        rows = list(self._given)
        for first, last in (*forced, *more):
            rows[first] |= 1 << last
        return closure(tuple(rows))

    def _newly_forced(self, lower: Rows) -> Iterator[Forced]:
        for one, other in combinations(self._events, 2):
            poll()
            if lower[one] >> other & 1 or lower[other] >> one & 1:
                continue
            for first, last in ((one, other), (other, one)):
                broken = self._broken(self._with(lower, (last, first)))
                if broken is not None:
                    yield Forced(self._order.name, first, last, broken)

    def _with(self, lower: Rows, pair: Pair) -> Rows:
        rows = list(lower)
        rows[pair[0]] |= 1 << pair[1]
        return closure(tuple(rows))

    def _broken(self, lower: Rows) -> Broken | None:
        """How a partial order breaks a check, whatever is added to it; None if it does not for all that is known."""
        quick = self._quick.structure(self._structure, self._relations(lower))
        evaluator = Evaluator(quick)
        suspected = [
            check
            for check, reduced in zip(self._checks, self._quick_checks, strict=True)
            if _is_broken(reduced, evaluator)
        ]
        if not suspected:
            return None
        structure = self.structure_of(lower)
        broken = Violations(structure, self._marks).first(suspected[:3])
        if broken is not None and broken.derivation is not None and not holds(broken.derivation, structure):
            raise AssertionError(f"the derivation of {broken.check} does not hold")
        return broken

    def structure_of(self, lower: Rows) -> Structure:
        """The structure with what is known of the order: surely, and perhaps."""
        return replace(self._structure, relations={**self._structure.relations, **self._relations(lower)})

    def _relations(self, lower: Rows) -> dict[str, Rows]:
        everywhere = sum(1 << event for event in self._events)
        earlier = [sum(1 << a for a in self._events if lower[a] >> b & 1) for b in range(len(lower))]
        perhaps = tuple(
            everywhere & ~earlier[event] & ~(1 << event) if everywhere >> event & 1 else 0
            for event in range(len(lower))
        )
        return {self._order.name: lower, may_be(self._order.name): perhaps}

    def _of_cycle(self, forced: dict[Pair, Forced]) -> Contradiction:
        rows = list(self._given)
        for first, last in forced:
            rows[first] |= 1 << last
        deriver = Deriver(self._structure, self._marks)
        proof = _Proof(self._order, self._given, deriver, tuple(forced.values()))
        edges = []
        for first, last in shortest_cycle(tuple(rows)):
            proof.add_step(first, last)
            given = deriver.why(self._order.order, first, last) if self._given[first] >> last & 1 else None
            if given is None:
                edges.append(Edge(self._order.name, first, last, None, forced[first, last].otherwise.check))
            else:
                edges.append(Edge(name_of(given), first, last, given))
        broken = Broken(self._order.name, (), tuple(edges), None)
        return Contradiction(proof.used(), tuple(edges), proof.rules(()), broken)

    def _of_all_orders(self, lower: Rows, forced: dict[Pair, Forced]) -> Contradiction | None:
        counts: dict[str, int] = {}
        rules: dict[str, None] = {}
        example: Broken | None = None
        for number, order in enumerate(_extensions(lower, self._events)):
            poll()
            if number == _MOST_ORDERS:
                return None
            rows = [0] * len(lower)
            for place, event in enumerate(order):
                rows[event] = sum(1 << later for later in order[place + 1 :])
            broken = self._broken(tuple(rows))
            if broken is None:
                return None
            counts[broken.check] = counts.get(broken.check, 0) + 1
            rules.update(dict.fromkeys(rules_of(broken)))
            example = example or broken
        if example is None:
            return None
        deriver = Deriver(self._structure, self._marks)
        proof = _Proof(self._order, self._given, deriver, tuple(forced.values()))
        for first, last in forced:
            proof.add_step(first, last)
        # Every order contains what the model asks for: all of it is used.
        for first, row in enumerate(self._given):
            for last in listed(row):
                proof.add_step(first, last)
        return Contradiction(proof.used(), (), proof.rules(rules), example, tuple(counts.items()))


class _Proof:
    """The part of what is forced that a contradiction rests on, and its rules."""

    def __init__(self, order: Linearisation, given: Rows, deriver: Deriver, forced: tuple[Forced, ...]) -> None:
        self._order = order
        self._given = given
        self._deriver = deriver
        self._forced = forced
        self._number = {(one.first, one.last): number for number, one in enumerate(forced)}
        self._used: set[int] = set()
        self._rules: dict[str, None] = {}

    def add_step(self, first: int, last: int) -> None:
        """That one event stands before another: as the model asks, or because it is forced."""
        if self._given[first] >> last & 1:
            given = self._deriver.why(self._order.order, first, last)
            self._rules.update(dict.fromkeys(given.all_rules() if given else ()))
            return
        number = self._number[first, last]
        if number not in self._used:
            self._used.add(number)
            self._rules.update(dict.fromkeys(rules_of(self._forced[number].otherwise)))
            self.add_broken(self._forced[number].otherwise, number, ((last, first),))

    def add_broken(self, broken: Broken, known: int, supposed: tuple[Pair, ...]) -> None:
        """A reason that uses steps of the order: those known by then, and what is supposed."""
        rows = list(self._given)
        for one in self._forced[:known]:
            rows[one.first] |= 1 << one.last
        for first, last in supposed:
            rows[first] |= 1 << last
        for leaf in broken.derivation.leaves() if broken.derivation else ():
            if isinstance(leaf.term, Base) and leaf.term.name == self._order.name:
                for step in shortest_path(tuple(rows), leaf.first, leaf.last):
                    if step not in supposed:
                        self.add_step(*step)

    def used(self) -> tuple[Forced, ...]:
        """What is forced and needed, in the order in which it was found."""
        return tuple(self._forced[number] for number in sorted(self._used))

    def rules(self, more: Iterable[str]) -> tuple[str, ...]:
        """All rules: those by which the order has its events, those of the steps, and some more."""
        found = dict.fromkeys(more)
        for event in listed(self._deriver.evaluator.set(self._order.events)):
            member = self._deriver.why(self._order.events, event, event)
            found.update(dict.fromkeys(member.all_rules() if member else ()))
        return tuple({**found, **self._rules})


def _extensions(lower: Rows, events: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The total orders that contain a partial one."""
    if not events:
        yield ()
    for event in events:
        rest = [other for other in events if other != event]
        if not any(lower[other] >> event & 1 for other in rest):
            yield from ((event, *after) for after in _extensions(lower, rest))


def _is_broken(check: Check, evaluator: Evaluator) -> bool:
    return not is_met(check, evaluator)


def may_be(name: str) -> str:
    """The name of what an order perhaps contains."""
    return f"perhaps {name}"


@lru_cache(maxsize=1 << 12)
def _signed(term: Term, name: str, *, grows: bool) -> Term:
    """The term with what an order perhaps contains where more of it would mean less."""
    if not mentions(term, {name}):
        return term

    def of(inner: Term) -> Term:
        return _signed(inner, name, grows=grows)

    match term:
        case Base(found) if found == name and not grows:
            return Base(may_be(name))
        case Difference(left, right):
            return Difference(_relation(of(left)), _relation(_signed(right, name, grows=not grows)))
        case SetDifference(one, other):
            return SetDifference(_set(of(one)), _set(_signed(other, name, grows=not grows)))
        case _:
            return map_children(term, lambda s: _set(of(s)), lambda r: _relation(of(r)))


def _relation(term: Term) -> RelationTerm:
    assert isinstance(term, RelationTerm)
    return term


def _set(term: Term) -> SetTerm:
    assert isinstance(term, SetTerm)
    return term


class _Reduced:
    """Terms in which everything that does not depend on the order is a base relation or base set: quick to evaluate."""

    def __init__(self, evaluator: Evaluator, name: str) -> None:
        self._evaluator = evaluator
        self._names = {name, may_be(name)}
        self._relations: dict[str, Rows] = {}
        self._sets: dict[str, int] = {}
        self._known: dict[Term, Term] = {}

    def term(self, term: Term) -> Term:
        """The reduced term."""
        found = self._known.get(term)
        if found is None:
            found = self._known[term] = self._reduced(term)
        return found

    def _reduced(self, term: Term) -> Term:
        if mentions(term, self._names):
            return map_children(term, lambda s: _set(self.term(s)), lambda r: _relation(self.term(r)))
        if isinstance(term, SetTerm):
            name = f"{len(self._sets)}"
            self._sets[name] = self._evaluator.set(term)
            return BaseSet(name)
        name = f"{len(self._relations)}"
        self._relations[name] = self._evaluator.relation(term)
        return Base(name)

    def structure(self, whole: Structure, order: dict[str, Rows]) -> Structure:
        """A structure in which reduced terms mean what they did."""
        return Structure(whole.size, whole.universe, self._sets, {**self._relations, **order})
