"""The SMT engine's answer to a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.engine.smt.budget import Budget, UndecidedError
from mcm.engine.smt.decode import Decoder
from mcm.engine.smt.encode import Encoding
from mcm.engine.smt.findings import Findings
from mcm.engine.smt.states import StateSearch
from mcm.engine.smt.witnesses import find_all

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.answer.query import Query
    from mcm.base.source import Span
    from mcm.execution.skeleton import Skeleton


def decide(query: Query) -> Answer:
    """Everything that the query asks for, or what was found until time or memory was used up."""
    findings = Findings(query)
    undecided = None
    try:
        budget = Budget(query.limits)
        for skeleton in query.skeletons:
            _SkeletonSearch(query, skeleton, budget, findings).run()
    except UndecidedError as error:
        undecided = error.reason
    except MemoryError:
        undecided = "memory"
    except RecursionError:
        undecided = "values or terms are nested too deeply"
    return findings.answer(undecided)


class _SkeletonSearch:
    """Searches one skeleton and adds what it finds to the findings."""

    def __init__(self, query: Query, skeleton: Skeleton, budget: Budget, findings: Findings) -> None:
        self._query = query
        self._findings = findings
        self._encoding = Encoding(skeleton, query.model, budget, query.solver)
        self._decoder = Decoder(self._encoding)
        self._uncut = self._encoding.uncut()
        filter_ = query.filter
        # Final states are those of executions in which no loop is cut and that pass the filter.
        self._outcomes = [] if self._uncut is None else [self._uncut]
        if filter_ is not None:
            self._outcomes.append(self._encoding.assumption(self._encoding.final.proposition(filter_)))

    def run(self) -> None:
        """Find states, flags, faults and cut loops."""
        self._find_states()
        if self._query.wants_flags:
            self._find_flags()
            self._find_faults()
        if self._uncut is not None:
            self._find_cuts()

    def _find_states(self) -> None:
        query, encoding = self._query, self._encoding
        if not query.wants_states and self._findings.is_reached:
            return
        search = StateSearch(encoding, self._decoder, query.observed, wants_witnesses=query.wants_witnesses)
        for state in query.known:
            search.block(state.values)
        restrictions = [*self._outcomes, *encoding.symmetry_assumptions(query.observed)]
        if not query.wants_states and query.proposition is not None:
            restrictions.append(encoding.assumption(encoding.final.proposition(query.proposition)))
        for values, thin_air, witness in search.states(restrictions):
            self._findings.add_state(values, witness, thin_air=thin_air)
            if query.counts:
                self._findings.add_executions(values, search.count(values, self._outcomes))
            if not query.wants_states:
                return

    def _find_flags(self) -> None:
        events, flags = self._encoding.skeleton.events, self._query.model.flags
        literals = {
            (position, instance): literal
            for position, flag in enumerate(flags)
            for instance, literal in self._encoding.checks.instances(flag)
        }

        def spans(key: tuple[int, tuple[int, ...]]) -> tuple[int, frozenset[Span]]:
            position, instance = key
            return position, frozenset(events[event].span for event in instance)

        for (position, instance), witness in find_all(self._encoding, self._decoder, literals, self._outcomes, spans):
            self._findings.add_flag(flags[position], instance, witness)

    def _find_faults(self) -> None:
        faults = self._encoding.skeleton.faults
        conditions = {position: self._encoding.values.true(fault.condition) for position, fault in enumerate(faults)}
        for position, witness in find_all(self._encoding, self._decoder, conditions, self._outcomes):
            self._findings.add_fault(faults[position], witness)

    def _find_cuts(self) -> None:
        cuts = self._encoding.skeleton.stops
        conditions = {position: self._encoding.values.true(cut.condition) for position, cut in enumerate(cuts)}
        for position, _ in find_all(self._encoding, self._decoder, conditions, []):
            self._findings.add_cut(cuts[position])
