"""Asks the engines for single executions: of a weaker model, with reads that take their values elsewhere."""

from __future__ import annotations

from itertools import islice, permutations, product
from math import factorial, prod
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.answer.conflict import KnownConflicts
from mcm.base.deadline import poll
from mcm.cat.model import Check, Shape
from mcm.catalogue.evaluate import is_consistent, structure_of
from mcm.engine.choose import NODE_BUDGET, EngineName, decide, ways
from mcm.execution.evaluate import evaluate
from mcm.execution.outcome import holds as satisfies
from mcm.execution.skeleton import SetMembers
from mcm.explain.deviations import deviations
from mcm.explain.sizes import LARGE, VERY_LARGE
from mcm.explain.straight_run import straight_run
from mcm.program.condition import Not, Quantifier, Truth
from mcm.relation.evaluate import Evaluator
from mcm.relation.term import Base, BaseSet, Compose, Identity, Range, SetDifference, SetUnion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.query import Query
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Skeleton
    from mcm.explain.all_executions import AllExecutions
    from mcm.program.condition import Condition, Observable, Proposition
    from mcm.program.types import Value
    from mcm.relation.term import SetTerm

# Of the modification orders that fit one choice of reads-from, so many are looked at.
_MOST_ARRANGEMENTS: Final = 120

# Once the solver had to answer so many questions in a row, the others are not searched for first.
_OFTEN: Final = 3


class OpenError(Exception):
    """An engine ended without an answer, for a reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def goal_of(condition: Condition | None) -> Proposition:
    """The outcome that a verdict is about: what the condition asks for, or for `forall` what would violate it."""
    if condition is None:
        return Truth(value=True)
    return Not(condition.proposition) if condition.quantifier is Quantifier.FORALL else condition.proposition


class KnownExecutions:
    """Executions that were found, and satisfy one proposition: what another model allows is tried on them first."""

    def __init__(self) -> None:
        self._known: list[tuple[Candidate, Evaluator]] = []
        # What engines learned of the program's values while they looked for executions.
        self.conflicts: Final = KnownConflicts()

    def add(self, candidate: Candidate) -> None:
        """Keeps an execution; the last to be of use is tried first."""
        self._known.insert(0, (candidate, Evaluator(structure_of(candidate))))

    def one_of(self, model: Model) -> Candidate | None:
        """One that a model is seen to allow; None where it is not seen of any."""
        for place, (candidate, evaluator) in enumerate(self._known):
            if is_consistent(candidate, model, evaluator):
                self._known.insert(0, self._known.pop(place))
                return candidate
        return None

    def evaluator_of(self, candidate: Candidate) -> Evaluator:
        """What evaluates terms in an execution, which may be one of them."""
        known = (evaluator for one, evaluator in self._known if one is candidate)
        return next(known, None) or Evaluator(structure_of(candidate))


class WitnessSearch:
    """Finds executions that satisfy the proposition of a query under one model or another."""

    def __init__(self, query: Query, engine: EngineName, known: KnownExecutions | None = None) -> None:
        self._known = KnownExecutions() if known is None else known
        self.query: Final = replace(
            query,
            wants_states=False,
            wants_flags=False,
            wants_witnesses=True,
            first_problem=None,
            counts=False,
            known=(),
            conflicts=self._known.conflicts,
        )
        self._engine = engine
        self.events: Final = sum(len(skeleton.events) for skeleton in query.skeletons)
        self._all: AllExecutions | None = None
        # Whether what a run of a large program shows is known.
        self._has_run = False
        # How many questions in a row the search has left to the solver.
        self._left_to_solver = 0

    def evaluator_of(self, candidate: Candidate) -> Evaluator:
        """What evaluates terms in an execution; that of an execution which was found here knows some already."""
        return self._known.evaluator_of(candidate)

    def suppose_all(self, executions: AllExecutions | None) -> None:
        """Ask no engine where these are excluded: they are all that end as asked.

        An engine that was chosen is asked nonetheless: its answers are then compared with those of the other.
        """
        if self._engine is EngineName.AUTO:
            self._all = executions

    def is_possible(self, model: Model) -> bool:
        """Whether some execution ends as asked: one of those found so far, or another. Raises OpenError."""
        return self.find_any(model) is not None

    def find_any(self, model: Model) -> Candidate | None:
        """As `find`: one of those found so far, if one will do."""
        poll()
        found = self._known.one_of(model)
        if found is not None or (self._all is not None and self._all.are_excluded_by(model)):
            return found
        return self.find(model)

    def find(self, model: Model) -> Candidate | None:
        """An execution that ends as asked; None if there is none. Raises OpenError."""
        if self.is_large:
            if not self._has_run:
                self._has_run = True
                for run in filter(self._ends_as_asked, self._runs(model)):
                    self._kept(run)
            found = self._known.one_of(model)
            if found is not None:
                return found
        return self._find(replace(self.query, model=replace(model, flags=())), self._engine)

    def _find(self, query: Query, engine: EngineName) -> Candidate | None:
        poll()
        if self.is_large and self._is_impossible(query, engine):
            return None
        if engine is EngineName.AUTO and self._left_to_solver >= _OFTEN:
            engine = EngineName.SMT
        answer = decide(query, engine)
        self._left_to_solver = self._left_to_solver + 1 if answer.engine == EngineName.SMT.value else 0
        found = next((state.witness for state in answer.states if state.satisfies), None)
        if found is None and answer.undecided is not None:
            raise OpenError(answer.undecided)
        if found is None and answer.bounded:
            raise OpenError("bound")
        return None if found is None else self._kept(found)

    @staticmethod
    def _is_impossible(query: Query, engine: EngineName) -> bool:
        """Whether no execution ends as asked, without a look at whole executions: settled accesses are left out."""
        answer = decide(replace(query, wants_witnesses=False), engine)
        return answer.undecided is None and not answer.bounded and not any(state.satisfies for state in answer.states)

    def _kept(self, found: Candidate) -> Candidate:
        candidate = _without_marks(found, self.query.skeletons)
        self._known.add(candidate)
        return candidate

    def ways(self, model: Model, most: int) -> Iterator[Candidate]:
        """At most so many executions that end as asked, each of which reads otherwise than the others.

        Raises OpenError where it is not found out whether there are more. Where mcm chooses the engine, that is left to
        a short search, and the solver finds one at most: for each it would solve the equations of all values anew.
        """
        query = replace(self.query, model=replace(model, flags=()))
        if self._engine is EngineName.SMT:
            yield from self._one_after_the_other(query, most)
            return
        poll()
        found = ways(query if self._engine is EngineName.EXPLICIT else _short(query, most), most)
        yield from map(self._kept, found.executions)
        if found.open_ is None or len(found.executions) == most:
            return
        if not found.executions and self._engine is EngineName.AUTO:
            way = self._find(query, EngineName.SMT)
            if way is None:
                return
            yield way
        raise OpenError(found.open_)

    @property
    def is_large(self) -> bool:
        """Whether the program has so many events that all executions that end as asked can hardly be listed."""
        return self.events > LARGE

    @property
    def is_very_large(self) -> bool:
        """Whether engines would take minutes to tell what other rules allow."""
        return self.events > VERY_LARGE

    def deviating(self, model: Model, most: int) -> list[Candidate]:
        """At most so many executions of a large program that end as asked, and differ in one place from a run."""
        found = (candidate for run in self._runs(model) for candidate in deviations(run))
        return [self._kept(candidate) for candidate in islice(filter(self._ends_as_asked, found), most)]

    def _runs(self, model: Model) -> Iterator[Candidate]:
        runs = (straight_run(skeleton, model) for skeleton in self.query.skeletons)
        return (run for run in runs if run is not None)

    def _one_after_the_other(self, query: Query, most: int) -> Iterator[Candidate]:
        for number in range(most):
            candidate = self._find(query, self._engine)
            if candidate is None:
                return
            yield candidate
            query = _reading_otherwise(query, candidate, number)

    def arrangements(self, candidate: Candidate) -> Iterator[Candidate]:
        """The execution with its writes in every order that leaves the outcome what it is."""
        orders = candidate.modification_orders
        places = [place for place, writes in orders.items() if len(writes) > 2]
        # A product keeps all that it is given: of each place it gets no more than are looked at.
        choices = product(*(islice(permutations(orders[place][1:]), _MOST_ARRANGEMENTS) for place in places))
        for number, chosen in enumerate(choices):
            if number == _MOST_ARRANGEMENTS:
                return
            arranged = {place: (orders[place][0], *rest) for place, rest in zip(places, chosen, strict=True)}
            changed = replace(candidate, modification_orders={**orders, **arranged})
            if self._ends_as_asked(changed):
                yield changed

    @staticmethod
    def has_more_arrangements(candidate: Candidate) -> bool:
        """Whether its writes have more orders than `arrangements` tries."""
        sizes = (len(writes) - 1 for writes in candidate.modification_orders.values())
        return prod(factorial(size) for size in sizes) > _MOST_ARRANGEMENTS

    def _ends_as_asked(self, candidate: Candidate) -> bool:
        query = self.query
        wanted = [proposition for proposition in (query.proposition, query.filter) if proposition is not None]
        state = dict(final_values(candidate))
        return all(satisfies(proposition, state) for proposition in wanted)


def final_values(candidate: Candidate) -> Iterator[tuple[Observable, Value]]:
    """What has which value in the end of an execution."""
    for place, writes in candidate.modification_orders.items():
        yield place, candidate.written_values[writes[-1]]
    for register, expression in candidate.skeleton.registers.items():
        value = evaluate(expression, candidate.read_values, candidate.choices)
        if value is not None:
            yield register, value


def _short(query: Query, most: int) -> Query:
    """The query with a short search for each of so many executions."""
    nodes = most * NODE_BUDGET
    return replace(query, limits=replace(query.limits, nodes=min(query.limits.nodes or nodes, nodes)))


def _reading_otherwise(query: Query, candidate: Candidate, number: int) -> Query:
    """The query for executions in which some read takes its value from another write than in the candidate.

    Those of other skeletons all do: they have events of their own.
    """
    other = f"other skeleton {number}"
    differs: SetTerm = BaseSet(other)
    marks = {other: SetMembers(0)}
    for read, write in sorted(candidate.reads_from.items()):
        names = f"read {number} {read}", f"write {number} {read}"
        for name, event in zip(names, (read, write), strict=True):
            marks[name] = SetMembers(1 << event)
        source = Range(Compose(Identity(BaseSet(names[1])), Base("rf")))
        elsewhere = SetDifference(BaseSet(names[0]), source)
        differs = SetUnion(differs, elsewhere)
    span = candidate.skeleton.events[0].span
    check = Check(f"read otherwise {number}", Shape.EMPTY, negated=True, term=differs, rule=None, span=span)
    model = replace(query.model, checks=(*query.model.checks, check))
    nothing = dict.fromkeys(marks, SetMembers(0))
    skeletons = tuple(
        _with_sets(
            skeleton,
            marks if _is_same(skeleton, candidate.skeleton) else {**nothing, other: skeleton.sets["W"]},
        )
        for skeleton in query.skeletons
    )
    return replace(query, model=model, skeletons=skeletons)


def _with_sets(skeleton: Skeleton, sets: dict[str, SetMembers]) -> Skeleton:
    return replace(skeleton, sets={**skeleton.sets, **sets})


def _is_same(one: Skeleton, other: Skeleton) -> bool:
    return one.events is other.events


def _without_marks(candidate: Candidate, skeletons: tuple[Skeleton, ...]) -> Candidate:
    """The candidate with the skeleton that was asked about."""
    whole = next(skeleton for skeleton in skeletons if _is_same(skeleton, candidate.skeleton))
    return replace(candidate, skeleton=whole)
