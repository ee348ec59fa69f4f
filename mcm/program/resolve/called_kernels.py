"""Kernels that other kernels call: each is a function as well, as OpenCL C has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator


def with_called_kernels(tree: ast.Litmus) -> ast.Litmus:
    """The test with a function for each kernel that is called; one that a function of its name hides is no kernel."""
    called = {part.function.text for part in walk(tree.units) if isinstance(part, ast.Call)}
    functions = {unit.name.text for unit in tree.units if isinstance(unit, ast.Function)}
    return replace(tree, units=tuple(one for unit in tree.units for one in _units(unit, called - functions)))


def _units(unit: ast.Unit, called: set[str]) -> Iterator[ast.Unit]:
    yield unit
    if isinstance(unit, ast.Kernel) and unit.name.text in called:
        nothing = ast.TypeName((), "void", span=unit.name.span)
        yield ast.Function(unit.name, (), nothing, unit.parameters, unit.body, span=unit.span)
