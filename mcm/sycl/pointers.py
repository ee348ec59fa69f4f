"""Pointers with an address space: `multi_ptr`, `address_space_cast`, the members of accessors (AS-6, AS-7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.suggest import did_you_mean
from mcm.program.types import Region
from mcm.sycl import tree
from mcm.sycl.constants import constant
from mcm.sycl.context import call, counted, number, size
from mcm.sycl.entities import Accessor, Variable
from mcm.sycl.types import pointer_to, region_pointed_into, show, target_of, type_of, written_type
from mcm.sycl.words import address_space, meant, plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.sycl.tree import ClassType, Construction, MemberCall
    from mcm.syntax.ast import Expression, Node, TypeName

_SHORT: Final = {
    "local_ptr": Region.LOCAL,
    "raw_local_ptr": Region.LOCAL,
    "global_ptr": Region.GLOBAL,
    "raw_global_ptr": Region.GLOBAL,
    "private_ptr": Region.PRIVATE,
}
_LEGACY: Final = frozenset({"local_ptr", "global_ptr", "private_ptr"})
_REGIONS: Final = frozenset(region.value for region in Region)
_CASTS: Final = frozenset({"address_space_cast", "static_address_cast", "dynamic_address_cast"})
_OF_C: Final = frozenset({"static_cast", "reinterpret_cast"})
_MEMBERS: Final = ("get", "get_raw", "get_decorated")
_OF_ACCESSOR: Final = ("get_multi_ptr", "get_pointer", "begin", "end", "size")


class PointerClass(Struct, frozen=True):
    """What a `multi_ptr` is declared with: a type, an address space, and whether it is one of the deprecated ones."""

    target: TypeName
    region: Region
    is_legacy: bool = False

    @property
    def type(self) -> TypeName:
        """The type of the pointer in terms of the C family."""
        words = (word for word in self.target.qualifiers if word not in _REGIONS)
        qualifiers = (self.region.value, *words)
        return ast.TypeName(qualifiers, self.target.base, (*self.target.pointers, ()), span=self.target.span)


def is_pointer_class(class_: ClassType) -> bool:
    """Whether a type is that of pointers with an address space."""
    return plain(class_.name) in {"multi_ptr", *_SHORT}


def pointer_class(class_: ClassType, context: Context) -> PointerClass:
    """What a type of pointers says."""
    name, arguments = plain(class_.name), class_.arguments or ()
    if not arguments or not isinstance(arguments[0], ast.TypeName):
        message = f"expected the type that '{name}' points at first, '{name}<int{', …' * (name == 'multi_ptr')}>'"
        context.complaints.fail("E204", class_.span, message)
    target = written_type(arguments[0])
    if name in _SHORT:
        _check_decoration(arguments[1:], context)
        return PointerClass(target, _SHORT[name], name in _LEGACY and _is_legacy(arguments[1:]))
    if len(arguments) < 2:
        message = "'multi_ptr' takes a type and an address space, 'multi_ptr<int, access::address_space::local_space>'"
        context.complaints.fail("E204", class_.span, message)
    _check_decoration(arguments[2:], context)
    return PointerClass(target, address_space(arguments[1], context.complaints), _is_legacy(arguments[2:]))


def _is_legacy(decoration: tuple[Node, ...]) -> bool:
    """Whether a pointer is one of the deprecated interface, which is also meant where nothing is said of decoration."""
    return not decoration or meant(decoration[0]) == "decorated::legacy"


def type_of_value(value: Node, context: Context) -> TypeName | None:
    """The type of what `get_multi_ptr` and casts of pointers return; None for other expressions."""
    match value:
        case tree.MemberCall(base, _, ast.Name("get_multi_ptr" | "get_pointer" | "begin" | "end")):
            accessor = context.entity(base) or captured_local(base, context)
            return type_of_pointer(accessor) if isinstance(accessor, Accessor) else None
        case tree.Construction(class_) if is_pointer_class(class_):
            return pointer_class(class_, context).type
        case tree.Construction(class_) if is_cast(class_):
            return type_of_cast(value, context)
        case _:
            return None


def _check_decoration(arguments: tuple[Node, ...], context: Context) -> None:
    known = ("access::decorated::yes", "access::decorated::no", "access::decorated::legacy")
    for argument in arguments:
        if f"access::{meant(argument)}" not in known:
            message = f"expected 'access::decorated::yes' or 'access::decorated::no', found '{argument.span.text}'"
            context.complaints.fail("E205", argument.span, message + did_you_mean(argument.span.text, known))


def converted_to(wanted: PointerClass, node: Node, context: Context) -> Expression:
    """A pointer where one with an address space is expected: it names the same one, or any may be meant.

    From a pointer without one to one with it leads a cast alone (AS-6), but for the deprecated pointers, which raw ones
    and accessors convert to (SYCL 2020, 4.7.7.1): where the object surely is elsewhere, that is undefined.
    """
    found = region_of_type(node, context)
    if wanted.is_legacy and found is Region.GENERIC and region_pointed_into(node, context) in {None, wanted.region}:
        return ast.Cast(wanted.type, context.value(node), span=node.span)
    if wanted.is_legacy and isinstance(entity := context.entity(node), Accessor) and found is wanted.region:
        context.used[entity.location] = None
        return ast.Name(entity.name, span=node.span)
    if wanted.region is Region.GENERIC or found is None or found is wanted.region:
        return context.value(node)
    space = f"{wanted.region.value}_space"
    if found is Region.GENERIC:
        message = (
            f"'{node.span.text}' is a pointer without an address space, which becomes one into {space} by a cast only: "
            f"'address_space_cast<access::address_space::{space}, access::decorated::no>({node.span.text})' (AS-6)"
        )
        context.complaints.fail("E202", node.span, message)
    message = f"'{node.span.text}' points into {found.value}_space, expected {space}; named spaces do not convert"
    return context.complaints.fail("E202", node.span, message)


def captured_local(node: Node, context: Context) -> Accessor | None:
    """The accessor that a `local_accessor` of the initial state is; None for other names."""
    if not isinstance(node, ast.Name) or context.entity(node) is not None or node.text not in context.memory:
        return None
    item = context.memory[node.text]
    if item.kind != "local_accessor":
        return None
    is_single = item.length is None and not isinstance(item.value, ast.InitializerList)
    return Accessor(node.text, item.type, is_local=True, is_single=is_single)


def region_of_type(node: Node, context: Context) -> Region | None:
    """The address space that the type of a pointer names; GENERIC for raw pointers, None where it is not known."""
    match context.entity(node):
        case Variable(type_name) if type_name is not None and type_name.pointers:
            return _named(type_name)
        case Accessor(is_local=is_local):
            return Region.LOCAL if is_local else Region.GLOBAL
        case _:
            pass
    match node:
        case ast.Name(text) if text in context.memory:
            return Region.GENERIC
        case ast.Infix("+" | "-", left, _):
            return region_of_type(left, context)
        case ast.Prefix("&", operand):
            return Region.PRIVATE if isinstance(context.entity(operand), Variable) else Region.GENERIC
        case _:
            return _of_call(node, context)


def _of_call(node: Node, context: Context) -> Region | None:
    from mcm.sycl import tree  # noqa: PLC0415 - a name of this function alone

    match node:
        case tree.MemberCall(base, _, ast.Name("get_multi_ptr" | "get_pointer")):
            return Region.LOCAL if captured_local(base, context) else region_of_type(base, context)
        case tree.MemberCall(base, _, ast.Name("get_decorated")):
            return region_of_type(base, context)
        case tree.MemberCall(_, _, ast.Name("get" | "get_raw")):
            return Region.GENERIC
        case tree.Construction(class_) if is_pointer_class(class_):
            return pointer_class(class_, context).region
        case tree.Construction(class_) if plain(class_.name) in _CASTS and class_.arguments:
            return address_space(class_.arguments[0], context.complaints)
        case _:
            return None


def _named(type_name: TypeName) -> Region:
    words = [word for word in type_name.qualifiers if word in _REGIONS]
    return Region(words[0]) if words else Region.GENERIC


# --- expressions ------------------------------------------------------------------------------------------------------


def is_cast(class_: ClassType) -> bool:
    """Whether a template is a cast."""
    return plain(class_.name) in _CASTS | _OF_C


def cast(node: Construction, context: Context) -> Expression:
    """`static_cast<T>(…)`, `address_space_cast<space, decorated>(…)`."""
    name, templates = plain(node.type.name), node.type.arguments or ()
    if len(node.arguments) != 1:
        context.complaints.fail("E104", node.span, f"'{name}' takes 1 argument, found {counted(len(node.arguments))}")
    (argument,) = node.arguments
    if name in _OF_C:
        if len(templates) != 1 or not isinstance(templates[0], ast.TypeName):
            context.complaints.fail(
                "E204", node.type.span, f"expected a type, '{name}<int>', found '{node.type.span.text}'"
            )
        return ast.Cast(written_type(templates[0]), context.value(argument), span=node.span)
    if not templates:
        context.complaints.fail("E205", node.type.span, f"'{name}' takes an address space first")
    region = address_space(templates[0], context.complaints)
    _check_decoration(templates[1:2], context)
    return _space_cast(name, region, argument, node, context)


def type_of_cast(node: Construction, context: Context) -> TypeName | None:
    """The type of what a cast returns."""
    templates = node.type.arguments or ()
    if plain(node.type.name) in _OF_C:
        return written_type(templates[0]) if templates and isinstance(templates[0], ast.TypeName) else None
    target = target_of(type_of(node.arguments[0], context)) if len(node.arguments) == 1 else None
    if target is None or not templates:
        return None
    return PointerClass(target, address_space(templates[0], context.complaints)).type


def _space_cast(name: str, region: Region, argument: Node, node: Node, context: Context) -> Expression:
    found = type_of(argument, context)
    target = target_of(found)
    if target is None:
        message = f"'{argument.span.text}' is of a type that is not evident, or no pointer: expected a pointer"
        context.complaints.fail("E204", argument.span, message)
    from_, known = region_of_type(argument, context), region_pointed_into(argument, context)
    if from_ not in {None, Region.GENERIC, region} and region is not Region.GENERIC:
        assert from_ is not None
        message = (
            f"'{argument.span.text}' points into {from_.value}_space, which does not convert to {region.value}_space"
        )
        context.complaints.fail("E202", node.span, message)
    if name == "dynamic_address_cast" and region is not Region.GENERIC:
        return call(f"to_{region.value}", (context.value(argument),), node)
    if known not in {None, Region.GENERIC, region} and region is not Region.GENERIC:
        assert known is not None
        message = (
            f"'{argument.span.text}' points into {known.value}_space: this cast to {region.value}_space is undefined"
        )
        context.complaints.fail("E202", node.span, message)
    return ast.Cast(PointerClass(target, region).type, context.value(argument), span=node.span)


def of_variable(node: MemberCall, context: Context) -> Expression:
    """`p.get()`: the pointer itself."""
    if node.name.text not in _MEMBERS or node.arguments:
        hint = did_you_mean(node.name.text, _MEMBERS)
        message = f"'{node.base.span.text}' has no member '{node.name.text}' here{hint}"
        context.complaints.fail("E203", node.name.span, message)
    pointer = context.value(node.base)
    if node.name.text == "get_decorated" or context.is_host:
        return pointer
    found = type_of(node.base, context)
    target = target_of(found)
    return pointer if target is None else ast.Cast(PointerClass(target, Region.GENERIC).type, pointer, span=node.span)


def of_accessor(accessor: Accessor, node: MemberCall, context: Context) -> Expression:
    """`t.get_multi_ptr<access::decorated::no>()`: a pointer to the first element."""
    if (count := constant(node, context)) is not None:
        return size(count, node)
    if accessor.is_part:
        message = (
            f"a pointer into '{node.base.span.text}', which is an accessor of a part of a buffer, is not part of the "
            "litmus language: its elements are"
        )
        context.complaints.fail("E207", node.span, message)
    is_end = node.name.text == "end" and len(accessor.sizes) == 1
    if node.name.text not in {"get_multi_ptr", "get_pointer", "begin"} and not is_end:
        hint = did_you_mean(node.name.text, _OF_ACCESSOR)
        context.complaints.fail("E203", node.name.span, f"an accessor has no member '{node.name.text}' here{hint}")
    context.used[accessor.location] = None
    name = ast.Name(accessor.name, span=node.span)
    if is_end:
        return ast.Infix("+", name, number(accessor.sizes[0], node), span=node.span)
    return ast.Prefix("&", name, span=node.span) if accessor.is_local and accessor.is_single else name


def type_of_pointer(accessor: Accessor) -> TypeName:
    """The type of a pointer to the elements of an accessor."""
    region = Region.LOCAL if accessor.is_local else Region.GLOBAL
    return PointerClass(accessor.type, region).type


__all__ = [
    "captured_local",
    "cast",
    "converted_to",
    "is_cast",
    "is_pointer_class",
    "of_accessor",
    "of_variable",
    "pointer_class",
    "pointer_to",
    "region_of_type",
    "show",
    "type_of_pointer",
]
