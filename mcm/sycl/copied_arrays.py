"""Arrays of the host of which kernels have copies: `std::array`, and arrays of C++, that a lambda captures by value.

A kernel has the elements that the array has when the kernel is enqueued, as it has the values of variables (ADR 71):
the host reads them then, and passes each by itself. So it does with the members of a structure, and with the object
that a reference of the host names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.program.types import Region
from mcm.sycl.containers import KIND
from mcm.sycl.context import number
from mcm.sycl.entities import Members, Reference, Variable
from mcm.sycl.types import scalar_of
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.sycl.context import Context, Object
    from mcm.sycl.entities import DataMember, Entity
    from mcm.syntax.ast import Expression, Node, Statement, TypeName


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


def copy_of(name: str, type_: TypeName, context: Context) -> Reference | None:
    """What a kernel knows an object of the host by: a number, a pointer, or a structure of such; None for others."""
    if is_number_or_pointer(type_):
        return _copy_of_one(name, type_)
    class_ = None if type_.pointers else context.scopes.find(type_.base)
    if not isinstance(class_, Members) or class_.is_apart or not class_.data:
        return None
    is_whole = all(_is_value(one) for one in class_.data)
    return replace(_copy_of_one(name, type_), members=class_.data) if is_whole else None


def _is_value(member: DataMember) -> bool:
    """Whether a member is a number or a pointer."""
    if member.is_array or member.is_reference or not isinstance(member.type, ast.TypeName):
        return False
    return is_number_or_pointer(member.type)


def is_number_or_pointer(type_: TypeName) -> bool:
    """Whether a type is that of a number, or of a pointer to anything but an object of a class."""
    return bool(scalar_of(type_) or (type_.pointers and not type_.base.startswith("struct ")))


def is_copy(entity: Entity | None) -> bool:
    """Whether a name stands for a copy of an array."""
    return isinstance(entity, Reference) and entity.is_passed


def elements(
    copied: Mapping[str, Reference], kernel: str, node: Node
) -> Iterator[tuple[str, Expression, ast.Name, TypeName]]:
    """What objects are passed as, number by number: the object, what is read, the name that has it, and its type."""
    for name, entity in copied.items():
        whole = ast.Name(name, span=node.span)
        parts: list[tuple[str, Expression, TypeName]] = [(name, whole, entity.type)]
        if entity.members:
            parts = [_part(name, one, node) for one in entity.members]
        elif entity.is_array:
            parts = [
                (f"{name}[{place}]", ast.Index(whole, number(place, node), span=node.span), entity.type)
                for place in range(entity.length)
            ]
        for text, part, type_ in parts:
            words = type_.qualifiers if type_.pointers else tuple(one for one in type_.qualifiers if one != "const")
            yield name, part, ast.Name(f"({kernel}: {text})", span=node.span), replace(type_, qualifiers=words)


def _part(name: str, member: DataMember, node: Node) -> tuple[str, Expression, TypeName]:
    assert isinstance(member.type, ast.TypeName)
    place = ast.Member(ast.Name(name, span=node.span), ".", ast.Name(member.name, span=node.span), span=node.span)
    return f"{name}.{member.name}", place, member.type


def in_kernel(copied: Mapping[str, Reference], kernel: str, node: Node) -> tuple[list[Statement], list[ast.Parameter]]:
    """The declarations of the copies in a kernel, and the parameters that they are made of."""
    passed = list(elements(copied, kernel, node))
    parameters = [ast.Parameter(type_, name, span=node.span) for _, _, name, type_ in passed]
    declared: list[Statement] = []
    for object_, entity in copied.items():
        assert isinstance(entity.target, ast.Name)
        values = tuple(name for one, _, name, _ in passed if one == object_)
        listed = ast.InitializerList(values, span=node.span)
        length = number(entity.length, node) if entity.is_array else None
        value = listed if entity.is_array or entity.members else values[0]
        declarator = ast.Declarator(entity.target, entity.type.pointers, length, value, span=node.span)
        declared.append(ast.Declaration(replace(entity.type, pointers=()), (declarator,), span=node.span))
    return declared, parameters


def in_host(copied: Mapping[str, Reference], kernel: str, node: Node, context: Context) -> list[Statement]:
    """The declarations of the variables that have the numbers when the kernel is enqueued."""
    found: list[Statement] = []
    for _, part, name, type_ in elements(copied, kernel, node):
        declarator = ast.Declarator(name, type_.pointers, None, context.value(part), span=node.span)
        found.append(ast.Declaration(replace(type_, pointers=()), (declarator,), span=node.span))
    return found
