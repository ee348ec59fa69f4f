"""A test in SYCL as OpenCL C: what it means in terms of the C family, with regions and atomic types written out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcm.program.types import Region
from mcm.sycl.lower import lowered
from mcm.syntax import ast
from mcm.syntax.printer import print_litmus

if TYPE_CHECKING:
    from mcm.front_end.test import Test
    from mcm.program.program import MemoryObject


def to_opencl(test: Test) -> str:
    """The text of the test in OpenCL C; InputError with the reason where it has no such form."""
    tree, _ = lowered(test.tree)
    objects = {item.name: item for item in test.program.objects}
    units = tuple(_unit(unit, objects) for unit in tree.units)
    keys = tuple(key for key in tree.keys if not key.key.startswith(("Expect.", "Undefined.", "Without.", "Needs")))
    return print_litmus(replace(tree, word="OPENCL", units=units, keys=keys, comments=()))


def _unit(unit: Any, objects: dict[str, MemoryObject]) -> Any:
    if not isinstance(unit, ast.Thread | ast.Kernel):
        return unit
    return replace(unit, parameters=tuple(_parameter(one, objects) for one in unit.parameters))


def _parameter(node: ast.Parameter, objects: dict[str, MemoryObject]) -> ast.Parameter:
    """A pointer into the region of its object, to an atomic type where it is accessed atomically."""
    item = objects.get(node.name.text)
    if item is None or item.region not in {Region.GLOBAL, Region.LOCAL}:
        return node
    words = tuple(word for word in node.type.qualifiers if word not in {"generic", "global", "local"})
    base = f"atomic_{node.type.base}" if item.atomic and node.type.base in _ATOMIC else node.type.base
    return replace(node, type=replace(node.type, qualifiers=(item.region.value, *words), base=base))


_ATOMIC = frozenset({"int", "uint", "long", "ulong", "float", "double"})
