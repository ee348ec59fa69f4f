"""Lambdas in variables: functions that know the variables around them, and are called by the name of the variable."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NoReturn, assert_never

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.operators import Level
from mcm.program.resolve.literals import integer_of
from mcm.sycl import tree
from mcm.sycl.context import counted
from mcm.sycl.entities import Closure, Generic, Group, Ids, Instance, Item, Passed, Reference, Variable
from mcm.sycl.references import is_place
from mcm.sycl.types import is_record, named, pointer_to, scalar_of, show, type_of, written_type
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.sycl.body import Body
    from mcm.sycl.context import Context, Returned
    from mcm.sycl.entities import Entity
    from mcm.syntax.ast import Node, Statement

_NAME: Final = re.compile(r"&?\s*[A-Za-z_]\w*")


class _Captures(Struct, frozen=True):
    """What a lambda captures: `rest` is how it captures what it does not name, `=`, `&` or nothing."""

    rest: str
    copied: frozenset[str]
    referred: frozenset[str]

    def copies(self, name: str) -> bool:
        """Whether it has a copy of a variable, of which the value is that of now."""
        return name in self.copied or (self.rest == "=" and name not in self.referred)

    def has(self, name: str) -> bool:
        """Whether it captures a variable at all."""
        return bool(self.rest) or name in self.copied or name in self.referred


def function_of(node: ast.Declarator) -> tree.Lambda | None:
    """The lambda that a variable holds; None where it holds something else."""
    held: Node | None = node.initializer
    return held if isinstance(held, tree.Lambda) else None


def declare(name: ast.Name, function: tree.Lambda, body: Body) -> list[Statement]:
    """The statements that `auto name = [=](…) { … };` is: copies of variables, and a function."""
    context = body.context
    if context.is_host:
        message = "a lambda in a variable of the host: not part of the litmus language; 'static int f(int a) { … }' is"
        context.complaints.fail("E207", function.span, message)
    captures = _captures(function, body)
    # Names of functions are those of the whole body.
    context.closures += 1
    inner = name if context.closures == 1 and name.text not in context.functions else _hidden(name, context.closures)
    copies = _copies(function, captures, inner, body)
    declared = [_declaration(original, copy, type_, body) for original, copy, type_ in copies]
    if any(map(_is_of_any_type, function.parameters)):
        body.declare(name, Generic(_instances(name, function, copies, body)))
        return [*declared]
    closure, made = _made(inner, function, copies, body)
    body.declare(name, closure)
    return [*declared, made]


_Copies = list[tuple[str, ast.Name, ast.TypeName]]


def _made(inner: ast.Name, function: tree.Lambda, copies: _Copies, body: Body) -> tuple[Closure, ast.Function]:
    """The function that a lambda is, called `inner`."""
    body.scopes.open()
    written = None if function.result is None else written_type(function.result)
    try:
        for original, copy, type_ in copies:
            body.scopes.declare(original, Reference(copy, type_))
        kept, passed = _parameters(function, body)
        with body.function(written) as returned:
            block = body.block(function.body)
        result = _result(function, returned, body)
    finally:
        body.scopes.close()
    made = ast.Function(inner, (), result, kept, block, span=function.span)
    return Closure(inner.text, result, passed), made


# --- one with parameters of any type ----------------------------------------------------------------------------------


def _is_of_any_type(one: tree.LambdaParameter) -> bool:
    return isinstance(one.type, ast.TypeName) and one.type.base == "auto"


def _instances(name: ast.Name, function: tree.Lambda, copies: _Copies, body: Body) -> Callable[[ast.Call], Closure]:
    """What makes the functions that calls of a lambda with `auto` parameters are of, before the statement of each."""
    nodes = list(walk([function.body]))
    own = {one.name.text for one in nodes if isinstance(one, ast.Declarator | tree.ObjectDeclarator)}
    own |= {one.name.text for one in function.parameters}
    around = {
        one.text: body.scopes.find(one.text) for one in nodes if isinstance(one, ast.Name) and one.text not in own
    }
    known: dict[int, tuple[Node, Closure]] = {}

    def instance(node: ast.Call) -> Closure:
        if id(node) not in known:
            parameters = _of_types(function.parameters, node, body.context)
            hidden = sorted(text for text in around if body.scopes.find(text) is not around[text])
            if hidden:
                _refuse(
                    node, f"'{hidden[0]}' means something else in '{name.text}' than here: give one another name", body
                )
            body.context.closures += 1
            inner = _hidden(name, body.context.closures)
            closure, made = _made(inner, replace(function, parameters=parameters), copies, body)
            body.context.pending.append(made)
            known[id(node)] = node, closure
        return known[id(node)][1]

    return instance


def _of_types(
    parameters: tuple[tree.LambdaParameter, ...], node: ast.Call, context: Context
) -> tuple[tree.LambdaParameter, ...]:
    """The parameters with the types of what a call passes for those of any type."""
    if len(parameters) != len(node.arguments):
        message = f"'{node.function.text}' takes {counted(len(parameters))}, found {len(node.arguments)}"
        context.complaints.fail("E104", node.span, message)
    found: list[tree.LambdaParameter] = []
    for one, argument in zip(parameters, node.arguments, strict=True):
        if not _is_of_any_type(one):
            found.append(one)
            continue
        match context.entity(argument):
            case Item(dimensions, has_groups):
                found.append(replace(one, type=_class("nd_item" if has_groups else "item", dimensions, one)))
            case Group(Level.WORK_GROUP, dimensions):
                found.append(replace(one, type=_class("group", dimensions, one)))
            case Group():
                found.append(replace(one, type=tree.ClassType("sub_group", span=one.span)))
            case _:
                type_ = type_of(argument, context)
                if type_ is None:
                    message = f"the type of '{argument.span.text}' is not evident: give it a variable, whose type is"
                    context.complaints.fail("E204", argument.span, message)
                assert isinstance(one.type, ast.TypeName)
                words = one.type.qualifiers if one.is_reference else ()
                kept = type_.qualifiers if one.is_reference or type_.pointers else _plain_words(type_)
                words = tuple(word for word in words if word not in kept)
                found.append(replace(one, type=replace(type_, qualifiers=(*words, *kept))))
    return tuple(found)


def _class(name: str, dimensions: int, node: Node) -> tree.ClassType:
    return tree.ClassType(name, (ast.NumberLiteral(str(dimensions), span=node.span),), span=node.span)


def _hidden(name: ast.Name, number: int) -> ast.Name:
    return replace(name, text=f"{name.text}#{number}")


# --- what it captures -------------------------------------------------------------------------------------------------


def _captures(function: tree.Lambda, body: Body) -> _Captures:
    """What stands between the first brackets."""
    rest, copied, referred = "", set(), set()
    for item in filter(None, (one.strip() for one in function.capture[1:-1].split(","))):
        if item in {"=", "&"}:
            rest = item
        elif _NAME.fullmatch(item) is None:
            message = (
                f"'{item}' among what a lambda captures is not part of the litmus language: a variable before it is"
            )
            body.complaints.fail("E211", function.span, message)
        elif item.startswith("&"):
            referred.add(item[1:].strip())
        else:
            copied.add(item)
    return _Captures(rest, frozenset(copied), frozenset(referred))


def _copies(
    function: tree.Lambda, captures: _Captures, inner: ast.Name, body: Body
) -> list[tuple[str, ast.Name, ast.TypeName]]:
    """The variables that may change, of which the lambda has copies: each with the name and the type of its copy."""
    nodes = list(walk([function.body]))
    own = {one.name.text for one in nodes if isinstance(one, ast.Declarator | tree.ObjectDeclarator)}
    own |= {one.name.text for one in function.parameters}
    found: dict[str, tuple[str, ast.Name, ast.TypeName]] = {}
    for node in nodes:
        if not isinstance(node, ast.Name) or node.text in found:
            continue
        match entity := body.scopes.find(node.text):
            case Reference(is_member=True) | Reference(is_passed=True):
                # What is captured is the object; a copy of an array of the host never changes.
                continue
            case Instance() if captures.copies(node.text):
                _refuse(node, f"'{node.text}' is captured by value, but has members such as references: '[&]' is", body)
            case Reference() | Variable(is_fixed=False):
                pass
            case Variable(is_array=True):
                pass
            case _:
                continue
        if node.text in {one.name.text for one in function.parameters}:
            continue
        if not captures.has(node.text):
            _refuse(node, f"'{node.text}' is not captured: write '[=]' or '[&]'", body)
        if not captures.copies(node.text):
            continue
        if node.text in own:
            _refuse(node, f"'{node.text}' is captured, and declared in the lambda too: give one another name", body)
        if isinstance(entity, Variable) and entity.is_array:
            _refuse(node, f"'{node.text}' is an array, captured by value: capture it by reference, '[&]'", body)
        if entity.type is None:
            _refuse(node, f"the type of '{node.text}', which is captured, is not evident", body)
        copy = replace(node, text=f"{node.text}#{inner.text}")
        found[node.text] = node.text, copy, replace(entity.type, qualifiers=_plain_words(entity.type))
    return list(found.values())


def _plain_words(type_: ast.TypeName) -> tuple[str, ...]:
    return tuple(word for word in type_.qualifiers if word not in {"const", "volatile"})


def _refuse(node: ast.Node, message: str, body: Body) -> NoReturn:
    body.complaints.fail("E211", node.span, message)


def _declaration(original: str, copy: ast.Name, type_: ast.TypeName, body: Body) -> ast.Declaration:
    """The copy, made where the lambda is; it does not change."""
    value = body.value(replace(copy, text=original))
    stars = (*type_.pointers[:-1], ("const",)) if type_.pointers else ()
    words = type_.qualifiers if stars else ("const", *type_.qualifiers)
    declarator = ast.Declarator(copy, stars, None, value, span=copy.span)
    return ast.Declaration(replace(type_, qualifiers=words, pointers=()), (declarator,), span=copy.span)


# --- what it is called with -------------------------------------------------------------------------------------------


def entity_of(class_: tree.ClassType) -> Entity | None:
    """What a parameter of a class stands for that is a work-item or a group; None for others."""
    match plain(class_.name), class_.arguments:
        case (("nd_item" | "h_item"), (ast.NumberLiteral(text),)):
            return Item(integer_of(text) or 1, has_groups=True)
        case (("item" | "id"), (ast.NumberLiteral(text),)):
            return Item(integer_of(text) or 1, has_groups=False)
        case "group", (ast.NumberLiteral(text),):
            return Group(Level.WORK_GROUP, integer_of(text) or 1)
        case "sub_group", None:
            return Group(Level.SUB_GROUP, 1)
        case _:
            return None


def _parameters(function: tree.Lambda, body: Body) -> tuple[tuple[ast.Parameter, ...], tuple[Passed, ...]]:
    """The parameters that a call gives values or addresses, and how each is passed."""
    kept: list[ast.Parameter] = []
    passed: list[Passed] = []
    for one in function.parameters:
        if isinstance(one.type, tree.ClassType):
            entity = entity_of(one.type)
            if entity is None:
                message = f"a parameter such as '{one.span.text}' is not part of the litmus language here"
                body.complaints.fail("E207", one.span, message)
            body.scopes.declare(one.name.text, entity)
            passed.append(Passed.NOT)
            continue
        type_ = written_type(one.type)
        if type_.base == "auto":
            message = f"'{one.span.text}' stands for any type: write the one that is passed, 'int {one.name.text}'"
            body.complaints.fail("E207", one.span, message)
        words = tuple(word for word in one.qualifiers if word == "const")
        type_ = replace(type_, qualifiers=(*words, *(word for word in type_.qualifiers if word not in words)))
        if one.is_reference:
            target = ast.Prefix("*", one.name, span=one.name.span)
            body.scopes.declare(one.name.text, Reference(target, type_))
            type_ = pointer_to(type_)
        else:
            body.scopes.declare(one.name.text, Variable(type_))
        kept.append(ast.Parameter(type_, one.name, span=one.span))
        to_const = Passed.ADDRESS_OR_VALUE if "const" in type_.qualifiers else Passed.ADDRESS
        passed.append(to_const if one.is_reference else Passed.VALUE)
    return tuple(kept), tuple(passed)


def _result(function: tree.Lambda, returned: list[Returned], body: Body) -> ast.TypeName:
    """The type of what it returns."""
    return result_of(returned, function, body) if function.result is None else written_type(function.result)


def result_of(returned: list[Returned], function: Node, body: Body) -> ast.TypeName:
    """The type of what a function returns that does not say it."""
    if not returned or returned[0].value is None:
        return named("void", function)
    found = returned[0].type
    if found is None:
        message = "the type of what this lambda returns is not evident: write it, '[=](int a) -> int { … }'"
        body.complaints.fail("E204", returned[0].value.span, message)
    for other in returned[1:]:
        if other.value is not None and other.type is not None and show(other.type) != show(found):
            types = f"'{show(found)}' and '{show(other.type)}'"
            message = f"this lambda returns {types}: write which, '[=](int a) -> int {{ … }}'"
            body.complaints.fail("E204", other.value.span, message)
    return replace(found, qualifiers=_plain_words(found), pointers=found.pointers)


def call(node: ast.Call, closure: Closure, context: Context) -> ast.Call:
    """A call of it."""
    function = replace(node.function, text=closure.function)
    return replace(node, function=function, arguments=passed(node, closure.passed, context, closure.types))


def passed(
    node: ast.Call, ways: tuple[Passed, ...], context: Context, types: tuple[ast.TypeName | None, ...] = ()
) -> tuple[ast.Expression, ...]:
    """The arguments of a call as a function in terms of the C family takes them; `types` are those of references."""
    if len(node.arguments) != len(ways):
        message = f"'{node.function.text}' takes {counted(len(ways))}, found {len(node.arguments)}"
        context.complaints.fail("E104", node.span, message)
    found: list[ast.Expression] = []
    for place, (how, argument) in enumerate(zip(ways, node.arguments, strict=True)):
        wanted = types[place] if place < len(types) else None
        match how:
            case Passed.VALUE:
                found.append(context.value(argument))
            case Passed.ADDRESS_OR_VALUE if (made := temporary(argument, context, wanted)) is not None:
                found.append(made)
            case Passed.ADDRESS | Passed.ADDRESS_OR_VALUE:
                found.append(_address(argument, context))
            case Passed.NOT:
                _check_begins(argument, context)
            case _:
                assert_never(how)
    return tuple(found)


def _check_begins(node: Node, context: Context) -> None:
    """A function asks about the work-item that calls it, and knows nothing of what the ids of a kernel begin with."""
    entity = context.entity(node)
    if isinstance(entity, Item | Ids) and entity.begins:
        message = f"'{node.span.text}' of a kernel with an offset is passed to a function: pass the numbers it needs"
        context.complaints.fail("E207", node.span, message)


def temporary(node: Node, context: Context, wanted: ast.TypeName | None = None) -> ast.Expression | None:
    """The address of an object that has a value; None for what is an object, or of which the type is not evident.

    `wanted` is the type of what a reference is to: a number of another type is converted, and has a place of its own.
    """
    found = type_of(node, context)
    is_converted = wanted is not None and found is not None and scalar_of(found) is not scalar_of(wanted)
    type_ = wanted if is_converted else None if is_place(node, context) else found
    if type_ is None:
        return None
    value = context.value(node)
    if is_record(type_) and not isinstance(value, ast.CompoundLiteral | ast.Call):
        return None
    if not is_record(type_):
        written = ast.InitializerList((value,), span=node.span)
        value = ast.CompoundLiteral(replace(type_, qualifiers=_plain_words(type_)), written, span=node.span)
    return ast.Prefix("&", value, span=node.span)


def _address(node: Node, context: Context) -> ast.Expression:
    """The address of what is passed by reference."""
    if not is_place(node, context):
        message = f"'{node.span.text}' is no object that a reference could refer to: give it a variable of its own"
        context.complaints.fail("E207", node.span, message)
    return ast.Prefix("&", context.place(node), span=node.span)


def predicate(node: Node, context: Context) -> Closure:
    """The function that a group algorithm asks of a value; a lambda that stands there is declared."""
    if isinstance(node, tree.Lambda):
        name = ast.Name(f"predicate#{context.closures + 1}", span=node.span)
        context.pending += declare(name, node, context.body)
        node = name
    found = context.scopes.find(node.text) if isinstance(node, ast.Name) else None
    if not isinstance(found, Closure) or found.passed != (Passed.VALUE,):
        message = f"expected a lambda that takes a value, '[](int a) {{ … }}', found '{node.span.text}'"
        context.complaints.fail("E207", node.span, message)
    return found
