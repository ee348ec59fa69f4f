"""What a litmus file asks: references to registers and locations, propositions, the condition."""

from __future__ import annotations

from mcm.syntax.ast import Name, Node


class RegisterReference(Node, frozen=True):
    """`1:r0`, `P1:r0`, `K[1]:r0`; `unit` is a thread number, or a kernel (`K`, `K@ki1`) and a global id.

    `index` is the element of `1:a[2]`; `inner` are the indices behind the first, as in all references.
    """

    unit: int | tuple[str, int]
    name: Name
    index: int | None = None
    inner: tuple[int, ...] = ()


class LocationReference(Node, frozen=True):
    """`x`, `[x]`, `a[1]`, `[a[1]]`, `t@wg0`, `t@wg0[2]`: `group` is the number after `@wg`, or None."""

    name: Name
    index: int | None = None
    group: int | None = None
    bracketed: bool = False
    inner: tuple[int, ...] = ()


class NumberTerm(Node, frozen=True):
    """A number in a condition, sign included."""

    value: float


class AddressTerm(Node, frozen=True):
    """`&x` in a condition."""

    name: Name
    index: int | None = None
    inner: tuple[int, ...] = ()


ConditionTerm = RegisterReference | LocationReference | NumberTerm | AddressTerm


class Comparison(Node, frozen=True):
    """`left operator right`; operator one of `= == != < > <= >=` as written."""

    operator: str
    left: ConditionTerm
    right: ConditionTerm


class Truth(Node, frozen=True):
    """`true` or `false`."""

    value: bool


class Negation(Node, frozen=True):
    """`~ body` or `not body`."""

    body: Proposition


class Connective(Node, frozen=True):
    r"""`left operator right`; operator normalised to `/\`, `\/` or `=>`."""

    operator: str
    left: Proposition
    right: Proposition


Proposition = Comparison | Truth | Negation | Connective


class Condition(Node, frozen=True):
    """`exists`, `~exists` or `forall` with its proposition."""

    quantifier: str
    proposition: Proposition
