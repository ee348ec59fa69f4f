"""Launches of kernels: each work-item becomes a thread with the body of the kernel."""

from __future__ import annotations

import re
from collections import Counter
from itertools import count
from math import prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.base.suggest import did_you_mean
from mcm.program.resolve.group_sizes import group_sizes
from mcm.program.resolve.placement import PlacedThread
from mcm.program.resolve.type_names import is_local
from mcm.program.topology import Device, Dimension, Enqueued, KernelInstance, SubGroup, WorkGroup, WorkItem
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.parts import Units

MOST_WORK_ITEMS: Final = 4096
_NAME_OF_THREAD: Final = re.compile(r"P\d+")


def no_kernel(name: str, units: Units) -> str:
    """The words that there is no kernel of a name, and what is meant."""
    hint = did_you_mean(name, units.kernels)
    if name in units.functions:
        hint = f"; '{name}' is a function, and a kernel begins with 'kernel'"
    elif not hint and units.kernels:
        hint = f"; the file has {', '.join(repr(one) for one in units.kernels)}"
    return f"there is no kernel '{name}'{hint}"


def launched_items(
    units: Units, threads: tuple[PlacedThread, ...], instances: Instances, complaints: Complaints
) -> tuple[PlacedThread, ...]:
    """The work-items of all launches in order of global ids, numbered on after the threads."""
    first = 1 + max((thread.number for thread in threads), default=-1)
    found: list[PlacedThread] = []
    for launch in units.launches:
        kernel = units.kernels.get(launch.kernel.text)
        if kernel is None:
            complaints.error("E151", launch.kernel.span, no_kernel(launch.kernel.text, units))
            continue
        shape = _shape(launch, kernel, instances, complaints)
        if shape is not None:
            name = instances.name_of(kernel.name.text, shape.instance)
            found += placed_items(kernel, shape, name, first + len(found))
    return tuple(found)


def warn_unused(units: Units, run: Iterable[str], complaints: Complaints) -> None:
    """Warn of kernels and callbacks that are neither launched nor among those that are `run`, and of lost threads."""
    for name, function in units.functions.items():
        if _NAME_OF_THREAD.fullmatch(name) and not _is_called(name, units):
            message = f"nothing calls function '{name}'; a thread is written without a type, '{name} (…) {{…}}'"
            complaints.warning("W124", function.name.span, message)
    if not units.kernels and not units.callbacks:
        return
    used = {launch.kernel.text for launch in units.launches} | set(run) | set(units.functions)
    for name, callback in units.callbacks.items():
        if name not in used:
            complaints.warning("W130", callback.name.span, f"nothing registers callback '{name}'")
    for name, kernel in units.kernels.items():
        if name not in used:
            complaints.warning("W120", kernel.name.span, f"nothing launches or enqueues kernel '{name}'")


def _is_called(name: str, units: Units) -> bool:
    return any(isinstance(node, ast.Call) and node.function.text == name for node in walk(units.bodies))


# --- the parts of a launch --------------------------------------------------------------------------------------------


class Range(Struct, frozen=True):
    """An ND-range, with a size for each of its dimensions, and its kernel instance.

    The last work-groups of a dimension are smaller where the local size does not divide the global one.
    """

    global_sizes: tuple[int, ...]
    local_sizes: tuple[int, ...]
    sub_size: int
    instance: KernelInstance


class Instances:
    """The kernel instances of a program, and the names under which kernels and callbacks run."""

    def __init__(self, threads: tuple[PlacedThread, ...]) -> None:
        self._taken = {thread.placement.kernel_instance for thread in threads if isinstance(thread.placement, WorkItem)}
        self._runs: Counter[str] = Counter()
        self._names: set[str] = set()

    def take(self, device: Device, number: int | None = None) -> KernelInstance:
        """The instance of a number on a device, or the first free one."""
        free = (one for n in count() if (one := KernelInstance(device, n)) not in self._taken)
        instance = next(free) if number is None else KernelInstance(device, number)
        self._taken.add(instance)
        return instance

    def name_of(self, name: str, instance: KernelInstance | None = None) -> str:
        """How one more run is called: of a kernel `K`, then `K@ki1` and so on; of a callback `CB[0]`, then `CB[1]`."""
        self._runs[name] += 1
        if instance is None:
            return f"{name}[{self._runs[name] - 1}]"
        if self._runs[name] > 1:
            name = f"{name}@ki{instance.number}"
        if name in self._names:
            name = f"{name}@dev{instance.device.number}"
        self._names.add(name)
        return name


def _shape(unit: ast.Launch, kernel: ast.Kernel, instances: Instances, complaints: Complaints) -> Range | None:
    """The ND-range that the parts describe; None when they have errors."""
    first: dict[str, ast.LaunchPart] = {}
    fits = True
    for part in unit.parts:
        if part.key in first:
            note = Note("first written here", first[part.key].span)
            complaints.error("E114", part.span, f"'{part.key}' is written twice in the launch", note)
            continue
        first[part.key] = part
        fits = (part.key not in {"global", "local", "sub"} or _is_size(part, complaints)) and fits
    if "global" not in first:
        complaints.error("E152", unit.span, "the launch does not say how many work-items: 'global N' is missing")
        fits = False
    if not fits:
        return None
    global_sizes = first["global"].values
    written = first.get("local")
    if written is not None and len(global_sizes) != len(written.values):
        message = f"'global' has {len(global_sizes)} dimensions, but 'local' has {len(written.values)}"
        complaints.error("E152", written.span, message)
        return None
    span = unit.kernel.span.to(first["global"].span) if written is None else written.span
    asked = None if written is None else written.values
    local_sizes = group_sizes(kernel, global_sizes, asked, span, complaints)
    if local_sizes is None:
        return None
    device = Device(first["dev"].values[0] if "dev" in first else 0)
    instance = instances.take(device, first["ki"].values[0] if "ki" in first else None)
    return Range(global_sizes, local_sizes, first["sub"].values[0] if "sub" in first else prod(local_sizes), instance)


def _is_size(part: ast.LaunchPart, complaints: Complaints) -> bool:
    if all(part.values) and prod(part.values) <= MOST_WORK_ITEMS:
        return True
    found = " * ".join(map(str, part.values))
    complaints.error("E152", part.span, f"a size of 1 to {MOST_WORK_ITEMS} was expected, found {found}")
    return False


def placed_items(kernel: ast.Kernel, shape: Range, name: str, first: int) -> Iterator[PlacedThread]:
    """The work-items in order of their linear global ids; dimension 0 varies fastest."""
    declared = tuple(_locals(kernel))
    whole = prod(shape.local_sizes)
    enqueued = Enqueued(whole, min(shape.sub_size, whole))
    for number in range(prod(shape.global_sizes)):
        dimensions = tuple(_dimensions(number, shape))
        group = _linear([d.group_id for d in dimensions], [d.groups for d in dimensions])
        local = _linear([d.local_id for d in dimensions], [d.local_size for d in dimensions])
        sub_group, lane = divmod(local, shape.sub_size)
        unit = ast.Thread(first + number, (), kernel.parameters, kernel.body, span=kernel.span)
        placement = WorkItem(
            SubGroup(WorkGroup(shape.instance, group), sub_group),
            global_id=number,
            local_id=local,
            local_size=prod(d.local_size for d in dimensions),
            global_size=prod(shape.global_sizes),
            sub_group_local_id=lane,
            dimensions=dimensions if len(dimensions) > 1 else (),
            enqueued=enqueued,
        )
        yield PlacedThread(
            unit,
            f"{name}[{number}]",
            placement,
            is_launched=True,
            kernel=kernel.name.text,
            locals=declared,
            captured=kernel.captured,
        )


def _locals(kernel: ast.Kernel) -> Iterator[ast.Parameter]:
    """The variables in local memory that the outermost block of a kernel declares (AS-4)."""
    for statement in kernel.body.statements:
        if not isinstance(statement, ast.Declaration):
            continue
        for declarator in statement.declarators:
            type_ = replace(statement.type, pointers=declarator.pointers)
            if is_local(type_):
                name, length, shape = declarator.name, declarator.length, declarator.shape
                yield ast.Parameter(type_, name, length, shape=shape, span=declarator.span)


def _dimensions(number: int, shape: Range) -> Iterator[Dimension]:
    """Where the work-item with a linear global id stands in each dimension."""
    rest = number
    for global_size, local_size in zip(shape.global_sizes, shape.local_sizes, strict=True):
        rest, global_id = divmod(rest, global_size)
        group_id, local_id = divmod(global_id, local_size)
        own = min(local_size, global_size - group_id * local_size)
        yield Dimension(global_id, local_id, group_id, own, local_size, global_size)


def _linear(ids: list[int], sizes: list[int]) -> int:
    """The linear id of some ids, one for each dimension.

    >>> _linear([1, 2], [4, 3])
    9
    """
    found = 0
    for number, size in reversed(list(zip(ids, sizes, strict=True))):
        found = found * size + number
    return found
