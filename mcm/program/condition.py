"""Conditions over final states, with every name resolved."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from mcm.base.record import record
from mcm.program.types import Location

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.types import Value


class RegisterName(NamedTuple):
    """A register of a thread; elements of a private array are registers named `a[0]`, `a[1]` ….

    A tuple, as `Location` is, because engines look up what is observed all the time.
    """

    thread: int
    register: str


# What a final state says the value of.
Observable = RegisterName | Location


@record(frozen=True, slots=True)
class Fixed:
    """A number, or an address (a Location as value)."""

    value: Value


@record(frozen=True, slots=True)
class Observed:
    """The final value of a register or of a memory location."""

    what: Observable


Operand = Fixed | Observed


@record(frozen=True, slots=True)
class Comparison:
    """`left operator right`, operator one of `= != < > <= >=`. An address equals no number; ordering one is false."""

    operator: str
    left: Operand
    right: Operand


@record(frozen=True, slots=True)
class Truth:
    """A constant proposition."""

    value: bool


@record(frozen=True, slots=True)
class Not:
    """Negation."""

    body: Proposition


@record(frozen=True, slots=True)
class And:
    """Conjunction."""

    left: Proposition
    right: Proposition


@record(frozen=True, slots=True)
class Or:
    """Disjunction."""

    left: Proposition
    right: Proposition


Proposition = Comparison | Truth | Not | And | Or


class Quantifier(Enum):
    """What is asked about the proposition."""

    EXISTS = "exists"
    NOT_EXISTS = "~exists"
    FORALL = "forall"


@record(frozen=True, slots=True)
class Condition:
    r"""A quantified proposition; `text` is the proposition as it is shown (`0:r0=1 /\\ x=2`)."""

    quantifier: Quantifier
    proposition: Proposition
    text: str
    span: Span
