"""Objects that are apart: each is made where it is declared, and its members are variables from there on.

The name `path#m` stands for a member, which is what `mcm.sycl.entities.Instance` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl import members, methods, references, tree
from mcm.sycl.entities import Instance, Members, Reference, Variable
from mcm.sycl.objects import Making, constructor_of, default_of, initials, refuse
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from mcm.sycl.body import Body
    from mcm.sycl.context import Context
    from mcm.sycl.entities import DataMember, Entity
    from mcm.syntax.ast import Node, Statement

_OF_HOST: Final = frozenset({"queue", "buffer", "event", "handler", "host_accessor"})


def declare(class_: Members, name: ast.Name, making: Making, body: Body) -> list[Statement]:
    """The variables that an object which is apart consists of; its name stands for it from now on."""
    found, known = _apart(class_, name.text, making, body)
    for each, entity in known.items():
        body.scopes.declare(each, entity)
    body.declare(name, Instance(class_, name.text))
    return found


def _apart(class_: Members, path: str, making: Making, body: Body) -> tuple[list[Statement], dict[str, Entity]]:
    """The statements that make an object, and what the names of its members stand for."""
    context = body.context
    match making.arguments:
        case (argument,) if isinstance(copied := context.entity(argument), Instance) and copied.class_ is class_:
            return _copied(class_, path, copied, making, body)
        case _:
            pass
    constructor = constructor_of(class_, making, context) if class_.constructors else None
    if constructor is None:
        if class_.constructors or len(making.arguments) > len(class_.data):
            refuse(class_, making, context)
        given = dict(zip([one.name for one in class_.data], making.arguments, strict=False))
        return _of_arguments(class_, path, {n: Making((one,), "=", one) for n, one in given.items()}, making, body)
    arguments = methods.with_defaults(constructor, making.arguments, making.node, context, class_)
    statements: list[Statement] = []
    passed: dict[str, Entity] = {}
    for parameter, argument in zip(constructor.parameters, arguments, strict=True):
        before, name, entity = _passed(parameter, argument, path, body)
        statements += before
        passed[name] = entity
    listed = initials(class_, constructor, context)
    around = context.scopes.apart(context.functions.outside)
    memory, context.memory = context.memory, {}
    try:
        context.scopes.open()
        methods.declare_class(class_, context.scopes, is_static=False)
        context.scopes.open()
        for name, entity in passed.items():
            context.scopes.declare(name, entity)
        known: dict[str, Entity] = {}
        for one in class_.data:
            before, some = _member(one, path, listed.get(one.name) or default_of(one), making.node, body)
            statements += [*context.pending, *before]
            context.pending.clear()
            known |= some
        # Parameters hide members.
        context.scopes.declare(methods.THIS, Instance(class_, path))
        for one in class_.data:
            if one.name not in passed and (entity_ := known.get(f"{path}#{one.name}")) is not None:
                context.scopes.declare(one.name, methods.by_name(entity_, f"{path}#{one.name}", one.node))
        if constructor.body is not None and constructor.body.statements:
            if any(isinstance(one, ast.Return) for one in walk([constructor.body])):
                message = f"a constructor of '{class_.name}' that returns before its end is not part of the language"
                body.complaints.fail("E207", constructor.span, message)
            with body.function(None):
                statements.append(body.block(constructor.body))
    finally:
        context.memory = memory
        context.scopes.back(around)
    return statements, known


def _passed(parameter: Node, argument: Node, path: str, body: Body) -> tuple[list[Statement], str, Entity]:
    """What a parameter of the constructor of an object that is apart stands for, and its name."""
    context = body.context
    if methods.stands_for_name(parameter, context) or isinstance(parameter, tree.ObjectParameter):
        assert isinstance(parameter, tree.ObjectParameter | tree.ReferenceParameter | ast.Parameter)
        pin = ast.Name(f"{path}#({parameter.name.text})", span=parameter.name.span)
        first, stands_for = methods.pinned(_entity(argument, context), pin, context)
        return first, parameter.name.text, stands_for
    assert isinstance(parameter, ast.Parameter | tree.ReferenceParameter)
    name = ast.Name(f"{path}#({parameter.name.text})", span=parameter.name.span)
    if isinstance(parameter, tree.ReferenceParameter):
        node = tree.ReferenceDeclaration(parameter.type, name, argument, span=argument.span)  # type: ignore[arg-type]
        before = references.declare(node, context)
    else:
        declarator = ast.Declarator(name, parameter.type.pointers, None, argument, span=argument.span)  # type: ignore[arg-type]
        bare = replace(parameter.type, pointers=())
        before = body.statement(ast.Declaration(bare, (declarator,), span=argument.span))
    entity = context.scopes.find(name.text)
    assert entity is not None
    first, entity = methods.pinned(entity, name, context)
    context.scopes.declare(name.text, entity)
    return [*before, *first], parameter.name.text, methods.by_name(entity, name.text, parameter)


def _entity(argument: Node, context: Context) -> Entity:
    entity = context.entity(argument)
    if entity is None:
        message = f"'{argument.span.text}' is passed by its name here: expected one of an accessor or another object"
        context.complaints.fail("E207", argument.span, message)
    return entity


def _of_arguments(
    class_: Members, path: str, given: dict[str, Making], making: Making, body: Body
) -> tuple[list[Statement], dict[str, Entity]]:
    """An object of a class without constructors."""
    statements: list[Statement] = []
    known: dict[str, Entity] = {}
    for one in class_.data:
        means = given.get(one.name) or default_of(one)
        if means is None and making.form in {"{", "(", "{}"} and isinstance(one.type, ast.TypeName):
            means = Making((), "{", making.node)
        if one.name in given:
            before, some = _member(one, path, means, making.node, body)
        else:
            # What the class says is said by names of the class.
            around = body.scopes.apart(body.context.functions.outside)
            try:
                body.scopes.open()
                methods.declare_class(class_, body.scopes, is_static=True)
                before, some = _member(one, path, means, making.node, body)
            finally:
                body.scopes.back(around)
        statements += before
        known |= some
    return statements, known


def _copied(
    class_: Members, path: str, copied: Instance, making: Making, body: Body
) -> tuple[list[Statement], dict[str, Entity]]:
    """A copy of an object, member by member."""
    span = making.node.span
    given: dict[str, Making] = {}
    for one in class_.data:
        if one.is_array:
            message = f"a copy of an object of '{class_.name}', which has the array '{one.name}', is not supported"
            body.complaints.fail("E207", span, message)
        given[one.name] = Making((ast.Name(f"{copied.path}#{one.name}", span=span),), "=", making.node)
    return _of_arguments(class_, path, given, making, body)


def _member(
    one: DataMember, path: str, making: Making | None, node: Node, body: Body
) -> tuple[list[Statement], dict[str, Entity]]:
    """A member of an object that is apart: the statements that make it, and what its name stands for."""
    context = body.context
    name = ast.Name(f"{path}#{one.name}", span=one.node.span)
    inner = members.class_of(one.type, context) if isinstance(one.type, ast.TypeName) else None
    arguments = () if making is None else making.arguments
    if inner is not None and inner.is_apart and not one.is_reference:
        found, known = _apart(inner, name.text, making or Making((), "", node), body)
        entity: Entity = Instance(inner, name.text)
        context.scopes.declare(name.text, entity)
        for each, some in known.items():
            context.scopes.declare(each, some)
        return found, {**known, name.text: entity}
    if len(arguments) == 1 and (one.is_reference or isinstance(one.type, tree.ClassType)):
        stands_for = context.entity(arguments[0])
        if stands_for is not None and not isinstance(stands_for, Variable | Reference):
            before, stands_for = methods.pinned(stands_for, name, context)
            context.scopes.declare(name.text, stands_for)
            return before, {name.text: stands_for}
    statements = _declared(one, name, making, node, body)
    known_as = context.scopes.find(name.text)
    assert known_as is not None
    before, known_as = methods.pinned(known_as, name, context)
    context.scopes.declare(name.text, known_as)
    return [*statements, *before], {name.text: known_as}


def _declared(one: DataMember, name: ast.Name, making: Making | None, node: Node, body: Body) -> list[Statement]:
    """The declaration of a member as a variable."""
    arguments = () if making is None else making.arguments
    if isinstance(one.type, tree.ClassType) and plain(one.type.name) in _OF_HOST:
        message = f"'{one.name}' is a {plain(one.type.name)} in a class: here it is a variable of the host program"
        body.complaints.fail("E207", one.node.span, message)
    if (one.is_reference or isinstance(one.type, tree.ClassType)) and len(arguments) != 1:
        message = f"'{one.name}' is made with what it is, '{one.name}(x)' before the body of the constructor"
        body.complaints.fail("E207", one.node.span, message)
    if one.is_reference:
        assert isinstance(one.type, ast.TypeName)
        reference = tree.ReferenceDeclaration(one.type, name, arguments[0], span=node.span)  # type: ignore[arg-type]
        return references.declare(reference, body.context)
    if isinstance(one.type, tree.ClassType):
        assert making is not None
        made = tree.ObjectDeclarator(name, "(", arguments, span=making.node.span)
        return body.statement(tree.ObjectDeclaration((), one.type, (made,), span=making.node.span))
    assert isinstance(one.node, ast.Declarator)
    bare = replace(one.type, pointers=())
    initializer: Node | None = None
    form = "="
    if making is not None:
        span = making.node.span
        listed = tuple(argument for argument in arguments if not isinstance(argument, ast.InitializerList))
        is_list = one.is_array or len(arguments) != 1 or members.class_of(one.type, body.context) is not None
        if (len(arguments) == 1 and isinstance(arguments[0], ast.InitializerList)) or (
            is_list and making.form == "=" and len(arguments) == 1
        ):
            initializer = arguments[0]
        elif is_list and len(listed) == len(arguments):
            zero = ast.Name("nullptr", span=span) if one.type.pointers else ast.NumberLiteral("0", span=span)
            is_one = not listed and not one.is_array and members.class_of(one.type, body.context) is None
            initializer = zero if is_one else ast.InitializerList(listed or (zero,), span=span)  # type: ignore[arg-type]
            form = making.form if members.class_of(one.type, body.context) is not None else "="
        else:
            initializer = arguments[0]
    declarator = tree.InitialisedDeclarator(
        name,
        one.node.pointers,
        one.node.length,
        initializer,  # type: ignore[arg-type]  # see `mcm.sycl.tree`
        one.node.inner,
        form=form,
        span=node.span,
    )
    return body.statement(ast.Declaration(bare, (declarator,), span=node.span))
