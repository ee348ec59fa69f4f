"""Sets of events and relations between events, as closed data.

A term is a formula of Tarski's relational calculus with closure. What it denotes in an execution, whether it can only
grow, and how it is written are separate readings. Terms are interned: two terms built alike are the same object, so
readings can keep results by identity.
"""

from __future__ import annotations

from mcm.base.interned import Interned
from mcm.base.record import record

# --- sets -------------------------------------------------------------------------------------------------------------


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class BaseSet(Interned):
    """A set that the execution provides, by its name in `execution.vocabulary`."""

    name: str


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Everything(Interned):
    """All executed events: `_`."""


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Nothing(Interned):
    """No event: `emptyset` where a set is meant."""


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class SetUnion(Interned):
    """`left | right`."""

    left: SetTerm
    right: SetTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class SetIntersection(Interned):
    """`left & right`."""

    left: SetTerm
    right: SetTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class SetDifference(Interned):
    r"""`left \ right`; a complement `~s` is `Everything \ s`."""

    left: SetTerm
    right: SetTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Domain(Interned):
    """`domain(relation)`."""

    relation: RelationTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Range(Interned):
    """`range(relation)`."""

    relation: RelationTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class DefinedSet(Interned):
    """A set under the name that the model gives it; denotes what `body` denotes."""

    name: str
    body: SetTerm


SetTerm = BaseSet | Everything | Nothing | SetUnion | SetIntersection | SetDifference | Domain | Range | DefinedSet


# --- relations --------------------------------------------------------------------------------------------------------


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Base(Interned):
    """A relation that the execution provides (`po`, `rf`, `mo` …) or a linearisation of the model (`S`)."""

    name: str


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Empty(Interned):
    """No pair."""


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Identity(Interned):
    """`[set]`: each member related to itself; `id` is `[_]`."""

    set: SetTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Product(Interned):
    """`left * right`; the universal relation is `_ * _`."""

    left: SetTerm
    right: SetTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Union(Interned):
    """`left | right`."""

    left: RelationTerm
    right: RelationTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Intersection(Interned):
    """`left & right`."""

    left: RelationTerm
    right: RelationTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Difference(Interned):
    r"""`left \ right`; a complement `~r` is `(_ * _) \ r`."""

    left: RelationTerm
    right: RelationTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Compose(Interned):
    """`left ; right`."""

    left: RelationTerm
    right: RelationTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Inverse(Interned):
    """`body^-1`."""

    body: RelationTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Closure(Interned):
    """`body+`, the transitive closure; `body*` is `body+ | id`, `body?` is `body | id`."""

    body: RelationTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Defined(Interned):
    """A relation under the name that the model gives it; denotes what `body` denotes."""

    name: str
    body: RelationTerm


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Variable(Interned):
    """A recursion variable, bound by the `Recursive` that carries its name."""

    name: str


@record(frozen=True, slots=True, eq=False, weakref_slot=True)
class Recursive(Interned):
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
