"""The trace of a recorded run: each step, with the other values that a read could have read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcm.base.bits import listed
from mcm.machine.code import (
    AwaitCopies,
    AwaitEvents,
    Barrier,
    ChooseOrder,
    Collective,
    CompareExchange,
    EnqueueCommand,
    Fence,
    FinishQueue,
    FlushQueue,
    GroupFunction,
    Load,
    QueryStatus,
    SetCallback,
    SetUserEvent,
    Store,
    Update,
)
from mcm.machine.computation import ComputationLimitError
from mcm.machine.runtime_trace import RuntimeTrace, TraceStep, status_name
from mcm.program.operators import Level
from mcm.program.pipe_state import show_pipe_state

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.machine.clover import CloverScheduler
    from mcm.machine.configuration import Configuration, Step
    from mcm.machine.finding import Finding
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice
    from mcm.machine.schedule import Schedule


def trace_run(machine: Machine[Any], schedule: Schedule, clover: CloverScheduler | None = None) -> Iterator[TraceStep]:
    """Replay a run, and describe every step; `clover` is the scheduler that the run is of, if it was that of Clover."""
    try:
        step = machine.start()
    except ComputationLimitError as error:
        yield TraceStep(None, str(error))
        return
    runtime = RuntimeTrace(machine, clover)
    yield from map(_found, step.findings)
    yield from runtime.begun()
    for thread, choice in schedule:
        now = step.after
        yield from runtime.switched(now, thread)
        step = machine.step(now, thread, choice)
        yield _told(machine, now, thread, choice, step)
        yield from _released(machine, now, step, thread)
        yield from map(_found, step.findings)
        for other in listed(step.after.endless & ~now.endless):
            yield TraceStep(machine.threads[other].name, "goes into a loop that never ends")
        finished = step.after.finished & ~now.finished
        together = finished & machine.compiled.group(thread, Level.WORK_GROUP)[1]
        yield from runtime.finishing(now, thread, together)
        yield from runtime.followed(now, step, thread)
        yield from _finishing(machine, finished & ~together)
    if not machine.runnable(step.after):
        yield from map(_found, machine.findings_at_end(step.after))


def _finishing(machine: Machine[Any], threads: int) -> Iterator[TraceStep]:
    for thread in listed(threads):
        yield TraceStep(machine.threads[thread].name, "finishes")


def _told(machine: Machine[Any], now: Configuration[Any], thread: int, choice: Choice, step: Step[Any]) -> TraceStep:
    """The description of one step."""
    name, instruction = machine.threads[thread].name, machine.instruction(now, thread)
    match instruction:
        case Load() | Update() | CompareExchange():
            found = [machine.step(now, thread, other).value for other in machine.choices(now, thread)]
            is_pipe = isinstance(instruction, Update) and instruction.pipe is not None
            show = show_pipe_state if is_pipe else machine.program.show_value
            read = "reads" if step.value is None else f"reads {show(step.value)}"
            others = list(dict.fromkeys(show(value) for value in found if value not in {None, step.value}))
            failed = " and fails" if isinstance(instruction, CompareExchange) and not choice.succeeds else ""
            among = f", could have read {', '.join(others)}" if others else ""
            return TraceStep(name, f"{read}{failed}{among}", instruction.span)
        case Store(_, value):
            text = f"writes {machine.program.show_value(value(now.slots[thread]))}"
            newest = max(other.message for other in machine.choices(now, thread))
            # Else the order of these steps would look like the modification order.
            sooner = ", earlier in modification order than a write before" if choice.message < newest else ""
            return TraceStep(name, text + sooner, instruction.span)
        case Fence():
            return TraceStep(name, "passes the fence", instruction.span)
        case EnqueueCommand() | AwaitEvents() | FinishQueue() | FlushQueue() | SetUserEvent() | SetCallback():
            waits = step.after.is_waiting(thread)
            return TraceStep(name, "calls and waits" if waits else "calls", instruction.span)
        case QueryStatus():
            statuses = [machine.step(now, thread, other).value for other in machine.choices(now, thread)]
            told = [status_name(value) for value in statuses if isinstance(value, int)]
            assert isinstance(step.value, int)
            others = [one for one in told if one != status_name(step.value)]
            among = f", could have found {', '.join(others)}" if others else ""
            return TraceStep(name, f"finds {status_name(step.value)}{among}", instruction.span)
        case Barrier() | Collective() | AwaitCopies():
            return TraceStep(
                name, "arrives and waits" if step.after.waiting >> thread & 1 else "arrives", instruction.span
            )
        case ChooseOrder():
            side = "left" if choice.message else "right"
            return TraceStep(name, f"evaluates the {side} operand first")
        case _:
            return TraceStep(name, "goes on")


def _released(machine: Machine[Any], now: Configuration[Any], step: Step[Any], thread: int) -> Iterator[TraceStep]:
    """The threads that go on because the last of the group has arrived, or because no more can come to a call."""
    if step.results:
        came = [machine.threads[number].name for number, _ in sorted(step.results)]
        yield TraceStep(None, f"no more can come: {', '.join(came)} go{'es' * (len(came) == 1)} on")
        return
    released = now.waiting & ~step.after.waiting
    if released and isinstance(machine.instruction(now, thread), GroupFunction):
        names = [code.name for number, code in enumerate(machine.threads) if released >> number & 1 or number == thread]
        yield TraceStep(None, f"the group is complete: {', '.join(names)} go on")


def _found(finding: Finding) -> TraceStep:
    names = " and ".join(dict.fromkeys(site.name for site in finding.sites))
    return TraceStep(None, f"{finding.kind.replace('-', ' ')} ({names}): {finding.why}")
