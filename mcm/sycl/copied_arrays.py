"""Arrays of the host of which kernels have copies: `std::array`, and arrays of C++, that a lambda captures by value.

A kernel has the elements that the array has when the kernel is enqueued, as it has the values of variables (ADR 71):
the host reads them then, and passes each by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.program.types import Region
from mcm.sycl.containers import KIND
from mcm.sycl.context import number
from mcm.sycl.entities import Reference, Variable
from mcm.sycl.types import scalar_of
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.sycl.context import Context, Object
    from mcm.sycl.entities import Entity
    from mcm.syntax.ast import Node, Statement, TypeName


def array_copies(known: Mapping[str, Entity], memory: Mapping[str, Object]) -> dict[str, Entity]:
    """What kernels know arrays of numbers by, those that a host program has as variables and those in memory."""
    found: dict[str, Entity] = {}
    for name, item in memory.items():
        if item.kind == KIND and item.length is not None and name not in known:
            found |= _copy(name, item.type, item.count)
    for name, entity in known.items():
        if isinstance(entity, Variable) and entity.is_array and entity.length and entity.type is not None:
            found |= _copy(name, entity.type, entity.length)
    return found


def _copy(name: str, type_: TypeName, length: int) -> dict[str, Entity]:
    if scalar_of(type_) is None:
        return {}
    words = tuple(word for word in type_.qualifiers if word not in {"const", "volatile"})
    target = ast.Name(f"(copy of {name})", span=type_.span)
    const = replace(type_, qualifiers=("const", *words))
    return {name: Reference(target, const, Region.PRIVATE, is_array=True, length=length, is_passed=True)}


def is_copy(entity: Entity | None) -> bool:
    """Whether a name stands for a copy of an array."""
    return isinstance(entity, Reference) and entity.is_passed


def elements(arrays: Mapping[str, Reference], kernel: str, node: Node) -> Iterator[tuple[str, int, ast.Name, TypeName]]:
    """What the elements of arrays are passed as: the array, the number of the element, the name, and the type."""
    for name, entity in arrays.items():
        type_ = replace(entity.type, qualifiers=entity.type.qualifiers[1:])
        for place in range(entity.length):
            yield name, place, ast.Name(f"({kernel}: {name}[{place}])", span=node.span), type_


def in_kernel(arrays: Mapping[str, Reference], kernel: str, node: Node) -> tuple[list[Statement], list[ast.Parameter]]:
    """The declarations of the copies in a kernel, and the parameters that have their elements."""
    passed = list(elements(arrays, kernel, node))
    parameters = [ast.Parameter(type_, name, span=node.span) for _, _, name, type_ in passed]
    declared: list[Statement] = []
    for array, entity in arrays.items():
        assert isinstance(entity.target, ast.Name)
        values = tuple(name for one, _, name, _ in passed if one == array)
        listed = ast.InitializerList(values, span=node.span)
        length = number(entity.length, node)
        declarator = ast.Declarator(entity.target, (), length, listed, span=node.span)
        declared.append(ast.Declaration(entity.type, (declarator,), span=node.span))
    return declared, parameters


def in_host(arrays: Mapping[str, Reference], kernel: str, node: Node, context: Context) -> list[Statement]:
    """The declarations of the variables that have the elements when the kernel is enqueued."""
    found: list[Statement] = []
    for array, place, name, type_ in elements(arrays, kernel, node):
        element = ast.Index(ast.Name(array, span=node.span), number(place, node), span=node.span)
        declarator = ast.Declarator(name, (), None, context.value(element), span=node.span)
        found.append(ast.Declaration(type_, (declarator,), span=node.span))
    return found
