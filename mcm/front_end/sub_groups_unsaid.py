"""Launches of kernels that use sub-groups, where nothing says how large these are."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, Severity
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OF_SUB_GROUPS: Final = re.compile(r"(?:intel_)?sub_group_\w+|get_(?:\w+_)?sub_groups?(?:_\w+)?|memory_scope_sub_group")


def sub_groups_unsaid(tree: ast.Litmus) -> Iterator[Diagnostic]:
    """Warnings: a whole work-group is a sub-group then, whose barriers do what those of a work-group are needed for."""
    bodies = {unit.name.text: unit for unit in tree.units if isinstance(unit, ast.Kernel | ast.Function)}
    for unit in tree.units:
        if isinstance(unit, ast.Launch) and not _says(unit) and _uses_sub_groups(unit.kernel.text, bodies):
            told = f"'{unit.kernel.text}' uses sub-groups, and the launch does not say how large they are"
            message = f"{told}: each work-group is one here; ', sub N' makes them of N work-items"
            yield Diagnostic("W125", message, unit.parts[-1].span if unit.parts else unit.span, Severity.WARNING)


def _says(launch: ast.Launch) -> bool:
    """Whether a launch says how large sub-groups are: also where work-groups have no more than one work-item."""
    sizes = {part.key: part.values for part in launch.parts}
    return "sub" in sizes or prod(sizes.get("local", sizes.get("global", ()))) == 1


def _uses_sub_groups(kernel: str, bodies: Mapping[str, ast.Kernel | ast.Function]) -> bool:
    """Whether a kernel, or a function that it calls directly or through others, mentions sub-groups."""
    known: set[str] = set()
    waiting = {kernel}
    while waiting:
        known |= waiting
        found = {one.text for one in walk([bodies[name] for name in sorted(waiting)]) if isinstance(one, ast.Name)}
        if any(_OF_SUB_GROUPS.fullmatch(name) for name in found - bodies.keys()):
            return True
        waiting = (found & bodies.keys()) - known
    return False
