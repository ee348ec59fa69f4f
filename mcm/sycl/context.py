"""The state of saying what one body means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcm.program.resolve.literals import integer_of
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.entities import Entity, Passed, Scopes
    from mcm.syntax.ast import Expression, InitializerList, Node, Statement, TypeName


class Object(Struct, frozen=True):
    """A memory object of the initial state: its kind (`malloc_shared`, `buffer` …), the type of its elements."""

    kind: str
    type: TypeName
    span: Span
    length: Expression | None = None
    value: Expression | InitializerList | None = None

    @property
    def count(self) -> int:
        """The number of elements."""
        if isinstance(self.length, ast.NumberLiteral):
            return integer_of(self.length.text) or 1
        return len(self.value.items) if isinstance(self.value, ast.InitializerList) else 1


class Callee(Struct, frozen=True):
    """A function of the file: the type of what it returns, and how each of its parameters is passed."""

    result: TypeName
    passed: tuple[Passed, ...]


class Returned(Struct, frozen=True):
    """What a statement returns, None for nothing, and the type of that where it is evident."""

    value: Node | None
    type: TypeName | None


class Context(Struct):
    """A body: `value`, `place` and `entity` say what an expression of it means.

    `memory` are the objects that it may use without declaring them, `used` those that it does. `first` are declarations
    that have to stand at the beginning of the body. `closures` counts its lambdas in variables.
    """

    complaints: Complaints
    scopes: Scopes
    memory: Mapping[str, Object]
    functions: Mapping[str, Callee]
    is_host: bool
    value: Callable[[Node], Expression]
    place: Callable[[Node], Expression]
    entity: Callable[[Node], Entity | None]
    used: dict[str, None] = field(default_factory=dict)
    first: list[Statement] = field(default_factory=list)
    closures: int = 0


def call(function: str, arguments: tuple[Expression, ...], node: Node) -> ast.Call:
    """A call of an operation of the C family, at the place of a node."""
    return ast.Call(ast.Name(function, span=node.span), arguments, span=node.span)


def number(value: int, node: Node) -> ast.NumberLiteral:
    """A number, at the place of a node."""
    return ast.NumberLiteral(str(value), span=node.span)


def counted(count: int) -> str:
    """A number of arguments in words.

    >>> counted(1), counted(2)
    ('1 argument', '2 arguments')
    """
    return f"{count} argument{'' if count == 1 else 's'}"
