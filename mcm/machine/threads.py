"""Plain running: each work-group on a worker thread of its device, each host thread on one of its own (EXE-1).

Steps are atomic, their order is the operating system's. No two runs need be the same; the schedule is recorded.
"""

from __future__ import annotations

import os
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from mcm.machine.clover import CloverScheduler
from mcm.machine.configuration import EndlessError
from mcm.machine.event import KernelEvent
from mcm.machine.run import Ending, Run, ended
from mcm.machine.runtime import CommandQueue, Context, Device
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.machine.configuration import Machine
    from mcm.machine.finding import Finding
    from mcm.machine.memory import Choice
    from mcm.program.condition import Observable


class _Shared:
    """The one configuration that all workers change."""

    def __init__(self, machine: Machine[Any], longest: int) -> None:
        start = machine.start()
        self.machine = machine
        self.now = start.after
        self.findings: list[Finding] = list(start.findings)
        self.taken: list[tuple[int, Choice]] = []
        self.is_cut_off = False
        self._longest = longest
        self._lock = Lock()

    def run_group(self, group: int) -> None:
        """Run the threads of a work-group, given as a mask, in the order of Clover, until none of them can go on."""
        scheduler = CloverScheduler(workers=1)
        while self._step(group, scheduler):
            pass

    def _step(self, group: int, scheduler: CloverScheduler) -> bool:
        with self._lock:
            ready = self.machine.ready(self.now) & group
            if not ready or self.is_cut_off:
                return False
            self.is_cut_off = len(self.taken) == self._longest
            thread = scheduler.pick(self.machine, self.now, ready)
            choices = self.machine.choices(self.now, thread)
            if not choices or self.is_cut_off:
                self.is_cut_off = True
                return False
            choice = scheduler.choose(choices)
            try:
                step = self.machine.step(self.now, thread, choice)
            except EndlessError:
                self.is_cut_off = True
                return False
            self.taken.append((thread, choice))
            self.now = step.after
            self.findings += step.findings
            return True


def run_on_threads(machine: Machine[Any], observed: Sequence[Observable], longest: int = 10_000) -> Run:
    """Run a program once on real threads: one kernel event for each kernel instance, all enqueued at the start."""
    try:
        shared = _Shared(machine, longest)
    except EndlessError:
        return Run(Ending.UNFINISHED, (), (), ())
    kernels: dict[tuple[int, int], dict[int, list[int]]] = {}
    hosts = []
    for number, code in enumerate(machine.threads):
        place = code.placement
        if isinstance(place, WorkItem):
            groups = kernels.setdefault((place.device, place.kernel_instance), {})
            groups.setdefault(place.work_group, []).append(number)
        else:
            hosts.append(Thread(target=shared.run_group, args=(1 << number,)))
    with Context() as context:
        _enqueue(context, shared, kernels)
        for host in hosts:
            host.start()
        for queue in context.queues:
            queue.finish()
        for host in hosts:
            host.join()
    if context.errors:
        raise context.errors[0]
    if shared.is_cut_off:
        return Run(Ending.UNFINISHED, (), tuple(shared.findings), tuple(shared.taken))
    return ended(machine, shared.now, observed, shared.findings, tuple(shared.taken))


def _enqueue(context: Context, shared: _Shared, kernels: dict[tuple[int, int], dict[int, list[int]]]) -> None:
    queues: dict[int, CommandQueue] = {}
    for (device, instance), groups in sorted(kernels.items()):
        if device not in queues:
            workers = max(2, os.cpu_count() or 1)
            target = Device(context, f"device {device}", workers)
            queues[device] = CommandQueue(context, target, f"queue {device}", in_order=False)
        work = [_group_work(shared, sum(1 << item for item in groups[number])) for number in sorted(groups)]
        queues[device].enqueue(KernelEvent(f"kernel {instance}", work))


def _group_work(shared: _Shared, group: int) -> Callable[[], None]:
    return lambda: shared.run_group(group)
