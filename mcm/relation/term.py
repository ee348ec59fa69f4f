"""Sets of events and relations between events, as closed data.

A term is a formula of Tarski's relational calculus with closure. What it denotes in an execution, whether it can only
grow, and how it is written are separate readings. Terms are interned: two terms built alike are the same object, so
readings can keep results by identity.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self


class _Interned:
    """Hash-consing: constructing an existing term returns that term."""

    __slots__ = ()
    _table: dict[tuple[object, ...], Any] = {}  # noqa: RUF012 - the one table of all terms

    def __new__(cls, *arguments: object) -> Self:
        key = (cls, *arguments)
        found = cls._table.get(key)
        if found is None:
            found = super().__new__(cls)
            cls._table[key] = found
        return found

    def __reduce__(self) -> tuple[object, ...]:
        """Unpickling interns again, so that terms keep their identity across processes."""
        return (type(self), tuple(getattr(self, f.name) for f in fields(self)))  # type: ignore[arg-type]


# --- sets -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class BaseSet(_Interned):
    """A set that the execution provides, by its name in `execution.vocabulary`."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Everything(_Interned):
    """All executed events: `_`."""


@dataclass(frozen=True, slots=True, eq=False)
class Nothing(_Interned):
    """No event: `emptyset` where a set is meant."""


@dataclass(frozen=True, slots=True, eq=False)
class SetUnion(_Interned):
    """`left | right`."""

    left: SetTerm
    right: SetTerm


@dataclass(frozen=True, slots=True, eq=False)
class SetIntersection(_Interned):
    """`left & right`."""

    left: SetTerm
    right: SetTerm


@dataclass(frozen=True, slots=True, eq=False)
class SetDifference(_Interned):
    r"""`left \ right`; a complement `~s` is `Everything \ s`."""

    left: SetTerm
    right: SetTerm


@dataclass(frozen=True, slots=True, eq=False)
class Domain(_Interned):
    """`domain(relation)`."""

    relation: RelationTerm


@dataclass(frozen=True, slots=True, eq=False)
class Range(_Interned):
    """`range(relation)`."""

    relation: RelationTerm


@dataclass(frozen=True, slots=True, eq=False)
class DefinedSet(_Interned):
    """A set under the name that the model gives it; denotes what `body` denotes."""

    name: str
    body: SetTerm


SetTerm = BaseSet | Everything | Nothing | SetUnion | SetIntersection | SetDifference | Domain | Range | DefinedSet


# --- relations --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Base(_Interned):
    """A relation that the execution provides (`po`, `rf`, `mo` …) or a linearisation of the model (`S`)."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Empty(_Interned):
    """No pair."""


@dataclass(frozen=True, slots=True, eq=False)
class Identity(_Interned):
    """`[set]`: each member related to itself; `id` is `[_]`."""

    set: SetTerm


@dataclass(frozen=True, slots=True, eq=False)
class Product(_Interned):
    """`left * right`; the universal relation is `_ * _`."""

    left: SetTerm
    right: SetTerm


@dataclass(frozen=True, slots=True, eq=False)
class Union(_Interned):
    """`left | right`."""

    left: RelationTerm
    right: RelationTerm


@dataclass(frozen=True, slots=True, eq=False)
class Intersection(_Interned):
    """`left & right`."""

    left: RelationTerm
    right: RelationTerm


@dataclass(frozen=True, slots=True, eq=False)
class Difference(_Interned):
    r"""`left \ right`; a complement `~r` is `(_ * _) \ r`."""

    left: RelationTerm
    right: RelationTerm


@dataclass(frozen=True, slots=True, eq=False)
class Compose(_Interned):
    """`left ; right`."""

    left: RelationTerm
    right: RelationTerm


@dataclass(frozen=True, slots=True, eq=False)
class Inverse(_Interned):
    """`body^-1`."""

    body: RelationTerm


@dataclass(frozen=True, slots=True, eq=False)
class Closure(_Interned):
    """`body+`, the transitive closure; `body*` is `body+ | id`, `body?` is `body | id`."""

    body: RelationTerm


@dataclass(frozen=True, slots=True, eq=False)
class Defined(_Interned):
    """A relation under the name that the model gives it; denotes what `body` denotes."""

    name: str
    body: RelationTerm


@dataclass(frozen=True, slots=True, eq=False)
class Variable(_Interned):
    """A recursion variable, bound by the `Recursive` that carries its name."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Recursive(_Interned):
    """Member `name` of the least solution of `let rec n1 = t1 and n2 = t2 …`; `equations` are `((name, term), …)`.

    Variables occur positively only; the loader refuses anything else.
    """

    name: str
    equations: tuple[tuple[str, RelationTerm], ...]


RelationTerm = (
    Base
    | Empty
    | Identity
    | Product
    | Union
    | Intersection
    | Difference
    | Compose
    | Inverse
    | Closure
    | Defined
    | Variable
    | Recursive
)
Term = SetTerm | RelationTerm
