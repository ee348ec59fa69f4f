"""From grammar rules to nodes: classes of the file, their members, and operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.base.source import Span
from mcm.lalr.token import Token
from mcm.sycl.tree import (
    ClassDefinition,
    ClassType,
    DefaultedParameter,
    MemberCall,
    MemberFunction,
    MemberInitial,
    ReferenceMember,
    ReferenceParameter,
    as_member,
)
from mcm.syntax.ast import Block, Declaration, FileVariables, Function, Name, Node, Structure, TypeName
from mcm.syntax.build_expressions import index, pointed
from mcm.syntax.parts import FunctionHead

if TYPE_CHECKING:
    from mcm.syntax.ast import Expression
    from mcm.syntax.builder import Builder, Children

# What stands among the pointers of the type of a function that returns a reference.
REFERENCE: Final = ("&",)


def structure(builder: Builder, children: Children) -> Structure:
    """`struct NAME { members };`: a class, if it has more than members that are numbers."""
    word, name, _, *parts, _, _ = children
    members = tuple(_plain(part) for part in parts if isinstance(part, Node))
    span = builder.span(word, children[-1])
    declared = tuple(one for one in members if isinstance(one, Declaration))
    if len(declared) == len(members) and all(one.initializer is None for d in declared for one in d.declarators):
        return Structure(name, declared, word.text == "union", span=span)
    return ClassDefinition(name, declared, word.text == "union", members, span=span)


def _plain(part: Any) -> Any:
    """A declaration that no word stands before is one."""
    return part.declaration if isinstance(part, FileVariables) and not part.words else part


def operator_name(builder: Builder, children: Children) -> Name:
    """`operator +`."""
    (word,) = children
    return Name("".join(word.text.split()), span=builder.span(word, word))


def function_head(builder: Builder, children: Children) -> FunctionHead:
    """Everything before the body of a function; one that returns a reference says so among the pointers of its type."""
    words = [child.text for child in children if isinstance(child, Token) and child.type == "FUNCTION_WORD"]
    type_name, *pointers, name, parameters = children[len(words) :]
    first = children[0]
    span = Span(builder.source, first.start, first.end) if isinstance(first, Token) else first.span
    if pointers and isinstance(pointers[0], Token):
        type_ = TypeName(type_name.qualifiers, type_name.base, (REFERENCE,), span=type_name.span)
    else:
        type_ = pointed(builder, type_name, pointers)
    return FunctionHead(name, tuple(words), type_, parameters, span=span)


# --- parameters -------------------------------------------------------------------------------------------------------


def defaulted_parameter(builder: Builder, children: Children) -> DefaultedParameter:
    """`type name = value`."""
    type_name, *pointers, name, _, value = children
    type_ = pointed(builder, type_name, pointers)
    return DefaultedParameter(type_, name, default=value, span=builder.span(type_name, value))


def defaulted_reference(builder: Builder, children: Children) -> ReferenceParameter:
    """`const type& name = value`."""
    type_, _, name, _, value = children
    return ReferenceParameter(type_, name, value, span=builder.span(type_, value))


def unnamed_reference(builder: Builder, children: Children) -> ReferenceParameter:
    """`const type&`."""
    type_, sign = children
    span = builder.span(type_, sign)
    return ReferenceParameter(type_, Name("", span=span), span=span)


# --- members ----------------------------------------------------------------------------------------------------------


def reference_member(builder: Builder, children: Children) -> ReferenceMember:
    """`type& name;`."""
    type_, _, name, semicolon = children
    return ReferenceMember(type_, name, span=builder.span(type_, semicolon))


def object_reference_member(builder: Builder, children: Children) -> ReferenceMember:
    """`class& name;`."""
    type_ = next(child for child in children if isinstance(child, ClassType))
    return ReferenceMember(type_, children[-2], span=builder.span(children[0], children[-1]))


def call_of_element(builder: Builder, children: Children) -> MemberCall:
    """`base[index](…)`, of an object with a call operator."""
    return _call_operator(builder, index(builder, children[:4]), children[4:])


def call_of_object(builder: Builder, children: Children) -> MemberCall:
    """`(*this)(…)`, of an object with a call operator."""
    return _call_operator(builder, children[1], children[3:])


def _call_operator(builder: Builder, base: Expression, arguments: Children) -> MemberCall:
    span = builder.span(base, arguments[-1])
    name = Name("operator()", span=span)
    return MemberCall(base, ".", name, None, tuple(arguments[1:-1:2]), span=span)


def function_end(_: Builder, children: Children) -> Children:
    """A body, `= default;`, or a semicolon."""
    return children


def member_function(builder: Builder, children: Children) -> MemberFunction:
    """`type name(parameters) const { … }`."""
    head = next(child for child in children if isinstance(child, FunctionHead))
    behind = children[children.index(head) + 1 : -1]
    attributes = tuple(child[2] for child in children if isinstance(child, list) and child is not children[-1])
    result = next((child for child in behind if isinstance(child, TypeName)), head.type)
    found = _function(builder, replace(head, type=result), children, "function")
    return replace(found, attributes=attributes)


def object_function(builder: Builder, children: Children) -> MemberFunction:
    """`atomic_ref<…> name(parameters) const { … }`."""
    at = next(number for number, child in enumerate(children) if isinstance(child, ClassType))
    words = tuple(child.text for child in children[:at])
    head = FunctionHead(children[at + 1], words, children[at], children[at + 2], span=children[at].span)
    return _function(builder, head, children, "function")


def constructor(builder: Builder, children: Children) -> MemberFunction:
    """`NAME(parameters) : members { … }`."""
    word = next(child for child in children if isinstance(child, Token) and child.type == "STRUCTURE")
    at = children.index(word)
    name = Name(word.text.split()[-1], span=builder.span(word, word))
    initials = children[at + 2] if len(children) - at == 4 else ()
    found = _function(builder, FunctionHead(name, (), None, children[at + 1], span=name.span), children, "constructor")  # type: ignore[arg-type]  # it has no type
    return replace(found, initials=tuple(initials))


def destructor(builder: Builder, children: Children) -> MemberFunction:
    """`~NAME() { … }`."""
    sign, word, parameters, _ = children
    if sign.text != "~":
        builder.refuse("E040", f"expected a member, found '{sign.text}'", builder.span(sign, sign))
    name = Name(f"~{word.text.split()[-1]}", span=builder.span(sign, word))
    head = FunctionHead(name, (), None, parameters, span=name.span)  # type: ignore[arg-type]  # as above
    return _function(builder, head, children, "destructor")


def member_initials(_: Builder, children: Children) -> Children:
    """`: x(1), y(2)`."""
    return children[1::2]


def member_initial(builder: Builder, children: Children) -> MemberInitial:
    """`x(1)`."""
    name, opening, *rest = children
    if isinstance(name, Token):
        name = Name(name.text, span=builder.span(name, name))
    return MemberInitial(name, opening.text, tuple(rest[:-1:2]), span=builder.span(name, rest[-1]))


def class_member(builder: Builder, children: Children) -> MemberFunction:
    """`friend type name(parameters) { … }`."""
    word, function = children
    assert isinstance(function, Function)
    return as_member(function, builder.span(word, function))


def _function(builder: Builder, head: FunctionHead, children: Children, kind: str) -> MemberFunction:
    end = children[-1]
    body = end[0] if isinstance(end[0], Block) else None
    behind = [child for child in children if isinstance(child, Token) and child.type == "QUALIFIER"]
    is_const = any(child.text == "const" and child.start > head.name.span.end for child in behind)
    first = next(child for child in children if not isinstance(child, list))
    return MemberFunction(
        head.name,
        kind,
        head.words,
        head.type,
        head.parameters,
        is_const=is_const,
        initials=(),
        body=body,
        is_default=len(end) > 2,
        span=builder.span(first, end[-1]),
    )
