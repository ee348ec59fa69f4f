"""The variables of hierarchical kernels that stand outside `parallel_for_work_item`.

They are in local memory. What depends on nothing but constants and the ids of the group is the same whoever computes
it, as SYCL says: each work-item has a variable of its own for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeGuard

from mcm.sycl import tree
from mcm.sycl.entities import Opaque, Variable
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import changed_variable, parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.sycl.context import Object
    from mcm.sycl.entities import Entity
    from mcm.syntax.ast import Node

INNER: Final = "parallel_for_work_item"
PRIVATE: Final = "private_memory"
# Objects that are names for what the group is known by.
_KNOWN: Final = frozenset({"id", "range", "group", "nd_range"})
_PURE: Final = frozenset({"min", "max", "clamp", "range", "id", "abs", "ceil", "floor"})
# Kinds of memory that kernels know by a pointer.
_POINTERS: Final = frozenset({"malloc_shared", "malloc_host", "malloc_device", "system"})
_LOOPS: Final = (ast.For, ast.While, ast.DoWhile)


def is_inner(node: Node, group: str) -> TypeGuard[tree.MemberCall]:
    """Whether a node is `g.parallel_for_work_item(…)` of the group."""
    return (
        isinstance(node, tree.MemberCall)
        and node.name.text == INNER
        and isinstance(node.base, ast.Name)
        and node.base.text == group
    )


class GroupVariables:
    """Those of one kernel: `declared` are all, `shared` those in local memory, `privates` those of work-items."""

    def __init__(self, function: tree.Lambda, outer: Mapping[str, Entity], memory: Mapping[str, Object]) -> None:
        self._function: Final = function
        self._group: Final = function.parameters[0].name.text
        self._outer: Final = outer
        self._memory: Final = memory
        self.declared: Final = dict(self._variables(function.body))
        self._objects: Final = self._of_classes(_KNOWN)
        self.privates: Final = self._of_classes(frozenset({PRIVATE}))
        self.shared: Final = self._in_local_memory()

    def _of_classes(self, names: frozenset[str]) -> frozenset[str]:
        """The objects of some classes."""
        return frozenset(
            one.name.text
            for node in walk([self._function.body])
            if isinstance(node, tree.ObjectDeclaration) and plain(node.type.name) in names
            for one in node.declarators
        )

    def is_known(self, node: Node) -> bool:
        """Whether something is the same whoever computes it, and changes nothing else."""
        return self._is_known(node, self.shared)

    def is_inner(self, node: Node) -> TypeGuard[tree.MemberCall]:
        """Whether a node is `g.parallel_for_work_item(…)`."""
        return is_inner(node, self._group)

    def is_for_all(self, node: Node) -> bool:
        """Whether every work-item has to know what a statement does: what it calls, or where it goes on."""
        return any(self.is_inner(one) for one in walk([node])) or any(_leaving(node))

    def _variables(self, node: Node) -> Iterator[tuple[str, tuple[ast.TypeName, ast.Declarator]]]:
        """The variables of the scope, which stand in no part that the first work-item alone executes."""
        for one in _statements(node):
            if isinstance(one, ast.Declaration):
                yield from ((each.name.text, (one.type, each)) for each in one.declarators)
            elif not isinstance(one, ast.ExpressionStatement) and self.is_for_all(one):
                yield from self._variables(one)

    def _in_local_memory(self) -> frozenset[str]:
        """Those that are not the same whoever computes them."""
        shared = {name for name, (_, one) in self.declared.items() if one.length is not None}
        for node in walk([self._function.body]):
            if self.is_inner(node):
                shared |= {name for name in _changed(node) & self.declared.keys() if not self._is_steady(name, node)}
        while True:
            before = len(shared)
            shared |= set(self._found(self._function.body, frozenset(shared)))
            if len(shared) == before:
                return frozenset(shared)

    def _is_steady(self, name: str, node: Node) -> bool:
        """Whether a variable is a pointer that a statement follows, and does not change itself."""
        return bool(self.declared[name][1].pointers) and all(changed_variable(one) != name for one in walk([node]))

    def _found(self, node: Node, shared: frozenset[str]) -> Iterator[str]:
        """Variables that get values which are not the same whoever computes them."""
        for one in _statements(node):
            if isinstance(one, ast.Declaration):
                for each in one.declarators:
                    if each.initializer is not None and not self._is_known(each.initializer, shared):
                        yield each.name.text
            elif isinstance(one, ast.ExpressionStatement) and self.is_inner(one.expression):
                continue
            elif self.is_for_all(one):
                yield from self._found(one, shared)
                for part in _head(one):
                    if not self._is_known(part, shared):
                        yield from _changed(part) & self.declared.keys()
            elif not self._is_known(one, shared):
                yield from _changed(one) & self.declared.keys()

    def _is_known(self, node: Node, shared: frozenset[str]) -> bool:
        """Whether something depends on nothing but constants and the group, and changes nothing else."""
        own = {one.name.text for one in walk([node]) if isinstance(one, ast.Declarator)}
        return all(self._is_known_part(one, own, shared) for one in walk([node]))

    def _is_known_part(self, node: Node, own: set[str], shared: frozenset[str]) -> bool:
        match node:
            case ast.Prefix("*" | "&") | tree.Lambda() | tree.ReferenceDeclaration() | tree.ObjectDeclaration():
                return False
            case ast.Member() | tree.BindingDeclaration():
                return False
            case ast.Index(base) | tree.MemberCall(base):
                root = _root(base)
                return root is not None and (root == self._group or root in self._objects)
            case ast.Call(ast.Name(name)):
                return plain(name) in _PURE
            case ast.Assignment(_, target) | ast.Postfix(_, target) | ast.Prefix("++" | "--", target):
                return isinstance(target, ast.Name) and (target.text in own or target.text in self.declared)
            case ast.Declarator():
                return node.length is None
            case ast.Name(text):
                return text in own or self._is_known_name(text, shared)
            case _:
                return True

    def _is_known_name(self, text: str, shared: frozenset[str]) -> bool:
        if text in shared or text in self.privates:
            return False
        if text in self.declared or text == self._group or text in self._objects or plain(text) in _PURE:
            return True
        match self._outer.get(text):
            case Variable(type_, is_array=is_array):
                return not is_array and type_ is not None
            case Opaque("range"):
                return True
            case None:
                # Memory of the program is a pointer, which is the same for all.
                return text not in self._memory or self._memory[text].kind in _POINTERS
            case _:
                return False


def _statements(node: Node) -> Iterator[Node]:
    """The statements that one consists of directly, the beginning of a loop among them."""
    match node:
        case ast.Block(statements):
            yield from statements
        case ast.If(_, then, otherwise):
            yield from (one for one in (then, otherwise) if one is not None)
        case ast.For(initial, _, _, body):
            yield from (one for one in (initial, body) if one is not None)
        case ast.While(_, body) | ast.DoWhile(body, _):
            yield body
        case _:
            pass


def _head(node: Node) -> Iterator[Node]:
    """What a branch or a loop depends on, and what it does at the end of each time."""
    match node:
        case ast.If(condition) | ast.While(condition) | ast.DoWhile(_, condition):
            yield condition
        case ast.For(_, condition, step):
            yield from (one for one in (condition, step) if one is not None)
        case _:
            pass


def _leaving(node: Node, *, is_in_loop: bool = False) -> Iterator[Node]:
    """What leaves a statement other than at its end."""
    match node:
        case ast.Return():
            yield node
        case ast.Break() | ast.Continue():
            if not is_in_loop:
                yield node
        case tree.Lambda():
            pass
        case _:
            inside = is_in_loop or isinstance(node, _LOOPS)
            for part in parts_of(node):
                yield from _leaving(part, is_in_loop=inside)


def assigned(node: Node) -> Iterator[ast.Name]:
    """The names of what a node assigns a part of."""
    for one in walk([node]):
        match one:
            case ast.Assignment(_, target) | ast.Postfix(_, target) | ast.Prefix("++" | "--", target):
                while isinstance(target, ast.Member | ast.Index | tree.MemberCall):
                    target = target.base
                if isinstance(target, ast.Name):
                    yield target
            case _:
                pass


def _changed(node: Node) -> set[str]:
    """The names of what a node changes a part of, takes the address of, or may pass by reference."""
    found: set[str | None] = set()
    for one in walk([node]):
        match one:
            case ast.Assignment(_, target) | ast.Postfix(_, target) | ast.Prefix("++" | "--" | "&", target):
                found.add(_root(target))
            case tree.ReferenceDeclaration(_, _, target):
                found.add(_root(target))
            case ast.Call(ast.Name(name), arguments) if plain(name) not in _PURE:
                found |= {_root(argument) for argument in arguments}
            case tree.ObjectDeclaration(_, _, declarators):
                found |= {_root(argument) for each in declarators for argument in each.arguments}
            case tree.Construction(tree.ClassType(name), _, arguments) if (
                "cast" not in name and plain(name) not in _KNOWN
            ):
                found |= {_root(argument) for argument in arguments}
            case tree.MemberCall(base):
                found.add(_root(base))
            case _:
                pass
    return {name for name in found if name is not None}


def _root(node: Node) -> str | None:
    """The name of the object that a place is a part of."""
    while isinstance(node, ast.Member | ast.Index | tree.MemberCall):
        node = node.base
    return node.text if isinstance(node, ast.Name) else None
