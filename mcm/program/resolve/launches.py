"""Kernels and their launches: each work-item becomes a thread with the body of the kernel and a place of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Note
from mcm.base.suggest import did_you_mean
from mcm.program.resolve.spelling import REGIONS
from mcm.program.topology import WorkItem
from mcm.program.types import Region
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.program.resolve.complaints import Complaints
    from mcm.program.topology import Placement

_MOST_WORK_ITEMS: Final = 4096


class Launched(Struct, frozen=True):
    """A work-item: the kernel's text as a thread, its place, and how it is shown (`K[1]`).

    `copy` names the copies of local parameters that its work-group has.
    """

    unit: ast.Thread
    placement: WorkItem
    name: str
    copy: str


def launched_items(
    tree: ast.Litmus, threads: tuple[ast.Thread, ...], placements: Mapping[int, Placement], complaints: Complaints
) -> tuple[Launched, ...]:
    """The work-items of all launches in order of global ids, numbered on after the threads."""
    kernels = _kernels(tree, complaints)
    taken = {(p.device, p.kernel_instance) for p in placements.values() if isinstance(p, WorkItem)}
    first = 1 + max((thread.number for thread in threads), default=-1)
    found: list[Launched] = []
    names: set[str] = set()
    for unit in tree.units:
        if not isinstance(unit, ast.Launch):
            continue
        kernel = kernels.get(unit.kernel.text)
        if kernel is None:
            hint = did_you_mean(unit.kernel.text, kernels)
            complaints.error("E151", unit.kernel.span, f"there is no kernel '{unit.kernel.text}'{hint}")
            continue
        shape = _shape(unit, taken, complaints)
        if shape is not None:
            taken.add((shape.device, shape.instance))
            # A second launch of a kernel is told from the first by its kernel instance.
            name = kernel.name.text if kernel.name.text not in names else f"{kernel.name.text}@ki{shape.instance}"
            names.add(name)
            found += _items(kernel, shape, name, first + len(found))
    _warn_unused(kernels, tree, complaints)
    return tuple(found)


def _kernels(tree: ast.Litmus, complaints: Complaints) -> dict[str, ast.Kernel]:
    kernels: dict[str, ast.Kernel] = {}
    for unit in tree.units:
        if not isinstance(unit, ast.Kernel):
            continue
        name = unit.name
        if name.text in kernels:
            note = Note("first declared here", kernels[name.text].name.span)
            complaints.error("E118", name.span, f"kernel '{name.text}' is declared twice", note)
        else:
            kernels[name.text] = unit
    return kernels


def _warn_unused(kernels: Mapping[str, ast.Kernel], tree: ast.Litmus, complaints: Complaints) -> None:
    used = {unit.kernel.text for unit in tree.units if isinstance(unit, ast.Launch)}
    for name, kernel in kernels.items():
        if name not in used:
            complaints.warning("W120", kernel.name.span, f"nothing launches kernel '{name}'")


# --- the parts of a launch --------------------------------------------------------------------------------------------


class _Shape(Struct, frozen=True):
    """An ND-range of one dimension, and where it runs."""

    global_size: int
    local_size: int
    sub_size: int
    device: int
    instance: int


def _shape(unit: ast.Launch, taken: set[tuple[int, int]], complaints: Complaints) -> _Shape | None:
    """What the parts say; None when they do not fit."""
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
    global_size, device = values["global"], values.get("dev", 0)
    local_size = values.get("local", global_size)
    if global_size % local_size:
        message = f"{global_size} work-items do not make whole work-groups of {local_size}"
        complaints.error("E152", first["local"].span, message)
        return None
    instance = values.get("ki")
    if instance is None:
        instance = next(n for n in range(len(taken) + 1) if (device, n) not in taken)
    return _Shape(global_size, local_size, values.get("sub", local_size), device, instance)


def _items(kernel: ast.Kernel, shape: _Shape, name: str, first: int) -> Iterator[Launched]:
    for number in range(shape.global_size):
        group, local = divmod(number, shape.local_size)
        unit = ast.Thread(first + number, (), kernel.parameters, kernel.body, span=kernel.span)
        placement = WorkItem(
            device=shape.device,
            kernel_instance=shape.instance,
            work_group=group,
            sub_group=local // shape.sub_size,
            global_id=number,
            local_id=local,
            group_id=group,
            local_size=shape.local_size,
            global_size=shape.global_size,
            sub_group_local_id=local % shape.sub_size,
        )
        yield Launched(unit, placement, f"{name}[{number}]", f"{shape.device}.{shape.instance}.{group}")


def has_copies(parameter: ast.Parameter) -> bool:
    """Whether each work-group has its own object for a kernel's parameter: it is local memory."""
    return any(REGIONS.get(word) is Region.LOCAL for word in parameter.type.qualifiers)
