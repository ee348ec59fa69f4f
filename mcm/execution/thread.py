"""Symbolic execution of one thread: statements to guarded events, private variables to expressions.

Every event carries the condition under which it is executed. Branches are executed on paths of their own, which are
joined behind: a thread of n operations has n events, whatever its branches.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, assert_never

from mcm.execution.accesses import Accesses
from mcm.execution.algebra import FALSE, TRUE, binary, conjunction, disjunction, negation, select, truth
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant
from mcm.execution.flow import Flow
from mcm.execution.knowledge import NOTHING_KNOWN
from mcm.execution.operands import Operands, converted
from mcm.execution.operations import Operations
from mcm.execution.path import Path, State, VariableState, Way, joined
from mcm.execution.recorder import Recorder
from mcm.execution.shared import Arrival
from mcm.program import instruction as hir
from mcm.program.types import Order, zero_of

if TYPE_CHECKING:
    from mcm.execution.event import BarrierInstance
    from mcm.execution.expression import Expression
    from mcm.execution.loops import Loops
    from mcm.execution.shared import Shared
    from mcm.program.program import Thread


# Statements that control always leaves at their end.
Step = hir.Evaluate | hir.Declare | hir.Fence | hir.Barrier
_STEPS: Final = (hir.Evaluate, hir.Declare, hir.Fence, hir.Barrier)


class ThreadRun:
    """Executes the statements of a thread."""

    def __init__(self, shared: Shared, thread: Thread) -> None:
        self._shared: Final = shared
        self._thread: Final = thread
        self._recorder: Final = Recorder(shared, thread)
        accesses = Accesses(self._recorder)
        self._operands: Final = Operands(self._recorder, accesses, Operations(self._recorder, accesses))

    @cached_property
    def _loops(self) -> Loops:
        # Imported here: most small tests have no loop.
        from mcm.execution.loops import Loops  # noqa: PLC0415

        return Loops(self._recorder, self)

    def run(self) -> dict[str, Expression]:
        """Elaborate the whole thread; what its private variables hold when it ends."""
        guard = self._beginning()
        path = Path(guard, NOTHING_KNOWN.with_condition(guard), self.initial_state())
        flow = Flow() if guard is FALSE else self.statement(self._thread.body, path)
        end = joined(flow.returns, flow.falls)
        if self._operands.copies is not None and end is not None:
            self._operands.copies.finish(conjunction(guard, end.condition))
        if self._operands.pipes is not None and end is not None:
            self._operands.pipes.finish(conjunction(guard, end.condition))
        if guard is TRUE and end is not None:
            return {name: variable.value for name, variable in end.state.variables.items()}
        unused = self.initial_state().variables
        final = unused if end is None else end.state.variables
        # A thread that is never started reads nothing.
        return {name: select(guard, variable.value, unused[name].value) for name, variable in final.items()}

    def _beginning(self) -> Expression:
        """The condition under which the thread runs: whoever makes it run has been executed before."""
        thread, shared = self._thread, self._shared
        if shared.host is None:
            return TRUE
        # Imported here: most programs have no commands.
        from mcm.execution.progress import Progress, Stage  # noqa: PLC0415

        if thread.started_by is not None:
            is_called = thread.started_by in shared.calls.enqueued
            return shared.condition(Progress(thread.started_by, Stage.STARTED)) if is_called else FALSE
        if thread.callback_of is not None:
            registered = shared.calls.registered.get(thread.index, FALSE)
            return conjunction(registered, shared.condition(Progress(thread.callback_of, Stage.COMPLETE)))
        return TRUE

    def initial_state(self) -> State:
        """Parameters have their values; nothing else has one."""
        state = State(
            {
                r.name: VariableState(Constant(r.begins_with), FALSE if r.initial is None else TRUE)
                for r in self._thread.registers
            }
        )
        command = self._thread.started_by
        passed = {} if command is None else self._shared.calls.operands.get(command, {})
        for register, value in passed.items():
            state.assign(register, value)
        return state

    def evaluate(self, node: hir.Expression, path: Path) -> Expression:
        """A full expression: sequenced after everything before it, and before everything after it."""
        recorder = self._recorder
        value = self._operands.private(node, path)
        if value is not None:
            return value
        recorder.begin()
        value = self._operands.full(node, path, recorder.done)
        recorder.finish(node.span)
        return value

    def _initial(self, node: hir.Expression, path: Path) -> tuple[Expression, Expression]:
        """What a variable begins with, and where that is a value."""
        if not isinstance(node, hir.Read) or not node.is_copied:
            return self.evaluate(node, path), TRUE
        recorder = self._recorder
        recorder.begin()
        found = self._operands.initial(node, path, recorder.done)
        recorder.finish(node.span)
        return found

    def test(self, node: hir.Expression, path: Path) -> Expression:
        """A full expression as a condition on the path."""
        return path.simplified(truth(self.evaluate(node, path)))

    def statement(self, node: hir.Statement, path: Path) -> Flow:
        """Execute a statement on a path, whose state it uses up."""
        match node:
            case hir.Block(statements, iteration, ends_iteration):
                recorder = self._recorder
                around = recorder.iteration
                if iteration is not None:
                    recorder.iteration = (*around, iteration)
                elif ends_iteration:
                    recorder.iteration = (*around[:-1], around[-1] - 1)
                flow = self.block(statements, path)
                recorder.iteration = around
                return flow
            case hir.Evaluate() | hir.Declare() | hir.Fence() | hir.Barrier():
                here = path.again()
                self.step(node, here)
                return Flow(falls=Way(TRUE, here.state)).passing(here.passed)
            case hir.If(condition, then, otherwise):
                here = path.again()
                test = self.test(condition, here)
                if isinstance(test, Constant):
                    return self.statement(then if test is TRUE else otherwise, here).settled().passing(here.passed)
                untaken = negation(test)
                skipped, taken = here.fork(untaken), here.fork(test)
                one = Flow() if taken is None else self.statement(then, taken).behind(test)
                other = Flow() if skipped is None else self.statement(otherwise, skipped).behind(untaken)
                return one.beside(other).settled().passing(here.passed)
            case hir.Switch():
                return self._switch(node, path)
            case hir.Inlined(body):
                flow = self.block(body.statements, path)
                return Flow(joined(flow.falls, flow.returns), stops=flow.stops).settled()
            case hir.Loop():
                return self._loops.unroll(node, path)
            case hir.Return():
                return Flow(returns=Way(TRUE, path.state))
            case hir.Break():
                return Flow(breaks=Way(TRUE, path.state))
            case hir.Continue():
                return Flow(continues=Way(TRUE, path.state))
            case _:
                assert_never(node)

    def step(self, node: Step, path: Path) -> None:
        """Execute a statement that control always leaves at its end."""
        match node:
            case hir.Evaluate(expression):
                self.evaluate(expression, path)
            case hir.Declare():
                self.declare(node, path)
            case hir.Fence():
                self._fence(EventKind.FENCE, node.order, node, None, path)
            case hir.Barrier():
                self.barrier(node, path)
            case _:
                assert_never(node)

    def block(self, statements: tuple[hir.Statement, ...], path: Path) -> Flow:
        """Statements in order, each under the condition that control reaches it."""
        left = Flow()
        reached: Expression = TRUE
        here = path.again()
        for statement in statements:
            if isinstance(statement, _STEPS):
                self.step(statement, here)
                continue
            flow = self.statement(statement, here)
            if flow.falls is not None and flow.falls.condition is TRUE:
                here.state = flow.falls.state
                continue
            reached = conjunction(reached, here.passed)
            others = Flow(None, flow.breaks, flow.continues, flow.returns, flow.stops or here.passed is not TRUE)
            left = left.beside(others.behind(reached))
            following = here.along(flow.falls)
            if flow.falls is None or following is None:
                return left.settled()
            reached = conjunction(reached, flow.falls.condition)
            here = following
        falls = Way(conjunction(reached, here.passed), here.state)
        stops = left.stops or here.passed is not TRUE
        return Flow(falls, left.breaks, left.continues, left.returns, stops).settled()

    def _switch(self, node: hir.Switch, path: Path) -> Flow:
        """Each arm on the path of those that enter it by its label and of those that fall through from the last one."""
        here = path.again()
        value = here.simplified(self.evaluate(node.condition, here))
        type_ = node.condition.type
        labels = [disjunction(*(binary("==", value, Constant(v), type_) for v in arm.values)) for arm in node.arms]
        unmatched = here.simplified(negation(disjunction(*labels)))
        flow, falling = Flow(), None
        for arm, label in zip(node.arms, labels, strict=True):
            enters = here.simplified(disjunction(label, unmatched) if arm.is_default else label)
            entering = None if enters is FALSE else Way(enters, here.state.copy())
            way = joined(entering, falling)
            inside = None if way is None else here.at(way.condition, way.state)
            if way is None or inside is None:
                falling = None
                continue
            through = self.block(arm.body.statements, inside).behind(way.condition)
            falling = through.falls
            flow = flow.beside(Flow(through.breaks, None, through.continues, through.returns, through.stops))
        skips = None
        if unmatched is not FALSE and not any(arm.is_default for arm in node.arms):
            skips = Way(unmatched, here.state)
        return flow.beside(Flow(joined(falling, skips))).settled().passing(here.passed)

    def declare(self, node: hir.Declare, path: Path) -> None:
        """A private variable begins: indeterminate, or with its initializer (missing elements are zero)."""
        names = [node.register] if node.length is None else [f"{node.register}[{i}]" for i in range(node.length)]
        found = [(one.type, *self._initial(one, path)) for one in node.initializer or ()]
        values = [(converted(value, type_, node.type), defined) for type_, value, defined in found]
        for i, name in enumerate(names):
            if node.initializer is None:
                path.state.variables[name] = VariableState(path.state.variables[name].value, FALSE)
            else:
                value, defined = values[i] if i < len(values) else (Constant(zero_of(node.type)), TRUE)
                path.state.assign(name, value, defined=defined)

    def barrier(self, node: hir.Barrier, path: Path) -> None:
        """BAR-1: an entry release fence and an exit acquire fence, with the barrier's flags and scope."""
        recorder, shared = self._recorder, self._shared
        instance = recorder.instance(node.level, node.site)
        self._fence(EventKind.ENTRY, Order.RELEASE, node, instance, path)
        if instance is not None:
            shared.arrive(instance, Arrival(self._thread.index, path.guard, node.span, node.flags, node.scope))
            path.narrow(shared.opening(instance))
        self._fence(EventKind.EXIT, Order.ACQUIRE, node, instance, path)

    def _fence(
        self,
        kind: EventKind,
        order: Order,
        node: hir.Fence | hir.Barrier,
        instance: BarrierInstance | None,
        path: Path,
    ) -> None:
        """A full expression that is one fence; an iteration of a loop that comes to a barrier has an effect."""
        recorder = self._recorder
        recorder.begin()
        recorder.event(
            kind,
            path.guard,
            recorder.done,
            node.span,
            order=order,
            scope=node.scope,
            flags=node.flags,
            barrier=instance,
        )
        recorder.finish(node.span)
        if kind is not EventKind.FENCE:
            path.state.effect = TRUE
