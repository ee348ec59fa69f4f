"""The types of expressions, where they are evident: for `auto`, and for what an `atomic_ref` refers to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.resolve.conversions import common_type, promoted
from mcm.program.resolve.spelling import RELATIONAL, SCALARS, scalar_name
from mcm.program.resolve.type_names import show_type
from mcm.program.types import Region, Scalar
from mcm.sycl import tree
from mcm.sycl.components import converted_type, picked
from mcm.sycl.entities import (
    Accessor,
    AtomicReference,
    Closure,
    Generic,
    Group,
    Ids,
    Instance,
    Item,
    Members,
    Opaque,
    Reference,
    Variable,
)
from mcm.sycl.number_functions import ASKING, CHOOSING, function_named, result_of
from mcm.sycl.words import JOINT_QUESTIONS, NUMBERS_OF_VECTORS, QUESTIONS, VALUES, VECTORS_OF_VECTORS, plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.sycl.context import Context
    from mcm.syntax.ast import Node, TypeName

_VEC: Final = re.compile(r"vec\s*<\s*(?P<scalar>[\w:]+)\s*,\s*(?P<size>2|3|4|8|16)\s*>")
_VECTOR: Final = re.compile(r"(?P<scalar>u?(?:char|short|int|long)|float|half|double)(?P<size>2|3|4|8|16)")
_COMPARISONS: Final = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_OF_C: Final = {"constexpr": "const"}


def written_type(type_name: TypeName) -> TypeName:
    """A type in the words of the C family."""
    words = tuple(_OF_C.get(word, word).removeprefix("std::") for word in type_name.qualifiers)
    return replace(type_name, qualifiers=words, base=_spelled(plain(type_name.base)))


def _spelled(base: str) -> str:
    """The name that OpenCL C has for a vector, and other names as they are.

    >>> _spelled("vec<float, 4>"), _spelled("vec<std::uint8_t, 2>"), _spelled("int")
    ('float4', 'uchar2', 'int')
    """
    found = _VEC.fullmatch(base)
    if found is None:
        return " ".join(base.split())
    scalar = SCALARS.get(plain(found["scalar"]))
    return base if scalar is None else f"{scalar.spelling}{found['size']}"


def vector_size(type_name: TypeName | None) -> int | None:
    """The number of components of a vector; None for other types."""
    found = None if type_name is None or type_name.pointers else _VECTOR.fullmatch(type_name.base)
    return None if found is None else int(found["size"])


def component_of(type_name: TypeName) -> TypeName | None:
    """The type of a component of a vector; None for other types."""
    return None if vector_size(type_name) is None else _component_of(type_name, 1)


def _component_of(type_name: TypeName, count: int) -> TypeName:
    """The type of a component of a vector, or of several of them."""
    found = _VECTOR.fullmatch(type_name.base)
    assert found is not None
    return replace(type_name, qualifiers=(), base=found["scalar"] + (str(count) if count > 1 else ""))


def members_of(type_name: TypeName | None, operator: str, context: Context) -> Mapping[str, TypeName] | None:
    """The members that `.` or `->` behind what is of a type may name; None where that is no structure."""
    around = target_of(type_name) if operator == "->" else type_name
    entity = None if around is None or around.pointers else context.scopes.find(around.base)
    return entity.members if isinstance(entity, Members) else None


def is_record(type_: ast.TypeName | None) -> bool:
    """Whether a type is that of a vector or a structure."""
    return type_ is not None and not type_.pointers and (vector_size(type_) is not None or _is_structure(type_))


def _is_structure(type_: ast.TypeName) -> bool:
    return type_.base.startswith("struct ")


def named(scalar: str, node: Node) -> TypeName:
    """A scalar type, at the place of a node."""
    return ast.TypeName((), scalar, span=node.span)


def pointer_to(type_name: TypeName) -> TypeName:
    """The type of a pointer to what is of a type."""
    return replace(type_name, pointers=(*type_name.pointers, ()))


def target_of(type_name: TypeName | None) -> TypeName | None:
    """What a pointer of this type points at."""
    if type_name is None or not type_name.pointers:
        return None
    return replace(type_name, pointers=type_name.pointers[:-1])


def scalar_of(type_name: TypeName | None) -> Scalar | None:
    """The scalar type that a type is; None for pointers and types that are not known."""
    if type_name is None or type_name.pointers:
        return None
    return SCALARS.get(scalar_name(type_name.qualifiers, type_name.base))


def show(type_name: TypeName) -> str:
    """A type as SYCL code has it.

    >>> from mcm.base.source import Source, Span
    >>> show(ast.TypeName(("unsigned",), "int", ((),), span=Span(Source("", ""), 0, 0)))
    'uint*'
    """
    scalar = scalar_of(replace(type_name, pointers=()))
    shown = show_type(scalar) if scalar is not None else type_name.base
    return f"{shown}{'*' * len(type_name.pointers)}"


def type_of(node: Node, context: Context) -> TypeName | None:
    """The type of an expression; None where it is not evident."""
    if not context.functions.has_classes:
        return _type_of(node, context)
    # Each part is asked about once: what an operator means follows from the types of its operands.
    is_outermost = context.types is None
    known = context.types = {} if context.types is None else context.types
    try:
        if id(node) not in known:
            known[id(node)] = node, context.body.type_of_call(node) or _type_of(node, context)
        return known[id(node)][1]
    finally:
        if is_outermost:
            context.types = None


def _of_number(text: str) -> str:
    """The type of a number as it is written."""
    unsigned, long = "u" in text.lower(), "l" in text.lower()
    if "." in text or (text[-1:] in "fF" and not text.startswith("0x")):
        return {"f": "float", "h": "half"}.get(text[-1].lower(), "double")
    return f"{'u' * unsigned}{'long' if long else 'int'}"


def _of_vectors(function: str, of: TypeName | None) -> TypeName | None:
    """The type of what a function of vectors of a type gives."""
    return of if of is None or function in VECTORS_OF_VECTORS else component_of(of) or of


def _type_of(node: Node, context: Context) -> TypeName | None:
    match node:
        case ast.NumberLiteral(text) if text[0] == "'":
            return named("char", node)
        case ast.NumberLiteral(text):
            return named(_of_number(text), node)
        case ast.Name("true" | "false"):
            return named("bool", node)
        case ast.Prefix("*", operand) | ast.Index(operand):
            return _element(operand, node, context)
        case ast.Prefix("&", operand):
            inner = type_of(operand, context)
            return None if inner is None else pointer_to(inner)
        case ast.Prefix("!"):
            return named("bool", node)
        case ast.Prefix("++" | "--", operand) | ast.Postfix(_, operand) | ast.Assignment(_, operand):
            return type_of(operand, context)
        case ast.Prefix(_, operand):
            return _promoted(type_of(operand, context), node)
        case ast.Infix(operator, left, right):
            return _arithmetic(operator, left, right, node, context)
        case ast.Conditional(_, then, otherwise):
            return _common(type_of(then, context), type_of(otherwise, context), node)
        case ast.Cast(type_name):
            return written_type(type_name)
        case ast.SizeOf():
            return named("size_t", node)
        case ast.Call():
            return _of_call(node, context)
        case ast.Member(base, operator, ast.Name(name)):
            if isinstance(instance := context.entity(base), Instance):
                return type_of(ast.Name(f"{instance.path}#{name}", span=node.span), context)
            members = members_of(type_of(base, context), operator, context)
            if members is not None and name not in members:
                return _of_constant(type_of(base, context), operator, name, context)
            return None if members is None else members.get(name)
        case tree.Construction(tree.ClassType(name, None)) if _is_record(_spelled(plain(name)), context):
            return named(_spelled(plain(name)), node)
        case tree.Construction(tree.ClassType(name, (ast.TypeName() as type_name,))) if plain(name).endswith("_cast"):
            return written_type(type_name)
        case _:
            return _of_entity(node, context)


def _of_call(node: ast.Call, context: Context) -> TypeName | None:
    """The type of what a function returns."""
    match node:
        case ast.Call(ast.Name(text)) if isinstance(closure := context.scopes.find(text), Closure | Generic):
            return (closure.instance(node) if isinstance(closure, Generic) else closure).result
        case ast.Call(ast.Name(text)) if text in context.functions:
            return context.functions[text].result
        case ast.Call(ast.Name(text), (_,)) if scalar_of(called := written_type(named(text, node))) is not None:
            # A conversion.
            return called
        case ast.Call(ast.Name(text)) if plain(text) in QUESTIONS | JOINT_QUESTIONS:
            return named("bool", node)
        case ast.Call(ast.Name(text), (value, *_)) if plain(text) in NUMBERS_OF_VECTORS | VECTORS_OF_VECTORS:
            return _of_vectors(plain(text), type_of(value, context))
        case ast.Call(ast.Name(text), (_, value, *rest)) if plain(text) in {*VALUES, "joint_reduce"}:
            return _of_group(plain(text), value, rest, context)
        case ast.Call(ast.Name(text), arguments) if function_named(text) is not None:
            return _of_numbers(text, [type_of(one, context) for one in arguments], node)
        case _:
            return _of_entity(node, context)


def _of_numbers(name: str, types: Sequence[TypeName | None], node: Node) -> TypeName | None:
    """The type of what a function of numbers gives, or of vectors of one type."""
    if plain(name) in ASKING:
        return named("int", node)
    if plain(name) == CHOOSING:
        return types[0] if types[:1] == types[1:2] else None
    if types and all(one is not None and vector_size(one) is not None for one in types):
        bases = {one.base for one in types if one is not None}
        return types[0] if len(bases) == 1 and function_named(name) not in RELATIONAL else None
    found = result_of(name, list(map(scalar_of, types)))
    return None if found is None else named(found.spelling, node)


def _of_constant(type_name: TypeName | None, operator: str, name: str, context: Context) -> TypeName | None:
    """The type of a static member, where it is named by an object."""
    around = target_of(type_name) if operator == "->" else type_name
    class_ = None if around is None else context.scopes.find(around.base)
    found = class_.constants.get(name) if isinstance(class_, Members) else None
    return found.type if isinstance(found, Variable) else None


def _is_record(base: str, context: Context) -> bool:
    return _VECTOR.fullmatch(base) is not None or isinstance(context.scopes.find(base), Members)


def _of_group(name: str, value: Node, rest: Sequence[Node], context: Context) -> TypeName | None:
    """The type of what a group algorithm makes of a value: its own, or that of the initial value if there is one."""
    if name == "joint_reduce":
        _, *rest = rest
        return type_of(rest[0], context) if len(rest) == 2 else target_of(type_of(value, context))
    if len(rest) == 2:
        return type_of(rest[1 if name.startswith("inclusive") else 0], context)
    found = scalar_of(type_of(value, context))
    return None if found is None else named(found.spelling, value)


def _root(node: Node) -> Node:
    """What `t[1][2]` is an element of."""
    while isinstance(node, ast.Index):
        node = node.base
    return node


def _element(base: Node, node: Node, context: Context) -> TypeName | None:
    accessor = context.entity(_root(base))
    if isinstance(accessor, Accessor):
        return accessor.type
    member = _root(base)
    if isinstance(member, ast.Member) and (found := type_of(member, context)) and not found.pointers:
        return _component_of(found, 1) if vector_size(found) is not None else found
    match context.entity(base):
        case Ids() | Item():
            return named("size_t", node)
        case Variable(type_name, is_array=True) | Reference(_, type_name, is_array=True):
            return type_name
        case _:
            found = type_of(base, context)
            if isinstance(node, ast.Index) and found is not None and vector_size(found) is not None:
                return _component_of(found, 1)
            return target_of(found)


def _arithmetic(operator: str, left: Node, right: Node, node: Node, context: Context) -> TypeName | None:
    if operator in _COMPARISONS:
        return named("bool", node)
    if operator == ",":
        return type_of(right, context)
    one, other = type_of(left, context), type_of(right, context)
    if one is not None and one.pointers:
        return one
    for side in (one, other):
        if side is not None and vector_size(side) is not None:
            return side
    if operator in {"<<", ">>"}:
        return _promoted(one, node)
    return _common(one, other, node, is_same=False)


def _promoted(type_name: TypeName | None, node: Node) -> TypeName | None:
    """The type of `-x`, `~x` and `x << n`."""
    scalar = scalar_of(type_name)
    return type_name if scalar is None else named(promoted(scalar).spelling, node)


def _common(one: TypeName | None, other: TypeName | None, node: Node, *, is_same: bool = True) -> TypeName | None:
    """The type that two operands are converted to; `is_same`: those of one type keep it, as those of `?:` do in C++."""
    first, second = scalar_of(one), scalar_of(other)
    if is_same and (first is second or second is None or one is None):
        return one
    return None if first is None or second is None else named(common_type(first, second).spelling, node)


def _of_entity(node: Node, context: Context) -> TypeName | None:
    """The type of a name, or of what a member returns."""
    match context.entity(node):
        case Variable(type_name, is_array=is_array):
            return pointer_to(type_name) if is_array and type_name is not None else type_name
        case Reference(_, type_name, is_array=True):
            return pointer_to(type_name)
        case AtomicReference(_, type_name) | Reference(_, type_name):
            return type_name
        case Accessor(_, type_name, _, True):
            return type_name
        case Ids() | Item():
            return named("size_t", node)
        case _:
            pass
    match node:
        case tree.MemberCall(ast.Name(text), ".", ast.Name(name), None) if text in context.memory:
            return _of_container(context.memory[text].type, name, node)
        case tree.MemberCall(base, _, ast.Name(name)):
            match context.entity(base):
                case AtomicReference(_, type_name):
                    return named("bool", node) if name.startswith("compare_exchange") else type_name
                case Item() | Group() | Ids():
                    return named("bool" if name == "leader" else "size_t", node)
                case Opaque("event"):
                    return named("int", node)
                case _:
                    return _of_vector(node, context)
        case ast.Name(text) if text in context.memory:
            return pointer_to(context.memory[text].type)
        case _:
            return None


def _of_vector(node: tree.MemberCall, context: Context) -> TypeName | None:
    """The type of what a member of a vector returns; None of anything else."""
    found = type_of(node.base, context)
    found = target_of(found) if node.operator == "->" else found
    size = vector_size(found)
    if found is None or size is None:
        return None
    if (numbers := picked(node, size)) is not None:
        return _component_of(found, len(numbers))
    wanted = converted_type(node)
    if wanted is None or node.name.text == "as":
        return None if wanted is None else written_type(wanted)
    scalar = scalar_of(written_type(wanted))
    return None if scalar is None else named(f"{scalar.spelling}{size}", node)


def _of_container(element: TypeName, member: str, node: Node) -> TypeName | None:
    """The type of what a member of a container of elements of a type returns."""
    if member in {"data", "begin", "end", "cbegin", "cend"}:
        return pointer_to(element)
    if member in {"at", "front", "back"}:
        return element
    return named("size_t", node) if member == "size" else None


def region_of(node: Node, context: Context) -> Region | None:
    """The address space of the object that an expression names, where it is surely known."""
    match node:
        case ast.Prefix("*", operand) | ast.Index(operand):
            return region_pointed_into(operand, context)
        case _:
            match context.entity(node):
                case Accessor(is_local=is_local):
                    return Region.LOCAL if is_local else Region.GLOBAL
                case Variable():
                    return Region.PRIVATE
                case Reference(region=region):
                    return region
                case _:
                    return None


def region_pointed_into(node: Node, context: Context) -> Region | None:
    """The address space that a pointer surely points into."""
    match context.entity(node):
        case Accessor(is_local=is_local):
            return Region.LOCAL if is_local else Region.GLOBAL
        case Variable(is_array=True):
            return Region.PRIVATE
        case Variable(region=region):
            return region
        case None if isinstance(node, ast.Name) and node.text in context.memory:
            return region_of_kind(context.memory[node.text].kind)
        case _:
            pass
    match node:
        case ast.Infix("+" | "-", left, _):
            return region_pointed_into(left, context)
        case ast.Prefix("&", operand):
            return region_of(operand, context)
        case ast.Index() if isinstance(accessor := context.entity(_root(node)), Accessor):
            return Region.LOCAL if accessor.is_local else Region.GLOBAL
        case _:
            return None


def region_of_kind(kind: str) -> Region:
    """The address space in which a kind of memory lies."""
    return {"local_accessor": Region.LOCAL, "private": Region.PRIVATE}.get(kind, Region.GLOBAL)
