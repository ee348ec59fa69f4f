"""Launches of kernels: each work-item becomes a thread with the body of the kernel."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.base.suggest import did_you_mean
from mcm.program.resolve.placement import PlacedThread
from mcm.program.resolve.type_names import is_local
from mcm.program.topology import Device, Dimension, KernelInstance, SubGroup, WorkGroup, WorkItem
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
    """An ND-range, with a size for each of its dimensions, and its kernel instance."""

    global_sizes: tuple[int, ...]
    local_sizes: tuple[int, ...]
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
        fits = (part.key not in {"global", "local", "sub"} or _is_size(part, complaints)) and fits
    if "global" not in first:
        complaints.error("E152", unit.span, "the launch does not say how many work-items: 'global N' is missing")
        fits = False
    if not fits:
        return None
    global_sizes = first["global"].values
    local_sizes = first["local"].values if "local" in first else global_sizes
    if not _fit(global_sizes, local_sizes, first, complaints):
        return None
    device = Device(first["dev"].values[0] if "dev" in first else 0)
    if "ki" in first:
        instance = KernelInstance(device, first["ki"].values[0])
    else:
        instance = next(one for n in range(len(taken) + 1) if (one := KernelInstance(device, n)) not in taken)
    return _Shape(global_sizes, local_sizes, first["sub"].values[0] if "sub" in first else prod(local_sizes), instance)


def _is_size(part: ast.LaunchPart, complaints: Complaints) -> bool:
    if all(part.values) and prod(part.values) <= _MOST_WORK_ITEMS:
        return True
    found = " * ".join(map(str, part.values))
    complaints.error("E152", part.span, f"a size of 1 to {_MOST_WORK_ITEMS} was expected, found {found}")
    return False


def _fit(
    global_sizes: tuple[int, ...],
    local_sizes: tuple[int, ...],
    parts: dict[str, ast.LaunchPart],
    complaints: Complaints,
) -> bool:
    """Whether the work-groups are whole, in each dimension."""
    if len(global_sizes) != len(local_sizes):
        message = f"'global' has {len(global_sizes)} dimensions, but 'local' has {len(local_sizes)}"
        complaints.error("E152", parts["local"].span, message)
        return False
    for whole, part in zip(global_sizes, local_sizes, strict=True):
        if whole % part:
            message = f"{whole} work-items do not make whole work-groups of {part}"
            complaints.error("E152", parts["local"].span, message)
            return False
    return True


def _items(kernel: ast.Kernel, shape: _Shape, name: str, first: int) -> Iterator[PlacedThread]:
    """The work-items in order of their linear global ids; dimension 0 varies fastest."""
    declared = tuple(_locals(kernel))
    for number in range(prod(shape.global_sizes)):
        dimensions = tuple(_dimensions(number, shape))
        group = _linear([d.group_id for d in dimensions], [d.global_size // d.local_size for d in dimensions])
        local = _linear([d.local_id for d in dimensions], [d.local_size for d in dimensions])
        sub_group, lane = divmod(local, shape.sub_size)
        unit = ast.Thread(first + number, (), kernel.parameters, kernel.body, span=kernel.span)
        placement = WorkItem(
            SubGroup(WorkGroup(shape.instance, group), sub_group),
            global_id=number,
            local_id=local,
            local_size=prod(shape.local_sizes),
            global_size=prod(shape.global_sizes),
            sub_group_local_id=lane,
            dimensions=dimensions if len(dimensions) > 1 else (),
        )
        yield PlacedThread(unit, f"{name}[{number}]", placement, is_launched=True, locals=declared)


def _locals(kernel: ast.Kernel) -> Iterator[ast.Parameter]:
    """The variables in local memory that the outermost block of a kernel declares (AS-4)."""
    for statement in kernel.body.statements:
        if isinstance(statement, ast.Declaration) and is_local(statement.type):
            for declarator in statement.declarators:
                type_ = replace(statement.type, pointers=declarator.pointers)
                yield ast.Parameter(type_, declarator.name, declarator.length, span=declarator.span)


def _dimensions(number: int, shape: _Shape) -> Iterator[Dimension]:
    """Where the work-item with a linear global id stands in each dimension."""
    rest = number
    for global_size, local_size in zip(shape.global_sizes, shape.local_sizes, strict=True):
        rest, global_id = divmod(rest, global_size)
        group_id, local_id = divmod(global_id, local_size)
        yield Dimension(global_id, local_id, group_id, local_size, global_size)


def _linear(ids: list[int], sizes: list[int]) -> int:
    """The linear id of some ids, one for each dimension.

    >>> _linear([1, 2], [4, 3])
    9
    """
    found = 0
    for number, size in reversed(list(zip(ids, sizes, strict=True))):
        found = found * size + number
    return found
