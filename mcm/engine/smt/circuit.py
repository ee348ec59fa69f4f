"""Propositional formulas as literals and gates, turned into clauses on demand.

A literal is a non-zero int as in DIMACS: a variable or its negation. `TRUE` and `FALSE` are literals like any other.
Gates are hash-consed disjunctions, a conjunction being the negation of one. A gate costs clauses only where it
occurs below an asserted clause, and only in the direction in which it occurs (Plaisted and Greenbaum):

* where the gate's literal helps to satisfy a clause, `gate -> some input` is needed;
* where its negation does, `input -> gate` is needed for each input.

A literal that was asserted alone simplifies what is built or asserted later.

NOTE(one-direction): the value that a solver gives to a gate is therefore meaningful only in the needed direction.
Executions are decoded from variables that are no gates.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.engine.smt.budget import Budget

TRUE: Final = 1
FALSE: Final = -1

# A conjunction of more inputs gets a variable instead of being written out in each clause.
_WIDEST_INLINE: Final = 12
# Up to so many literals, "at most one" is one clause for each pair.
_WIDEST_PAIRWISE: Final = 6


class Definition(Protocol):
    """The definition of a variable; each direction of the equivalence is encoded only when it is needed."""

    def implied_by(self) -> Iterable[int]:
        """Literals each of which implies the variable."""

    def justified_by(self) -> Iterable[int]:
        """Literals whose disjunction the variable implies."""


class Circuit:
    """Gates, and the clauses made from them so far; `take_clauses` returns those that are new."""

    def __init__(self, budget: Budget) -> None:
        self.variables = 1
        self._budget = budget
        self._gates: dict[int, tuple[int, ...]] = {}
        self._definitions: dict[int, Definition] = {}
        self._or: dict[tuple[int, ...], int] = {}
        self._needed: set[int] = {TRUE}
        # Literals that are asserted.
        self._fixed: set[int] = {TRUE}
        self._pending: list[int] = []
        self._clauses: list[int] = [TRUE, 0]

    # --- literals -----------------------------------------------------------------------------------------------------

    def variable(self) -> int:
        """A new literal."""
        self.variables += 1
        return self.variables

    def defined(self, definition: Definition) -> int:
        """A new literal with a definition."""
        literal = self.variable()
        self._definitions[literal] = definition
        return literal

    def deferred(self) -> int:
        """A new literal that `bind` defines later."""
        return self.variable()

    def bind(self, deferred: int, literal: int) -> None:
        """Define a deferred literal as equal to another one."""
        self._gates[deferred] = (literal,)
        self._pending += [each for each in (deferred, -deferred) if each in self._needed]
        self._work_off()

    def is_fixed(self, literal: int) -> bool:
        """Whether a literal was asserted so far."""
        return literal in self._fixed

    def either(self, a: int, b: int) -> int:
        """`a or b`."""
        return -self.both(-a, -b)

    def both(self, a: int, b: int) -> int:
        """`a and b`."""
        fixed = self._fixed
        if a in fixed or a == b:
            return b
        if b in fixed:
            return a
        if -a in fixed or -b in fixed or a == -b:
            return FALSE
        key = (-a, -b) if a > b else (-b, -a)
        found = self._or.get(key)
        if found is None:
            found = self._gate(key)
        return -found

    def any_of(self, literals: Iterable[int]) -> int:
        """Disjunction."""
        fixed = self._fixed
        inputs = {literal for literal in literals if -literal not in fixed}
        if len(inputs) <= 1:
            return inputs.pop() if inputs else FALSE
        if not fixed.isdisjoint(inputs) or any(-literal in inputs for literal in inputs):
            return TRUE
        key = tuple(sorted(inputs))
        found = self._or.get(key)
        return self._gate(key) if found is None else found

    def all_of(self, literals: Iterable[int]) -> int:
        """Conjunction."""
        return -self.any_of([-literal for literal in literals])

    def _gate(self, inputs: tuple[int, ...]) -> int:
        self._budget.tick()
        self.variables += 1
        self._or[inputs] = self.variables
        self._gates[self.variables] = inputs
        return self.variables

    # --- assertions ---------------------------------------------------------------------------------------------------

    def require(self, *literals: int) -> None:
        """Assert that one of the literals is true."""
        fixed = self._fixed
        left = [literal for literal in literals if -literal not in fixed]
        if len(left) == 1 and -left[0] in self._gates and -left[0] not in self._needed:
            for literal in self._gates[-left[0]]:
                self.require(-literal)
        else:
            self._clause(FALSE, left)
            if self._pending:
                self._work_off()
        if len(left) == 1:
            fixed.add(left[0])

    def prepare(self, literals: Iterable[int]) -> None:
        """Make the clauses of literals that will occur in later clauses."""
        for literal in literals:
            if literal not in self._needed:
                self._needed.add(literal)
                self._pending.append(literal)
        self._work_off()

    def at_most_one(self, variables: Iterable[int]) -> None:
        """Assert that at most one of the variables is true; they have no definitions."""
        self._budget.tick()
        rest = [variable for variable in variables if -variable not in self._fixed]
        while len(rest) > _WIDEST_PAIRWISE:
            # `later` is true if one of the variables of the other half is.
            later = self.variable()
            self._pairwise([*rest[: _WIDEST_PAIRWISE - 1], later])
            rest = [*rest[_WIDEST_PAIRWISE - 1 :], -later]
        self._pairwise(rest)

    def _pairwise(self, literals: Sequence[int]) -> None:
        for one, other in combinations(literals, 2):
            self._clauses += (-one, -other, 0)

    def forbid_cycle(self, first: int, second: int, third: int) -> None:
        """Assert that three variables, the sides of a triangle, are neither all true nor all false."""
        self._budget.tick()
        self._clauses += (-first, -second, -third, 0, first, second, third, 0)

    def _clause(self, head: int, literals: Iterable[int]) -> None:
        """Add the clause `head or literals`, which defines the gate `head`, and the clauses of the literals' gates."""
        gates, needed, fixed = self._gates, self._needed, self._fixed
        written: set[int] = set()
        for literal in literals:
            inputs = gates.get(literal)
            if inputs is None or literal in needed or len(inputs) > _WIDEST_INLINE:
                written.add(literal)
            else:
                written.update(inputs)
        surely_false = []
        for literal in written:
            if literal in fixed or -literal in written:
                return
            if -literal in fixed:
                surely_false.append(literal)
        if surely_false:
            written.difference_update(surely_false)
        if head == FALSE and len(written) == 1:
            fixed |= written
        fresh = written - needed
        if fresh:
            needed |= fresh
            self._pending += fresh
        if head != FALSE:
            written.add(head)
        self._clauses += written
        self._clauses.append(0)

    def _work_off(self) -> None:
        """Make the clauses of every direction of a gate that is needed."""
        while self._pending:
            literal = self._pending.pop()
            variable = abs(literal)
            gate = self._gates.get(variable)
            if gate is None:
                definition = self._definitions.get(variable)
                if definition is None:
                    continue
                self._budget.tick()
                gate = tuple(definition.justified_by() if literal > 0 else definition.implied_by())
            if literal > 0:
                self._clause(-variable, gate)
            else:
                for each in gate:
                    self._clause(variable, (-each,))

    def take_clauses(self) -> list[int]:
        """The clauses since the last call, as literals with 0 behind each clause."""
        taken, self._clauses = self._clauses, []
        return taken
