"""One way through a thread: what is known on it, and what the private variables hold.

Conditions on a path speak of what happens behind its beginning; `guarded` makes a guard of one, which holds all the way
from the start of the thread. So conditions stay small, and what a path knows is not said again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.execution.algebra import (
    FALSE,
    TRUE,
    conjunction,
    conjuncts,
    disjunction,
    either,
    negation,
    select,
    under,
)
from mcm.execution.expression import BinaryValue, Constant, ReadValue, Select, UnaryValue, is_large
from mcm.execution.knowledge import NOTHING_KNOWN, Knowledge
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from mcm.execution.expression import Expression


class VariableState(Struct, frozen=True, gc=False):
    """What a private variable holds, and the condition under which it has been given a value at all."""

    value: Expression
    defined: Expression


class State(Struct, gc=False):
    """What a thread has done: its private variables, and the conditions under which it had an effect, or stored.

    An effect is whatever other threads may see, counted from the beginning of the iteration that is being executed.
    Plain writes that another iteration may make anew are not counted as effects, but as `stores`.
    """

    variables: dict[str, VariableState]
    effect: Expression = FALSE
    stores: Expression = FALSE

    def copy(self) -> State:
        """A state that changes by itself."""
        return State(dict(self.variables), self.effect, self.stores)

    def assign(self, name: str, value: Expression, condition: Expression = TRUE, defined: Expression = TRUE) -> None:
        """Give a variable a value where a condition holds, which is one where `defined` holds."""
        if condition is TRUE:
            self.variables[name] = VariableState(value, defined)
        else:
            old = self.variables[name]
            is_one = defined is TRUE
            defined = disjunction(old.defined, condition) if is_one else select(condition, defined, old.defined)
            self.variables[name] = VariableState(select(condition, value, old.value), defined)

    def have_effect(self, condition: Expression) -> None:
        """There is an effect where a condition holds."""
        if self.effect is not TRUE:
            self.effect = disjunction(self.effect, condition)


def merged(test: Expression, then: State, otherwise: State) -> State:
    """One state where a condition holds, else another one."""
    variables = dict(then.variables)
    for name, other in otherwise.variables.items():
        mine = variables[name]
        if mine is not other:
            variables[name] = VariableState(
                select(test, mine.value, other.value), select(test, mine.defined, other.defined)
            )
    effect = select(test, then.effect, otherwise.effect)
    return State(variables, effect, select(test, then.stores, otherwise.stores))


class Way(Struct, frozen=True, gc=False):
    """How control leaves a statement: under which condition, counted from its beginning, and in which state."""

    condition: Expression
    state: State


def behind(condition: Expression, way: Way | None) -> Way | None:
    """The way out of a statement that is executed where a condition holds, counted from where that is asked."""
    if way is None or condition is TRUE:
        return way
    return Way(conjunction(condition, way.condition), way.state)


def joined(first: Way | None, second: Way | None) -> Way | None:
    """Two ways that exclude each other, as one."""
    if first is None or second is None:
        return second if first is None else first
    state = merged(first.condition, first.state, second.state)
    return Way(either(first.condition, second.condition), state)


class Path:
    """A way through a thread from its start; `known` is what its guard decides.

    Its state changes. Its guard does only where the thread may stop in an expression: `passed` is the condition that
    it has not since the path began.
    """

    __slots__ = ("_behind", "_condition", "_memo", "_memo_behind", "guard", "known", "passed", "state")

    def __init__(self, guard: Expression, known: Knowledge, state: State) -> None:
        self.guard = guard
        self.known = known
        self.state = state
        self.passed: Expression = TRUE
        # What expressions are where the facts hold.
        self._memo: dict[Expression, Expression] = {}
        # The last condition behind which expressions were looked at, what is known there, and what they are.
        self._condition: Expression = TRUE
        self._behind: Knowledge = NOTHING_KNOWN
        self._memo_behind: dict[Expression, Expression] = {}

    def simplified(self, expression: Expression, condition: Expression = TRUE) -> Expression:
        """What an expression is on this path, where a condition holds."""
        if type(expression) is Constant or type(expression) is ReadValue:
            return expression
        if condition is TRUE:
            return under(expression, self.known.facts, self._memo, self.known.oldest)
        if condition is not self._condition:
            self._condition, self._behind, self._memo_behind = condition, self.known.with_condition(condition), {}
        return under(expression, self._behind.facts, self._memo_behind, self._behind.oldest)

    def guarded(self, condition: Expression) -> Expression:
        """The guard of what happens on this path where a condition holds."""
        further = condition if condition is TRUE else self.simplified(condition)
        if further is TRUE:
            return self.guard
        if further is FALSE or self.guard is TRUE:
            return further
        guard = self.guard
        for part in conjuncts(further):
            guard = BinaryValue("&&", guard, part, Scalar.INT)
        return guard

    def at(self, condition: Expression, state: State) -> Path | None:
        """This path further on, where a condition holds, in some state; None where the condition cannot hold."""
        further = self.simplified(condition)
        if further is FALSE:
            return None
        if further is TRUE:
            same = self.again()
            same.state = state
            return same
        path = Path(self.guarded(further), self.known.with_condition(further), state)
        path.state = path.decided(state)
        return path

    def decided(self, state: State) -> State:
        """A state in which variables hold what is left of a choice or condition that this path decides.

        So what a loop tries again does not carry the outcomes of the attempts before it along.
        """
        variables: dict[str, VariableState] = {}
        for name, variable in state.variables.items():
            if isinstance(variable.value, Select | BinaryValue | UnaryValue) and not is_large(variable.value):
                value = self.simplified(variable.value)
                if value is not variable.value:
                    variables[name] = VariableState(value, variable.defined)
        return State({**state.variables, **variables}, state.effect, state.stores) if variables else state

    def again(self) -> Path:
        """The same path, beginning here."""
        same = Path(self.guard, self.known, self.state)
        same._memo = self._memo
        return same

    def narrow(self, condition: Expression) -> None:
        """Go on only where a condition holds."""
        if condition is TRUE:
            return
        further = self.simplified(condition)
        self.passed = conjunction(self.passed, further)
        self.guard = self.guarded(further)
        self._know(further)

    def learn(self, condition: Expression) -> None:
        """Know that a condition holds, which does so whatever is read: nothing depends on that."""
        if condition is not TRUE:
            self._know(condition)
            self.state = self.decided(self.state)

    def _know(self, condition: Expression) -> None:
        self.known = self.known.with_condition(condition)
        self._memo, self._condition = {}, TRUE

    def along(self, way: Way | None) -> Path | None:
        """This path continued on a way that begins on it; it is not used any more."""
        if way is not None and way.condition is TRUE:
            self.state = way.state
            return self
        return None if way is None else self.at(way.condition, way.state)

    def fork(self, condition: Expression) -> Path | None:
        """A path of its own for where a condition holds; None where it cannot hold."""
        return self.at(condition, self.state.copy())

    def rejoin(self, condition: Expression, other: Path) -> None:
        """Go on as another path where a condition holds, else as this one."""
        self.state = merged(condition, other.state, self.state)
        if other.passed is not TRUE:
            self.narrow(disjunction(negation(condition), other.passed))
