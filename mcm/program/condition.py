"""Conditions over final states, with every name resolved."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from mcm.program.types import Location

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.types import Value


class RegisterName(NamedTuple):
    """A register of a thread; elements of a private array are registers named `a[0]`, `a[1]` ….

    A tuple, as `Location` is: they are keys in the inner loops of the engines.
    """

    thread: int
    register: str


# What has a value in a final state.
Observable = RegisterName | Location


class Fixed(Struct, frozen=True):
    """A number, or an address (a Location as value)."""

    value: Value


class Observed(Struct, frozen=True):
    """The final value of a register or of a memory location."""

    what: Observable


Operand = Fixed | Observed


class Comparison(Struct, frozen=True):
    """`left operator right`, operator one of `= != < > <= >=`. An address equals no number; ordering one is false."""

    operator: str
    left: Operand
    right: Operand


class Truth(Struct, frozen=True):
    """A constant proposition."""

    value: bool


class Not(Struct, frozen=True):
    """Negation."""

    body: Proposition


class And(Struct, frozen=True):
    """Conjunction."""

    left: Proposition
    right: Proposition


class Or(Struct, frozen=True):
    """Disjunction."""

    left: Proposition
    right: Proposition


Proposition = Comparison | Truth | Not | And | Or


class Quantifier(Enum):
    """What is asked about the proposition."""

    EXISTS = "exists"
    NOT_EXISTS = "~exists"
    FORALL = "forall"


class Condition(Struct, frozen=True):
    r"""A quantified proposition; `text` is the proposition as it is shown (`0:r0=1 /\\ x=2`)."""

    quantifier: Quantifier
    proposition: Proposition
    text: str
    span: Span
