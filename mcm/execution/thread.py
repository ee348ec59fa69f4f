"""Symbolic execution of one thread: statements to guarded events, private variables to expressions.

Every event carries the condition under which it is executed; assignments keep what a variable is under every
condition. No path is enumerated: a thread of n operations has n events, whatever its branches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.execution.algebra import FALSE, TRUE, conjunction, disjunction, negation, truth, under
from mcm.execution.algebra import facts as facts_of
from mcm.execution.calls import Calls
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant
from mcm.execution.memory import Variable
from mcm.execution.operands import converted
from mcm.execution.sequencing import FullExpression, mask
from mcm.execution.shared import Arrival
from mcm.execution.skeleton import Stop, StopKind
from mcm.program import instruction as hir
from mcm.program.types import Order

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.execution.expression import Expression

# A loop whose condition is known is unrolled as often as it says, up to this many times.
LARGEST_LOOP: Final = 4096
LARGEST_SKELETON: Final = 4096
MOST_SEQUENCINGS: Final = 64


class Flow(Struct, frozen=True):
    """Under which conditions control leaves a statement: at its end, by `break`, by `continue`."""

    falls: Expression
    breaks: Expression = FALSE
    continues: Expression = FALSE


def too_large(message: str, span: Span) -> InputError:
    """The program is beyond a limit of the elaboration."""
    return InputError(Diagnostic("E153", message, span))


class ThreadRun(Calls):
    """Executes the statements of a thread."""

    def run(self) -> None:
        """Elaborate the whole thread."""
        self.statement(self.thread.body, TRUE)

    def evaluate(self, node: hir.Expression, guard: Expression) -> Expression:
        """A full expression: sequenced after everything before it, and before everything after it."""
        self.full = FullExpression()
        value, _ = self.expression(node, guard, self.done)
        self.finish(node.span)
        return value

    def finish(self, span: Span) -> None:
        """Close the current full expression: settle in which order its calls may come."""
        alternatives = self.full.alternatives(MOST_SEQUENCINGS)
        if not alternatives:
            raise too_large(f"the calls of this expression can come in more than {MOST_SEQUENCINGS} orders", span)
        self.shared.before.update(alternatives[0])
        if len(alternatives) > 1:
            self.shared.sequencings.append(alternatives)
        self.done |= mask(self.full.before)
        if len(self.shared.events) > LARGEST_SKELETON:
            raise too_large(f"the program unrolls to more than {LARGEST_SKELETON} events", span)

    def statement(self, node: hir.Statement, guard: Expression) -> Flow:
        """Execute a statement under a guard."""
        if guard is FALSE:
            return Flow(FALSE)
        match node:
            case hir.Evaluate(expression):
                self.evaluate(expression, guard)
                return Flow(guard)
            case hir.Declare():
                self.declare(node, guard)
                return Flow(guard)
            case hir.Block(statements):
                return self.block(statements, guard)
            case hir.If(condition, then, otherwise):
                test = truth(under(self.evaluate(condition, guard), facts_of(guard)))
                taken = self.statement(then, conjunction(guard, test))
                skipped = self.statement(otherwise, conjunction(guard, negation(test)))
                return Flow(
                    disjunction(taken.falls, skipped.falls),
                    disjunction(taken.breaks, skipped.breaks),
                    disjunction(taken.continues, skipped.continues),
                )
            case hir.Loop():
                return self.loop(node, guard)
            case hir.Return():
                return Flow(FALSE)
            case hir.Break():
                return Flow(FALSE, breaks=guard)
            case hir.Continue():
                return Flow(FALSE, continues=guard)
            case hir.Fence():
                self.full = FullExpression()
                self.event(
                    EventKind.FENCE, guard, self.done, node.span, order=node.order, scope=node.scope, flags=node.flags
                )
                self.finish(node.span)
                return Flow(guard)
            case hir.Barrier():
                self.barrier(node, guard)
                return Flow(guard)
            case _:
                assert_never(node)

    def block(self, statements: tuple[hir.Statement, ...], guard: Expression) -> Flow:
        """Statements in order, each under the condition that control reaches it."""
        breaks: Expression = FALSE
        continues: Expression = FALSE
        for statement in statements:
            flow = self.statement(statement, guard)
            guard = flow.falls
            if flow.breaks is not FALSE:
                breaks = disjunction(breaks, flow.breaks)
            if flow.continues is not FALSE:
                continues = disjunction(continues, flow.continues)
        return Flow(guard, breaks, continues)

    def declare(self, node: hir.Declare, guard: Expression) -> None:
        """A private variable begins: indeterminate, or with its initializer (missing elements are zero)."""
        names = [node.register] if node.length is None else [f"{node.register}[{i}]" for i in range(node.length)]
        values = [
            converted(self.evaluate(initializer, guard), initializer.type, node.type)
            for initializer in node.initializer or ()
        ]
        for i, name in enumerate(names):
            old = self.variables[name]
            if node.initializer is None:
                self.variables[name] = Variable(old.value, conjunction(old.defined, negation(guard)))
            else:
                self.write_variable(name, guard, values[i] if i < len(values) else Constant(0))

    def loop(self, node: hir.Loop, guard: Expression) -> Flow:
        """Unroll a loop: as often as known conditions say, else up to the bound, and cut what would go on."""
        outer = self.iteration
        exits: list[Expression] = []
        unknown = 0
        for number in range(LARGEST_LOOP + 1):
            self.iteration = (*outer, number)
            if node.tests_first or number:
                test = truth(under(self.evaluate(node.condition, guard), facts_of(guard)))
                exits.append(conjunction(guard, negation(test)))
                guard = conjunction(guard, test)
                unknown += not isinstance(test, Constant)
            if guard is FALSE:
                break
            if unknown > self.shared.bound or number == LARGEST_LOOP:
                self.shared.stops.append(Stop(StopKind.BOUND, self.thread.index, guard, node.span))
                break
            flow = self.statement(node.body, guard)
            exits.append(flow.breaks)
            guard = disjunction(flow.falls, flow.continues)
            if node.step is not None and guard is not FALSE:
                self.evaluate(node.step, guard)
        self.iteration = outer
        return Flow(disjunction(*exits))

    def barrier(self, node: hir.Barrier, guard: Expression) -> None:
        """BAR-1: an entry release fence and an exit acquire fence, with the barrier's flags and scope."""
        instance = self.instance(node.level, node.site)
        for kind, order in ((EventKind.ENTRY, Order.RELEASE), (EventKind.EXIT, Order.ACQUIRE)):
            self.full = FullExpression()
            self.event(
                kind, guard, self.done, node.span, order=order, scope=node.scope, flags=node.flags, barrier=instance
            )
            self.finish(node.span)
        if instance is not None:
            arrival = Arrival(self.thread.index, guard, node.span, node.flags, node.scope)
            self.shared.arrivals.setdefault(instance, []).append(arrival)
