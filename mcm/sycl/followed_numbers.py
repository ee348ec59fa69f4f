"""Numbers of a host program that loops with commands depend on, followed from statement to statement.

`size_t n = 8; while (n > 1) { n /= 2; q.parallel_for(range<1>(n), …).wait(); }`: what `n` is is known at every
statement, where what it begins with is, and where it is changed by statements that are executed in any case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.changes import changed_variables
from mcm.sycl.constants import constant, typed
from mcm.sycl.early_ends import early_ends
from mcm.sycl.host_loops import enqueues, in_sequence
from mcm.sycl.types import scalar_of, written_type
from mcm.syntax import ast
from mcm.syntax.mapped import mapped
from mcm.syntax.walk import changed_variable, names_in, parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mcm.sycl.changes import Changing
    from mcm.sycl.context import Context
    from mcm.syntax.ast import Expression, Node

_HOLDING: Final = (ast.Declarator, tree.ObjectDeclarator, ast.Assignment)
_AROUND: Final = ast.Block | ast.If | ast.While | ast.DoWhile | ast.For | ast.Switch | tree.ConstantIf


class FollowedNumbers:
    """The values that some variables have, where the program is by now."""

    def __init__(self, types: Mapping[str, ast.TypeName] | None = None) -> None:
        self._types: Final = types or {}
        self._values: Final[dict[str, int]] = {}

    def with_values(self, node: Node, besides: Collection[str] = ()) -> Node:
        """A part of the program with values in place of names, but for some."""
        values = {name: value for name, value in self._values.items() if name not in besides}

        def replaced(part: Node) -> Node:
            if isinstance(part, ast.Name) and part.text in values:
                return typed(values[part.text], self._types[part.text], part)
            return part

        return mapped(node, replaced) if values else node

    def read(self, node: Node) -> Node:
        """A statement with values in place of what is read, which its parts that are statements keep."""
        if not self._types:
            return node
        match node:
            case ast.If(condition=condition):
                return replace(node, condition=self.with_values(condition))
            case ast.Declaration(_, declarators):
                return self.with_values(node, {one.name.text for one in declarators})
            case ast.For():
                return self.with_values(node, written(node)) if self._values else node
            case ast.ExpressionStatement(ast.Assignment(_, ast.Name(text), value) as assigned) if text in self._types:
                return replace(node, expression=replace(assigned, value=self.with_values(value)))
            case ast.ExpressionStatement(expression) if changed_variable(expression) in self._types:
                return node
            case _ if isinstance(node, _AROUND):
                return node
            case _:
                return self.with_values(node)

    def follow(self, node: Node, context: Context) -> None:
        """What variables are behind a statement that is executed in any case."""
        match node:
            case ast.Declaration(_, declarators):
                for one in declarators:
                    self._assign(one.name.text, one.initializer, context)
            case ast.ExpressionStatement(ast.Assignment(operator, ast.Name(text) as name, value)):
                whole = value if operator == "=" else ast.Infix(operator[:-1], name, value, span=node.span)
                self._assign(text, self.with_values(whole), context)
            case ast.ExpressionStatement(
                ast.Prefix("++" | "--" as operator, ast.Name() as name)
                | ast.Postfix("++" | "--" as operator, ast.Name() as name)
            ):
                step = ast.Infix(operator[0], name, ast.NumberLiteral("1", span=node.span), span=node.span)
                self._assign(name.text, self.with_values(step), context)
            case _:
                pass

    def forget(self, node: Node) -> None:
        """That a statement may be executed, or several times: what it writes is not known."""
        for name in written(node) if self._values else ():
            self._values.pop(name, None)

    def knows(self, node: Expression) -> bool:
        """Whether an expression names a variable whose value is known."""
        return any(isinstance(one, ast.Name) and one.text in self._values for one in walk([node]))

    def _assign(self, name: str, value: Node | None, context: Context) -> None:
        if name not in self._types:
            return
        found = None if value is None else constant(value, context)
        scalar = scalar_of(self._types[name])
        if found is None or scalar is None or not scalar.low <= found <= scalar.high:
            self._values.pop(name, None)
        else:
            self._values[name] = found


def followed_numbers(body: ast.Block, memory: Collection[str], changing: Changing) -> FollowedNumbers:
    """The integers that conditions of loops with commands name, and those that they are made of."""
    loops = [one for one in walk([body]) if isinstance(one, ast.While | ast.DoWhile | ast.For) and enqueues(one)]
    asked = [one.condition for one in loops if one.condition is not None and not any(early_ends(one.body))]
    names = {name for condition in asked for name in names_in(condition)}
    if not names or any(isinstance(one, ast.Goto) for one in walk([body])):
        return FollowedNumbers()
    writes = list(_plain_writes(body))
    made_of = [(_written(node), names_in(node)) for node in writes]
    made_of += [(one.name.text, names_in(one)) for one in walk([body]) if isinstance(one, ast.Declarator)]
    while more := {name for text, parts in made_of if text in names for name in parts} - names:
        names |= more
    types = {name: type_ for name, type_ in _declared(body).items() if name in names and name not in memory}
    changes = {text for node in writes if (text := _written(node)) in types}
    own = {id(node) for node in writes}
    rest = mapped(body, lambda node: ast.NumberLiteral("0", span=node.span) if id(node) in own else node)
    others = changed_variables(rest, changing)
    kept = {name: types[name] for name in changes - others - _held(body)}
    return FollowedNumbers(kept)


def written(node: Node) -> frozenset[str]:
    """The variables that a statement, or one in it, writes."""
    return frozenset(name for one in walk([node]) if (name := changed_variable(one)) is not None)


def _plain_writes(node: Node) -> Iterator[Expression]:
    """What writes a variable and does nothing else, and is a statement, or the step of a loop; but in lambdas."""
    match node:
        case tree.Lambda():
            return
        case ast.ExpressionStatement(expression):
            alone = [expression]
        case ast.For(step=step) if step is not None:
            alone = in_sequence(step)
        case _:
            alone = []
    yield from (one for one in alone if _written(one) is not None)
    for part in parts_of(node):
        yield from _plain_writes(part)


def _written(node: Expression) -> str | None:
    is_address = isinstance(node, ast.Prefix) and node.operator == "&"
    return None if is_address else changed_variable(node)


def _declared(body: Node) -> dict[str, ast.TypeName]:
    """The types of the integers of a body whose names mean nothing else in it."""
    found: dict[str, ast.TypeName] = {}
    again: set[str] = set()
    for node in walk([body]):
        match node:
            case ast.Declaration(type_, declarators):
                again |= {one.name.text for one in declarators if one.name.text in found}
                found |= {one.name.text: _type(type_, one) for one in declarators}
            case tree.ObjectDeclarator(name) | tree.LambdaParameter(name=name) | tree.ReferenceDeclaration(name=name):
                again.add(name.text)
            case ast.Member(_, _, name) | tree.MemberCall(_, _, name):
                again.add(name.text)
            case _:
                pass
    return {name: type_ for name, type_ in found.items() if name not in again and _is_integer(type_)}


def _type(type_: ast.TypeName, one: ast.Declarator) -> ast.TypeName:
    """The type of a variable; one that is no integer for pointers, arrays and what is not evident."""
    value = one.initializer
    if one.pointers or one.length is not None or isinstance(value, ast.InitializerList):
        return ast.TypeName((), "void", span=type_.span)
    written_ = written_type(type_)
    if written_.base != "auto" or value is None:
        return written_
    if any(isinstance(part, tree.MemberCall) and part.name.text == "size" for part in walk([value])):
        return ast.TypeName((), "ulong", span=type_.span)
    is_int = isinstance(value, ast.NumberLiteral) and value.text.isdecimal()
    return ast.TypeName((), "int" if is_int else "void", span=type_.span)


def _is_integer(type_: ast.TypeName) -> bool:
    scalar = scalar_of(type_)
    return scalar is not None and not scalar.is_floating and not type_.pointers


def _held(body: Node) -> set[str]:
    """What lambdas name that variables hold: they are called later."""
    holding = (node for node in walk([body]) if isinstance(node, _HOLDING))
    return {
        name for node in holding for part in parts_of(node) if isinstance(part, tree.Lambda) for name in names_in(part)
    }
