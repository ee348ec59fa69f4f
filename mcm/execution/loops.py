"""Loops of one thread: how often they are unrolled, and where the thread stops."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from msgspec.structs import replace

from mcm.execution.algebra import FALSE, TRUE, conjunction, disjunction, facts, negation, under
from mcm.execution.call_orders import overtakers
from mcm.execution.expression import Constant, size_of
from mcm.execution.flow import Flow
from mcm.execution.iteration import Beginning, Iterations, Round
from mcm.execution.liveness import is_private, live_at_loops, observed_registers
from mcm.execution.path import State, Way, behind, joined
from mcm.execution.skeleton import Stop, StopKind
from mcm.program.value_arithmetic import are_same

if TYPE_CHECKING:
    from mcm.execution.expression import Expression
    from mcm.execution.liveness import LiveAt, Names
    from mcm.execution.path import Path, VariableState
    from mcm.execution.recorder import Recorder
    from mcm.program import instruction as hir
    from mcm.program.types import Location


class Execution(Protocol):
    """What executes the parts of a loop."""

    def statement(self, node: hir.Statement, path: Path) -> Flow:
        """Execute a statement on a path."""

    def evaluate(self, node: hir.Expression, path: Path) -> Expression:
        """Evaluate a full expression on a path."""

    def test(self, node: hir.Expression, path: Path) -> Expression:
        """Evaluate a full expression as a condition on a path."""


class Loops:
    """Unrolls the loops of one thread."""

    def __init__(self, recorder: Recorder, execution: Execution) -> None:
        self._shared: Final = recorder.shared
        self._thread: Final = recorder.thread
        self._recorder: Final = recorder
        self._execution: Final = execution
        self._live: dict[int, LiveAt] | None = None
        self._types: Final = {register.name: register.type for register in recorder.thread.registers}

    def unroll(self, node: hir.Loop, path: Path) -> Flow:
        """Unroll a loop: as often as constants say, and as the bound allows where it depends on memory.

        An iteration that would be repeated without having had an effect waits: the thread stops there.
        """
        if node.is_cut:
            return self._cut(node, path)
        if not self._begins_behind_test(node):
            return self._unroll(node, path, self._shared.bound)
        # `while (c) b` is `if (c) do b while (c)`.
        outer = self._recorder.iteration
        self._recorder.iteration = (*outer, 0)
        here = path.again()
        test = self._execution.test(node.condition, here)
        passed = here.passed
        leaves, inside = here.fork(negation(test)), here.fork(test)
        self._recorder.iteration = outer
        skips = None if leaves is None else behind(passed, Way(negation(test), leaves.state))
        if inside is None:
            return Flow(falls=skips, stops=passed is not TRUE)
        flow = self._unroll(node, inside, self._shared.bound - 1).behind(conjunction(passed, test))
        return Flow(falls=joined(skips, flow.falls), returns=flow.returns, stops=flow.stops or passed is not TRUE)

    def _cut(self, node: hir.Loop, path: Path) -> Flow:
        """What is not looked at: the thread stops where the loop goes on."""
        here = path.again()
        test = self._execution.test(node.condition, here)
        passed = here.passed
        leaves, inside = here.fork(negation(test)), here.fork(test)
        if inside is not None:
            self._stop(StopKind.BOUND, node, inside)
        skips = None if leaves is None else behind(passed, Way(negation(test), leaves.state))
        return Flow(falls=skips, stops=inside is not None or passed is not TRUE)

    def _begins_behind_test(self, node: hir.Loop) -> bool:
        """Whether iterations are looked at from test to test.

        What a test looks at may be computed anew behind it, as in `while (seen > 0) { seen = load(x); }`.
        Then it does not matter any more where the test has held.
        """
        if not (self._shared.waiting and self._shared.bound and node.tests_first and is_private(node.condition)):
            return False
        live = self._live_at(node)
        return live.body < live.head

    def _unroll(self, node: hir.Loop, path: Path, bound: int) -> Flow:
        """Unroll a loop whose iterations begin on a path."""
        shared, recorder = self._shared, self._recorder
        tests_first = node.tests_first and not self._begins_behind_test(node)
        outer = recorder.iteration
        effect, stores = path.state.effect, path.state.stores
        rounds: list[Round] = []
        iterations = Iterations(
            node,
            self._execution,
            partial(self._live_at_start, node),
            tests_first=tests_first,
            goes_to_end=shared.foreknown.goes_to_end,
        )
        counted = 0
        idle: Expression = FALSE
        is_extra = False
        head: Path | None = path
        begun: Beginning | None = None
        while head is not None:
            shared.grow(node.span)
            recorder.iteration = (*outer, len(rounds))
            begun = self._begin(head, begun)
            if tests_first:
                # Whether a thread waits is seen at the end of an iteration only.
                may_wait = bool(rounds) and rounds[-1].may_wait
                this = self._tests_first(node, head, may_go_on=counted < bound or may_wait)
            else:
                this = self._tests_last(node, head)
            rounds.append(this)
            for way in (this.leaves, this.returns):
                if way is not None:
                    way.state.effect = disjunction(effect, way.state.effect)
                    way.state.stores = disjunction(stores, way.state.stores)
            if shared.waiting:
                idle = self._wait(node, this, begun, head, idle)
            following = self._following(this, head)
            # An iteration that is executed once before the last one is none that the bound is for.
            is_extra = idle is not FALSE and not is_extra
            if following is not None and not is_extra and iterations.counts(this, begun, shared, following):
                counted += 1
                if counted > bound:
                    self._stop(StopKind.BOUND, node, following)
                    this.again, this.stops = None, True
                    break
            if following is not None:
                effect = disjunction(effect, following.state.effect)
                stores = disjunction(stores, following.state.stores)
            head = following
        recorder.iteration = outer
        shared.may_end = shared.may_end or iterations.may_end
        return _unrolled(rounds)

    def _begin(self, head: Path, last: Beginning | None) -> Beginning:
        """Begin an iteration, behind the last one if there is one; effects are counted from here."""
        effect = disjunction(head.state.effect, head.state.stores)
        head.state.effect = head.state.stores = FALSE
        before = None if last is None else replace(last, before=None)
        number, trials = len(self._shared.events), len(self._recorder.not_spurious)
        return Beginning(dict(head.state.variables), number, trials, len(self._shared.faults), before, effect)

    def _following(self, this: Round, head: Path) -> Path | None:
        """The path on which an iteration is followed by another one; None where it never is."""
        if this.again is None or not self._shared.waiting:
            return head.along(this.again)
        # Imported here: see `_wait`.
        from mcm.execution.waiting import decided  # noqa: PLC0415

        if decided(head.simplified(this.again.condition), head, self._shared.domain) is FALSE:
            this.again = None
        following = head.along(this.again)
        if following is not None:
            following.learn(this.change)
        return following

    def _tests_last(self, node: hir.Loop, head: Path) -> Round:
        """One iteration of a loop that tests after its body."""
        flow = self._execution.statement(node.body, head)
        on = joined(flow.falls, flow.continues)
        here = None if on is None else head.at(on.condition, on.state)
        if on is None or here is None:
            return Round(flow.breaks, None, flow.returns, stops=flow.stops)
        if node.step is not None:
            self._execution.evaluate(node.step, here)
        if node.tests_first:
            *outer, number = self._recorder.iteration
            self._recorder.iteration = (*outer, number + 1)
        test = self._execution.test(node.condition, here)
        leaves, inside = here.fork(negation(test)), here.fork(test)
        passed = conjunction(on.condition, here.passed)
        skips = None if leaves is None else behind(passed, Way(negation(test), leaves.state))
        again = None if inside is None else behind(passed, Way(test, inside.state))
        return Round(
            joined(flow.breaks, skips),
            again,
            flow.returns,
            _conditions(flow.breaks, skips, flow.returns),
            stops=flow.stops or here.passed is not TRUE,
            is_tested=not isinstance(test, Constant),
        )

    def _tests_first(self, node: hir.Loop, head: Path, *, may_go_on: bool) -> Round:
        """One iteration of a loop that tests before its body: it may go on where the test depends on memory, or not."""
        here = head.again()
        test = self._execution.test(node.condition, here)
        passed, is_tested = here.passed, not isinstance(test, Constant)
        leaves = None if test is TRUE else here.fork(negation(test))
        inside = here.again() if test is TRUE else here.fork(test)
        skips = None if leaves is None else behind(passed, Way(negation(test), leaves.state))
        if inside is None or (is_tested and not may_go_on):
            if inside is not None:
                self._stop(StopKind.BOUND, node, inside)
            return Round(skips, None, stops=inside is not None or passed is not TRUE, is_tested=is_tested)
        flow = self._execution.statement(node.body, inside).behind(conjunction(passed, test))
        again = joined(flow.falls, flow.continues)
        stops = flow.stops or passed is not TRUE
        after = None if again is None else head.at(again.condition, again.state)
        if again is not None and after is not None and node.step is not None:
            self._execution.evaluate(node.step, after)
            again = Way(conjunction(again.condition, after.passed), after.state)
            stops = stops or after.passed is not TRUE
        # Where nothing has had an effect, a test of private variables holds again.
        exits = _conditions(None if is_private(node.condition) else skips, flow.breaks, flow.returns)
        return Round(joined(skips, flow.breaks), again, flow.returns, exits, stops, is_tested)

    def _stop(self, kind: StopKind, node: hir.Loop, path: Path) -> None:
        """The thread stops on a path instead of going on with the loop."""
        self._shared.stops.append(Stop(kind, self._thread.index, path.guard, node.span))

    def _wait(self, node: hir.Loop, this: Round, begun: Beginning, head: Path, idle_before: Expression) -> Expression:
        """Stop where an iteration would be repeated without having had an effect: it waits for what it reads.

        An iteration whose reads are not all made again by the next one that has an effect, or is the last, is executed
        once before: they may race. Returns the condition under which the iteration had no effect, on the path that goes
        on; `idle_before` is that of the iteration before.
        """
        path = head.along(this.again)
        if this.again is None or path is None or path.state.effect is TRUE:
            return FALSE
        # Imported here: few programs have loops without effect.
        from mcm.execution.waiting import are_made_again, decided, may_be_executed, places_of  # noqa: PLC0415

        idle, renewed, stored = self._without_lasting_effect(node, this, begun, head, path)
        is_same = path.simplified(idle)
        this.may_wait = is_same is not FALSE
        idle = decided(is_same, path, self._shared.domain)
        if idle is FALSE:
            # No value that is read leaves everything as it was.
            this.change = negation(is_same)
            return FALSE
        events = self._shared.events[begun.events :]
        has_effect = conjunction(this.again.condition, negation(idle))
        others = this.exits if has_effect is FALSE else (*this.exits, has_effect)
        waits = idle
        reads = [event for event in events if event.kind.reads and may_be_executed(event, path, is_same)]
        first = next((self._shared.events[read] for read in renewed), None)
        sooner = overtakers(self._shared.open_expressions, begun.events)
        if not are_made_again(reads, events, head.guard, others, sooner, self._shared.choice_reads, first):
            is_same = conjunction(is_same, idle_before)
            waits = path.simplified(conjunction(idle, idle_before))
            reads = [event for event in reads if may_be_executed(event, path, is_same)]
        if waits is FALSE:
            return idle
        self._shared.stops.append(
            Stop(
                StopKind.WAIT,
                self._thread.index,
                path.guarded(waits),
                node.span,
                (*renewed, *(event.identifier for event in reads)),
                frozenset(place for event in reads for place in places_of(event, path, is_same)),
                path.simplified(conjunction(*self._recorder.not_spurious[begun.trials :]), waits),
                stores=stored,
            )
        )
        goes_on = path.at(negation(waits), path.state)
        this.again = None if goes_on is None else Way(conjunction(this.again.condition, negation(waits)), path.state)
        this.stops = True
        return FALSE if goes_on is None else goes_on.simplified(idle)

    def _without_lasting_effect(
        self, node: hir.Loop, this: Round, begun: Beginning, head: Path, path: Path
    ) -> tuple[Expression, tuple[int, ...], frozenset[Location]]:
        """As `_without_effect`, and what the iteration stores then, as every other one does anew."""
        from mcm.execution.waiting import are_stored_anew, may_be_executed  # noqa: PLC0415 - see `_wait`

        idle, renewed = self._without_effect(node, begun, head, path)
        is_same = path.simplified(idle)
        if is_same is FALSE or path.state.stores is FALSE:
            return idle, renewed, frozenset()
        assert this.again is not None
        events = self._shared.events[begun.events :]
        executed = [event for event in events if may_be_executed(event, path, is_same)]
        sooner = overtakers(self._shared.open_expressions, begun.events)
        if are_stored_anew(executed, events, head.guard, (*this.exits, this.again.condition), sooner):
            return idle, renewed, frozenset(event.locations[0] for event in executed if event.kind.writes)
        # Then it is an effect like any other.
        path.state.effect, path.state.stores = disjunction(path.state.effect, path.state.stores), FALSE
        return (*self._without_effect(node, begun, head, path), frozenset())

    def _without_effect(
        self, node: hir.Loop, begun: Beginning, head: Path, path: Path
    ) -> tuple[Expression, tuple[int, ...]]:
        """The condition that an iteration had no effect, and the read before it that its last read makes again."""
        from mcm.execution.waiting import renewal  # noqa: PLC0415 - see `_wait`

        shared, live = self._shared, self._live_at_start(node)
        idle = path.simplified(self._all_unchanged(node, begun.variables, path))
        renewed = None if idle is TRUE else renewal(shared.events, shared.failures, begun.events, head, path)
        if renewed is None or (idle is FALSE and renewed.holds is TRUE and self._has_stepped(node, begun, path)):
            return idle, ()
        apply = renewed.later.apply
        variables = {name: replace(was, value=apply(was.value)) for name, was in begun.variables.items()}
        if all(variables[name].value is was.value for name, was in begun.variables.items() if name in live):
            return idle, ()
        as_later = path.simplified(conjunction(self._all_unchanged(node, variables, path), renewed.holds))
        if renewed.holds is not TRUE:
            # Where some iterations have an effect anyway, conditions on what was read would make more of them.
            as_later = disjunction(as_later, path.simplified(self._as_before(node, begun, path)))
            return (TRUE, (renewed.read,)) if as_later is TRUE else (idle, ())
        return (idle, ()) if as_later is FALSE else (as_later, (renewed.read,))

    def _has_stepped(self, node: hir.Loop, begun: Beginning, path: Path) -> bool:
        """Whether a variable that matters, as a counter, has another number than before, whatever is read."""
        live, variables = self._live_at_start(node), path.state.variables
        for name, old in reversed(begun.variables.items()):
            new = variables[name].value
            if new is not old.value and name in live and type(new) is Constant and type(old.value) is Constant:
                return not are_same(old.value.value, new.value)
        return False

    def _as_before(self, node: hir.Loop, begun: Beginning, path: Path) -> Expression:
        """The condition that two iterations, of which the second begins there, had no effect together."""
        from mcm.execution.waiting import only_repeats  # noqa: PLC0415 - see `_wait`

        before = begun.before
        if before is None or not only_repeats(self._shared.events, before.events, begun.events, path):
            return FALSE
        return conjunction(self._all_unchanged(node, before.variables, path), negation(begun.effect))

    def _all_unchanged(self, node: hir.Loop, begun: dict[str, VariableState], path: Path) -> Expression:
        """The condition that nothing was changed in memory, and variables are as they were."""
        # What one variable tells makes it easier to compare others.
        idle = negation(path.state.effect)
        for condition in sorted(self._unchanged(node, begun, path), key=size_of):
            idle = conjunction(idle, under(condition, facts(idle)))
        return idle

    def _unchanged(self, node: hir.Loop, begun: dict[str, VariableState], path: Path) -> list[Expression]:
        """The conditions that variables are as they were at the start of an iteration, up to one that is not."""
        from mcm.execution.waiting import unchanged  # noqa: PLC0415 - see `_wait`

        live, variables = self._live_at_start(node), path.state.variables
        found: list[Expression] = []
        # The counter of a loop is declared late, and most elements of an array are not touched.
        for name, old in reversed(begun.items()):
            if variables[name] is not old and name in live:
                before = path.decided(State({name: old})).variables[name]
                is_same = unchanged(before, variables[name], self._types[name])
                if is_same is not TRUE:
                    found.append(is_same)
                if is_same is FALSE:
                    break
        return found

    def _live_at_start(self, node: hir.Loop) -> Names:
        """The private variables that matter where an iteration of a loop begins."""
        live = self._live_at(node)
        return live.body if self._begins_behind_test(node) else live.head

    def _live_at(self, node: hir.Loop) -> LiveAt:
        if self._live is None:
            if self._shared.observed is None:
                self._shared.observed = observed_registers(self._shared.program)
            at_end = self._shared.observed[self._thread.index]
            self._live = live_at_loops(self._thread.body, at_end, self._shared.used)
        return self._live[id(node)]


def _conditions(*ways: Way | None) -> tuple[Expression, ...]:
    """The conditions of those ways that there are."""
    return tuple(way.condition for way in ways if way is not None)


def _unrolled(rounds: list[Round]) -> Flow:
    """The flow of a loop, from its iterations."""
    leaves: Way | None = None
    returns: Way | None = None
    for this in reversed(rounds):
        if this.again is not None:
            leaves, returns = behind(this.again.condition, leaves), behind(this.again.condition, returns)
        leaves, returns = joined(this.leaves, leaves), joined(this.returns, returns)
    return Flow(falls=leaves, returns=returns, stops=any(this.stops for this in rounds)).settled()
