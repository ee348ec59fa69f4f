"""Why no execution ends as asked: the rules that it takes, and how each way to get there breaks one.

Rules are found by what they exclude: as long as the model with the rules found so far has an execution that ends as
asked, the rules by which the whole model excludes that one are added. Then each that can be spared is taken out again.
Whether fewer rules forbid is tried on the executions that were met on the way; where the model excludes all of them, an
engine is asked. Definitions lose their rules as `catalogue.weaken` says.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.answer.explanation import RuleSet
from mcm.base.deadline import LimitReachedError
from mcm.catalogue.empty_parts import empty_in, without_empty
from mcm.catalogue.evaluate import is_consistent, structure_of
from mcm.catalogue.rules import without
from mcm.catalogue.weaken import also_permits, removable_rules, weakened, with_only
from mcm.explain.all_executions import all_executions
from mcm.explain.derivation import marks_of
from mcm.explain.derivation_check import holds
from mcm.explain.linear_order import Orders
from mcm.explain.violation import Violations, rules_of, without_orders
from mcm.explain.witness_search import OpenError
from mcm.relation.evaluate import Evaluator

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcm.answer.explanation import Broken
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.explain.linear_order import Contradiction
    from mcm.explain.witness_search import WitnessSearch

# So many sets of rules are looked for, so many ways to the outcome, and so many executions of all ways together.
MOST_SETS: Final = 3
_MOST_WAYS: Final = 12
_MOST_EXECUTIONS: Final = 24

# Of a program with more events, no execution is evaluated.
_MOST_EVENTS: Final = 8_000


class Excluded(Struct, frozen=True):
    """How a model excludes one execution: a check that it breaks, or why there is no order as the model asks for."""

    broken: Broken
    rules: tuple[str, ...]
    contradiction: Contradiction | None = None


def exclusion(candidate: Candidate, model: Model, evaluator: Evaluator | None = None) -> Excluded | None:
    """How a model excludes an execution, whatever its linearisations; None if it does not.

    `evaluator` may know the values of some terms in it. Raises OpenError where there are too many orders to tell.
    """
    marks = marks_of(model)
    evaluator = evaluator or Evaluator(structure_of(candidate))
    structure = evaluator.structure
    broken = Violations(structure, marks, evaluator).first(without_orders(model))
    if broken is not None:
        if broken.derivation is not None and not holds(broken.derivation, structure, evaluator=evaluator):
            raise AssertionError(f"the derivation of {broken.check} does not hold")
        return Excluded(broken, rules_of(broken))
    for linearisation in model.linearisations:
        contradiction = Orders(structure, model, linearisation, marks).contradiction()
        if contradiction is not None:
            rules = tuple(dict.fromkeys((*contradiction.rules, linearisation.name)))
            return Excluded(contradiction.broken, rules, contradiction)
    return None


def excluded_few(
    candidates: Iterable[Candidate], model: Model
) -> tuple[tuple[str, ...], tuple[tuple[Candidate, Excluded], ...]] | None:
    """The executions that a model excludes, and how; before them, rules that do, none of which can be spared.

    None where none is excluded. Raises OpenError where there are too many orders of an execution to tell.
    """
    looked_at: list[tuple[Excluded, Evaluator, Candidate]] = []
    for candidate in candidates:
        evaluator = Evaluator(structure_of(candidate))
        excluded = exclusion(candidate, model, evaluator)
        if excluded is not None:
            looked_at.append((excluded, evaluator, candidate))
    asked = without_empty(replace(model, flags=()), empty_in([candidate.skeleton for _, _, candidate in looked_at]))
    place = {rule: number for number, rule in enumerate(removable_rules(model))}
    rules = _that_exclude(looked_at, asked, place)
    return (rules, tuple((candidate, excluded) for excluded, _, candidate in looked_at)) if rules else None


def _that_exclude(
    executions: Sequence[tuple[Excluded, Evaluator, Candidate]], model: Model, place: Mapping[str, int]
) -> tuple[str, ...]:
    """Rules that exclude some executions, none of which can be spared, by their places in the model."""
    kept = {rule for excluded, _, _ in executions for rule in excluded.rules if rule in place}
    for rule in sorted(kept, key=place.__getitem__, reverse=True):
        fewer = with_only(model, tuple(kept - {rule}), definitions=False)
        if not any(_is_allowed(candidate, fewer, evaluator) for _, evaluator, candidate in executions):
            kept.remove(rule)
    return tuple(sorted(kept, key=place.__getitem__))


def _is_allowed(candidate: Candidate, model: Model, evaluator: Evaluator) -> bool:
    """Whether a model allows an execution, with some order or other where it asks for one. Raises OpenError."""
    if is_consistent(candidate, model, evaluator):
        return True
    # The execution has the orders of another model, of the events that this one orders.
    given = candidate.linearisations
    has_order = any(given.get(order.name) or evaluator.set(order.events) for order in model.linearisations)
    return has_order and exclusion(candidate, model, evaluator) is None


class Ways(Struct, frozen=True):
    """Executions that a model excludes, and whether there are no others that end so."""

    executions: tuple[tuple[Candidate, Excluded], ...]
    is_all: bool


class Exclusions:
    """What a model excludes, for one outcome."""

    def __init__(self, search: WitnessSearch, model: Model) -> None:
        self._search = search
        self._model = model
        # What engines are asked about, and executions are evaluated by.
        self._asked = without_empty(replace(model, flags=()), empty_in(search.query.skeletons))
        self._removable = removable_rules(model)
        # The ways to the outcome under the model without rules: how many were asked for, and whether they are all.
        self._bare_ways: tuple[int, list[Candidate], bool] | None = None
        self._place = {rule: number for number, rule in enumerate(self._removable)}

    def is_forbidden_by(self, rules: Iterable[str]) -> bool:
        """Whether these rules alone forbid the outcome. Raises OpenError."""
        return not self._search.is_possible(with_only(self._asked, tuple(rules), definitions=False))

    def is_forbidden_without(self, rule: str) -> bool:
        """Whether the outcome is forbidden by all other rules. Raises OpenError."""
        return not self._search.is_possible(weakened(self._asked, (rule,), definitions=False))

    def rule_sets(self, most: int = MOST_SETS) -> tuple[RuleSet, ...]:
        """Sets of rules that forbid the outcome, none of which can spare a rule, the smallest first.

        Raises OpenError.
        """
        self._suppose_all()
        first = self._minimal(())
        assert first is not None, "the whole model forbids the outcome"
        alone = frozenset(rule for rule in first if not self.is_forbidden_without(rule))
        found = [first]
        waiting: list[tuple[str, ...]] = [(rule,) for rule in first if rule not in alone]
        while waiting and len(found) < most:
            banned = waiting.pop(0)
            other = self._minimal(banned)
            if other is not None and set(other) not in map(set, found):
                found.append(other)
                waiting += [(*banned, rule) for rule in other if rule not in alone and len(banned) < 2]
        permitting = frozenset(rule for rule in alone if self._permits(rule))
        sets = [
            RuleSet(
                rules,
                tuple(rule for rule in rules if rule in alone - permitting),
                tuple(rule for rule in rules if rule in permitting),
            )
            for rules in found
        ]
        return tuple(sorted(sets, key=lambda one: (len(one.rules), [self._place[rule] for rule in one.rules])))

    def _permits(self, rule: str) -> bool:
        """Whether the outcome is forbidden too where a rule is taken out altogether, and not only what it forbids."""
        if not also_permits(self._model, rule):
            return False
        return not self._search.is_possible(without(self._asked, (rule,), definitions=False))

    def _minimal(self, banned: tuple[str, ...]) -> tuple[str, ...] | None:
        """Rules other than those banned that forbid the outcome, none of which can be spared; None without any."""
        kept: dict[str, None] = {}
        model = weakened(self._model, banned) if banned else self._model
        while True:
            candidate = self._search.find_any(with_only(self._asked, kept, definitions=False))
            if candidate is None:
                break
            excluded = exclusion(candidate, model, self._search.evaluator_of(candidate))
            if excluded is None:
                return None
            new = [rule for rule in excluded.rules if rule in self._place and rule not in kept and rule not in banned]
            if not new:
                # A rule may also exclude by what it takes away from something that permits.
                new = [rule for rule in self._removable if rule not in kept and rule not in banned]
            if not new:
                raise OpenError("the rules that exclude an execution could not be told apart")
            kept.update(dict.fromkeys(new))
        for rule in sorted(kept, key=self._place.__getitem__, reverse=True):
            rest = [other for other in kept if other != rule]
            # That all other rules together allow it says nothing of some: rules that are left out may permit (HB-SEP).
            if self.is_forbidden_by(rest):
                del kept[rule]
        return tuple(sorted(kept, key=self._place.__getitem__))

    def ways(self, rules: Iterable[str], most: int = _MOST_WAYS) -> Ways:
        """Executions that would end as asked, by what they read, and how the rules exclude each. Raises OpenError."""
        model = with_only(self._model, tuple(rules))
        ways, is_all = self._ways_of_a_model_without_rules(most)
        executions: list[tuple[Candidate, Excluded]] = []
        for way in ways:
            arrangements = self._search.arrangements(way)
            for candidate in islice(arrangements, max(1, _MOST_EXECUTIONS // len(ways))):
                excluded = exclusion(candidate, model, self._search.evaluator_of(candidate))
                if excluded is None:
                    raise OpenError("the orders of an execution are too many to tell")
                executions.append((candidate, excluded))
            is_all = is_all and next(arrangements, None) is None
        return Ways(tuple(executions), is_all)

    def of_deviations(self) -> tuple[tuple[str, ...], Ways] | None:
        """A few executions that would end as asked, where engines take too long: each differs in one place from a run.

        Before them, the rules that exclude them, none of which can be spared. None where no such execution is excluded.
        Raises OpenError where executions are too large to be evaluated.
        """
        events = self._search.events
        if events > _MOST_EVENTS:
            raise OpenError(
                f"executions of more than {_MOST_EVENTS} events are not evaluated: these would have {events}"
            )
        executions: list[tuple[Candidate, Excluded]] = []
        # Relations grow with the square of the events.
        most = min(_MOST_WAYS, max(2, _MOST_EVENTS // events))
        for candidate in self._search.deviating(self._asked, most):
            excluded = exclusion(candidate, self._model, self._search.evaluator_of(candidate))
            if excluded is not None:
                executions.append((candidate, excluded))
        return self._of_few(executions)

    def of_found_ways(self) -> tuple[tuple[str, ...], Ways] | None:
        """The same of executions that were found before engines took too long; None where none was.

        Raises OpenError.
        """
        executions: list[tuple[Candidate, Excluded]] = []
        for way in () if self._bare_ways is None else self._bare_ways[1]:
            for candidate in islice(self._search.arrangements(way), 1):
                excluded = exclusion(candidate, self._model, self._search.evaluator_of(candidate))
                if excluded is not None:
                    executions.append((candidate, excluded))
        return self._of_few(executions)

    def are_of_all_executions(self, rules: Iterable[str]) -> bool:
        """Whether rules forbid the outcome where no execution ends so of those that were looked at.

        Stores that were left out, as each further iteration writes anew, may be read where other rules are missing.
        """
        # Imported here: few loops store while they wait.
        from mcm.catalogue.waiting import drops_stores  # noqa: PLC0415

        skeletons = [each for each in self._search.query.skeletons if any(stop.stores for stop in each.stops)]
        model = with_only(self._model, tuple(rules)) if skeletons else self._model
        return all(drops_stores(model, skeleton) for skeleton in skeletons)

    def of_some_ways(self) -> tuple[tuple[str, ...], Ways] | None:
        """As `of_found_ways`, of ways that are looked for."""
        with suppress(OpenError, LimitReachedError):
            self._ways_of_a_model_without_rules(_MOST_WAYS)
        return self.of_found_ways()

    def _of_few(self, executions: list[tuple[Candidate, Excluded]]) -> tuple[tuple[str, ...], Ways] | None:
        evaluated = [(excluded, self._search.evaluator_of(candidate), candidate) for candidate, excluded in executions]
        rules = _that_exclude(evaluated, self._asked, self._place)
        return (rules, Ways(tuple(executions), is_all=False)) if rules else None

    def _suppose_all(self) -> None:
        """Have what excludes all executions that end as asked taken for a proof, where they are known to be all."""
        ways, is_all = self._ways_of_a_model_without_rules(_MOST_WAYS)
        if is_all:
            self._search.suppose_all(all_executions(self._search, with_only(self._asked, (), definitions=False), ways))

    def _ways_of_a_model_without_rules(self, most: int) -> tuple[list[Candidate], bool]:
        """Executions that would end as asked, and whether they are all. Raises OpenError where none is found."""
        if self._bare_ways is None or self._bare_ways[0] < most:
            self._bare_ways = (most, *self._find_ways(most))
        asked, ways, is_all = self._bare_ways
        return ways[:most], is_all if asked == most else is_all and len(ways) < most

    def _find_ways(self, most: int) -> tuple[list[Candidate], bool]:
        if self._search.is_large:
            deviating = self._search.deviating(self._asked, most)
            if deviating:
                return deviating, False
        ways: list[Candidate] = []
        try:
            for way in self._search.ways(with_only(self._asked, (), definitions=False), most):
                ways.append(way)  # noqa: PERF402 - those found before the search gave up are kept
        except OpenError:
            if not ways:
                raise
            return ways, False
        except LimitReachedError:
            # They may be told all the same (`of_found_ways`).
            self._bare_ways = (most, ways, False)
            raise
        return ways, len(ways) < most
