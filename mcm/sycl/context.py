"""The state of saying what one body means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcm.program.resolve.literals import integer_of
from mcm.sycl.types import is_record
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.body import Body
    from mcm.sycl.changes import Changing
    from mcm.sycl.entities import Closure, Entity, Passed, Reference, Scopes
    from mcm.sycl.tree import MemberFunction
    from mcm.syntax.ast import Expression, Function, InitializerList, Node, Statement, Structure, TypeName


class Object(Struct, frozen=True):
    """A memory object of the initial state: its kind (`malloc_shared`, `buffer` …), the type of its elements.

    `is_made`: by the program.
    """

    kind: str
    type: TypeName
    span: Span
    length: Expression | None = None
    value: Expression | InitializerList | None = None
    is_made: bool = False

    @property
    def count(self) -> int:
        """The number of elements."""
        if isinstance(self.length, ast.NumberLiteral):
            return integer_of(self.length.text) or 1
        if not isinstance(self.value, ast.InitializerList) or is_record(self.type):
            # A structure has a list of its members.
            return len(self.value.rows) or 1 if isinstance(self.value, ast.InitializerList) else 1
        return len(self.value.items)


class Callee(Struct, frozen=True):
    """A function of the file: the type of what it returns, and how each of its parameters is passed.

    One that `is_reference` returns an address. `defaults` are values for parameters that a call passes nothing for,
    `types` those of what parameters refer to, where they do.
    """

    result: TypeName
    passed: tuple[Passed, ...]
    is_reference: bool = False
    defaults: tuple[Node | None, ...] = ()
    types: tuple[TypeName | None, ...] = ()


class Functions(dict[str, Callee]):
    """The functions of a file by their names, and those of its classes and its operators, which are made when called.

    `changing` says which of their arguments they may change. `outside` is what stands outside units, `structures` are
    the classes that are structures in terms of the C family, by their types; `made` are the functions that were made,
    `known` says which by what.
    """

    def __init__(self) -> None:
        super().__init__()
        self.changing: Changing = {}
        self.outside: dict[str, Entity] = {}
        self.structures: dict[str, Structure] = {}
        self.operators: dict[str, tuple[MemberFunction, ...]] = {}
        self.specialised: dict[str, MemberFunction] = {}
        # The names of the functions of all classes, and whether there are any classes at all.
        self.of_classes: set[str] = set()
        self.has_classes = False
        # The names that their functions, and operators, declare.
        self.declared: set[str] = set()
        self.made: list[Function] = []
        self.known: dict[tuple[str, int], Closure] = {}


class Returned(Struct, frozen=True):
    """What a statement returns, None for nothing, and the type of that where it is evident."""

    value: Node | None
    type: TypeName | None


class Context(Struct):
    """A body, which `body` reads: `value`, `place` and `entity` say what an expression of it means.

    `memory` are the objects that it may use without declaring them, `used` those that it does, `given` those that are
    its parameters. `first` are declarations that have to stand at the beginning of the body. `passed` are the variables
    of the host that it uses, with their types, and `arrays` those of which it has a copy. `closures` counts its lambdas
    in variables. `pending` are statements before the one that is being read, `making` functions of classes that are
    being made, `types` those of the parts of the expression that is being asked about.
    """

    complaints: Complaints
    scopes: Scopes
    memory: Mapping[str, Object]
    functions: Functions
    is_host: bool
    body: Body
    value: Callable[[Node], Expression]
    place: Callable[[Node], Expression]
    entity: Callable[[Node], Entity | None]
    used: dict[str, None] = field(default_factory=dict)
    first: list[Statement] = field(default_factory=list)
    passed: dict[str, TypeName] = field(default_factory=dict)
    arrays: dict[str, Reference] = field(default_factory=dict)
    closures: int = 0
    pending: list[Statement] = field(default_factory=list)
    making: list[MemberFunction] = field(default_factory=list)
    types: dict[int, tuple[Node, TypeName | None]] | None = None
    given: Mapping[str, Object] = {}

    def object_named(self, name: str) -> Object | None:
        """The memory that a name is that of, outside it or among its parameters."""
        return self.memory.get(name) or self.given.get(name)


def call(function: str, arguments: tuple[Expression, ...], node: Node) -> ast.Call:
    """A call of an operation of the C family, at the place of a node."""
    return ast.Call(ast.Name(function, span=node.span), arguments, span=node.span)


def number(value: int, node: Node) -> ast.NumberLiteral:
    """A number, at the place of a node."""
    return ast.NumberLiteral(str(value), span=node.span)


def size(count: int, node: Node) -> ast.NumberLiteral:
    """A number of elements, which is a `size_t`."""
    return ast.NumberLiteral(f"{count}ul", span=node.span)


def counted(count: int) -> str:
    """A number of arguments in words.

    >>> counted(1), counted(2)
    ('1 argument', '2 arguments')
    """
    return f"{count} argument{'' if count == 1 else 's'}"
