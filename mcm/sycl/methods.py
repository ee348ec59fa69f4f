"""The functions of classes, and operators, in terms of the C family: each is made when something calls it.

One whose object is a structure is a function of the file, which is given the address of the object. Where the object is
apart (`mcm.sycl.classes`), or something is passed that only its name stands for, it is a function of the body that
calls it, and knows the variables that the members are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.build_classes import REFERENCE
from mcm.sycl.closures import entity_of, result_of
from mcm.sycl.context import counted
from mcm.sycl.entities import (
    Accessor,
    AtomicReference,
    Closure,
    Instance,
    Members,
    Overloads,
    Passed,
    Reference,
    Scopes,
    Variable,
)
from mcm.sycl.overloads import default_of
from mcm.sycl.pointers import is_pointer_class, pointer_class
from mcm.sycl.stable import CONSTANTS
from mcm.sycl.types import named, pointer_to, written_type
from mcm.syntax import ast
from mcm.syntax.mapped import mapped
from mcm.syntax.walk import names_in, parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.program.types import Region
    from mcm.sycl.body import Body
    from mcm.sycl.context import Context
    from mcm.sycl.entities import Entity
    from mcm.sycl.tree import MemberFunction
    from mcm.syntax.ast import Expression, Node, Statement, TypeName

THIS: Final = "this"
# The object that a constructor makes.
MADE: Final = "object"


class Receiver(Struct, frozen=True):
    """The object that a function is called of: its class, its path where it is apart, an expression that names it."""

    class_: Members
    path: str | None
    node: Node
    is_const: bool = False


# --- names in a class -------------------------------------------------------------------------------------------------


def declare_class(class_: Members, scopes: Scopes, *, is_static: bool) -> None:
    """The names of constants and functions that a function of a class knows."""
    for name, entity in class_.constants.items():
        scopes.declare(name, entity)
    for name, functions in class_.functions.items():
        receiver = None if is_static else ast.Name(THIS, span=functions[0].name.span)
        scopes.declare(name, Overloads(class_, name, receiver))


def declare_members(
    class_: Members, scopes: Scopes, target: Expression, operator: str, *, is_const: bool = False
) -> None:
    """The members of an object that is a structure, `target.x`, by their names."""
    for one in class_.data:
        assert isinstance(one.type, ast.TypeName)
        type_ = _const(one.type) if is_const else one.type
        member = ast.Member(target, operator, ast.Name(one.name, span=target.span), span=target.span)
        scopes.declare(one.name, Reference(member, type_, None, one.is_array, is_member=True, length=one.length))


def _const(type_: TypeName) -> TypeName:
    """The type of a member of an object that does not change: what a pointer points at may."""
    is_value = not type_.pointers and "const" not in type_.qualifiers
    return replace(type_, qualifiers=("const", *type_.qualifiers)) if is_value else type_


def declare_apart(class_: Members, path: str, scopes: Scopes, *, is_const: bool = False) -> None:
    """The members of an object that is apart, by their names."""
    for one in class_.data:
        name = f"{path}#{one.name}"
        entity = scopes.find(name)
        if entity is not None:
            known = by_name(entity, name, one.node)
            if is_const and not one.is_reference and isinstance(known, Reference):
                known = replace(known, type=_const(known.type))
            elif is_const and not one.is_reference and isinstance(known, Instance):
                known = replace(known, is_const=True)
            scopes.declare(one.name, known)


def by_name(entity: Entity, name: str, node: Node) -> Entity:
    """What another name of a variable stands for."""
    if not isinstance(entity, Variable) or entity.type is None:
        return entity
    region: Region | None = None
    target = ast.Name(name, span=node.span)
    return Reference(target, entity.type, region, entity.is_array, is_member=True, length=entity.length)


def declared_in(node: Node) -> set[str]:
    """The names that functions of a class, or a function, declare."""
    found: set[str] = set()
    for one in walk([node]):
        match one:
            case (
                ast.Declarator(ast.Name(text))
                | tree.ObjectDeclarator(ast.Name(text))
                | ast.Parameter(_, ast.Name(text))
                | tree.ReferenceParameter(_, ast.Name(text))
                | tree.ReferenceDeclaration(_, ast.Name(text))
                | tree.ObjectParameter(_, _, ast.Name(text))
                | tree.LambdaParameter(_, _, _, ast.Name(text))
            ):
                found.add(text)
            case tree.BindingDeclaration(_, _, names):
                found.update(name.text for name in names)
            case _:
                pass
    return found


def pinned(entity: Entity, name: ast.Name, context: Context) -> tuple[list[Statement], Entity]:
    """What functions may know by a name; where they declare one that it is told by, there is a pointer to it then."""
    match entity:
        case Accessor():
            names, type_ = frozenset({entity.name}), entity.type
            context.used[entity.location] = None
            address: Expression = ast.Name(entity.name, span=name.span)
            words: tuple[str, ...] = ("local",) if entity.is_local else ()
            is_pinnable = not entity.is_single
        case AtomicReference(target, type_) | Reference(target, type_):
            names = names_in(target)
            is_pointer = isinstance(target, ast.Prefix) and target.operator == "*"
            address = target.operand if isinstance(target, ast.Prefix) and is_pointer else _addressed(target)
            words = ()
            is_pinnable = not (isinstance(entity, Reference) and entity.is_array)
        case _:
            return [], entity
    if not names & context.functions.declared or not is_pinnable:
        return [], entity
    full = replace(type_, qualifiers=(*words, *type_.qualifiers), pointers=())
    declarator = ast.Declarator(name, (*type_.pointers, ("const",)), None, address, span=name.span)
    before = ast.Declaration(full, (declarator,), span=name.span)
    if isinstance(entity, Accessor):
        return [before], replace(entity, alias=name.text)
    return [before], replace(entity, target=ast.Prefix("*", name, span=name.span))


def _addressed(target: Expression) -> Expression:
    return ast.Prefix("&", target, span=target.span)


# --- making a function ------------------------------------------------------------------------------------------------


def made(function: MemberFunction, receiver: Receiver | None, arguments: tuple[Node, ...], context: Context) -> Closure:
    """The function in terms of the C family that a call means."""
    if function.body is None:
        message = f"'{function.name.text}' has no body here: its definition belongs where it is declared"
        context.complaints.fail("E207", function.span, message)
    bound = bound_names(function, arguments, context)
    if bound or (receiver is not None and receiver.path is not None and "static" not in function.words):
        return _of_body(function, receiver, bound, context)
    key = (receiver.class_.name if receiver is not None else "", id(function))
    known = context.functions.known
    if key not in known:
        _of_file(function, receiver, key, context)
    return known[key]


def bound_names(function: MemberFunction, arguments: tuple[Node, ...], context: Context) -> dict[str, Entity]:
    """The parameters that stand for what only names stand for: accessors, atomic references, objects that are apart."""
    found: dict[str, Entity] = {}
    for parameter, argument in zip(function.parameters, arguments, strict=False):
        if not stands_for_name(parameter, context):
            continue
        entity = context.entity(argument)
        if entity is None:
            message = (
                f"'{argument.span.text}' is passed by its name here: expected one of what '{parameter.span.text}' is"
            )
            context.complaints.fail("E207", argument.span, message)
        assert isinstance(parameter, tree.ObjectParameter | tree.ReferenceParameter | ast.Parameter)
        context.closures += 1
        name = ast.Name(f"{parameter.name.text}#{context.closures}", span=argument.span)
        is_const = isinstance(parameter, tree.ReferenceParameter) and "const" in parameter.type.qualifiers
        if isinstance(entity, Instance) and is_const:
            entity = replace(entity, is_const=True)
        before, found[parameter.name.text] = pinned(entity, name, context)
        context.pending += before
    return found


def stands_for_name(parameter: Node, context: Context) -> bool:
    """Whether a parameter is of a class that the C family has no values of."""
    if isinstance(parameter, tree.ObjectParameter):
        return entity_of(parameter.type) is None and not is_pointer_class(parameter.type)
    if not isinstance(parameter, tree.ReferenceParameter | ast.Parameter) or parameter.type.pointers:
        return False
    class_ = context.scopes.find(parameter.type.base)
    return isinstance(class_, Members) and class_.is_apart


def _of_file(function: MemberFunction, receiver: Receiver | None, key: tuple[str, int], context: Context) -> None:
    """A function of the file; it is known before it is made, so that what calls itself is told as that."""
    # Imported here: bodies import this module.
    from mcm.sycl.body import Body  # noqa: PLC0415

    functions = context.functions
    name = _name(function, receiver, len(functions.known))
    result, is_reference = _written_result(function, context)
    found_ways = ways(function)
    functions.known[key] = Closure(
        name.text, result or named("void", function), found_ways, is_reference, referred(function)
    )
    body = Body(Scopes(dict(functions.outside)), {}, functions, context.complaints, is_host=False)
    body.scopes.open()
    first: list[ast.Parameter] = []
    if receiver is not None:
        is_static = "static" in function.words
        if not is_static:
            words = ("const",) if function.is_const else ()
            object_ = ast.TypeName(words, f"struct {receiver.class_.name}", ((),), span=function.span)
            this = ast.Name(THIS, span=function.name.span)
            first.append(ast.Parameter(object_, this, span=function.name.span))
            body.scopes.declare(THIS, Variable(object_, is_fixed=True))
            declare_members(receiver.class_, body.scopes, this, "->", is_const=function.is_const)
        declare_class(receiver.class_, body.scopes, is_static=is_static)
    kept, result, block = _body(function, {}, result, body)
    functions.known[key] = Closure(name.text, result, found_ways, is_reference, referred(function))
    made = ast.Function(name, (), result, (*first, *kept), block, span=function.span)
    functions.made.append(made)


def _of_body(
    function: MemberFunction, receiver: Receiver | None, bound: dict[str, Entity], context: Context
) -> Closure:
    """A function of the body that calls it, which stands before the statement that does."""
    body = context.body
    path = receiver.path if receiver is not None else None
    key = f"{path or ''}#{function.name.text}({id(function)})"
    if not bound and isinstance(known := context.scopes.find(key), Closure):
        return known
    context.closures += 1
    name = _name(function, receiver, context.closures)
    result, is_reference = _written_result(function, context)
    found_ways = tuple(Passed.NOT if _is_named(one, bound) else _way(one) for one in function.parameters)
    if any(one is function for one in context.making):
        context.complaints.fail("E155", function.name.span, f"recursion is not allowed: '{function.name.text}'")
    context.making.append(function)
    around = body.scopes.apart(context.functions.outside)
    memory, context.memory = context.memory, {}
    first: list[ast.Parameter] = []
    try:
        body.scopes.open()
        if receiver is not None:
            is_static = "static" in function.words
            if path is not None:
                declare_apart(receiver.class_, path, body.scopes, is_const=function.is_const)
                body.scopes.declare(THIS, Instance(receiver.class_, path, function.is_const))
            elif not is_static:
                object_ = ast.TypeName((), f"struct {receiver.class_.name}", ((),), span=function.span)
                this = ast.Name(THIS, span=function.name.span)
                first.append(ast.Parameter(object_, this, span=function.name.span))
                body.scopes.declare(THIS, Variable(object_, is_fixed=True))
                declare_members(receiver.class_, body.scopes, this, "->", is_const=function.is_const)
            declare_class(receiver.class_, body.scopes, is_static=is_static)
        kept, result, block = _body(function, bound, result, body)
    finally:
        context.memory = memory
        body.scopes.back(around)
        context.making.pop()
    context.pending.append(ast.Function(name, (), result, (*first, *kept), block, span=function.span))
    closure = Closure(name.text, result, found_ways, is_reference, referred(function))
    if not bound:
        body.scopes.declare(key, closure)
    return closure


def _is_named(parameter: Node, bound: dict[str, Entity]) -> bool:
    return isinstance(parameter, tree.ObjectParameter | tree.ReferenceParameter | ast.Parameter) and (
        parameter.name.text in bound
    )


def _body(
    function: MemberFunction, bound: dict[str, Entity], result: TypeName | None, body: Body
) -> tuple[tuple[ast.Parameter, ...], TypeName, ast.Block]:
    """The parameters that a call gives values, the type of the result, and the body."""
    assert function.body is not None
    body.scopes.open()
    kept = tuple(parameters(function, bound, body))
    is_self = is_self_returning(function)
    is_reference = isinstance(function.type, ast.TypeName) and function.type.pointers[-1:] == (REFERENCE,)
    instead = (None,) if is_self else None
    with body.function(result, is_reference=is_reference, instead=instead) as returned:
        block = body.block(function.body)
    if is_self or function.kind == "destructor":
        result = named("void", function)
    elif result is None:
        result = result_of(returned, function, body)
    return kept, result, block


def _written_result(function: MemberFunction, context: Context) -> tuple[TypeName | None, bool]:
    """The type of the result, and whether that is a reference, which is a pointer in terms of the C family."""
    if function.type is None or (isinstance(function.type, ast.TypeName) and function.type.base == "auto"):
        return None, False
    if isinstance(function.type, tree.ClassType):
        message = f"a function that returns '{function.type.span.text}' is 'return …;' alone here"
        context.complaints.fail("E207", function.type.span, message)
    type_ = written_type(function.type)
    if type_.pointers[-1:] != (REFERENCE,):
        check_copied(type_, function.name, context)
        return type_, False
    target = replace(type_, pointers=type_.pointers[:-1])
    if is_self_returning(function):
        return target, False
    if target.base.startswith("struct "):
        message = (
            f"'{function.name.text}' returns a reference to a structure: one that is 'return …;' alone, or returns "
            "'*this', is part of the litmus language"
        )
        context.complaints.fail("E207", function.name.span, message)
    return pointer_to(target), True


def check_copied(type_: TypeName, node: Node, context: Context) -> None:
    """Refuse an object that is passed or returned by value, where its end does something."""
    class_ = context.scopes.find(type_.base) if not type_.pointers else None
    if isinstance(class_, Members) and class_.destructor is not None:
        message = (
            f"'{node.span.text}' is a copy of an object of '{class_.name}', whose end does something: pass a reference"
        )
        context.complaints.fail("E207", node.span, message)


def _name(function: MemberFunction, receiver: Receiver | None, number: int) -> ast.Name:
    prefix = f"{receiver.class_.name}::" if receiver is not None else ""
    return ast.Name(f"{prefix}{function.name.text}#{number}", span=function.name.span)


def ways(function: MemberFunction) -> tuple[Passed, ...]:
    """How each parameter of a function is passed."""
    return tuple(_way(one) for one in function.parameters)


def referred(function: MemberFunction) -> tuple[TypeName | None, ...]:
    """The types of what the parameters refer to that are references."""
    return tuple(
        written_type(one.type) if isinstance(one, tree.ReferenceParameter) else None for one in function.parameters
    )


def _way(parameter: Node) -> Passed:
    if isinstance(parameter, tree.ReferenceParameter):
        return Passed.ADDRESS_OR_VALUE if "const" in parameter.type.qualifiers else Passed.ADDRESS
    if isinstance(parameter, tree.ObjectParameter) and entity_of(parameter.type) is not None:
        return Passed.NOT
    return Passed.VALUE


def parameters(function: MemberFunction, bound: dict[str, Entity], body: Body) -> Iterator[ast.Parameter]:
    """The parameters that a call gives values or addresses; all are declared."""
    for one in function.parameters:
        match one:
            case _ if _is_named(one, bound):
                name = one.name.text  # type: ignore[attr-defined]  # see `_is_named`
                body.scopes.declare(name, bound[name])
            case tree.ReferenceParameter(type_, name):
                found = written_type(type_)
                name = name if name.text else replace(name, text=f"#{one.span.start}")
                target = ast.Prefix("*", name, span=name.span)
                body.scopes.declare(name.text, Reference(target, found))
                yield ast.Parameter(pointer_to(found), name, span=one.span)
            case tree.ObjectParameter(class_, _, name) if (entity := entity_of(class_)) is not None:
                body.scopes.declare(name.text, entity)
            case tree.ObjectParameter(class_, _, name) if is_pointer_class(class_):
                pointer = pointer_class(class_, body.context)
                body.scopes.declare(name.text, Variable(pointer.type, region=pointer.region))
                yield ast.Parameter(pointer.type, name, span=one.span)
            case ast.Parameter(type_, name, length):
                found = written_type(type_)
                if found.base == "auto":
                    message = f"'{one.span.text}' stands for any type: write the one that is passed, 'int {name.text}'"
                    body.complaints.fail("E207", one.span, message)
                check_copied(found, one, body.context)
                name = name if name.text else replace(name, text=f"#{one.span.start}")
                found = found if length is None else pointer_to(found)
                body.scopes.declare(name.text, Variable(found))
                yield ast.Parameter(found, name, span=one.span)
            case _:
                message = f"a parameter such as '{one.span.text}' is not part of the litmus language here"
                body.complaints.fail("E207", one.span, message)


# --- what a function returns ------------------------------------------------------------------------------------------


def returns(function: MemberFunction) -> list[ast.Return]:
    """The statements of a function that return."""
    found: list[ast.Return] = []
    waiting: list[Node] = [] if function.body is None else [function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return):
            found.append(node)
        elif not isinstance(node, tree.Lambda):
            waiting += parts_of(node)
    return found


def is_self_returning(function: MemberFunction) -> bool:
    """Whether a function returns a reference to the object that it is called of."""
    if not isinstance(function.type, ast.TypeName) or function.type.pointers[-1:] != (REFERENCE,):
        return False
    found = returns(function)
    return bool(found) and all(_is_this(one.value) for one in found)


def _is_this(node: Node | None) -> bool:
    return (
        isinstance(node, ast.Prefix)
        and node.operator == "*"
        and isinstance(node.operand, ast.Name)
        and (node.operand.text == THIS)
    )


def only_value(function: MemberFunction) -> Node | None:
    """What a function returns that does nothing else; None for others."""
    match function.body:
        case ast.Block((ast.Return(value),)) if value is not None:
            return value
        case _:
            return None


def with_defaults(
    function: MemberFunction,
    arguments: tuple[Node, ...],
    node: Node,
    context: Context,
    class_: Members | None = None,
) -> tuple[Node, ...]:
    """The arguments of a call, and what parameters are that it passes nothing for."""
    found = list(arguments)
    for parameter in function.parameters[len(arguments) :]:
        default = default_of(parameter)
        if default is None:
            message = f"'{function.name.text}' takes {counted(len(function.parameters))}, found {len(arguments)}"
            context.complaints.fail("E104", node.span, message)
        found.append(settled(default, context, class_))
    return tuple(found)


def settled(default: Node, context: Context, class_: Members | None = None) -> Node:
    """What a parameter is by itself, in words that mean the same wherever it is called."""

    def change(part: Node) -> Node:
        if not isinstance(part, ast.Name) or part.text in CONSTANTS:
            return part
        known = (class_.constants if class_ is not None else {}).get(part.text)
        entity = known or context.functions.outside.get(part.text)
        if not isinstance(entity, Variable) or entity.constant is None:
            message = f"'{part.span.text}', in what a parameter is by itself, is no constant"
            context.complaints.fail("E207", part.span, message)
        return replace(entity.constant, span=part.span)

    return mapped(default, change) if not isinstance(default, ast.Name) else change(default)
