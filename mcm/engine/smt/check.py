"""The checks and flags of a model, asserted or made into literals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.bits import elements
from mcm.cat.model import Shape
from mcm.engine.smt.acyclic import require_acyclic, some_cycle
from mcm.engine.smt.circuit import FALSE
from mcm.engine.smt.relation import reduced
from mcm.relation.term import Closure, Defined, SetTerm, Union

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.cat.model import Check, Flag
    from mcm.engine.smt.circuit import Circuit
    from mcm.engine.smt.execution import Execution
    from mcm.engine.smt.terms import Terms
    from mcm.relation.term import RelationTerm

Instance = tuple[tuple[int, ...], int]


class Checks:
    """Encodes the checks and flags of a model."""

    def __init__(self, terms: Terms, execution: Execution, circuit: Circuit) -> None:
        self._terms = terms
        self._execution = execution
        self._circuit = circuit

    def require(self, check: Check | Flag, guard: int = FALSE) -> None:
        """Assert `guard or the check holds`."""
        circuit = self._circuit
        match check.shape, check.negated:
            case ((Shape.EMPTY | Shape.IRREFLEXIVE), False):
                for _, literal in self._offences(check):
                    circuit.require(guard, -literal)
            case ((Shape.EMPTY | Shape.IRREFLEXIVE), True):
                circuit.require(guard, *(literal for _, literal in self._offences(check)))
            case Shape.ACYCLIC, False:
                relation = self._terms.relation(_without_closures(_relation(check)))
                require_acyclic(circuit, reduced(relation, self._execution), relation.literal, guard)
            case Shape.ACYCLIC, True:
                relation = self._terms.relation(_without_closures(_relation(check)))
                circuit.require(guard, *some_cycle(circuit, relation.may, relation.literal).values())
            case _:
                raise AssertionError(check.shape)  # not reached: mypy does not see that the cases are exhaustive

    def instances(self, flag: Flag) -> list[Instance]:
        """The events (a pair, or one event) that can raise a flag, each with the literal that they raise it.

        A flag that is raised by what is missing is about no particular events: its one instance names none.
        """
        if flag.negated:
            return [each for each in self._offences(flag) if each[1] != FALSE]
        raised = self._circuit.variable()
        self.require(flag, -raised)
        return [((), raised)]

    def _offences(self, check: Check | Flag) -> Iterator[Instance]:
        """The members of a set or relation that has to be empty, or the events that are related to themselves."""
        if isinstance(check.term, SetTerm):
            members = self._terms.set(check.term)
            yield from (((event,), members.literal(event)) for event in elements(members.may))
            return
        relation = self._terms.relation(Closure(check.term) if check.shape is Shape.ACYCLIC else check.term)
        for a, row in enumerate(relation.may):
            if check.shape is Shape.EMPTY:
                yield from (((a, b), relation.literal(a, b)) for b in elements(row))
            elif row >> a & 1:
                yield (a,), relation.literal(a, a)


def _relation(check: Check | Flag) -> RelationTerm:
    assert not isinstance(check.term, SetTerm), "a set has no cycles"
    return check.term


def _without_closures(term: RelationTerm) -> RelationTerm:
    """A relation that has a cycle exactly when the term has one: without names and closures at the top."""
    match term:
        case Union(left, right):
            return Union(_without_closures(left), _without_closures(right))
        case Defined(_, body):
            inner = _without_closures(body)
            return term if inner is body else inner
        case Closure(body):
            return _without_closures(body)
        case _:
            return term
