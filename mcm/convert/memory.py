"""The memory of OpenCL as that of SYCL: which kind of allocation does the same for what a test does with an object."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mcm.convert.refusal import refused
from mcm.program.held_units import declared_type, declared_values
from mcm.program.resolve.type_names import show_type
from mcm.program.types import AllocationKind, Region
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.convert.runs import Run, Runs
    from mcm.front_end.test import Test
    from mcm.program.program import MemoryObject

_KINDS: Final = {
    AllocationKind.BUFFER: "buffer",
    AllocationKind.COARSE_SVM: "malloc_device",
    AllocationKind.FINE_SVM_ATOMICS: "malloc_shared",
    AllocationKind.SYSTEM_SVM_ATOMICS: "system",
}


def initial_state(test: Test, runs: Runs) -> Iterator[str]:
    """The items of the initial state that are memory."""
    seen: set[str] = set()
    for item in test.program.objects:
        if item.name not in seen:
            seen.add(item.name)
            yield f"  {_object(item, test, runs)};"


def _object(item: MemoryObject, test: Test, runs: Runs) -> str:
    values = declared_values(item)
    if not all(value is None or isinstance(value, int) for value in values):
        raise refused(test.tree, f"'{item.name}' holds an address, or a number with a fraction")
    shown = f"{_kind(item, test, runs)} {show_type(declared_type(item)).removeprefix('atomic_')} {item.name}"
    if item.is_array:
        shown += f"[{len(values)}]"
    if all(value is None for value in values):
        return shown
    listed = ", ".join(str(0 if value is None else value) for value in values)
    return f"{shown} = {{{listed}}}" if item.is_array else f"{shown} = {listed}"


def _kind(item: MemoryObject, test: Test, runs: Runs) -> str:
    """The kind of an object.

    How far scopes reach (SCOPE-4, SCOPE-7) is what kinds differ in, and matters for what is accessed atomically.
    """
    if item.region is Region.LOCAL:
        return "local_accessor"
    if item.region is not Region.GLOBAL:
        raise _unknown(item, test, item.region.value)
    on_host, on_device = _threads(item.name, test)
    match item.allocation:
        case AllocationKind.BUFFER if (runs.runs or test.program.commands) and not on_device:
            return _buffer(item, test, runs, on_host=on_host)
        case AllocationKind.FINE_SVM if not item.atomic:
            return "malloc_shared"
        case AllocationKind.FINE_SVM if (
            runs.runs and not on_device and not on_host and _is_one_device(item, test, runs)
        ):
            return "malloc_shared"
        case AllocationKind.FINE_SVM:
            reason = (
                f"atomic operations on '{item.name}', fine-grain SVM without atomics, reach no further than one "
                "device; SYCL has no such memory"
            )
            raise refused(test.tree, reason)
        case kind if kind in _KINDS:
            return _KINDS[kind]
        case kind:
            raise _unknown(item, test, kind.value)


def _unknown(item: MemoryObject, test: Test, what: str) -> Exception:
    return refused(test.tree, f"SYCL has no memory like that of '{item.name}' ({what})")


def _threads(name: str, test: Test) -> tuple[bool, bool]:
    """Whether a thread of the host is given an object, and whether one of a device is."""
    found = [False, False]
    for unit in test.tree.units:
        if isinstance(unit, ast.Thread) and any(one.name.text == name for one in unit.parameters):
            found[not unit.is_host] = True
    return found[0], found[1]


def _buffer(item: MemoryObject, test: Test, runs: Runs, *, on_host: bool) -> str:
    """A buffer of kernels: USM, since accessors would order the kernels.

    A device scope ends on a buffer at the kernel, and on USM at the device. So kernels that access it atomically must
    be one, or follow each other.
    """
    users = runs.of_object(item.name)
    is_shared = on_host or bool(test.program.commands)
    if not item.atomic:
        return "malloc_shared" if is_shared else "malloc_device"
    if on_host and _is_atomic_for_host(item.name, test):
        reason = (
            f"kernels and the host access '{item.name}', a buffer, atomically: SYCL's host has no atomics on buffers"
        )
        raise refused(test.tree, reason)
    if len(users) > 1 and not _are_ordered(users, test):
        reason = (
            f"several kernels access '{item.name}', a buffer, atomically, and nothing orders them; in SYCL their "
            "accessors would"
        )
        raise refused(test.tree, reason)
    return "malloc_shared" if on_host else "malloc_device"


def _is_atomic_for_host(name: str, test: Test) -> bool:
    return any(
        one.name.text == name and one.type.base.startswith("atomic_")
        for unit in test.tree.units
        if isinstance(unit, ast.Thread) and unit.is_host
        for one in unit.parameters
    )


def _are_ordered(runs: tuple[Run, ...], test: Test) -> bool:
    """Whether each run follows the one before, by a queue or by events."""
    commands, queues = test.program.commands, test.program.queues
    for one, other in pairwise(runs):
        if one.command is None or other.command is None:
            return False
        first, second = commands[one.command], commands[other.command]
        is_queued = first.queue is not None and first.queue == second.queue and queues[first.queue].in_order
        if not is_queued and first.number not in _awaited(second.number, test):
            return False
    return True


def _awaited(number: int, test: Test) -> set[int]:
    """The commands that a command waits for by its wait list, directly or not."""
    found: set[int] = set()
    work = list(test.program.commands[number].waits)
    while work:
        one = work.pop()
        if one not in found:
            found.add(one)
            work += test.program.commands[one].waits
    return found


def _is_one_device(item: MemoryObject, test: Test, runs: Runs) -> bool:
    """Whether the kernels that are given an object run on one device, at scopes that end there."""
    devices: set[object] = set()
    for run in runs.of_object(item.name):
        queue = None if run.command is None else test.program.commands[run.command].queue
        devices.add(None if queue is None else test.program.queues[queue].device)
        if "memory_scope_all" in run.kernel.span.text:
            return False
    return len(devices) <= 1
