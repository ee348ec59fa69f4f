"""Objects of classes of the file: constructors, and what members begin with.

A constructor of a structure is a function that returns one. An object that is apart is made where it is declared: its
members are variables from there on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.sycl import closures, frames, members, methods, overloads, references, tree
from mcm.sycl.context import counted
from mcm.sycl.entities import Closure, Instance, Members, Passed, Reference, Scopes, Variable
from mcm.sycl.methods import Receiver
from mcm.sycl.types import type_of, vector_size
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.sycl.body import Body
    from mcm.sycl.context import Context
    from mcm.sycl.entities import DataMember, Entity
    from mcm.sycl.tree import MemberFunction
    from mcm.syntax.ast import Expression, Node, Statement

_OBJECT: Final = "object#"


class Making(Struct, frozen=True):
    """What an object is made of: arguments between brackets, of which `form` is the first, empty where there are none."""

    arguments: tuple[Node, ...]
    form: str
    node: Node


# --- objects that are structures --------------------------------------------------------------------------------------


def value(class_: Members, making: Making, context: Context) -> Expression:
    """The value of an object that is made of arguments."""
    arguments, node = making.arguments, making.node
    if class_.is_apart:
        message = (
            f"an object of '{class_.name}' is a variable with a name here, as it has members such as references: "
            f"'{class_.name} a(…);'"
        )
        context.complaints.fail("E207", node.span, message)
    if len(arguments) == 1 and _is_copy(arguments[0], class_, context):
        return context.value(arguments[0])
    type_ = ast.TypeName((), f"struct {class_.name}", span=node.span)
    if class_.is_plain:
        return ast.CompoundLiteral(type_, _listed(class_, making, context), span=node.span)
    constructor = _constructor(class_, making, context)
    if constructor is None and class_.constructors:
        _refuse(class_, making, context)
    given = arguments if constructor is None else methods.with_defaults(constructor, arguments, node, context)
    if constructor is None and len(given) > len(class_.data):
        _refuse(class_, making, context)
    closure = _made(class_, constructor, len(given), context)
    written = ast.Call(ast.Name(class_.name, span=node.span), given, span=node.span)  # type: ignore[arg-type]
    passed = closures.passed(written, closure.passed, context)
    return ast.Call(ast.Name(closure.function, span=node.span), passed, span=node.span)


def _is_copy(argument: Node, class_: Members, context: Context) -> bool:
    return members.class_of(type_of(argument, context), context) is class_


def _refuse(class_: Members, making: Making, context: Context) -> None:
    count = counted(len(making.arguments))
    message = f"no constructor of '{class_.name}' takes {count} such as here"
    if not class_.constructors:
        message = f"'{class_.name}' is made of at most {len(class_.data)} values, found {count}"
    context.complaints.fail("E104", making.node.span, message)


def _constructor(class_: Members, making: Making, context: Context) -> MemberFunction | None:
    return overloads.chosen(class_.constructors, making.arguments, making.node, context)


def _listed(class_: Members, making: Making, context: Context) -> ast.InitializerList:
    """The values of the members of one that is made of these alone."""
    if len(making.arguments) > len(class_.data):
        _refuse(class_, making, context)
    zero = ast.NumberLiteral("0", span=making.node.span)
    items: list[Expression] = []
    rows: list[ast.InitializerList] = []
    for argument in making.arguments or (zero,):
        if isinstance(argument, ast.InitializerList):
            rows.append(_values(argument, context))
            continue
        found = context.value(argument)
        items.append(found)
        rows.append(ast.InitializerList((found,), is_bare=True, span=argument.span))
    if len(items) == len(rows):
        return ast.InitializerList(tuple(items), span=making.node.span)
    return ast.InitializerList((), tuple(rows), span=making.node.span)


def _values(node: ast.InitializerList, context: Context) -> ast.InitializerList:
    rows = tuple(_values(row, context) for row in node.rows)
    return replace(node, items=tuple(map(context.value, node.items)), rows=rows)


def _made(class_: Members, constructor: MemberFunction | None, count: int, context: Context) -> Closure:
    """The function that makes an object by a constructor, or of values for the first members."""
    from mcm.sycl.body import Body  # noqa: PLC0415 - bodies import this module

    functions = context.functions
    key = (f"{class_.name}({count})", 0 if constructor is None else id(constructor))
    if key in functions.known:
        return functions.known[key]
    span = class_.data[0].node.span if constructor is None else constructor.span
    type_ = ast.TypeName((), f"struct {class_.name}", span=span)
    name = ast.Name(f"{class_.name}::{class_.name}#{len(functions.known)}", span=span)
    body = Body(Scopes(dict(functions.outside)), {}, functions, context.complaints, is_host=False)
    body.scopes.open()
    object_ = ast.Name(_OBJECT, span=span)
    methods.declare_members(class_, body.scopes, object_, ".")
    this = ast.Prefix("&", object_, span=span)
    body.scopes.declare(methods.THIS, Reference(this, replace(type_, pointers=((),))))
    methods.declare_class(class_, body.scopes, is_static=False)
    body.scopes.declare(_OBJECT, Variable(type_))
    ways: tuple[Passed, ...]
    if constructor is None:
        kept, ways, given = _of_values(class_, count, body)
    else:
        ways = methods.ways(constructor)
        given = {}
        body.scopes.open()
        kept = tuple(methods.parameters(constructor, {}, body))
    functions.known[key] = closure = Closure(name.text, type_, ways)
    statements: list[Statement] = [ast.Declaration(type_, (ast.Declarator(object_, span=span),), span=span)]
    with body.function(None, instead=(object_,)):
        begun = _begun(class_, constructor, given, body)
        statements += [*body.context.pending, *begun]
        body.context.pending.clear()
        if constructor is not None and constructor.body is not None:
            statements.append(body.block(constructor.body))
    statements.append(ast.Return(object_, span=span))
    block = ast.Block(tuple(statements), span=span)
    functions.made.append(ast.Function(name, (), type_, kept, block, span=span))
    return closure


def _of_values(
    class_: Members, count: int, body: Body
) -> tuple[tuple[ast.Parameter, ...], tuple[Passed, ...], dict[str, Making]]:
    """The parameters of a class without constructors of which values are given for the first members."""
    kept: list[ast.Parameter] = []
    given: dict[str, Making] = {}
    for number, one in enumerate(class_.data[:count]):
        assert isinstance(one.type, ast.TypeName)
        if one.is_array:
            message = f"'{one.name}', an array in a class with values of its own, is given none where one is made"
            body.complaints.fail("E207", one.node.span, message)
        name = ast.Name(f"{number}#", span=one.node.span)
        kept.append(ast.Parameter(one.type, name, span=one.node.span))
        body.scopes.declare(name.text, Variable(one.type))
        given[one.name] = Making((name,), "(", one.node)
    return tuple(kept), (Passed.VALUE,) * count, given


def _begun(
    class_: Members, constructor: MemberFunction | None, given: dict[str, Making], body: Body
) -> list[Statement]:
    """What the members of a structure begin with."""
    listed = {} if constructor is None else initials(class_, constructor, body.context)
    if class_.name in listed:
        # Another constructor does all.
        made = value(class_, listed[class_.name], body.context)
        return [_assignment(ast.Name(_OBJECT, span=made.span), made)]
    found: list[Statement] = []
    for one in class_.data:
        making = listed.get(one.name) or given.get(one.name) or default_of(one)
        found += _member_begun(one, making, body.context)
    return found


def initials(class_: Members, constructor: MemberFunction, context: Context) -> dict[str, Making]:
    """What a constructor says of members, by their names."""
    found: dict[str, Making] = {}
    known = {one.name for one in class_.data} | {class_.name}
    for one in constructor.initials:
        name = one.name.text.removeprefix("struct ").strip()
        if name not in known:
            message = f"'{class_.name}' has no member '{name}': a class of which it could be a part is not supported"
            context.complaints.fail("E183", one.name.span, message)
        found[name] = Making(one.arguments, one.form, one)
    return found


def default_of(one: DataMember) -> Making | None:
    """What a member is made of where nothing else is said."""
    match one.initial:
        case None:
            return None
        case ast.InitializerList(items, rows):
            return Making((*rows, *items), "{", one.initial)
        case node:
            return Making((node,), "=", node)


def _member_begun(one: DataMember, making: Making | None, context: Context) -> list[Statement]:
    """The statements that give a member of a structure its value."""
    assert isinstance(one.type, ast.TypeName)
    inner = members.class_of(one.type, context)
    if making is None and (inner is None or inner.is_plain):
        return []
    span = one.node.span if making is None else making.node.span
    target = ast.Member(ast.Name(_OBJECT, span=span), ".", ast.Name(one.name, span=span), span=span)
    if one.is_array:
        assert making is not None
        return list(_elements(target, one, making, context))
    if inner is not None:
        return [_assignment(target, value(inner, making or Making((), "", one.node), context))]
    assert making is not None
    return [_assignment(target, _scalar(one.type, making, context))]


def _scalar(type_: ast.TypeName, making: Making, context: Context) -> Expression:
    """The value of a member that is a number, a pointer or a vector."""
    from mcm.sycl import records  # noqa: PLC0415 - it imports this module

    arguments = making.arguments
    if vector_size(type_) is not None:
        return records.made(type_, arguments, making.node, context)
    if len(arguments) > 1:
        message = f"expected one value, found '{making.node.span.text}'"
        context.complaints.fail("E104", making.node.span, message)
    if not arguments:
        span = making.node.span
        return ast.Name("NULL", span=span) if type_.pointers else ast.NumberLiteral("0", span=span)
    (argument,) = arguments
    if isinstance(argument, ast.InitializerList):
        return _scalar(type_, Making((*argument.rows, *argument.items), "{", argument), context)
    return context.value(argument)


def _elements(target: Expression, one: DataMember, making: Making, context: Context) -> Iterator[Statement]:
    """The statements that give the elements of an array their values."""
    assert isinstance(one.node, ast.Declarator)
    lengths = [_number(length) for length in (one.node.length, *one.node.inner) if length is not None]
    listed = making.arguments
    if len(listed) == 1 and isinstance(listed[0], ast.InitializerList) and making.form in {"{", "="}:
        only = listed[0]
        listed = (*only.rows, *only.items)
    yield from _filled(target, tuple(lengths), listed, making.node, context)


def _filled(
    target: Expression, lengths: tuple[int, ...], listed: tuple[Node, ...], node: Node, context: Context
) -> Iterator[Statement]:
    length, *rest = lengths
    if len(listed) > length:
        message = f"an array of {length} has {len(listed)} values"
        context.complaints.fail("E104", node.span, message)
    for place in range(length):
        element = ast.Index(target, ast.NumberLiteral(str(place), span=node.span), span=node.span)
        given = listed[place] if place < len(listed) else None
        if rest:
            row = (*given.rows, *given.items) if isinstance(given, ast.InitializerList) else ()
            yield from _filled(element, tuple(rest), row, node, context)
            continue
        made = ast.NumberLiteral("0", span=node.span) if given is None else context.value(given)
        yield _assignment(element, made)


def _number(node: Node) -> int:
    assert isinstance(node, ast.NumberLiteral)
    return int(node.text)


def _assignment(target: Expression, made: Expression) -> Statement:
    assigned = ast.Assignment("=", target, made, span=made.span)
    return ast.ExpressionStatement(assigned, span=made.span)


# --- objects that are apart -------------------------------------------------------------------------------------------


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
    constructor = _constructor(class_, making, context) if class_.constructors else None
    if constructor is None:
        if class_.constructors or len(making.arguments) > len(class_.data):
            _refuse(class_, making, context)
        given = dict(zip([one.name for one in class_.data], making.arguments, strict=False))
        return _of_arguments(class_, path, {n: Making((one,), "=", one) for n, one in given.items()}, making, body)
    arguments = methods.with_defaults(constructor, making.arguments, making.node, context)
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
        before, some = _member(one, path, means, making.node, body)
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


# --- variables --------------------------------------------------------------------------------------------------------


def of_variable(node: ast.Declarator, class_: Members) -> Making:
    """What a variable of a class is made of."""
    value_: Node | None = node.initializer
    if value_ is None:
        return Making((), "", node)
    form = node.form if isinstance(node, tree.InitialisedDeclarator) else "="
    if form == "{}":
        return Making((), "{}", node)
    match value_:
        case ast.InitializerList(items, rows):
            return Making((*rows, *items), "{" if form == "=" else form, node)
        case tree.Construction(tree.ClassType(name), inner, arguments) if form == "=" and (
            " ".join(name.split()) == f"struct {class_.name}"
        ):
            return Making(arguments, inner, node)
        case _:
            return Making((value_,), form, node)


def note_end(class_: Members, name: ast.Name, body: Body) -> None:
    """Remember a variable whose end does something."""
    if not frames.ends(class_, body.context):
        return
    path = name.text if class_.is_apart else None
    body.frame.alive[-1].append(Receiver(class_, path, name))


def elements(class_: Members, node: ast.Declarator, length: int, body: Body) -> list[Statement]:
    """What the elements of an array begin with that says nothing of them."""
    if frames.ends(class_, body.context):
        message = f"an array of '{class_.name}', whose objects end with '~{class_.name}()', is not supported"
        body.complaints.fail("E207", node.span, message)
    found: list[Statement] = []
    for number in range(length):
        place = ast.Index(node.name, ast.NumberLiteral(str(number), span=node.span), span=node.span)
        found.append(_assignment(place, value(class_, Making((), "", node), body.context)))
    return found
