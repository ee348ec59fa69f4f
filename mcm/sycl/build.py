"""From the rules of grammar/sycl.lark to nodes (see `mcm.syntax.builder`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.base.source import Span
from mcm.lalr.token import Token
from mcm.sycl.tree import (
    BindingDeclaration,
    ClassType,
    Command,
    ConstantIf,
    Construction,
    Host,
    HostHead,
    InitialisedDeclarator,
    Lambda,
    LambdaParameter,
    MemberCall,
    NamedClass,
    ObjectDeclaration,
    ObjectDeclarator,
    ObjectParameter,
    ReferenceDeclaration,
    ReferenceParameter,
)
from mcm.syntax.ast import Assignment, Call, If, InitializerList, Name, NumberLiteral, Return, TypeName
from mcm.syntax.build_expressions import NAME, initializer_list, pointed
from mcm.syntax.build_expressions import assign as of_c_family
from mcm.syntax.build_expressions import declarator as builder_declarator

if TYPE_CHECKING:
    from mcm.syntax.ast import Expression
    from mcm.syntax.builder import Builder, Children

_OPENING = frozenset({"LBRACE", "LPAR"})

# A type that is called as a function is, `float(x)`.
CALLED_TYPE = NAME


def host_head(builder: Builder, children: Children) -> HostHead:
    """The word `host`."""
    return HostHead(span=builder.span(children[0], children[0]))


def host(builder: Builder, children: Children) -> Host:
    """`host { … }`."""
    return Host(children[1], span=builder.span(children[0], children[1]))


def command(builder: Builder, children: Children) -> Command:
    """`q.parallel_for(…);`."""
    return Command(children[0], span=builder.span(children[0], children[1]))


def if_statement(builder: Builder, children: Children) -> If:
    """`if (condition) then else otherwise`, and that with `constexpr`."""
    word, _, condition, _, then, _, otherwise = children
    kind = If if word.text == "if" else ConstantIf
    return kind(condition, then, otherwise, span=builder.span(word, otherwise or then))


# --- classes ----------------------------------------------------------------------------------------------------------


def template(builder: Builder, children: Children) -> ClassType:
    """`range<1>`."""
    word, arguments = children
    listed = tuple(arguments[1:-1:2])
    return ClassType(word.text, listed, span=Span(builder.source, word.start, arguments[-1].end))


def template_arguments(_: Builder, children: Children) -> Children:
    """`<…>`, brackets included."""
    return children


def named_class(builder: Builder, children: Children) -> NamedClass | TypeName:
    """`class add`, the name of a kernel; `struct pair` is a type, and so is `struct node*`."""
    word, name, *pointers = children
    if word.text == "struct":
        return pointed(builder, TypeName((), f"struct {name.text}", span=builder.span(word, name)), pointers)
    return NamedClass(word.text, name, span=builder.span(word, name))


def plain_class(builder: Builder, children: Children) -> ClassType:
    """`queue`."""
    return ClassType(children[0].text, span=builder.span(children[0], children[0]))


def object_parameter(builder: Builder, children: Children) -> ObjectParameter:
    """`class name`."""
    type_ = next(child for child in children if isinstance(child, ClassType))
    is_reference = any(isinstance(child, Token) and child.type == "AMPERSAND" for child in children)
    span = builder.span(type_, children[-1])
    return ObjectParameter(type_, is_reference, _named(children[-1], span), span=span)


def _named(last: object, span: Span) -> Name:
    """The name of a parameter; one without gets one that no other word is."""
    return last if isinstance(last, Name) else Name(f"#{span.start}", span=span)


def reference_parameter(builder: Builder, children: Children) -> ReferenceParameter:
    """`type& name`."""
    type_, _, name = children
    return ReferenceParameter(type_, name, span=builder.span(type_, name))


def object_declaration(builder: Builder, children: Children) -> ObjectDeclaration:
    """`qualifiers class declarators;`."""
    first = next(number for number, child in enumerate(children) if isinstance(child, ClassType))
    words = tuple(child.text for child in children[:first])
    declarators = tuple(children[first + 1 : -1 : 2])
    return ObjectDeclaration(words, children[first], declarators, span=builder.span(children[0], children[-1]))


def object_declarator(builder: Builder, children: Children) -> ObjectDeclarator:
    """`name`, `name(…)`, `name{…}`, `name = …`."""
    name, *rest = children
    form = rest[0].text if rest else ""
    arguments = tuple(rest[1::2]) if form == "=" else tuple(rest[1:-1:2])
    return ObjectDeclarator(name, form, arguments, span=builder.span(name, children[-1]))


def reference_declaration(builder: Builder, children: Children) -> ReferenceDeclaration:
    """`type& name = object;`."""
    type_, _, name, _, value, semicolon = children
    return ReferenceDeclaration(type_, name, value, span=builder.span(type_, semicolon))


def binding_declaration(builder: Builder, children: Children) -> BindingDeclaration:
    """`auto& [a, b] = value;`."""
    type_, *rest, value, semicolon = children
    if type_.base != "auto":
        builder.refuse(
            "E040", f"expected 'auto' before the names of a structured binding, found '{type_.base}'", type_.span
        )
    is_reference = rest[0].text == "&"
    names = tuple(child for child in rest if isinstance(child, Name))
    return BindingDeclaration(type_, is_reference, names, value, span=builder.span(type_, semicolon))


def initialised_declarator(builder: Builder, children: Children) -> InitialisedDeclarator:
    """`r{0}`, `r(0)`, `a[2]{1, 2}`: the same as with `=`; what is in empty braces is zero."""
    opening = next(n for n, child in enumerate(children) if isinstance(child, Token) and child.type in _OPENING)
    values = children[opening + 1 : -1 : 2]
    bare = builder_declarator(builder, children[:opening])
    span = builder.span(children[opening], children[-1])
    value: Expression | InitializerList
    if bare.length is not None or len(values) > 1 or any(isinstance(one, InitializerList) for one in values):
        value = initializer_list(builder, children[opening:])
    elif values:
        value = values[0]
    else:
        value = Name("nullptr", span=span) if bare.pointers else NumberLiteral("0", span=span)
    form = children[opening].text if values else "{}"
    whole = Span(bare.span.source, bare.span.start, span.end)
    return InitialisedDeclarator(bare.name, bare.pointers, bare.length, value, bare.inner, form=form, span=whole)


def return_list(builder: Builder, children: Children) -> Return:
    """`return {…};`, of a function that says what it returns."""
    word, _, *values, semicolon = children
    listed = InitializerList(tuple(values[:-1:2]), span=builder.span(children[1], values[-1]))
    return Return(listed, span=builder.span(word, semicolon))  # type: ignore[arg-type]  # see `mcm.sycl.tree`


# --- expressions ------------------------------------------------------------------------------------------------------


def member_call(builder: Builder, children: Children) -> MemberCall:
    """`base.name(…)`, `base.name<…>(…)`."""
    base, operator, name, *rest = children
    templates = None
    if isinstance(name, Token):
        templates = tuple(rest.pop(0)[1:-1:2])
        name = NAME(builder, name.text, name.end)
    span = builder.span(base, rest[-1])
    return MemberCall(base, operator.text, name, templates, tuple(rest[1:-1:2]), span=span)


def assign(builder: Builder, children: Children) -> Assignment:
    """`target = value`, where the target may be a temporary: `atomic_ref<…>(*x) += 1`."""
    target, operator, value = children
    if isinstance(target, Construction | MemberCall | Call | Assignment):
        span = builder.span(target, value)
        return Assignment(operator.text, target, value, span=span)  # type: ignore[arg-type]  # see `mcm.sycl.tree`
    return of_c_family(builder, children)


def construction(builder: Builder, children: Children) -> Construction:
    """`class(…)`, `class{…}`."""
    type_, opening, *rest = children
    return Construction(type_, opening.text, tuple(rest[:-1:2]), span=builder.span(type_, rest[-1]))


def lambda_function(builder: Builder, children: Children) -> Lambda:
    """`[=](…) { … }`."""
    word, *rest = children
    parameters = tuple(child for child in rest if isinstance(child, LambdaParameter))
    attributes = tuple(child[2] for child in rest if isinstance(child, list))
    result = next((child for child in rest if isinstance(child, TypeName)), None)
    return Lambda(word.text, parameters, attributes, rest[-1], result, span=builder.span(word, rest[-1]))


def lambda_result(builder: Builder, children: Children) -> TypeName:
    """`-> int`."""
    arrow, type_name = children
    if arrow.text != "->":
        builder.refuse("E040", "expected '->' before the type of what a lambda returns", builder.span(arrow, arrow))
    found: TypeName = type_name
    return found


def lambda_parameter(builder: Builder, children: Children) -> LambdaParameter:
    """`nd_item<1> it`."""
    words = tuple(child.text for child in children if isinstance(child, Token) and child.type == "QUALIFIER")
    is_reference = any(isinstance(child, Token) and child.type == "AMPERSAND" for child in children)
    span = builder.span(children[0], children[-1])
    stars = [child for child in children if isinstance(child, list)]
    type_ = pointed(builder, children[len(words)], stars) if stars else children[len(words)]
    return LambdaParameter(words, type_, is_reference, _named(children[-1], span), span=span)


def attribute(_: Builder, children: Children) -> Children:
    """`[[…]]`, brackets included."""
    return children
