"""Arrays of the host of which kernels have copies: `std::array`, and arrays of C++, that a lambda captures by value.

A kernel has the elements that the array has when the kernel is enqueued, as it has the values of variables (ADR 71):
the host reads them then, and passes each by itself. So it does with the object that a reference of the host names.
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
    found = _copy_of_one(name, type_)
    return {name: replace(found, is_array=True, length=length)}


def _copy_of_one(name: str, type_: TypeName) -> Reference:
    words = tuple(word for word in type_.qualifiers if word not in {"const", "volatile"})
    # A pointer of which there is a copy may lead to what is written.
    const = type_ if type_.pointers else replace(type_, qualifiers=("const", *words))
    target = ast.Name(f"(copy of {name})", span=type_.span)
    return Reference(target, const, Region.PRIVATE, length=1, is_passed=True)


def referred_copy(name: str, entity: Reference) -> Reference | None:
    """What a kernel knows a reference of the host to a number or a pointer by; None for others."""
    is_whole = not entity.is_array and not entity.is_member
    return _copy_of_one(name, entity.type) if is_whole and (scalar_of(entity.type) or entity.type.pointers) else None


def is_copy(entity: Entity | None) -> bool:
    """Whether a name stands for a copy of an array."""
    return isinstance(entity, Reference) and entity.is_passed


def elements(arrays: Mapping[str, Reference], kernel: str, node: Node) -> Iterator[tuple[str, int, ast.Name, TypeName]]:
    """What the elements of arrays are passed as: the array, the number of the element, the name, and the type."""
    for name, entity in arrays.items():
        type_ = entity.type if entity.type.pointers else replace(entity.type, qualifiers=entity.type.qualifiers[1:])
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
        length, value = (number(entity.length, node), listed) if entity.is_array else (None, values[0])
        declarator = ast.Declarator(entity.target, entity.type.pointers, length, value, span=node.span)
        declared.append(ast.Declaration(replace(entity.type, pointers=()), (declarator,), span=node.span))
    return declared, parameters


def in_host(arrays: Mapping[str, Reference], kernel: str, node: Node, context: Context) -> list[Statement]:
    """The declarations of the variables that have the elements when the kernel is enqueued."""
    found: list[Statement] = []
    for array, place, name, type_ in elements(arrays, kernel, node):
        whole = ast.Name(array, span=node.span)
        element = ast.Index(whole, number(place, node), span=node.span) if arrays[array].is_array else whole
        declarator = ast.Declarator(name, type_.pointers, None, context.value(element), span=node.span)
        found.append(ast.Declaration(replace(type_, pointers=()), (declarator,), span=node.span))
    return found
