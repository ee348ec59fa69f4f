"""The syntax tree of cat files."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.cat.model import Shape


class UnaryOperator(Enum):
    """Operators with one operand."""

    COMPLEMENT = "~"
    CLOSURE = "+"
    REFLEXIVE_CLOSURE = "*"
    OPTION = "?"
    INVERSE = "^-1"
    SQUARE = "^2"
    LIFT = "[]"


class BinaryOperator(Enum):
    """Operators with two operands."""

    UNION = "|"
    ADDITION = "++"
    COMPOSE = ";"
    DIFFERENCE = "\\"
    INTERSECTION = "&"
    PRODUCT = "*"


class Name(Struct, frozen=True):
    """A use of a name, or the name that something is given."""

    text: str
    span: Span


class Everything(Struct, frozen=True):
    """`_`."""

    span: Span


class Zero(Struct, frozen=True):
    """`0`, the empty set or relation, whichever is needed."""

    span: Span


class Unary(Struct, frozen=True):
    """An operator applied to one operand."""

    operator: UnaryOperator
    operand: Expression
    span: Span


class Binary(Struct, frozen=True):
    """An operator applied to two operands."""

    operator: BinaryOperator
    left: Expression
    right: Expression
    span: Span


class Apply(Struct, frozen=True):
    """A function applied to arguments: `f(a, b)`, `f a`; `f a b` applies what `f a` gives."""

    function: Expression
    arguments: tuple[Expression, ...]
    span: Span


class Tuple(Struct, frozen=True):
    """`(a, b)`, or `()`."""

    items: tuple[Expression, ...]
    span: Span


class Listed(Struct, frozen=True):
    """`{a, b}`, a set of the events or sets that are listed."""

    items: tuple[Expression, ...]
    span: Span


class Lambda(Struct, frozen=True):
    """`fun (x, y) -> body`."""

    parameters: tuple[Name, ...]
    body: Expression
    span: Span


class Local(Struct, frozen=True):
    """`let x = a in body`, `let rec f x = a in body`."""

    recursive: bool
    bindings: tuple[Binding, ...]
    body: Expression
    span: Span


class Attempt(Struct, frozen=True):
    """`try body with otherwise`: the latter where the former makes no sense, because a name is unknown."""

    body: Expression
    otherwise: Expression
    span: Span


class Conditional(Struct, frozen=True):
    """`if "variant" then body else otherwise`."""

    variant: Name
    body: Expression
    otherwise: Expression
    span: Span


class Match(Struct, frozen=True):
    """`match subject with {} -> empty || member ++ rest -> found end`."""

    subject: Expression
    empty: Expression | None
    member: Name | None
    rest: Name | None
    found: Expression | None
    span: Span


Expression = (
    Name | Everything | Zero | Unary | Binary | Apply | Tuple | Listed | Lambda | Local | Attempt | Conditional | Match
)


class RuleComment(Struct, frozen=True):
    """A comment with tags, as written: `tags` maps the tag's name to its text and the place of that text."""

    tags: dict[str, Name]
    span: Span


class Binding(Struct, frozen=True):
    """`name = body`; with `parameters` (not None) a function.

    With `unpacked` (not None) it is `(a, b) = body`, and the name is the text of the left side.
    """

    name: Name
    parameters: tuple[Name, ...] | None
    body: Expression
    unpacked: tuple[Name, ...] | None = None


class Let(Struct, frozen=True):
    """`let` or `let rec` of one or more bindings, with the rule comment that stands directly above."""

    recursive: bool
    bindings: tuple[Binding, ...]
    comment: RuleComment | None
    span: Span


class Role(Enum):
    """What comes of a test that is stated about an execution."""

    CHECK = "check"
    FLAG = "flag"
    UNDEFINED_UNLESS = "undefined_unless"


class Test(Struct, frozen=True):
    """`acyclic r as NAME` and the like."""

    role: Role
    negated: bool
    shape: Shape
    body: Expression
    name: Name | None
    comment: RuleComment | None
    span: Span


class Include(Struct, frozen=True):
    """`include "file.cat"`."""

    path: Name
    span: Span


class With(Struct, frozen=True):
    """`with name from orders`."""

    name: Name
    orders: Expression
    span: Span


class Procedure(Struct, frozen=True):
    """`procedure name(parameters) = body end`."""

    name: Name
    parameters: tuple[Name, ...]
    body: tuple[Statement, ...]
    span: Span


class Call(Struct, frozen=True):
    """`call procedure argument as name`."""

    procedure: Name
    arguments: tuple[Expression, ...]
    name: Name | None
    span: Span


class Variant(Struct, frozen=True):
    """`if "variant" body else otherwise end`."""

    variant: Name
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    span: Span


Statement = Let | Test | Include | With | Procedure | Call | Variant


class CatFile(Struct, frozen=True):
    """A file: its title (empty when it has none), the options that stand behind it, and its statements.

    `shows`: the file says what to draw, so that it is no empty one even without other statements.
    """

    title: str
    statements: tuple[Statement, ...]
    options: tuple[Name, ...] = ()
    shows: bool = False
