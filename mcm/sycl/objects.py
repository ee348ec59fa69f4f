"""Objects of classes of the file: constructors, and what members begin with.

A constructor of a structure is a function that returns one. Objects that are apart are those of `mcm.sycl.apart`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.sycl import closures, frames, members, methods, overloads, tree, vectors
from mcm.sycl.containers import VECTOR
from mcm.sycl.context import counted
from mcm.sycl.entities import Closure, Members, Passed, Reference, Scopes, Variable
from mcm.sycl.host_records import elements_listed
from mcm.sycl.methods import Receiver
from mcm.sycl.types import is_record, type_of, vector_size
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.sycl.body import Body
    from mcm.sycl.context import Context, Object
    from mcm.sycl.entities import DataMember
    from mcm.sycl.tree import MemberFunction
    from mcm.syntax.ast import Expression, Node, Statement

_OBJECT: Final = "object#"
# The brackets of what is made as a whole: members that nothing else is said of begin with 0.
_WHOLE: Final = frozenset({"{", "(", "{}"})


class Making(Struct, frozen=True):
    """What an object is made of: arguments, and the bracket before them as its `form`, empty where there are none."""

    arguments: tuple[Node, ...]
    form: str
    node: Node


# --- objects that are structures --------------------------------------------------------------------------------------


def value(class_: Members, making: Making, context: Context) -> Expression:
    """The value of an object that is made of arguments."""
    arguments, node = tuple(map(_alone, making.arguments)), making.node
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
    constructor = constructor_of(class_, making, context)
    if constructor is None and class_.constructors:
        refuse(class_, making, context)
    if constructor is None:
        arguments = _of_classes(class_, arguments)
    given = arguments if constructor is None else methods.with_defaults(constructor, arguments, node, context, class_)
    if constructor is None and len(given) > len(class_.data):
        refuse(class_, making, context)
    is_whole = making.form in _WHOLE and (constructor is None or constructor.is_default)
    closure = _made(class_, constructor, len(given), context, is_whole=is_whole)
    written = ast.Call(ast.Name(class_.name, span=node.span), given, span=node.span)  # type: ignore[arg-type]
    passed = closures.passed(written, closure.passed, context, closure.types)
    return ast.Call(ast.Name(closure.function, span=node.span), passed, span=node.span)


def _alone(argument: Node) -> Node:
    """A value that stands in a list beside other lists, `{{1, 2}, 3}`."""
    return argument.items[0] if isinstance(argument, ast.InitializerList) and argument.is_bare else argument


def _of_classes(class_: Members, arguments: tuple[Node, ...]) -> tuple[Node, ...]:
    """Values for the first members, of which lists are objects of the classes of these: `A a{{5}, 6}`."""
    return (
        tuple(
            _listed_object(one, each) if isinstance(each, ast.InitializerList) else each
            for one, each in zip(class_.data, arguments, strict=False)
        )
        + arguments[len(class_.data) :]
    )


def _listed_object(one: DataMember, node: ast.InitializerList) -> Node:
    if one.is_array or not isinstance(one.type, ast.TypeName) or one.type.pointers or not is_record(one.type):
        return node
    made = tree.ClassType(one.type.base, span=node.span)
    return tree.Construction(made, "{", node.rows or node.items, span=node.span)


def _is_copy(argument: Node, class_: Members, context: Context) -> bool:
    return members.class_of(type_of(argument, context), context) is class_


def refuse(class_: Members, making: Making, context: Context) -> None:
    """Say that an object cannot be made so."""
    count = counted(len(making.arguments))
    message = f"no constructor of '{class_.name}' takes {count} such as here"
    if not class_.constructors:
        message = f"'{class_.name}' is made of at most {len(class_.data)} values, found {count}"
    context.complaints.fail("E104", making.node.span, message)


def constructor_of(class_: Members, making: Making, context: Context) -> MemberFunction | None:
    """The constructor that an object is made by; None where none fits."""
    return overloads.chosen(class_.constructors, making.arguments, making.node, context)


def _listed(class_: Members, making: Making, context: Context) -> ast.InitializerList:
    """The values of the members of one that is made of these alone."""
    if len(making.arguments) > len(class_.data):
        refuse(class_, making, context)
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


def _made(
    class_: Members, constructor: MemberFunction | None, count: int, context: Context, *, is_whole: bool
) -> Closure:
    """The function that makes an object by a constructor, or of values for the first members."""
    from mcm.sycl.body import Body  # noqa: PLC0415 - bodies import this module

    functions = context.functions
    key = (f"{class_.name}({count}){'{}' * is_whole}", 0 if constructor is None else id(constructor))
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
    types = () if constructor is None else methods.referred(constructor)
    functions.known[key] = closure = Closure(name.text, type_, ways, types=types)
    statements: list[Statement] = [ast.Declaration(type_, (ast.Declarator(object_, span=span),), span=span)]
    with body.function(None, instead=(object_,)):
        begun = _begun(class_, constructor, given, body, is_whole=is_whole)
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
    class_: Members, constructor: MemberFunction | None, given: dict[str, Making], body: Body, *, is_whole: bool
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
        if making is None and is_whole:
            making = Making((), "{}", one.node)
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
    if isinstance(one.node, tree.InitialisedDeclarator) and one.node.form == "{}":
        return Making((), "{}", one.node)
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
    arguments = making.arguments
    if vector_size(type_) is not None:
        return vectors.made(type_, arguments, making.node, context)
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
            values = tuple(row.items[0] if row.is_bare else row for row in rows)
            return Making((*values, *items), "{" if form == "=" else form, node)
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
    """What the elements of an array begin with: the values in braces, and what the class says of the others."""
    if frames.ends(class_, body.context):
        message = f"an array of '{class_.name}', whose objects end with '~{class_.name}()', is not supported"
        body.complaints.fail("E207", node.span, message)
    listed: tuple[Node, ...] = ()
    match node.initializer:
        case ast.InitializerList(items, rows):
            listed = (*rows, *items)
        case None:
            pass
        case only if not (isinstance(node, tree.InitialisedDeclarator) and node.form == "{}"):
            listed = (only,)
        case _:
            pass
    if len(listed) > length:
        message = f"an array of {length} has {len(listed)} values"
        body.complaints.fail("E104", node.span, message)
    found: list[Statement] = []
    rest = Making((), "" if node.initializer is None else "{}", node)
    for number in range(length):
        place = ast.Index(node.name, ast.NumberLiteral(str(number), span=node.span), span=node.span)
        found.append(_assignment(place, _element(class_, listed[number : number + 1], rest, body.context)))
    return found


def _element(class_: Members, given: tuple[Node, ...], rest: Making, context: Context) -> Expression:
    """What an element is: what is given, or what those have for which nothing is."""
    match given:
        case ():
            return value(class_, rest, context)
        case (ast.InitializerList(items, rows, is_bare=False) as one,):
            return value(class_, Making((*rows, *items), "{", one), context)
        case (ast.InitializerList(items) as one,):
            return value(class_, Making(items, "=", one), context)
        case (one,):
            return value(class_, Making((one,), "=", one), context)
        case _:
            raise AssertionError(given)


def first_elements(one: tree.ObjectDeclarator, memory: Object, body: Body) -> list[Statement]:
    """What the elements of a container of the host are assigned where it is declared.

    They are objects that constructors make, or get values that are no constants.
    """
    class_ = members.class_of(memory.type, body.context)
    values = elements_listed(one.arguments, one.form)
    if memory.kind == VECTOR and one.form == "(":
        values = one.arguments[1:2] * memory.count
    if class_ is not None and not class_.is_plain:
        is_whole = bool(values or one.form) or memory.kind == VECTOR
        listed = ast.InitializerList(values, span=one.span) if is_whole else None  # type: ignore[arg-type]  # see `mcm.sycl.tree`
        declarator = ast.Declarator(one.name, (), None, listed, span=one.span)
        return elements(class_, declarator, memory.count, body)
    return _first_values(one, values, memory, body) if memory.value is None and values else []


def first_of_array(one: ast.Declarator, initial: Node, memory: Object, body: Body) -> list[Statement]:
    """What the elements of an array of the host are assigned where it is declared, as they are no constants."""
    values = elements_listed((initial,), "=") if isinstance(initial, ast.InitializerList) else ()
    if not values or one.inner:
        message = f"expected values for the elements of '{one.name.text}', found '{initial.span.text}'"
        body.complaints.fail("E207", initial.span, message)
    return _first_values(one, values, memory, body)


def _first_values(
    one: ast.Declarator | tree.ObjectDeclarator, values: tuple[Node, ...], memory: Object, body: Body
) -> list[Statement]:
    """The assignments of first values to the elements of memory, of which what is left out is 0."""
    if len(values) > memory.count:
        message = f"an array of {memory.count} has {len(values)} values"
        body.complaints.fail("E104", one.span, message)
    zero = ast.NumberLiteral("0", span=one.span)
    given = (*values, *[zero] * (memory.count - len(values)))
    class_ = members.class_of(memory.type, body.context)
    return [_first(class_, one, number, each, body) for number, each in enumerate(given)]


def _first(
    class_: Members | None, one: ast.Declarator | tree.ObjectDeclarator, number: int, value_: Node, body: Body
) -> Statement:
    """The assignment of its first value to an element."""
    place = ast.Index(one.name, ast.NumberLiteral(str(number), span=one.span), span=one.span)
    if class_ is not None and isinstance(value_, ast.InitializerList | ast.NumberLiteral):
        return _assignment(body.value(place), _element(class_, (value_,), Making((), "{}", one), body.context))
    return _assignment(body.value(place), body.value(value_))
