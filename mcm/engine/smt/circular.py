"""Executions in which values depend on themselves: the model decides over everything else, the equations over values.

The formula of such an execution leaves open what these values are: each condition on them is a variable. Solutions are
taken one by one, and the equations tell which of them have values.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, assert_never

from msgspec.structs import replace

from mcm.answer.conflict import ChoiceTaken, Executed, KnownConflicts, Place, ReadFrom, Supposition
from mcm.engine.equations.conflicts import ConflictFinder
from mcm.engine.equations.decided import DecidedExecution
from mcm.engine.equations.evident import evident_conflicts
from mcm.engine.equations.family import family_of
from mcm.engine.equations.known import solvable
from mcm.engine.smt.circuit import FALSE, TRUE
from mcm.engine.smt.decode import Decoder
from mcm.engine.smt.encode import Encoding
from mcm.engine.smt.evaluation import Evaluation
from mcm.engine.smt.final import known_final
from mcm.engine.smt.raisings import Raisings, group_of, rank_of
from mcm.engine.smt.states import count
from mcm.engine.smt.witnesses import find_all
from mcm.execution.outcome import observables
from mcm.execution.skeleton import StopKind
from mcm.program.condition import RegisterName
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.answer.conflict import Conflict, Decision
    from mcm.answer.query import Query, Sought
    from mcm.engine.equations.system import Equations
    from mcm.engine.smt.budget import Budget
    from mcm.engine.smt.findings import Findings
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Fault, Skeleton
    from mcm.program.condition import Observable
    from mcm.program.types import Location, Value


class CircularSearch:
    """Searches the executions of one skeleton in which values of `reads` depend on themselves.

    What is asked raises `UndecidedError` and `UndecidedEquationsError`.
    """

    def __init__(
        self, query: Query, skeleton: Skeleton, budget: Budget, findings: Findings, reads: frozenset[int]
    ) -> None:
        self._query = query
        self._skeleton = skeleton
        self._budget = budget
        self._findings = findings
        self._flags: Sequence[int] = range(len(query.model.flags))
        self._faults: Sequence[Fault] = skeleton.faults
        self._encoding = encoding = Encoding(skeleton, query.model, budget, query.solver, circular=reads)
        self._decoder = Decoder(encoding)
        self._raisings = Raisings(encoding)
        named = (what for p in (query.proposition, query.filter) if p is not None for what in observables(p))
        self._watched = tuple(dict.fromkeys((*query.observed, *named)))
        execution = encoding.execution
        self._places = {
            (event, location): literal
            for event, locations in enumerate(execution.locations)
            if len(locations) > 1
            for location, literal in locations.items()
        }
        self._supposed = {
            condition: encoding.values.true(condition)
            for stop in skeleton.stops
            for condition in (stop.condition, stop.persists)
        }
        self._decided = [
            literal
            for literal in (
                *execution.executed,
                *execution.reads_from.values(),
                *encoding.values.choices,
                *self._places.values(),
                *self._supposed.values(),
            )
            if literal not in {TRUE, FALSE}
        ]
        self._finder: ConflictFinder | None = None
        self._conflicts = (query.conflicts or KnownConflicts()).of(skeleton)
        for conflict in self._conflicts:
            self._exclude(conflict)
        encoding.circuit.prepare([*self._decided, *(-literal for literal in self._decided)])

    def run(self) -> None:
        """Add the states, flags, faults and stops of these executions."""
        for equations, here in self._executions():
            self._add(equations, here)
            if self._findings.is_all_that_is_wanted:
                return

    def find_problem(self, sought: Sought) -> bool:
        """Whether some of these executions has a problem that is sought; those of one are noted."""
        flags = [number for number, flag in enumerate(self._query.model.flags) if flag.name in sought.flags]
        faults = [fault for fault in self._skeleton.faults if sought.decides(fault)]
        self._flags, self._faults = flags, faults
        self._query = replace(self._query, wants_outcomes=False)
        before = self._findings.problems
        for equations, here in self._executions():
            self._add(equations, here)
            if self._findings.problems > before:
                return True
        return False

    def _executions(self) -> Iterator[tuple[Equations, int]]:
        """The equations of each that has values, with a literal that demands what is decided of it.

        Where an access that is not executed would be is no difference. What leaves one without values does so with
        others, which are not looked at.
        """
        encoding = self._encoding
        searching = encoding.circuit.variable()
        while encoding.solve([searching]):
            true = self._true(self._decided)
            decided = self._execution(true)
            conflicts = self._conflicts_of(decided)
            if conflicts:
                self._conflicts += conflicts
                for conflict in conflicts:
                    self._exclude(conflict)
                continue
            nowhere = {
                literal
                for (event, _), literal in self._places.items()
                if encoding.execution.executed[event] not in true
            }
            literals = [one if one in true else -one for one in self._decided if one not in nowhere]
            encoding.circuit.require(-searching, *(-literal for literal in literals))
            equations = solvable(decided, self._budget)
            if equations is not None:
                here = encoding.circuit.variable()
                for literal in literals:
                    encoding.circuit.require(-here, literal)
                yield equations, here
            elif self._finder is None:
                # Most programs have values for all such executions, or hardly any such execution.
                self._finder = ConflictFinder(self._skeleton, self._budget)

    def _conflicts_of(self, decided: DecidedExecution) -> list[Conflict]:
        """What is seen by computing, or else what the solver finds; none where there may be values."""
        evident = evident_conflicts(decided)
        if evident or self._finder is None:
            return evident
        found = self._finder.of(decided)
        return [] if found is None else [found]

    def _exclude(self, conflict: Conflict) -> None:
        """Look at no execution with a conflict."""
        self._encoding.circuit.require(*(-self._literal(decision) for decision in conflict))

    def _literal(self, decision: Decision) -> int:
        """The literal of a decision; one that the model leaves no execution is false."""
        execution = self._encoding.execution
        match decision:
            case ReadFrom(write, read):
                return execution.reads_from.get((write, read), FALSE)
            case Executed(event, is_executed):
                return execution.executed[event] if is_executed else -execution.executed[event]
            case Place(event, location):
                return execution.locations[event].get(location, FALSE)
            case ChoiceTaken(number, is_taken):
                choice = self._encoding.values.choices[number]
                return choice if is_taken else -choice
            case Supposition(condition, holds):
                return self._supposed[condition] if holds else -self._supposed[condition]
            case _:
                assert_never(decision)

    def _true(self, literals: list[int]) -> set[int]:
        """Those of the literals that are true in the last solution."""
        true = self._encoding.truth({abs(literal) for literal in literals})
        return {TRUE} | {literal for literal in literals if (literal > 0) == (abs(literal) in true)}

    def _execution(self, true: set[int]) -> DecidedExecution:
        """What the literals that are true decide."""
        execution, values, events = self._encoding.execution, self._encoding.values, self._skeleton.events
        executed = sum(1 << event for event, literal in enumerate(execution.executed) if literal in true)
        choices = tuple(literal in true for literal in values.choices)
        sources = {read: write for (write, read), literal in execution.reads_from.items() if literal in true}
        locations: dict[int, Location] = {}
        for event, reached in enumerate(execution.locations):
            if executed >> event & 1 and reached:
                locations[event] = (
                    next(iter(reached)) if len(reached) == 1 else next(p for p, lit in reached.items() if lit in true)
                )
        return DecidedExecution(
            skeleton=self._skeleton,
            executed=executed,
            skipped=((1 << len(events)) - 1) & ~executed,
            sources=sources,
            locations=locations,
            known=self._known(executed, sources, choices),
            choices=choices,
            supposed={condition: int(literal in true) for condition, literal in self._supposed.items()},
        )

    def _known(self, executed: int, sources: Mapping[int, int], choices: tuple[bool, ...]) -> dict[int, Value]:
        """The values that do not depend on themselves."""
        known: dict[int, Value] = {}
        left = {read: write for read, write in sources.items() if executed >> read & 1}
        while left:
            found: dict[int, Value] = {}
            reader = Evaluation(known, choices)
            for read, write in left.items():
                written = self._skeleton.events[write].value
                value = None if written is None else reader.value(written)
                if value is not None:
                    found[read] = value
            if not found:
                break
            known.update(found)
            left = {read: write for read, write in left.items() if read not in found}
        return known

    @staticmethod
    def _reader(equations: Equations, solution: Mapping[int, Value]) -> Evaluation:
        """The values of expressions in a solution of the equations."""
        choices = [bool(choice) for choice in equations.decided.choices]
        return Evaluation({**equations.decided.known, **solution}, choices)

    # --- what an execution adds ---------------------------------------------------------------------------------------

    def _add(self, equations: Equations, here: int) -> None:
        some = equations.solution()
        assert some is not None, "the equations have a solution"
        reader = self._reader(equations, some)
        reached = [stop for stop in self._skeleton.stops if is_true(reader.value(stop.condition) or 0)]
        if reached:
            self._add_unfinished(equations, here)
            return
        self._findings.complete_exists = True
        for finals, part in self._final_writes(equations, here):
            passes = [] if self._query.filter is None else [equations.proposition(self._query.filter, finals)[0]]
            if equations.is_possible(*passes):
                self._add_states(equations, finals, part, passes)
                self._add_problems(equations, [part], passes)

    def _final_writes(self, equations: Equations, here: int) -> Iterator[tuple[dict[Observable, Expression], int]]:
        """The expressions of the final values for each choice of last writes, with a literal that demands it."""
        encoding = self._encoding
        known: dict[Observable, Expression] = {
            what: final for what in self._watched if (final := known_final(what, self._skeleton)) is not None
        }
        locations = [what for what in self._watched if not isinstance(what, RegisterName) and what not in known]
        executed, reached = equations.decided.executed, equations.decided.locations
        lasts = [
            [
                (write, literal)
                for write, literal in encoding.final.last_writes(location)
                if executed >> write & 1 and reached[write] == location
            ]
            for location in locations
        ]
        for choice in product(*lasts):
            part = encoding.circuit.variable()
            for literal in (here, *(literal for _, literal in choice)):
                encoding.circuit.require(-part, literal)
            if encoding.solve([part]):
                finals = dict(known)
                for location, (write, _) in zip(locations, choice, strict=True):
                    written = self._skeleton.events[write].value
                    assert written is not None, "a write writes a value"
                    finals[location] = written
                yield finals, part

    def _add_states(
        self, equations: Equations, finals: Mapping[Observable, Expression], part: int, passes: list[Any]
    ) -> None:
        query, findings = self._query, self._findings
        if not query.wants_outcomes:
            return
        observed = [finals[what] for what in query.observed]
        # How a state varies is told of states that are listed, and of others only that they satisfy the proposition.
        varying = family_of(equations, observed) if query.wants_states else ()
        truths: tuple[Any, ...] = (equations.terms.yes,)
        if query.proposition is not None:
            truths = equations.proposition(query.proposition, finals)[: 2 if query.wants_states else 1]
        for truth in truths:
            solution = equations.least(observed, *passes, truth)
            if solution is None:
                continue
            reader = self._reader(equations, solution)
            values = tuple(reader.known_value(final) for final in observed)
            if findings.wants_example(values):
                witness = None
                if query.wants_witnesses and self._encoding.solve([part]):
                    witness = self._decoder.decode(reader.reads)
                findings.add_example(values, witness, varying)
        if query.counts:
            some = equations.solution(*passes)
            assert some is not None, "the equations have a solution"
            number = count(self._encoding, self._decoder, [part], self._reader(equations, some).reads)

            def executions(values: tuple[Value, ...]) -> int:
                ends = [equations.equals(final, value) for final, value in zip(observed, values, strict=True)]
                return number if equations.is_possible(*passes, *ends) else 0

            findings.note_circular(executions)

    def _add_problems(self, equations: Equations, restrictions: list[int], passes: list[Any]) -> None:
        if not self._query.wants_flags:
            return
        some = equations.solution(*passes)
        assert some is not None, "the equations have a solution"
        reads = self._reader(equations, some).reads
        raised = self._raisings.literals(self._query.model.flags, self._flags, self._findings)
        for raising, witness in find_all(
            self._encoding, self._decoder, raised, restrictions, group_of, rank_of, reads=reads
        ):
            self._findings.add_flag(raising, witness)
        for fault in self._faults:
            if not self._findings.has_fault(fault):
                solution = equations.solution(*passes, equations.terms.true(fault.condition))
                if solution is not None and self._encoding.solve(restrictions):
                    self._findings.add_fault(fault, self._decoder.decode(self._reader(equations, solution).reads))

    def _add_unfinished(self, equations: Equations, here: int) -> None:
        query, findings, encoding = self._query, self._findings, self._encoding
        some = equations.solution()
        assert some is not None, "the equations have a solution"
        reader = self._reader(equations, some)
        reached = [stop for stop in self._skeleton.stops if is_true(reader.value(stop.condition) or 0)]
        if query.wants_outcomes:
            for stop in reached:
                if stop.kind is StopKind.BOUND:
                    findings.add_cut(stop)
                elif stop.kind is StopKind.WAIT and stop.fails_again:
                    findings.add_wait(stop)
        passes = []
        if query.filter is not None:
            stopped = {stop.thread for stop in reached}
            finals = {
                what: self._skeleton.registers[what]
                if isinstance(what, RegisterName) and what.thread not in stopped
                else None
                for what in self._watched
            }
            passes = [equations.proposition(query.filter, finals)[0]]
        if not equations.is_possible(*passes):
            return
        blocked = encoding.stops.blocked()
        if query.wants_outcomes and blocked != FALSE and encoding.solve([here, encoding.assumption(blocked)]):
            solution = equations.least((), *passes)
            assert solution is not None, "the equations have a solution that passes the filter"
            findings.add_blocked(reached, self._decoder.decode(self._reader(equations, solution).reads))
        self._add_problems(equations, [here], passes)
