"""One skeleton under one model as a propositional formula: everything is put together here.

Where values may depend on themselves, the model is asserted first, over reads-from and modification orders only, and
the solver is asked whether the model lets them. Values and the conditions on them are then linked in last
(NOTE(late-domains) in `values`), else first. Executions in which values do depend on themselves are left to another
formula, in which these values are open (`circular`).
"""

from __future__ import annotations

from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Final

from mcm.answer.query import SolverName
from mcm.cat.model import Shape
from mcm.catalogue.updates import reads_write_before
from mcm.engine.smt.any_memory import AnyMemory
from mcm.engine.smt.apart import apart, taken
from mcm.engine.smt.automorphism import Compared
from mcm.engine.smt.base import BaseLiterals
from mcm.engine.smt.check import Checks
from mcm.engine.smt.circuit import FALSE, TRUE, Circuit
from mcm.engine.smt.counters import Counting
from mcm.engine.smt.dependency import all_dependencies, cycle_of_values, follow_an_order, value_dependencies
from mcm.engine.smt.exclusive import exclude
from mcm.engine.smt.execution import Execution, possible_sources
from mcm.engine.smt.final import FinalState
from mcm.engine.smt.linearise import TotalOrder
from mcm.engine.smt.link import Link, Reads
from mcm.engine.smt.monotone import Monotone
from mcm.engine.smt.solver import chosen_solver, new_solver
from mcm.engine.smt.stops import Stops
from mcm.engine.smt.symmetry import Symmetry
from mcm.engine.smt.terms import Terms
from mcm.engine.smt.value_forms import Forms
from mcm.engine.smt.values import Values
from mcm.engine.smt.wellfounded import AcyclicTerms, relies_on_nothing
from mcm.relation.term import Base, Compose, Identity, Union

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcm.cat.model import Check, Model
    from mcm.engine.smt.budget import Budget
    from mcm.engine.smt.dependency import Dependencies
    from mcm.engine.smt.solver import Solver
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable
    from mcm.relation.term import RelationTerm, SetTerm


class Encoding:
    """A formula whose solutions are the consistent executions, with literals for queries about them.

    `thin_air` are reads whose values depend on themselves in some execution that the model allows; these executions are
    no solutions. With `circular`, given such reads, they are the only solutions, and what these reads return is open.
    With `tracked`, each check and each linearisation holds only under its own assumption (`rules`, by name); then no
    check is relied on for the well-foundedness of closures, and `thin_air` are the reads for which none is needed.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        model: Model,
        budget: Budget,
        solver: SolverName = SolverName.AUTO,
        *,
        tracked: bool = False,
        circular: frozenset[int] = frozenset(),
    ) -> None:
        self.skeleton = skeleton
        self._model: Final = model
        self.circuit = Circuit(budget)
        self.rules: dict[str, int] = {}
        self._budget = budget
        self._tracked = tracked
        self._wanted: Final = solver
        self._solver: Solver | None = None
        # The solver that was used, once there was anything to solve.
        self.used: SolverName | None = None
        self._symmetries: Final[dict[tuple[frozenset[Observable], frozenset[Observable], bool, bool], Symmetry]] = {}
        # For pairs of writes of symmetric threads the assumption that they are in order.
        self._ordered: Final[dict[tuple[int, int], int]] = {}
        sources = possible_sources(skeleton)
        literals = {(write, read): self.circuit.variable() for read, writes in sources.items() for write in writes}
        reads = Reads(skeleton, sources, literals)
        open_reads = reads.depending_on(circular)
        self.values = Values(skeleton, self.circuit, budget, open_reads)
        counts = not tracked and not circular and reads_write_before(model)
        counters = taken(skeleton) if counts else ()
        numbers = {update: values for updates, values in counters for update in updates}
        link = None if reads.cycles else Link(reads, self.values, self.circuit, budget, numbers=numbers)
        alone = exclude(skeleton, self.values, self.circuit) if counts else {}
        distant = apart(skeleton, counters)
        self.execution = Execution(skeleton, literals, sources, self.values, self.circuit, distant, alone)
        if skeleton.shown is not None and not tracked:
            self._require_orders(skeleton.shown.orders)
        acyclic = relies_on_nothing if tracked else AcyclicTerms(model)
        self.thin_air: frozenset[int] = frozenset()
        self._is_grounded = _forbids_dependency_cycles(acyclic, self.execution)
        self.orders = self._assert_model(model, acyclic)
        self.execution.require_sources()
        if link is None:
            reads = Reads(skeleton, self.execution.sources, literals)
            if not self._is_grounded and not circular:
                self.thin_air = self._possibly_from_thin_air(ordered=counts)
            link = Link(reads, self.values, self.circuit, budget, open_reads, numbers)
            if circular:
                self._require_cycle(circular)
            elif self.thin_air:
                value_dependencies(self.execution, self.circuit).forbid_cycles(FALSE)
        self.circular = link.circular
        self.read_order = link.order
        for constraint in skeleton.constraints:
            self.circuit.require(self.values.true(constraint))
        if counts:
            Counting(self.execution, self.values, self.circuit, numbers).require()
            Monotone(self.execution, self.values, self.circuit).require(self._any_memory)
        self.stops = Stops(self.values, self.execution, self.circuit)
        self.final = FinalState(self.execution, self.values, self.circuit, self.stops)

    def _require_orders(self, orders: Iterable[tuple[int, int]]) -> None:
        """Assert that of some pairs of writes, if both are executed, the first comes first: that was shown before."""
        execution = self.execution
        for first, second in sorted(orders):
            if execution.may_meet(first, second):
                self.circuit.require(-execution.writes_before(second, first))

    def _assert_model(self, model: Model, acyclic: Callable[[RelationTerm], bool]) -> tuple[TotalOrder, ...]:
        base = BaseLiterals(self.execution, self.circuit)
        self.terms = Terms(base, self.circuit, acyclic)
        orders = []
        for linearisation in model.linearisations:
            order = TotalOrder(linearisation, self.terms, self.execution, self.circuit)
            base.add(order.name, order.relation)
            order.require(self._guard(order.name))
            orders.append(order)
        self.checks = Checks(self.terms, self.execution, self.circuit)
        for check in sorted(model.checks, key=_length):
            self._budget.check()
            self.checks.require(check, self._guard(check.name))
            if self.execution.narrow():
                base.narrow()
        return tuple(orders)

    def _any_memory(self) -> AnyMemory:
        return AnyMemory(self.execution, self.values, self._budget, self._wanted)

    def _guard(self, name: str) -> int:
        """The literal that switches a rule of the model off: false, unless rules are tracked."""
        if not self._tracked:
            return FALSE
        self.rules[name] = self.circuit.variable()
        return -self.rules[name]

    def _possibly_from_thin_air(self, *, ordered: bool) -> frozenset[int]:
        """The reads whose values can depend on themselves in some execution that the model allows.

        Rules that are tracked do not count here: they may be switched off. `ordered`: by the model, an update comes
        after the write that it reads from.
        """
        dependencies = value_dependencies(self.execution, self.circuit)
        found: set[int] = set()
        symmetry = self.symmetry()
        assumptions = self.in_order(symmetry)
        for component in dependencies.cycles:
            if ordered and follow_an_order(self.execution, component):
                continue
            cycle = cycle_of_values(self.execution, self.circuit, component)
            if self.solve([self.assumption(cycle), *assumptions]):
                found.update(component)
        return symmetry.images_of_events(frozenset(found))

    def _require_cycle(self, circular: frozenset[int]) -> None:
        """Assert that some value depends on itself, and that an access whose address is open has one location."""
        dependencies = value_dependencies(self.execution, self.circuit)
        components = [component for component in dependencies.cycles if not circular.isdisjoint(component)]
        self.circuit.require(*(cycle_of_values(self.execution, self.circuit, each) for each in components))
        for event, locations in zip(self.skeleton.events, self.execution.locations, strict=True):
            if len(locations) > 1 and event.address is not None and self.values.is_open(event.address):
                self.circuit.at_most_one(locations.values())

    # --- queries ------------------------------------------------------------------------------------------------------

    def assumption(self, *literals: int) -> int:
        """A variable that, assumed, makes one of the literals true."""
        variable = self.circuit.variable()
        self.circuit.require(-variable, *literals)
        return variable

    def check_limits(self) -> None:
        """Raises UndecidedError when a limit is exceeded."""
        self._budget.check()

    def solve(self, assumptions: Iterable[int] = ()) -> bool:
        """Whether there is a consistent execution under the assumptions. Raises UndecidedError."""
        self._budget.check()
        for order in self.orders:
            order.require_order()
        clauses = self.circuit.take_clauses()
        if self._solver is None:
            self.used = chosen_solver(self._wanted, len(clauses))
            self._solver = new_solver(self._budget, self.used)
        self._solver.add(clauses)
        return self._solver.solve(assumptions)

    def truth(self, variables: Iterable[int]) -> set[int]:
        """Those of the variables that are true in the last solution."""
        assert self._solver is not None, "there is a solution"
        return self._solver.truth(variables)

    def symmetry(
        self,
        fixed: Iterable[Observable] = (),
        turned: Iterable[Observable] = (),
        *,
        copies: bool = False,
        moves: bool = False,
    ) -> Symmetry:
        """The symmetry that leaves the final values of what is `fixed` as they are; turns may move what is `turned`.

        With `copies`, of the executions of the formula: values are exchanged that are copied from place to place.
        With `moves`, exchanges may move what is `turned` as well.
        """
        key = frozenset(fixed), frozenset(turned), copies, moves
        found = self._symmetries.get(key)
        if found is None:
            forms = (lambda: self._forms) if copies else None
            found = self._symmetries[key] = Symmetry(self._compared, key[0], key[1], forms, moves=moves)
        return found

    @cached_property
    def _compared(self) -> Compared:
        """The skeleton as it is compared with its images: once, whatever these have to leave as it is."""
        return Compared(self.skeleton, self._model)

    @cached_property
    def _forms(self) -> Forms:
        """The forms of expressions, by the values that reads return in the executions of the formula."""
        return Forms(self.skeleton.events, self.values.domains())

    def in_order(self, symmetry: Symmetry) -> list[int]:
        """Assumptions that order symmetric threads: every execution has an image for which they hold."""
        found = []
        for pair in symmetry.ordered:
            firsts, seconds = (symmetry.attempts.get(write, (write,)) for write in pair)
            possible = [second for second in seconds if self.execution.possible >> second & 1]
            if possible:
                found.append(self._in_order(firsts, possible))
        return found

    def _in_order(self, firsts: Sequence[int], seconds: Sequence[int]) -> int:
        """An assumption that each of some writes comes after one of others, if it is executed."""
        execution = self.execution
        key = firsts[0], seconds[0]
        if execution.executed[firsts[0]] == execution.executed[seconds[0]] == TRUE:
            return execution.order(*key)
        found = self._ordered.get(key)
        if found is None:
            found = self._ordered[key] = self.circuit.variable()
            for second in seconds:
                # They have the same static location, so of two that are executed one comes before the other.
                before = [
                    execution.writes_before(first, second) for first in firsts if execution.may_meet(first, second)
                ]
                self.circuit.require(-found, -execution.executed[second], *before)
        return found

    def complete(self) -> list[int]:
        """Assumptions that every unit finishes; none where each always does."""
        complete = self.stops.complete()
        return [] if complete == TRUE else [self.assumption(complete)]

    @cached_property
    def dependencies(self) -> Dependencies | None:
        """The dependencies of reads, if one may depend on itself in some execution; None if none can."""
        if self._is_grounded:
            return None
        dependencies = all_dependencies(self.execution, self.circuit)
        return dependencies if dependencies.cycles else None

    @cached_property
    def grounded(self) -> int | None:
        """An assumption that no value that is read depends on itself; None if none can."""
        if self.dependencies is None:
            return None
        assumption = self.circuit.variable()
        self.dependencies.forbid_cycles(-assumption)
        return assumption


def _length(check: Check) -> float:
    """An estimate of how many steps the cycles have that a check forbids.

    Short ones come first: most of what rules out pairs of reads-from and modification order is among them, and what is
    ruled out is left out of the formulas of the others.
    """
    return inf if check.shape is Shape.ACYCLIC else _steps(check.term)


def _steps(term: RelationTerm | SetTerm) -> int:
    match term:
        case Compose(left, right) | Union(left, right):
            return _steps(left) + _steps(right)
        case Identity():
            return 0
        case _:
            return 1


def _forbids_dependency_cycles(acyclic: Callable[[RelationTerm], bool], execution: Execution) -> bool:
    """Whether the model forbids cycles of program order and reads-from, and every dependency goes along these."""
    if not acyclic(Union(Base("po"), Base("rf"))):
        return False
    relations = execution.skeleton.relations
    return all(
        not dependent & together & ~later
        for name in ("data", "addr", "ctrl")
        for dependent, together, later in zip(relations[name], execution.together, relations["po"], strict=True)
    )
