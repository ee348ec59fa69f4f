"""Symbolic execution of one thread: statements to guarded events, private variables to expressions.

Every event carries the condition under which it is executed. Branches are executed on paths of their own, which are
joined behind: a thread of n operations has n events, whatever its branches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.execution.accesses import Accesses
from mcm.execution.algebra import FALSE, TRUE, conjunction, disjunction, negation, truth
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant
from mcm.execution.liveness import live_at_loops, observed_registers, read_by
from mcm.execution.operands import Operands, converted
from mcm.execution.operations import Operations
from mcm.execution.path import Path, State, VariableState, Way, behind, joined, unchanged
from mcm.execution.recorder import Recorder
from mcm.execution.shared import Arrival
from mcm.execution.skeleton import Stop, StopKind
from mcm.program import instruction as hir
from mcm.program.types import Order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.execution.expression import Expression
    from mcm.execution.liveness import Names
    from mcm.execution.shared import Shared
    from mcm.program.program import Thread


# Statements that control always leaves at their end.
Step = hir.Evaluate | hir.Declare | hir.Fence | hir.Barrier


class Flow(Struct, frozen=True):
    """How control leaves a statement; conditions count from its beginning. `stops`: the thread may stop in it."""

    falls: Way | None = None
    breaks: Way | None = None
    continues: Way | None = None
    returns: Way | None = None
    stops: bool = False

    def behind(self, condition: Expression) -> Flow:
        """The flow of a statement that is executed where a condition holds."""
        if condition is TRUE:
            return self
        return Flow(
            behind(condition, self.falls),
            behind(condition, self.breaks),
            behind(condition, self.continues),
            behind(condition, self.returns),
            self.stops,
        )

    def beside(self, other: Flow) -> Flow:
        """The flow of this statement or another one: their conditions exclude each other."""
        return Flow(
            joined(self.falls, other.falls),
            joined(self.breaks, other.breaks),
            joined(self.continues, other.continues),
            joined(self.returns, other.returns),
            self.stops or other.stops,
        ).settled()

    def settled(self) -> Flow:
        """The same flow; where there is only one way, that is taken always."""
        match self:
            case Flow(Way(_, state), None, None, None, False):
                return Flow(falls=Way(TRUE, state))
            case Flow(None, Way(_, state), None, None, False):
                return Flow(breaks=Way(TRUE, state))
            case Flow(None, None, Way(_, state), None, False):
                return Flow(continues=Way(TRUE, state))
            case Flow(None, None, None, Way(_, state), False):
                return Flow(returns=Way(TRUE, state))
            case _:
                return self


class Round(Struct):
    """One iteration of a loop: how control leaves the loop in it, or goes `again`. Conditions count from its head.

    `is_tested`: the loop's condition depends on memory.
    """

    leaves: Way | None
    again: Way | None
    returns: Way | None = None
    stops: bool = False
    is_tested: bool = False


class Beginning(Struct, frozen=True):
    """Where an iteration begins: what the variables hold, and how much the thread has recorded."""

    variables: dict[str, VariableState]
    events: int
    trials: int


class ThreadRun:
    """Executes the statements of a thread."""

    def __init__(self, shared: Shared, thread: Thread) -> None:
        self._shared: Final = shared
        self._thread: Final = thread
        self._recorder: Final = Recorder(shared, thread)
        accesses = Accesses(self._recorder)
        self._operands: Final = Operands(self._recorder, accesses, Operations(self._recorder, accesses))
        self._live: dict[int, Names] | None = None

    def run(self) -> dict[str, Expression]:
        """Elaborate the whole thread; what its private variables hold when it ends."""
        flow = self.statement(self._thread.body, Path(TRUE, {}, self.initial_state()))
        end = joined(flow.returns, flow.falls)
        final = self.initial_state() if end is None else end.state
        return {name: variable.value for name, variable in final.variables.items()}

    def initial_state(self) -> State:
        """Parameters have their values; nothing else has one."""
        return State(
            {
                r.name: VariableState(Constant(r.initial or 0), FALSE if r.initial is None else TRUE)
                for r in self._thread.registers
            }
        )

    def evaluate(self, node: hir.Expression, path: Path) -> Expression:
        """A full expression: sequenced after everything before it, and before everything after it."""
        recorder = self._recorder
        recorder.begin()
        value, _ = self._operands.expression(node, path, recorder.done)
        recorder.finish(node.span)
        return value

    def test(self, node: hir.Expression, path: Path) -> Expression:
        """A full expression as a condition on the path."""
        return path.simplified(truth(self.evaluate(node, path)))

    def statement(self, node: hir.Statement, path: Path) -> Flow:
        """Execute a statement on a path, whose state it uses up."""
        match node:
            case hir.Evaluate() | hir.Declare() | hir.Fence() | hir.Barrier():
                self.step(node, path)
                return Flow(falls=Way(TRUE, path.state))
            case hir.Block(statements):
                return self.block(statements, path)
            case hir.If(condition, then, otherwise):
                test = self.test(condition, path)
                untaken = negation(test)
                skipped, taken = path.fork(untaken), path.fork(test)
                one = Flow() if taken is None else self.statement(then, taken).behind(test)
                other = Flow() if skipped is None else self.statement(otherwise, skipped).behind(untaken)
                return one.beside(other)
            case hir.Loop():
                return self.loop(node, path)
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
                recorder = self._recorder
                recorder.begin()
                recorder.event(
                    EventKind.FENCE,
                    path.guard,
                    recorder.done,
                    node.span,
                    order=node.order,
                    scope=node.scope,
                    flags=node.flags,
                )
                recorder.finish(node.span)
                path.state.effect = TRUE
            case hir.Barrier():
                self.barrier(node, path)
            case _:
                assert_never(node)

    def block(self, statements: tuple[hir.Statement, ...], path: Path) -> Flow:
        """Statements in order, each under the condition that control reaches it."""
        reached: Expression = TRUE
        left: Flow | None = None
        here: Path | None = path
        for statement in statements:
            if here is None:
                break
            if isinstance(statement, Step):
                self.step(statement, here)
                continue
            flow = self.statement(statement, here)
            if flow.breaks or flow.continues or flow.returns or flow.stops:
                others = Flow(None, flow.breaks, flow.continues, flow.returns, flow.stops).behind(reached)
                left = others if left is None else left.beside(others)
            here = here.along(flow.falls)
            if flow.falls is not None:
                reached = conjunction(reached, flow.falls.condition)
        falls = None if here is None else Way(reached, here.state)
        if left is None:
            return Flow(falls)
        return Flow(falls, left.breaks, left.continues, left.returns, left.stops).settled()

    def declare(self, node: hir.Declare, path: Path) -> None:
        """A private variable begins: indeterminate, or with its initializer (missing elements are zero)."""
        names = [node.register] if node.length is None else [f"{node.register}[{i}]" for i in range(node.length)]
        values = [
            converted(self.evaluate(initializer, path), initializer.type, node.type)
            for initializer in node.initializer or ()
        ]
        for i, name in enumerate(names):
            if node.initializer is None:
                path.state.variables[name] = VariableState(path.state.variables[name].value, FALSE)
            else:
                path.state.assign(name, values[i] if i < len(values) else Constant(0))

    def barrier(self, node: hir.Barrier, path: Path) -> None:
        """BAR-1: an entry release fence and an exit acquire fence, with the barrier's flags and scope."""
        recorder = self._recorder
        instance = recorder.instance(node.level, node.site)
        for kind, order in ((EventKind.ENTRY, Order.RELEASE), (EventKind.EXIT, Order.ACQUIRE)):
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
        path.state.effect = TRUE
        if instance is not None:
            arrival = Arrival(self._thread.index, path.guard, node.span, node.flags, node.scope)
            self._shared.arrivals.setdefault(instance, []).append(arrival)

    # --- loops --------------------------------------------------------------------------------------------------------

    def loop(self, node: hir.Loop, path: Path) -> Flow:
        """Unroll a loop: as often as constants say, and as the bound allows where it depends on memory.

        An iteration that would be repeated without having had an effect waits: the thread stops there.
        """
        shared, recorder = self._shared, self._recorder
        outer = recorder.iteration
        effect = path.state.effect
        rounds: list[Round] = []
        counted = 0
        head: Path | None = path
        while head is not None:
            shared.grow(node.span)
            recorder.iteration = (*outer, len(rounds))
            head.state.effect = FALSE
            begun = Beginning(dict(head.state.variables), len(shared.events), len(recorder.not_spurious))
            this = self.round(node, head, may_go_on=counted < shared.bound)
            rounds.append(this)
            if this.leaves is not None:
                this.leaves.state.effect = disjunction(effect, this.leaves.state.effect)
            if shared.waiting:
                self.wait(node, this, begun, head)
            following = head.along(this.again)
            if following is not None and self.is_counted(node, this, begun):
                counted += 1
                if counted > shared.bound:
                    self.stop(StopKind.BOUND, node, this, following)
                    break
                effect = disjunction(effect, following.state.effect)
            head = following
        recorder.iteration = outer
        return _unrolled(rounds)

    def round(self, node: hir.Loop, head: Path, *, may_go_on: bool) -> Round:
        """One iteration; where the loop tests first, it may go on beyond a test that depends on memory, or stops."""
        if not node.tests_first:
            flow = self.statement(node.body, head)
            on = joined(flow.falls, flow.continues)
            here = head.along(on)
            if on is None or here is None:
                return Round(flow.breaks, None, flow.returns, flow.stops)
            test = self.test(node.condition, here)
            leaves, inside = here.fork(negation(test)), here.fork(test)
            skips = None if leaves is None else behind(on.condition, Way(negation(test), leaves.state))
            again = None if inside is None else behind(on.condition, Way(test, inside.state))
            is_tested = not isinstance(test, Constant)
            return Round(joined(flow.breaks, skips), again, flow.returns, flow.stops, is_tested)
        test = self.test(node.condition, head)
        is_tested = not isinstance(test, Constant)
        leaves, inside = head.fork(negation(test)), head.fork(test)
        skips = None if leaves is None else Way(negation(test), leaves.state)
        if inside is None:
            return Round(skips, None, is_tested=is_tested)
        this = Round(skips, Way(test, inside.state), is_tested=is_tested)
        if is_tested and not may_go_on:
            self.stop(StopKind.BOUND, node, this, inside)
            return this
        flow = self.statement(node.body, inside).behind(test)
        this.leaves = joined(skips, flow.breaks)
        this.returns, this.stops = flow.returns, flow.stops
        this.again = joined(flow.falls, flow.continues)
        after = head.along(this.again)
        if this.again is not None and after is not None and node.step is not None:
            self.evaluate(node.step, after)
            this.again = Way(this.again.condition, after.state)
        return this

    def stop(self, kind: StopKind, node: hir.Loop, this: Round, path: Path) -> None:
        """The thread stops on a path instead of going on with the loop."""
        self._shared.stops.append(Stop(kind, self._thread.index, path.guard, node.span))
        this.again, this.stops = None, True

    def wait(self, node: hir.Loop, this: Round, begun: Beginning, head: Path) -> None:
        """Stop where an iteration would be repeated without having had an effect: it waits for what it reads."""
        path = head.along(this.again)
        if this.again is None or path is None or path.state.effect is TRUE:
            return
        live, variables = self.live_at(node), path.state.variables
        same = [
            unchanged(begun.variables[register.name], variables[register.name], register.type)
            for register in self._thread.registers
            if register.name in live
        ]
        idle = path.simplified(conjunction(negation(path.state.effect), *same))
        if idle is FALSE:
            return
        events = self._shared.events
        self._shared.stops.append(
            Stop(
                StopKind.WAIT,
                self._thread.index,
                path.guarded(idle),
                node.span,
                tuple(event.identifier for event in events[begun.events :] if event.kind.reads),
                conjunction(*self._recorder.not_spurious[begun.trials :]),
            )
        )
        goes_on = path.at(negation(idle), path.state)
        this.again = None if goes_on is None else Way(conjunction(this.again.condition, negation(idle)), path.state)
        this.stops = True

    def is_counted(self, node: hir.Loop, this: Round, begun: Beginning) -> bool:
        """Whether an iteration that is followed by another one counts against the bound.

        It does unless constants say that the loop ends: what the condition tests has changed, or the body goes on
        whatever memory holds and something has changed that may make it leave.
        """
        assert this.again is not None
        variables = this.again.state.variables

        def has_changed(names: Iterable[str]) -> bool:
            return any(variables[name].value is not begun.variables[name].value for name in names if name in variables)

        if this.is_tested:
            return True
        if has_changed(read_by(node.condition)):
            return False
        return this.again.condition is not TRUE or not has_changed(self.live_at(node))

    def live_at(self, node: hir.Loop) -> Names:
        """The private variables that matter where an iteration of a loop begins."""
        if self._live is None:
            at_end = observed_registers(self._shared.program, self._thread)
            self._live = live_at_loops(self._thread.body, at_end)
        return self._live[id(node)]


def _unrolled(rounds: list[Round]) -> Flow:
    """The flow of a loop, from its iterations."""
    leaves: Way | None = None
    returns: Way | None = None
    for this in reversed(rounds):
        if this.again is not None:
            leaves, returns = behind(this.again.condition, leaves), behind(this.again.condition, returns)
        leaves, returns = joined(this.leaves, leaves), joined(this.returns, returns)
    return Flow(falls=leaves, returns=returns, stops=any(this.stops for this in rounds)).settled()
