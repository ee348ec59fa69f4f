"""Calls of the host API and enqueue_kernel: the events of one thread, and where it waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.execution.algebra import FALSE, TRUE, ZERO, conjunction, disjunction, negation, select
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Constant
from mcm.execution.progress import CompletedBy, Emptied, Held, Progress, QueueCall, Stage, TakesEffect
from mcm.program import instruction as hir
from mcm.program.command import FAILED_IN_WAIT_LIST, INVALID_OPERATION, CommandKind
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.base.source import Span
    from mcm.execution.expression import Expression
    from mcm.execution.path import Path
    from mcm.execution.recorder import Recorder
    from mcm.execution.sequencing import Effects
    from mcm.program.program import Program

# The values of CL_COMPLETE, CL_RUNNING, CL_SUBMITTED and CL_QUEUED, in the order in which a status falls.
QUEUED, SUBMITTED, RUNNING, COMPLETE = 3, 2, 1, 0


def calls_that_set(program: Program) -> tuple[tuple[int, int, int], ...]:
    """The calls in the text that set user events: the event, the thread, the status."""
    nodes = ((thread.index, node) for thread in program.threads for node in walk(thread.body))
    return tuple((n.event, thread, n.status) for thread, n in nodes if isinstance(n, hir.SetUserEventStatus))


class HostCalls:
    """The calls of one thread."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder: Final = recorder
        self._shared: Final = recorder.shared
        self._calls: Final = recorder.shared.calls

    def call(
        self, node: hir.HostCall, passed: tuple[Expression, ...], effects: Effects, path: Path, after: int
    ) -> tuple[Expression, Effects]:
        """The value and the effects of a call; `passed` are what it passes by value."""
        begin = after | effects.values | effects.pending
        if not isinstance(node, (hir.EventStatus, hir.Flush, hir.Returned)):
            path.state.effect = TRUE
        match node:
            case hir.Returned(command, is_value, number=number):
                return self._result(command, number) if is_value else self._waited([command]), effects
            case hir.Enqueue():
                return self._enqueue(node, passed, effects, path, begin)
            case hir.WaitForEvents(events):
                opens = conjunction(*(self._shared.condition(Progress(e, Stage.COMPLETE)) for e in events))
                returned = self._return(opens, events, path, begin, node.span)
                self._calls.awaited += ((event, returned) for event in events)
                return self._waited(events), self._recorder.called([returned], effects)
            case hir.Finish(queue):
                called = self._event(EventKind.API_CALL, path, begin, node.span)
                self._calls.queue_calls.append(QueueCall(queue, called, self._thread, path.guard))
                opens = self._shared.condition(Emptied(called))
                returned = self._return(opens, self._queued(queue), path, begin | 1 << called, node.span)
                self._calls.finishes[called] = returned
                return ZERO, self._recorder.called([called, returned], effects)
            case hir.Flush():
                return ZERO, effects.completed()
            case hir.SetUserEventStatus():
                return self._set_status(node, effects, path, begin)
            case hir.SetEventCallback(_, thread):
                self._calls.registered[thread] = path.guard
                return ZERO, effects.completed()
            case hir.EventStatus(event):
                return self._status(node, event, effects, path, begin)
            case _:
                assert_never(node)

    @property
    def _thread(self) -> int:
        return self._recorder.thread.index

    def _event(self, kind: EventKind, path: Path, after: int, span: Span, command: int | None = None) -> int:
        return self._recorder.event(kind, path.guard, after, span, command=command)

    def _return(self, opens: Expression, awaits: tuple[int, ...], path: Path, after: int, span: Span) -> int:
        """A call that waits: the thread goes on where what it waits for comes."""
        self._calls.helds.append(Held(self._thread, path.guard, opens, span, awaits))
        path.narrow(opens)
        return self._event(EventKind.RETURN, path, after, span)

    def _result(self, command: int, number: int = 0) -> Expression:
        """What a blocking read has read, the value of this number; 0 where it has another target."""
        if self._shared.foreknown.supposed:
            # Imported here: see `Shared.condition`.
            from mcm.execution.presumed import presumed_result  # noqa: PLC0415

            value = presumed_result(self._shared, command, number)
            if value is not None:
                self._calls.presumed[command, number] = value
                return value
        return self._shared.unknown(Progress(command, Stage.RESULT, number))

    def _waited(self, events: Iterable[int]) -> Expression:
        """What a call that has waited for events returns: an error where one of them has failed."""
        if all(status >= 0 for _, _, status in self._calls.written):
            return ZERO
        failed = disjunction(*(self._shared.condition(Progress(event, Stage.FAILED)) for event in events))
        return select(failed, Constant(FAILED_IN_WAIT_LIST), ZERO)

    def _set_status(
        self, node: hir.SetUserEventStatus, effects: Effects, path: Path, begin: int
    ) -> tuple[Expression, Effects]:
        """The first call for a user event sets it; all others return an error and change nothing."""
        setters = self._calls.setters.setdefault(node.event, [])
        own = [call.guard for call in setters if call.thread == self._thread]
        first = negation(disjunction(*own))
        called = len(self._shared.events)
        if self._is_set_elsewhere(node.event):
            first = conjunction(first, self._shared.condition(TakesEffect(called)))
        self._event_where(first, path, begin, node.span, node.event)
        refused = None
        if conjunction(path.guard, negation(first)) != FALSE:
            refused = self._event_where(negation(first), path, begin, node.span)
        setters.append(CompletedBy(called, path.guard, self._thread, node.status, refused, first))
        return select(first, ZERO, Constant(INVALID_OPERATION)), self._recorder.called([*setters[-1].events], effects)

    def _event_where(
        self, condition: Expression, path: Path, after: int, span: Span, command: int | None = None
    ) -> int:
        """A call that does what it does under a condition."""
        return self._recorder.event(EventKind.API_CALL, path.guarded(condition), after, span, command=command)

    def _is_set_elsewhere(self, event: int) -> bool:
        """Whether another thread sets a user event too."""
        return any(number == event and thread != self._thread for number, thread, _ in self._calls.written)

    def _queued(self, queue: int) -> tuple[int, ...]:
        calls = self._calls.queue_calls
        return tuple(call.command for call in calls if call.queue == queue and call.command is not None)

    def _enqueue(
        self, node: hir.Enqueue, passed: tuple[Expression, ...], effects: Effects, path: Path, begin: int
    ) -> tuple[Expression, Effects]:
        command = self._shared.program.commands[node.command]
        called = self._event(EventKind.API_CALL, path, begin, node.span, command.number)
        calls = self._calls
        calls.enqueued[command.number] = called, path.guard
        if passed:
            calls.operands[command.number] = dict(zip(node.passed, passed, strict=True))
        if command.queue is not None and command.kind is not CommandKind.CHILD:
            calls.queue_calls.append(QueueCall(command.queue, called, self._thread, path.guard, command.number))
        if not command.blocking:
            return ZERO, self._recorder.called([called], effects)
        opens = self._shared.condition(Progress(command.number, Stage.COMPLETE))
        returned = self._return(opens, (command.number,), path, begin | 1 << called, node.span)
        calls.awaited.append((command.number, returned))
        is_read = command.kind is CommandKind.READ
        value = self._result(command.number) if is_read else self._waited([command.number])
        return value, self._recorder.called([called, returned], effects)

    def _status(
        self, node: hir.EventStatus, event: int, effects: Effects, path: Path, begin: int
    ) -> tuple[Expression, Effects]:
        """HOST-4q: any status that the event has had by then; which one, models say from the events of the query.

        There is one such event for each answer, of which one is executed.
        """
        shared, command = self._shared, self._shared.program.commands[event]
        complete = shared.condition(Progress(event, Stage.COMPLETE))
        chosen = [Choice(shared.new_choice())]
        answers: list[tuple[int, Expression]] = [(COMPLETE, chosen[0])]
        shared.constraints.append(disjunction(negation(conjunction(path.guard, chosen[0])), complete))
        later = negation(chosen[0])
        if command.kind is not CommandKind.USER:
            started = shared.condition(Progress(event, Stage.STARTED))
            chosen += (Choice(shared.new_choice()), Choice(shared.new_choice()))
            _, running, submitted = chosen
            is_running = conjunction(later, running)
            shared.constraints.append(disjunction(negation(conjunction(path.guard, is_running)), started))
            # Choices that do not matter are fixed, so that executions are not counted twice.
            shared.constraints.append(disjunction(negation(running), later))
            shared.constraints.append(disjunction(negation(submitted), conjunction(later, negation(running))))
            answers.append((RUNNING, is_running))
            later = conjunction(later, negation(running))
            answers.append((QUEUED, conjunction(later, negation(submitted))))
            later = conjunction(later, submitted)
        answers.append((SUBMITTED, later))
        shared.constraints += (disjunction(negation(choice), path.guard) for choice in chosen)
        value: Expression = Constant(SUBMITTED)
        events = []
        for answer, condition in answers:
            guard = path.guarded(condition)
            number = self._recorder.event(EventKind.QUERY, guard, begin, node.span, command=event, answer=answer)
            self._calls.queried.append((event, number))
            events.append(number)
            told = shared.unknown(Progress(event, Stage.STATUS)) if answer == COMPLETE else Constant(answer)
            value = value if answer == SUBMITTED else select(condition, told, value)
        # A thread that asks again and again is told at last: it waits for ever only where the event never completes.
        self._recorder.not_spurious.append(disjunction(negation(path.guard), chosen[0], negation(complete)))
        return value, self._recorder.called(events, effects)
