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
    LIFT = "[]"


class BinaryOperator(Enum):
    """Operators with two operands."""

    UNION = "|"
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
    """A function applied to arguments: `f(a, b)`."""

    function: Name
    arguments: tuple[Expression, ...]
    span: Span


Expression = Name | Everything | Zero | Unary | Binary | Apply


class RuleComment(Struct, frozen=True):
    """A comment with tags, as written: `tags` maps the tag's name to its text and the place of that text."""

    tags: dict[str, Name]
    span: Span


class Binding(Struct, frozen=True):
    """`name = body`; with `parameters` (not None) a function."""

    name: Name
    parameters: tuple[Name, ...] | None
    body: Expression


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
    """`with name from generator(arguments)`."""

    name: Name
    generator: Name
    arguments: tuple[Expression, ...]
    span: Span


Statement = Let | Test | Include | With


class CatFile(Struct, frozen=True):
    """A file: its title (empty when it has none) and its statements."""

    title: str
    statements: tuple[Statement, ...]
