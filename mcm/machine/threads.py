"""Run on threads of the operating system: workers of devices for work-groups, one thread for each host thread (EXE-1).

Steps are atomic, and the operating system decides their order. A short test would be over before a second thread has
started; therefore workers begin together at a barrier, and yield after about every second step, as litmus7 does on
hardware. Runs differ; the schedule is recorded.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from random import getrandbits
from threading import Barrier, Condition, Thread
from time import sleep
from typing import TYPE_CHECKING, Any, Final

from mcm.base.bits import listed
from mcm.machine.clover import CloverScheduler
from mcm.machine.command import KernelCommand
from mcm.machine.command_state import State
from mcm.machine.computation import ComputationLimitError
from mcm.machine.run import Ending, Run, cut_off, ended, longest_run
from mcm.machine.runtime import CommandQueue, Context, Device
from mcm.program.topology import HostThread, WorkItem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

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
    """The configuration that all threads change. The first `together` of them begin at the same time.

    `begin` is told which commands may begin because of a step.
    """

    def __init__(
        self, machine: Machine[Any], longest: int, together: int, begin: Callable[[Sequence[int]], None]
    ) -> None:
        start = machine.start()
        self.machine = machine
        self.now = start.after
        self.findings: list[Finding] = list(start.findings)
        self.taken: list[tuple[int, Choice]] = []
        self.cut_off: Ending | None = None
        self._longest = longest
        self._begin = begin
        self._changed = Condition()
        self._start_barrier = Barrier(together)
        self._not_started = together

    def run_group(self, group: int) -> None:
        """Run the threads of a work-group, given as a mask, in the order of Clover, until none of them can go on."""
        self._wait_at_start()
        scheduler = CloverScheduler(workers=1)
        while self._step(group, scheduler):
            _yield_sometimes()

    def run_host(self, host: int) -> None:
        """Run a host thread, given as a mask, to its end; its calls may wait for others as long as there are any."""
        self._wait_at_start()
        scheduler = CloverScheduler(workers=1)
        while not self.now.finished & host and not self._nobody_goes_on():
            while self._step(host, scheduler):
                _yield_sometimes()
            with self._changed:
                self._changed.wait_for(lambda: self.machine.ready(self.now) & host or self._nobody_goes_on())

    def wait_for_the_end(self) -> None:
        """Return when nobody can go on."""
        with self._changed:
            self._changed.wait_for(self._nobody_goes_on)

    def _nobody_goes_on(self) -> bool:
        return self.cut_off is not None or not self.machine.ready(self.now)

    def _wait_at_start(self) -> None:
        with self._changed:
            is_expected = self._not_started > 0
            self._not_started -= is_expected
        if is_expected:
            self._start_barrier.wait()
            _yield_sometimes()

    def _step(self, group: int, scheduler: CloverScheduler) -> bool:
        with self._changed:
            ready = self.machine.ready(self.now) & group
            if not ready or self.cut_off is not None:
                return False
            if len(self.taken) == self._longest:
                return self._cut_off(Ending.LIMIT)
            thread = scheduler.pick(self.machine, self.now, ready)
            choices = self.machine.choices(self.now, thread)
            if not choices:
                return self._cut_off(Ending.UNDEFINED)
            choice = scheduler.choose(choices)
            try:
                step = self.machine.step(self.now, thread, choice)
            except ComputationLimitError:
                return self._cut_off(Ending.LIMIT)
            self.taken.append((thread, choice))
            self.now = step.after
            self.findings += step.findings
            self._begin([command for command, state in step.transitions if state == State.READY])
            self._changed.notify_all()
            return True

    def _cut_off(self, ending: Ending) -> bool:
        self.cut_off = ending
        self._changed.notify_all()
        return False


def run_on_threads(machine: Machine[Any], observed: Sequence[Observable], longest: int | None = None) -> Run:
    """Run a program once on real threads; a device has a worker for each processor.

    Kernel instances that no command launches are enqueued at the start, one event for each.
    """
    longest = longest_run(machine) if longest is None else longest
    kernels, hosts = _units(machine)
    workers = max(2, os.cpu_count() or 1)
    with _short_switch_interval(), Context() as context:
        devices = {number: Device(context, f"device {number}", workers) for number in _devices(machine)}
        groups = [
            sum(len(work) for instance, work in kernels.items() if instance.device.number == number)
            for number in devices
        ]
        callbacks: list[Thread] = []

        def begin(commands: Sequence[int]) -> None:
            for command in commands:
                _begin(shared, command, devices, callbacks)

        try:
            together = len(hosts) + sum(min(workers, number) for number in groups)
            shared = _Shared(machine, longest, together, begin)
        except ComputationLimitError:
            return Run(Ending.LIMIT, (), (), ())
        queues = [
            CommandQueue(context, device, f"queue {number}", in_order=False) for number, device in devices.items()
        ]
        for instance, work in sorted(kernels.items()):
            command = KernelCommand(f"kernel {instance.number}", [_running(shared, group) for group in work])
            queues[list(devices).index(instance.device.number)].enqueue(command)
        host_threads = [Thread(target=shared.run_host, args=(host,)) for host in hosts]
        for thread in host_threads:
            thread.start()
        for queue in queues:
            queue.finish()
        for thread in host_threads:
            thread.join()
        shared.wait_for_the_end()
        for thread in callbacks:
            thread.join()
    if context.errors:
        raise context.errors[0]
    if shared.cut_off is Ending.LIMIT:
        return cut_off(machine, shared.now, shared.findings, tuple(shared.taken))
    if shared.cut_off is not None:
        return Run(shared.cut_off, (), tuple(shared.findings), tuple(shared.taken))
    return ended(machine, shared.now, observed, shared.findings, tuple(shared.taken))


def _begin(shared: _Shared, command: int, devices: Mapping[int, Device], callbacks: list[Thread]) -> None:
    """Push a command that may begin to its device, whose workers reserve its work-groups; call a callback."""
    code = shared.machine.compiled.commands.commands[command]
    if not code.groups:
        return
    place = shared.machine.threads[listed(code.units)[0]].placement
    if isinstance(place, HostThread):
        callbacks.append(Thread(target=shared.run_host, args=(code.units,)))
        callbacks[-1].start()
        return
    device = devices[place.device.number]
    with device.context.changed:
        device.push(KernelCommand(code.name, [_running(shared, group) for group in code.groups]))


def _devices(machine: Machine[Any]) -> list[int]:
    """The numbers of the devices that have something to do."""
    places = (code.placement for code in machine.threads)
    return sorted({place.device.number for place in places if not isinstance(place, HostThread)})


def _units(machine: Machine[Any]) -> tuple[Kernels, list[int]]:
    """The work-groups of each kernel instance, and the host threads, that run from the beginning, as masks."""
    masks: dict[WorkGroup, int] = {}
    hosts = []
    for number, code in enumerate(machine.threads):
        place = code.placement
        if machine.host.held >> number & 1:
            continue
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
