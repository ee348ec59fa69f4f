"""Lambdas in variables of the host: kernels that are launched later, and functions that kernels call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.captures import referred
from mcm.sycl.closures import function_of
from mcm.sycl.data import DATA_COMMANDS
from mcm.sycl.entities import Opaque, Reference, Variable
from mcm.syntax import ast
from mcm.syntax.walk import changed_variable, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.context import Context
    from mcm.sycl.entities import Entity
    from mcm.syntax.ast import Node

# The class of a lambda in a variable of the host.
LAMBDA: Final = "lambda"


def check_captured(
    name: ast.Name, function: tree.Lambda, whole: Node, changed: Collection[str], context: Context
) -> None:
    """Refuse a lambda in a variable that has copies of what changes before a kernel has them (ADR 71).

    `changed` are the objects and arrays of which a part may change.
    """
    named = {node.text for node in walk([function.body]) if isinstance(node, ast.Name)} - _declared(function)
    named -= referred(function)
    copied = {one for one in named if isinstance(context.scopes.find(one), Variable)}
    referring = min((one for one in named if isinstance(context.scopes.find(one), Reference)), default=None)
    for node in _between(name, function, whole):
        text = changed_variable(node) or _changed_part(node, changed)
        if text not in copied and referring is not None and (text is not None or _writes(node)):
            text = referring
        if text in copied or text == referring is not None:
            message = (
                f"'{text}' changes between the lambda '{name.text}', which has a copy of it, and a use of it: "
                "write the lambda where it is used"
            )
            context.complaints.fail("E207", node.span, message)


def _changed_part(node: Node, changed: Collection[str]) -> str | None:
    """The object or array of which a node may change a part, of those of which one may change."""
    match node:
        case ast.Assignment(_, target) | ast.Postfix(_, target) | ast.Prefix("++" | "--" | "&", target):
            pass
        case tree.MemberCall(target):
            pass
        case _:
            return None
    while isinstance(target, ast.Index | ast.Member | tree.MemberCall):
        target = target.base
    return target.text if isinstance(target, ast.Name) and target.text in changed else None


def _writes(node: Node) -> bool:
    """Whether a node may write what a reference names."""
    is_command = isinstance(node, tree.MemberCall) and node.name.text in DATA_COMMANDS
    return is_command or isinstance(node, ast.Assignment | ast.Postfix)


def _between(name: ast.Name, function: tree.Lambda, whole: Node) -> Iterator[Node]:
    """What may be executed between the declaration of a lambda and a use of it."""
    nodes = list(walk([whole]))
    own = {id(node) for node in walk([function])}
    places = [number for number, node in enumerate(nodes) if isinstance(node, ast.Name) and node.text == name.text]
    begin = next((number for number, node in enumerate(nodes) if node is function), 0)
    loops = [node for node in nodes if isinstance(node, ast.For | ast.While | ast.DoWhile)]
    inside = [{id(part) for part in walk([loop])} for loop in loops]
    uses = {id(nodes[number]) for number in places if number > begin}
    around: set[int] = set().union(*(one for one in inside if id(function) not in one and one & uses))
    for number, node in enumerate(nodes):
        if id(node) not in own and (begin < number < max(places, default=0) or id(node) in around):
            yield node


def with_lambdas(function: tree.Lambda, outer: Mapping[str, Entity], complaints: Complaints) -> tree.Lambda:
    """The lambda of a kernel with those of the host that it calls declared in it."""
    called: dict[str, tree.Lambda] = {}
    _collect(function, outer, called, complaints)
    if not called:
        return function
    declared = tuple(_declaration(name, one) for name, one in called.items())
    return replace(function, body=replace(function.body, statements=(*declared, *function.body.statements)))


def _collect(
    function: tree.Lambda, outer: Mapping[str, Entity], called: dict[str, tree.Lambda], complaints: Complaints
) -> None:
    """The lambdas that one mentions, each behind those that it mentions itself."""
    nodes = list(walk([function.body]))
    own = _declared(function)
    members = {id(node.name) for node in nodes if isinstance(node, tree.MemberCall | ast.Member)}
    for node in nodes:
        is_named = isinstance(node, ast.Name) and node.text not in own and id(node) not in members
        entity = outer.get(node.text) if isinstance(node, ast.Name) and is_named else None
        if not isinstance(node, ast.Name) or not isinstance(entity, Opaque) or entity.class_ != LAMBDA:
            continue
        assert isinstance(entity.node, tree.Lambda)
        if "&" in entity.node.capture:
            message = f"the lambda '{node.text}' has references to what the host has: a kernel calls one with '[=]'"
            complaints.fail("E211", node.span, message)
        if node.text not in called:
            _collect(entity.node, outer, called, complaints)
            called[node.text] = entity.node


def _declaration(name: str, function: tree.Lambda) -> ast.Declaration:
    span = function.span
    # What of the host it copies is the same in the whole kernel.
    held: ast.Expression = replace(function, capture="[&]" if function.capture == "[=]" else function.capture)  # type: ignore[assignment]  # see `mcm.sycl.tree`
    declarator = ast.Declarator(ast.Name(name, span=span), (), None, held, span=span)
    return ast.Declaration(ast.TypeName((), "auto", span=span), (declarator,), span=span)


def _declared(function: tree.Lambda) -> set[str]:
    """The names that a lambda declares itself."""
    inside = {one.name.text for one in walk([function.body]) if isinstance(one, ast.Declarator | tree.ObjectDeclarator)}
    return inside | {one.name.text for one in function.parameters}


def held(node: Node) -> tuple[ast.Name, tree.Lambda] | None:
    """The variable that a statement declares, and the lambda that it holds; None where it is another one."""
    match node:
        case ast.Declaration(_, (one,)) if (function := function_of(one)) is not None:
            return one.name, function
        case _:
            return None
