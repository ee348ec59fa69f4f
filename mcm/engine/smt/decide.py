"""The SMT engine's answer to a query."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from mcm.engine.equations.errors import UndecidedEquationsError
from mcm.engine.smt.budget import Budget, UndecidedError
from mcm.engine.smt.decode import Decoder
from mcm.engine.smt.encode import Encoding
from mcm.engine.smt.findings import Findings
from mcm.engine.smt.ordering import Ordering
from mcm.engine.smt.raisings import Raisings, group_of, rank_of
from mcm.engine.smt.states import StateSearch
from mcm.engine.smt.unfinished import find_stops
from mcm.engine.smt.witnesses import find_all, in_any_order
from mcm.execution.outcome import observables
from mcm.program.condition import Not

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.answer.answer import Answer
    from mcm.answer.query import Query, SolverName, Sought
    from mcm.engine.smt.circular import CircularSearch
    from mcm.execution.skeleton import Fault, Skeleton
    from mcm.program.condition import Observable

# Before it is looked for more states than these, all else is: there may be too many of them.
_MANY_STATES: Final = 16


def decide(query: Query) -> Answer:
    """Everything that the query asks for, or what was found until time or memory was used up."""
    findings = Findings(query)
    try:
        return _search(query, findings)
    except (UndecidedError, UndecidedEquationsError) as error:
        undecided = error.reason
    except MemoryError:
        undecided = "memory"
    except RecursionError:
        undecided = "values or terms are nested too deeply"
    return findings.answer(undecided)


def _search(query: Query, findings: Findings) -> Answer:
    budget = Budget(query.limits)
    for stop in (stop for skeleton in query.skeletons for stop in skeleton.waiting):
        findings.add_wait(stop)
    searches: Iterable[_SkeletonSearch] = (
        _SkeletonSearch(query, skeleton, budget, findings) for skeleton in query.skeletons
    )
    if query.first_problem is not None:
        searches = list(searches)
        for search in searches:
            with _noted(search, findings):
                if search.find_problem(query.first_problem):
                    findings.note_solver(search.solver)
                    return findings.answer(has_problem=True)
    for search in searches:
        with _noted(search, findings):
            search.run()
    findings.count_circular()
    return findings.answer()


@contextmanager
def _noted(search: _SkeletonSearch, findings: Findings) -> Iterator[None]:
    """Afterwards it is noted which solver the search has used, also where a limit ended it."""
    try:
        yield
    finally:
        findings.note_solver(search.solver)


class _SkeletonSearch:
    """Searches one skeleton and adds what it finds to the findings."""

    def __init__(self, query: Query, skeleton: Skeleton, budget: Budget, findings: Findings) -> None:
        self._query = query
        self._findings = findings
        self._budget = budget
        self._encoding = Encoding(skeleton, query.model, budget, query.solver)
        self._decoder = Decoder(self._encoding)
        self._raisings = Raisings(self._encoding)
        self._complete = self._encoding.complete()
        self._knows_stops = self._knows_all_else = False
        # That the filter lets an execution pass, as far as that can be told where units have not finished.
        self._passing: list[int] = []
        self._filtered: tuple[Observable, ...] = ()
        if query.filter is not None:
            self._filtered = tuple(observables(query.filter))
            final = self._encoding.final
            self._passing.append(self._encoding.assumption(final.may_hold(query.filter)))

    def find_problem(self, sought: Sought) -> bool:
        """Whether some execution has one of the problems that are sought; the first is noted, and no other."""
        flags = [number for number, flag in enumerate(self._query.model.flags) if flag.name in sought.flags]
        faults = [fault for fault in self._encoding.skeleton.faults if sought.decides(fault)]
        return any(True for _ in self._find_problems(flags, faults)) or (
            bool(self._encoding.thin_air) and self._circular().find_problem(sought)
        )

    @property
    def solver(self) -> SolverName | None:
        """What the formula was given to; None before it is."""
        return self._encoding.used

    def _circular(self) -> CircularSearch:
        # Imported here: hardly any test has values that depend on themselves under a model that lets them.
        from mcm.engine.smt.circular import CircularSearch  # noqa: PLC0415

        encoding = self._encoding
        return CircularSearch(self._query, encoding.skeleton, self._budget, self._findings, encoding.thin_air)

    def run(self) -> None:
        """Find flags and faults, which decide the verdict before any state does, then states, then where units stop.

        What was sought first was not found.
        """
        query = self._query
        if query.wants_flags:
            sought = query.first_problem
            flags = [
                number
                for number, flag in enumerate(query.model.flags)
                if sought is None or flag.name not in sought.flags
            ]
            faults = self._encoding.skeleton.faults
            faults = tuple(fault for fault in faults if sought is None or not sought.decides(fault))
            for _ in self._find_problems(flags, faults):
                pass
        if query.wants_outcomes:
            self._find_states()
            if self._findings.is_all_that_is_wanted:
                return
            self._find_stops()
        if self._encoding.thin_air:
            self._circular().run()

    def _find_stops(self) -> None:
        """Find where units stop, once."""
        if self._complete and not self._knows_stops:
            self._knows_stops = True
            ordering = Ordering(self._encoding, self._filtered)
            find_stops(self._encoding, self._decoder, self._findings, self._passing, ordering)

    def _find_states(self) -> None:
        query, encoding = self._query, self._encoding
        if not query.wants_states and self._findings.is_reached:
            return
        # A proposition need not hold for images.
        fixed, turned = (self._filtered, query.observed) if query.wants_states else (query.observed, ())
        # States that are known may be those of another skeleton, whose images are others.
        ordering = Ordering(encoding, (*self._filtered, *fixed), turned, moves=len(query.skeletons) == 1)
        observed, images = query.observed, ordering.images(query.observed)
        orbit = partial(ordering.orbit, observed)
        search = StateSearch(encoding, self._decoder, observed, images, orbit, wants_witnesses=query.wants_witnesses)
        outcomes = [*self._complete, *self._passing]
        for values, thin_air, witness in search.images([state.values for state in query.known], outcomes):
            self._findings.add_state(values, witness, thin_air=thin_air)
        restrictions = [*outcomes]
        if not query.wants_states and query.proposition is not None:
            restrictions.append(encoding.assumption(encoding.final.proposition(query.proposition)))
        self._look_at_all_else(search, outcomes)
        found = search.states(restrictions, ordering.assumptions, is_one_enough=not query.wants_states)
        for values, thin_air, witness in found:
            self._findings.add_state(values, witness, thin_air=thin_air)
            if query.counts:
                self._findings.add_executions(values, search.count(values, outcomes))
            if not query.wants_states:
                return
            self._look_at_all_else(search, outcomes)
        # Without a filter, and if all states are wanted, that no state was found says enough.
        is_open = not self._findings.complete_exists and (self._passing or not query.wants_states)
        if is_open and encoding.solve(self._complete):
            self._findings.complete_exists = True

    def _look_at_all_else(self, search: StateSearch, outcomes: list[int]) -> None:
        """Where there are many states: find where units stop, and whether some satisfy the proposition and some do not.

        Problems were found before; what depends on itself is not looked at here.
        """
        query, findings, encoding = self._query, self._findings, self._encoding
        if self._knows_all_else or query.counts or not query.wants_states or findings.states < _MANY_STATES:
            return
        self._knows_all_else = True
        self._find_stops()
        for wanted in () if query.proposition is None else (query.proposition, Not(query.proposition)):
            if not findings.has_state(satisfies=wanted is query.proposition):
                asked = encoding.assumption(encoding.final.proposition(wanted))
                for values, thin_air, witness in search.states([*outcomes, asked], [], is_one_enough=True):
                    findings.add_state(values, witness, thin_air=thin_air)
                    break
        if query.wants_flags and not encoding.thin_air:
            findings.looked_at += 1

    def _find_problems(self, flags: Sequence[int], faults: Sequence[Fault]) -> Iterator[None]:
        """Note what some execution raises, of complete and of unfinished ones: one problem in each step.

        `flags` are numbers of flags of the model.
        """
        encoding, decoder, findings = self._encoding, self._decoder, self._findings
        ordering = Ordering(encoding, self._filtered)
        # What other skeletons have raised is left out here, and so perhaps an image of what is not.
        is_whole = not findings.problems
        raised = self._raisings.literals(self._query.model.flags, flags, findings)
        of_flags = ordering.of_flags(raised) if is_whole else in_any_order
        for raising, witness in find_all(encoding, decoder, raised, self._passing, group_of, rank_of, ordered=of_flags):
            findings.add_flag(raising, witness)
            yield
        conditions = {position: fault.condition for position, fault in enumerate(faults)}
        literals = {position: encoding.values.true(condition) for position, condition in conditions.items()}
        of_faults = ordering.of_conditions(conditions)
        for number, witness in find_all(encoding, decoder, literals, self._passing, ordered=of_faults):
            findings.add_fault(faults[number], witness)
            yield
