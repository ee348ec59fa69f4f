"""Parameters of kernels that are memory of any type and are seen as structures alone: they point to such.

`kernel void f(global void* root) { node* n = (node*)root; … }` is `kernel void f(global node* root) { … }` where the
structure has pointers to structures, which bytes cannot hold, or where the initial state says that it is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.resolve.links import declared
from mcm.program.resolve.spelling import base_of
from mcm.program.resolve.typed_walk import name_of
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

_BYTES: Final = frozenset({"void", "char", "uchar"})


def with_structures_seen(tree: ast.Litmus) -> ast.Litmus:
    """The test in which such parameters have the type that they are seen as."""
    structures = {name_of(unit): unit for unit in tree.units if isinstance(unit, ast.Structure)}
    linking = {
        name
        for name, unit in structures.items()
        if any(one.pointers and base_of(type_) in structures for type_, one in declared(unit))
    }
    stated = {
        one.name.text: base_of(one.type) for one in tree.initial if isinstance(one, ast.InitialValue) and one.type
    }
    return replace(tree, units=tuple(_unit(unit, linking, stated) for unit in tree.units))


def _unit(unit: ast.Unit, linking: Container[str], stated: Mapping[str, str]) -> ast.Unit:
    if not isinstance(unit, ast.Thread | ast.Kernel):
        return unit
    types = _seen(unit)
    parameters = (
        replace(one, type=replace(one.type, base=base))
        if (base := types.get(one.name.text)) and (base in linking or stated.get(one.name.text) == base)
        else one
        for one in unit.parameters
    )
    return replace(unit, parameters=tuple(parameters))


def _seen(unit: ast.Thread | ast.Kernel) -> dict[str, str]:
    """The types of what pointers to bytes are cast to, each always to the same, whenever they are named."""
    untyped = {one.name.text for one in unit.parameters if len(one.type.pointers) == 1 and base_of(one.type) in _BYTES}
    seen: dict[str, set[str]] = {name: set() for name in untyped}
    named = dict.fromkeys(untyped, 0)
    for node in walk([unit.body]) if untyped else ():
        match node:
            case ast.Cast(type_, ast.Name(text)) if text in untyped and len(type_.pointers) == 1:
                seen[text].add(base_of(type_))
                named[text] -= 1
            case ast.Name(text) if text in untyped:
                named[text] += 1
            case _:
                pass
    return {name: bases.pop() for name, bases in seen.items() if len(bases) == 1 and not named[name]}
