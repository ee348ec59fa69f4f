"""Function objects as kernels, and objects of the host that kernels have copies of.

`parallel_for(r, Add(a, 1))` is a lambda that makes the object and calls it. That is the same where what the object is
made of are names and numbers: a kernel knows nothing else of the host. What changes is kept as it is when an object of
the host is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.entities import Members, Opaque, Reference, Variable
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.mapped import mapped
from mcm.syntax.walk import parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mcm.sycl.context import Context, Object
    from mcm.sycl.entities import Entity
    from mcm.syntax.ast import Node, Statement

# The class of a name that stands for an object of the host.
OBJECT: Final = "object"
_CALL: Final = "operator()"
_DEVICE: Final = "malloc_device"
_NAME: Final = "(kernel)#"
_LAUNCHES: Final = frozenset({"parallel_for", "parallel_for_work_group", "single_task", "submit"})
_STEPS: Final = frozenset({"++", "--", "&"})


def lambda_of(node: Node | None, outer: Mapping[str, Entity], context: Context) -> tree.Lambda | None:
    """The lambda that a function object is as a kernel; None for anything else."""
    match node:
        case tree.Construction(tree.ClassType(name), form, arguments) if name.startswith("struct"):
            class_ = outer.get(" ".join(name.split()))
            if not isinstance(class_, Members):
                return None
            for argument in arguments:
                _check(argument, outer, context)
            object_ = ast.Name(_NAME, span=node.span)
            type_ = ast.TypeName((), f"struct {class_.name}", span=node.span)
            made = _declarator(object_, form, arguments, node)
            declared: tuple[Statement, ...] = (ast.Declaration(type_, (made,), span=node.span),)
            return _calling(class_, object_, declared, node, context)
        case ast.Name(text) if isinstance(held := outer.get(text), Opaque) and held.class_ == OBJECT:
            assert isinstance(held.node, ast.Declaration)
            class_ = outer.get(held.node.type.base)
            return _calling(class_, node, (), node, context) if isinstance(class_, Members) else None
        case ast.Name(text) if isinstance(held := outer.get(text), Reference) and held.members:
            class_ = outer.get(held.type.base)
            return _calling(class_, node, (), node, context) if isinstance(class_, Members) else None
        case _:
            return None


def _declarator(name: ast.Name, form: str, arguments: tuple[Node, ...], node: Node) -> ast.Declarator:
    if not arguments:
        zero = ast.NumberLiteral("0", span=node.span)
        return tree.InitialisedDeclarator(name, (), None, zero, form="{}", span=node.span)
    value = ast.InitializerList(arguments, span=node.span) if len(arguments) > 1 else arguments[0]  # type: ignore[arg-type]
    return tree.InitialisedDeclarator(name, (), None, value, form=form, span=node.span)  # type: ignore[arg-type]


def _calling(
    class_: Members, object_: ast.Name, declared: tuple[Statement, ...], node: Node, context: Context
) -> tree.Lambda:
    """The lambda that makes an object, and calls it with what it is called with itself."""
    functions = class_.functions.get(_CALL, ())
    if len(functions) != 1:
        found = "none" if not functions else "several"
        message = f"a kernel is an object with one 'operator()', and '{class_.name}' has {found}"
        context.complaints.fail("E210", node.span, message)
    (function,) = functions
    parameters = tuple(_parameter(one, context) for one in function.parameters)
    called = ast.Call(object_, tuple(one.name for one in parameters), span=node.span)
    statements = (*declared, ast.ExpressionStatement(called, span=node.span))
    attributes = tuple(one for one in function.attributes if isinstance(one, ast.Expression))
    return tree.Lambda("[=]", parameters, attributes, ast.Block(statements, span=node.span), span=node.span)


def _parameter(node: Node, context: Context) -> tree.LambdaParameter:
    match node:
        case tree.ObjectParameter(class_, is_reference, name):
            return tree.LambdaParameter((), class_, is_reference, name, span=node.span)
        case tree.ReferenceParameter(type_, name):
            return tree.LambdaParameter((), type_, True, name, span=node.span)  # noqa: FBT003 - as the class has it
        case ast.Parameter(type_, name):
            return tree.LambdaParameter((), type_, False, name, span=node.span)  # noqa: FBT003 - as above
        case _:
            message = f"a kernel takes a work-item, 'nd_item<1> it', found '{node.span.text}'"
            return context.complaints.fail("E210", node.span, message)


def _check(node: Node, outer: Mapping[str, Entity], context: Context) -> None:
    """What an object is made of has to be the same in the kernel."""
    if not is_known(node):
        message = (
            f"a kernel is an object that is made of names and numbers here, found '{node.span.text}': "
            "a lambda, '[=](nd_item<1> it) { … }', is"
        )
        context.complaints.fail("E207", node.span, message)
    for one in walk([node]):
        held = outer.get(one.text) if isinstance(one, ast.Name) else None
        if isinstance(held, Opaque) and held.class_ == OBJECT:
            message = f"'{one.span.text}' is an object of the host: write what it is made of"
            context.complaints.fail("E207", one.span, message)


def is_known(node: Node) -> bool:
    """Whether an expression is made of names and numbers, and reads no memory."""
    match node:
        case ast.NumberLiteral() | ast.Name():
            return True
        case ast.Prefix("-" | "+" | "~" | "!", operand) | ast.Cast(_, operand):
            return is_known(operand)
        case ast.Prefix("&", ast.Name() | ast.Index(ast.Name(), ast.NumberLiteral() | ast.Name())):
            return True
        case ast.Infix(_, left, right):
            return is_known(left) and is_known(right)
        case ast.InitializerList(items, rows):
            return all(map(is_known, (*items, *rows)))
        case tree.Construction(tree.ClassType(name), _, arguments):
            return (name.startswith("struct") or plain(name) == "static_cast") and all(map(is_known, arguments))
        case _:
            return False


# --- objects of the host ----------------------------------------------------------------------------------------------


def copies(body: ast.Block, outer: Mapping[str, Entity]) -> tuple[Statement, ...]:
    """The declarations of objects of the host that a kernel has copies of."""
    named = {node.text for node in walk([body]) if isinstance(node, ast.Name)}
    held = [
        entity
        for name, entity in outer.items()
        if name in named and isinstance(entity, Opaque) and entity.class_ == OBJECT
    ]
    return tuple(one.node for one in held if isinstance(one.node, ast.Declaration))


def declared(node: ast.Declaration, changed: frozenset[str], context: Context) -> Opaque | None:
    """What the name of an object of the host stands for that never changes; None for other declarations."""
    if len(node.declarators) != 1:
        return None
    (one,) = node.declarators
    class_ = context.scopes.find(node.type.base)
    if not isinstance(class_, Members) or one.pointers or one.length is not None or one.name.text in changed:
        return None
    value: Node | None = one.initializer
    if value is not None and not is_known(value):
        return None
    return Opaque(OBJECT, one.name.text, node)


def with_kept_values(object_: Opaque, changed: Collection[str], context: Context) -> tuple[list[Statement], Opaque]:
    """An object that is made of values that variables have now, and the declarations that keep those that change."""
    node = object_.node
    assert isinstance(node, ast.Declaration)
    (one,) = node.declarators
    found: list[Statement] = []
    kept: dict[str, str] = {}
    value: Node | None = one.initializer
    for name in sorted(
        {part.text for part in walk([value]) if isinstance(part, ast.Name)} if value is not None else ()
    ):
        entity = context.scopes.find(name) if name in changed else None
        if not isinstance(entity, Variable) or entity.constant is not None or entity.type is None or entity.is_array:
            continue
        kept[name] = f"({name} in {one.name.text})"
        now = context.value(ast.Name(name, span=one.span))
        declarator = ast.Declarator(ast.Name(kept[name], span=one.span), entity.type.pointers, None, now, span=one.span)
        found.append(ast.Declaration(replace(entity.type, pointers=()), (declarator,), span=one.span))
        context.scopes.declare(kept[name], replace(entity, is_fixed=True))

    def renamed(part: Node) -> Node:
        return replace(part, text=kept[part.text]) if isinstance(part, ast.Name) and part.text in kept else part

    if not kept or value is None:
        return [], object_
    made = replace(one, initializer=mapped(value, renamed))
    return found, replace(object_, node=replace(node, declarators=(made,)))


def names_device(node: ast.Declaration, memory: Mapping[str, Object]) -> bool:
    """Whether an object is made of memory of the device, of which the host has no more than the name."""
    names = (one.text for one in walk([node]) if isinstance(one, ast.Name))
    return any(name in memory and memory[name].kind == _DEVICE for name in names)


def changed_objects(body: Node, context: Context) -> frozenset[str]:
    """The names of what host code may change a part of, as it assigns that, passes it, or calls a function of it."""
    classes = _classes(body, context)
    found: set[str] = set()
    for node in _of_host(body):
        match node:
            case ast.Assignment(_, target) | ast.Postfix(_, target):
                found |= _root(target, classes)
            case ast.Prefix(operator, target) if operator in _STEPS:
                found |= _root(target, classes)
            case tree.MemberCall(_, _, ast.Name(text), _, arguments):
                found |= _root(node, classes)
                if text not in _LAUNCHES:
                    found |= _passed(arguments, classes)
            case ast.Call(_, arguments):
                found |= _passed(arguments, classes)
            case tree.InitialisedDeclarator(initializer=ast.InitializerList(items)):
                found |= _passed(items, classes)
            case tree.InitialisedDeclarator(initializer=ast.Name(text)):
                found.add(text)
            case tree.ReferenceDeclaration(_, _, target) | tree.BindingDeclaration(_, True, _, target):
                found |= _root(target, classes)
            case _:
                pass
    return frozenset(found)


def _classes(body: Node, context: Context) -> dict[str, Members]:
    """The classes of the objects of a body, by the names that only one class has an object of."""
    found: dict[str, Members] = {}
    several: set[str] = set()
    for node in _of_host(body):
        class_ = context.scopes.find(node.type.base) if isinstance(node, ast.Declaration) else None
        if not isinstance(node, ast.Declaration) or not isinstance(class_, Members):
            continue
        for one in node.declarators:
            if one.pointers or one.length is not None or found.setdefault(one.name.text, class_) is not class_:
                several.add(one.name.text)
    return {name: class_ for name, class_ in found.items() if name not in several}


def _of_host(body: Node) -> Iterator[Node]:
    """The nodes of a body outside lambdas by value, which have copies."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        yield node
        if not (isinstance(node, tree.Lambda) and "&" not in node.capture):
            waiting += parts_of(node)


def _passed(arguments: tuple[Node, ...], classes: Mapping[str, Members]) -> set[str]:
    """The names that may be passed by reference."""
    return {name for one in arguments for name in _root(one, classes)}


def _root(node: Node, classes: Mapping[str, Members]) -> set[str]:
    """The name of what something is a part of; none where a function of it that is const says what that is."""
    while isinstance(node, ast.Member | ast.Index | tree.MemberCall):
        function = "operator[]" if isinstance(node, ast.Index) else node.name.text
        of = classes.get(node.base.text) if isinstance(node.base, ast.Name) else None
        functions = () if of is None or isinstance(node, ast.Member) else of.functions.get(function, ())
        if functions and all(one.is_const for one in functions):
            return set()
        node = node.base
    return {node.text} if isinstance(node, ast.Name) else set()
