"""Run on threads of the operating system: a worker thread for each work-group, one for each host thread (EXE-1).

Steps are atomic, and the operating system decides their order. A short test would be over before a second thread has
started; therefore workers begin together at a barrier, and yield after about every second step, as litmus7 does on
hardware. Runs differ; the schedule is recorded.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from random import getrandbits
from threading import Barrier, Lock, Thread
from time import sleep
from typing import TYPE_CHECKING, Any, Final

from mcm.machine.clover import CloverScheduler
from mcm.machine.command import KernelCommand
from mcm.machine.computation import ComputationLimitError
from mcm.machine.run import Ending, Run, cut_off, ended, longest_run
from mcm.machine.runtime import CommandQueue, Context, Device
from mcm.program.topology import WorkItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcm.machine.finding import Finding
    from mcm.machine.machine import Machine
    from mcm.machine.memory import Choice
    from mcm.program.condition import Observable
    from mcm.program.topology import KernelInstance, WorkGroup

    # For each kernel instance, its work-groups in order, as masks of threads.
    Kernels = dict[KernelInstance, list[int]]

# Seconds after which the interpreter may switch threads: the default is longer than most runs.
_SWITCH_INTERVAL: Final = 1e-6


class _Shared:
    """The configuration that all workers change. The first `together` of them begin at the same time."""

    def __init__(self, machine: Machine[Any], longest: int, together: int) -> None:
        start = machine.start()
        self.machine = machine
        self.now = start.after
        self.findings: list[Finding] = list(start.findings)
        self.taken: list[tuple[int, Choice]] = []
        self.cut_off: Ending | None = None
        self._longest = longest
        self._lock = Lock()
        self._start_barrier = Barrier(together)
        self._not_started = together

    def run_group(self, group: int) -> None:
        """Run the threads of a work-group, given as a mask, in the order of Clover, until none of them can go on."""
        self._wait_at_start()
        scheduler = CloverScheduler(workers=1)
        while self._step(group, scheduler):
            _yield_sometimes()

    def _wait_at_start(self) -> None:
        with self._lock:
            is_expected = self._not_started > 0
            self._not_started -= is_expected
        if is_expected:
            self._start_barrier.wait()
            _yield_sometimes()

    def _step(self, group: int, scheduler: CloverScheduler) -> bool:
        with self._lock:
            ready = self.machine.ready(self.now) & group
            if not ready or self.cut_off is not None:
                return False
            if len(self.taken) == self._longest:
                self.cut_off = Ending.LIMIT
                return False
            thread = scheduler.pick(self.machine, self.now, ready)
            choices = self.machine.choices(self.now, thread)
            if not choices:
                self.cut_off = Ending.UNDEFINED
                return False
            choice = scheduler.choose(choices)
            try:
                step = self.machine.step(self.now, thread, choice)
            except ComputationLimitError:
                self.cut_off = Ending.LIMIT
                return False
            self.taken.append((thread, choice))
            self.now = step.after
            self.findings += step.findings
            return True


def run_on_threads(machine: Machine[Any], observed: Sequence[Observable], longest: int | None = None) -> Run:
    """Run a program once on real threads: one kernel event for each kernel instance, all enqueued at the start."""
    longest = longest_run(machine) if longest is None else longest
    kernels, hosts = _units(machine)
    devices = sorted({instance.device.number for instance in kernels})
    workers = max(2, os.cpu_count() or 1)
    groups = [
        sum(len(work) for instance, work in kernels.items() if instance.device.number == number) for number in devices
    ]
    try:
        shared = _Shared(machine, longest, together=len(hosts) + sum(min(workers, number) for number in groups))
    except ComputationLimitError:
        return Run(Ending.LIMIT, (), (), ())
    with _short_switch_interval(), Context() as context:
        queues = {
            number: CommandQueue(
                context, Device(context, f"device {number}", workers), f"queue {number}", in_order=False
            )
            for number in devices
        }
        for instance, work in sorted(kernels.items()):
            command = KernelCommand(f"kernel {instance.number}", [_running(shared, group) for group in work])
            queues[instance.device.number].enqueue(command)
        host_threads = [Thread(target=shared.run_group, args=(host,)) for host in hosts]
        for thread in host_threads:
            thread.start()
        for queue in queues.values():
            queue.finish()
        for thread in host_threads:
            thread.join()
    if context.errors:
        raise context.errors[0]
    if shared.cut_off is Ending.LIMIT:
        return cut_off(machine, shared.now, shared.findings, tuple(shared.taken))
    if shared.cut_off is not None:
        return Run(shared.cut_off, (), tuple(shared.findings), tuple(shared.taken))
    return ended(machine, shared.now, observed, shared.findings, tuple(shared.taken))


def _units(machine: Machine[Any]) -> tuple[Kernels, list[int]]:
    """The work-groups of each kernel instance, and the host threads, as masks."""
    masks: dict[WorkGroup, int] = {}
    hosts = []
    for number, code in enumerate(machine.threads):
        place = code.placement
        if isinstance(place, WorkItem):
            masks[place.work_group] = masks.get(place.work_group, 0) | 1 << number
        else:
            hosts.append(1 << number)
    kernels: Kernels = {}
    for group, mask in sorted(masks.items()):
        kernels.setdefault(group.kernel_instance, []).append(mask)
    return kernels, hosts


def _running(shared: _Shared, group: int) -> Callable[[], None]:
    return lambda: shared.run_group(group)


def _yield_sometimes() -> None:
    """Yield to other threads with probability one half; if all always did, they would run in lockstep."""
    if getrandbits(1):
        sleep(0)


@contextmanager
def _short_switch_interval() -> Iterator[None]:
    """Let the interpreter switch between threads much more often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
