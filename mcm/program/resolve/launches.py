"""Launches of kernels: each work-item becomes a thread with the body of the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Note
from mcm.base.suggest import did_you_mean
from mcm.program.resolve.placement import PlacedThread
from mcm.program.topology import Device, KernelInstance, SubGroup, WorkGroup, WorkItem
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.parts import Units

_MOST_WORK_ITEMS: Final = 4096


def launched_items(units: Units, threads: tuple[PlacedThread, ...], complaints: Complaints) -> tuple[PlacedThread, ...]:
    """The work-items of all launches in order of global ids, numbered on after the threads."""
    taken = {thread.placement.kernel_instance for thread in threads if isinstance(thread.placement, WorkItem)}
    first = 1 + max((thread.number for thread in threads), default=-1)
    found: list[PlacedThread] = []
    names: set[str] = set()
    for launch in units.launches:
        kernel = units.kernels.get(launch.kernel.text)
        if kernel is None:
            hint = did_you_mean(launch.kernel.text, units.kernels)
            complaints.error("E151", launch.kernel.span, f"there is no kernel '{launch.kernel.text}'{hint}")
            continue
        shape = _shape(launch, taken, complaints)
        if shape is not None:
            taken.add(shape.instance)
            # The kernel instance is part of the name from the second launch of a kernel on.
            name = kernel.name.text
            name = f"{name}@ki{shape.instance.number}" if name in names else name
            names.add(name)
            found += _items(kernel, shape, name, first + len(found))
    _warn_unused(units, complaints)
    return tuple(found)


def _warn_unused(units: Units, complaints: Complaints) -> None:
    used = {launch.kernel.text for launch in units.launches}
    for name, kernel in units.kernels.items():
        if name not in used:
            complaints.warning("W120", kernel.name.span, f"nothing launches kernel '{name}'")


# --- the parts of a launch --------------------------------------------------------------------------------------------


class _Shape(Struct, frozen=True):
    """An ND-range of one dimension, and its kernel instance."""

    global_size: int
    local_size: int
    sub_size: int
    instance: KernelInstance


def _shape(unit: ast.Launch, taken: set[KernelInstance], complaints: Complaints) -> _Shape | None:
    """The ND-range that the parts describe; None when they have errors."""
    first: dict[str, ast.LaunchPart] = {}
    fits = True
    for part in unit.parts:
        if part.key in first:
            note = Note("first written here", first[part.key].span)
            complaints.error("E114", part.span, f"'{part.key}' is written twice in the launch", note)
            continue
        first[part.key] = part
        if part.key in {"global", "local", "sub"} and not 0 < part.value <= _MOST_WORK_ITEMS:
            message = f"a size of 1 to {_MOST_WORK_ITEMS} was expected, found {part.value}"
            complaints.error("E152", part.span, message)
            fits = False
    if "global" not in first:
        complaints.error("E152", unit.span, "the launch does not say how many work-items: 'global N' is missing")
        fits = False
    if not fits:
        return None
    values = {key: part.value for key, part in first.items()}
    global_size, device = values["global"], Device(values.get("dev", 0))
    local_size = values.get("local", global_size)
    if global_size % local_size:
        message = f"{global_size} work-items do not make whole work-groups of {local_size}"
        complaints.error("E152", first["local"].span, message)
        return None
    if "ki" in values:
        instance = KernelInstance(device, values["ki"])
    else:
        instance = next(one for n in range(len(taken) + 1) if (one := KernelInstance(device, n)) not in taken)
    return _Shape(global_size, local_size, values.get("sub", local_size), instance)


def _items(kernel: ast.Kernel, shape: _Shape, name: str, first: int) -> Iterator[PlacedThread]:
    for number in range(shape.global_size):
        group, local = divmod(number, shape.local_size)
        sub_group, lane = divmod(local, shape.sub_size)
        unit = ast.Thread(first + number, (), kernel.parameters, kernel.body, span=kernel.span)
        placement = WorkItem(
            SubGroup(WorkGroup(shape.instance, group), sub_group),
            global_id=number,
            local_id=local,
            local_size=shape.local_size,
            global_size=shape.global_size,
            sub_group_local_id=lane,
        )
        yield PlacedThread(unit, f"{name}[{number}]", placement, is_launched=True)
