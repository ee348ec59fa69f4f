"""The trace of a recorded run: each step, with the other values that a read could have read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcm.base.bits import listed
from mcm.machine.code import Barrier, ChooseOrder, Collective, CompareExchange, Fence, Load, Store, Update
from mcm.machine.computation import ComputationLimitError
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from mcm.base.source import Span
    from mcm.machine.configuration import Configuration, Step
    from mcm.machine.finding import Finding
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice
    from mcm.machine.schedule import Schedule
    from mcm.program.topology import KernelInstance, WorkGroup


class TraceStep(Struct, frozen=True):
    """One step of a run. `thread` is None for a step of the runtime; `span` is the operation in the source."""

    thread: str | None
    what: str
    span: Span | None = None


def trace_run(machine: Machine[Any], schedule: Schedule) -> Iterator[TraceStep]:
    """Replay a run, and describe every step."""
    try:
        step = machine.start()
    except ComputationLimitError as error:
        yield TraceStep(None, str(error))
        return
    yield from map(_found, step.findings)
    yield from _pushed(machine)
    begun: set[Hashable] = set()
    running: dict[Hashable, int] = {}
    for thread, choice in schedule:
        yield from _switched(machine, thread, begun, running)
        now = step.after
        step = machine.step(now, thread, choice)
        yield _told(machine, now, thread, choice, step)
        yield from _released(machine, now, step, thread)
        yield from map(_found, step.findings)
        for other in listed(step.after.endless & ~now.endless):
            yield TraceStep(machine.threads[other].name, "goes into a loop that never ends")
        if step.after.is_finished(thread):
            yield TraceStep(machine.threads[thread].name, "finishes")
            yield from _completed(machine, step.after, thread)
    if not machine.runnable(step.after):
        yield from map(_found, machine.findings_at_end(step.after))


def _pushed(machine: Machine[Any]) -> Iterator[TraceStep]:
    """Each kernel instance is a command that its queue pushes to its device: without host commands, at the start."""
    for instance, groups in _instances(machine).items():
        count = f"{len(groups)} work-group{'s' if len(groups) > 1 else ''}"
        yield TraceStep(
            None, f"kernel instance {instance.number} is pushed to device {instance.device.number}: {count}"
        )


def _instances(machine: Machine[Any]) -> dict[KernelInstance, dict[WorkGroup, list[int]]]:
    """For each kernel instance its work-groups, with their work-items in order."""
    found: dict[KernelInstance, dict[WorkGroup, list[int]]] = {}
    for number, code in enumerate(machine.threads):
        place = code.placement
        if isinstance(place, WorkItem):
            groups = found.setdefault(place.kernel_instance, {})
            groups.setdefault(place.work_group, []).append(number)
    return found


def _completed(machine: Machine[Any], now: Configuration[Any], thread: int) -> Iterator[TraceStep]:
    """QUE-4: a kernel command is complete when the last of its work-groups has finished."""
    place = machine.threads[thread].placement
    if isinstance(place, WorkItem):
        instance = place.kernel_instance
        groups = _instances(machine)[instance]
        if all(now.is_finished(item) for group in groups.values() for item in group):
            yield TraceStep(None, f"kernel instance {instance.number} of device {place.device.number} is complete")


def _switched(
    machine: Machine[Any], thread: int, begun: set[Hashable], running: dict[Hashable, int]
) -> Iterator[TraceStep]:
    """The reservation of a work-group at its first step, and switches between its work-items."""
    place = machine.threads[thread].placement
    if not isinstance(place, WorkItem):
        return
    group = place.work_group
    if group not in begun:
        begun.add(group)
        where = f"device {place.device.number}, kernel instance {place.kernel_instance.number}"
        yield TraceStep(None, f"work-group {group.number} of {where} is reserved")
    elif running[group] != thread:
        yield TraceStep(None, f"switch from {machine.threads[running[group]].name} to {machine.threads[thread].name}")
    running[group] = thread


def _told(machine: Machine[Any], now: Configuration[Any], thread: int, choice: Choice, step: Step[Any]) -> TraceStep:
    """The description of one step."""
    name, instruction = machine.threads[thread].name, machine.instruction(now, thread)
    match instruction:
        case Load() | Update() | CompareExchange():
            found = [machine.step(now, thread, other).value for other in machine.choices(now, thread)]
            show = machine.program.show_value
            read = "reads" if step.value is None else f"reads {show(step.value)}"
            others = list(dict.fromkeys(show(value) for value in found if value not in {None, step.value}))
            failed = " and fails" if isinstance(instruction, CompareExchange) and not choice.succeeds else ""
            among = f", could have read {', '.join(others)}" if others else ""
            return TraceStep(name, f"{read}{failed}{among}", instruction.span)
        case Store(_, value):
            return TraceStep(name, f"writes {machine.program.show_value(value(now.slots[thread]))}", instruction.span)
        case Fence():
            return TraceStep(name, "passes the fence", instruction.span)
        case Barrier() | Collective():
            return TraceStep(
                name, "arrives and waits" if step.after.waiting >> thread & 1 else "arrives", instruction.span
            )
        case ChooseOrder():
            side = "left" if choice.message else "right"
            return TraceStep(name, f"evaluates the {side} operand first")
        case _:
            return TraceStep(name, "goes on")


def _released(machine: Machine[Any], now: Configuration[Any], step: Step[Any], thread: int) -> Iterator[TraceStep]:
    """The threads that go on because the last of the group has arrived."""
    released = now.waiting & ~step.after.waiting
    if released:
        names = [code.name for number, code in enumerate(machine.threads) if released >> number & 1 or number == thread]
        yield TraceStep(None, f"the group is complete: {', '.join(names)} go on")


def _found(finding: Finding) -> TraceStep:
    names = " and ".join(dict.fromkeys(site.name for site in finding.sites))
    return TraceStep(None, f"{finding.kind.replace('-', ' ')} ({names}): {finding.why}")
