"""Relational terms: sets of events and relations between events, as closed data.

A term is an expression of relational algebra with transitive closure and least fixpoints. Its value in an execution
(`evaluate`), its monotonicity (`polarity`) and its text (`show`) are functions over terms in modules of their own.
Terms are interned: two terms built alike are the same object, so results can be kept by identity.

`children` and `map_children` are the only functions that need to know every class just to walk through a term.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never, overload

from mcm.base.interned import Interned

if TYPE_CHECKING:
    from collections.abc import Callable

# --- sets -------------------------------------------------------------------------------------------------------------


class BaseSet(Interned):
    """A set that the execution provides, by its name in `execution.vocabulary`."""

    name: str


class Everything(Interned):
    """All executed events: `_`."""


class Nothing(Interned):
    """No event: `emptyset` where a set is meant."""


class SetUnion(Interned):
    """`left | right`."""

    left: SetTerm
    right: SetTerm


class SetIntersection(Interned):
    """`left & right`."""

    left: SetTerm
    right: SetTerm


class SetDifference(Interned):
    r"""`left \ right`; a complement `~s` is `Everything \ s`."""

    left: SetTerm
    right: SetTerm


class Domain(Interned):
    """`domain(relation)`."""

    relation: RelationTerm


class Range(Interned):
    """`range(relation)`."""

    relation: RelationTerm


class DefinedSet(Interned):
    """A set under the name that the model gives it; denotes what `body` denotes."""

    name: str
    body: SetTerm


SetTerm = BaseSet | Everything | Nothing | SetUnion | SetIntersection | SetDifference | Domain | Range | DefinedSet


# --- relations --------------------------------------------------------------------------------------------------------


class Base(Interned):
    """A relation that the execution provides (`po`, `rf`, `mo` …) or a linearisation of the model (`S`)."""

    name: str


class Empty(Interned):
    """No pair."""


class Identity(Interned):
    """`[set]`: each member related to itself; `id` is `[_]`."""

    set: SetTerm


class Product(Interned):
    """`left * right`; the universal relation is `_ * _`."""

    left: SetTerm
    right: SetTerm


class Union(Interned):
    """`left | right`."""

    left: RelationTerm
    right: RelationTerm


class Intersection(Interned):
    """`left & right`."""

    left: RelationTerm
    right: RelationTerm


class Difference(Interned):
    r"""`left \ right`; a complement `~r` is `(_ * _) \ r`."""

    left: RelationTerm
    right: RelationTerm


class Compose(Interned):
    """`left ; right`."""

    left: RelationTerm
    right: RelationTerm


class Inverse(Interned):
    """`body^-1`."""

    body: RelationTerm


class Closure(Interned):
    """`body+`, the transitive closure; `body*` is `body+ | id`, `body?` is `body | id`."""

    body: RelationTerm


class Defined(Interned):
    """A relation under the name that the model gives it; denotes what `body` denotes."""

    name: str
    body: RelationTerm


class RecursionVariable(Interned):
    """A recursion variable, bound by the `Recursive` that carries its name."""

    name: str


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
    | RecursionVariable
    | Recursive
)
Term = SetTerm | RelationTerm


# --- walking through terms --------------------------------------------------------------------------------------------


def children(term: Term) -> tuple[Term, ...]:
    """The terms that a term is built from directly; for a definition its body, for a recursion the equations' bodies.

    >>> children(Union(Base("po"), Base("rf")))
    (Base(name='po'), Base(name='rf'))
    """
    match term:
        # What is frequent comes first.
        case Union(left, right) | Intersection(left, right) | Compose(left, right) | Difference(left, right):
            return (left, right)
        case Domain(body) | Range(body) | Inverse(body) | Closure(body) | Defined(_, body):
            return (body,)
        case Identity(body) | DefinedSet(_, body):
            return (body,)
        case BaseSet() | Everything() | Nothing() | Base() | Empty() | RecursionVariable():
            return ()
        case Product(left, right) | SetUnion(left, right) | SetIntersection(left, right) | SetDifference(left, right):
            return (left, right)
        case Recursive(_, equations):
            return tuple(body for _, body in equations)
        case _:
            assert_never(term)


@overload
def map_children(
    term: SetTerm, of_set: Callable[[SetTerm], SetTerm], of_relation: Callable[[RelationTerm], RelationTerm]
) -> SetTerm: ...
@overload
def map_children(
    term: RelationTerm, of_set: Callable[[SetTerm], SetTerm], of_relation: Callable[[RelationTerm], RelationTerm]
) -> RelationTerm: ...
def map_children(
    term: Term, of_set: Callable[[SetTerm], SetTerm], of_relation: Callable[[RelationTerm], RelationTerm]
) -> Term:
    """The term with each child replaced by what `of_set` or `of_relation` makes of it; names are kept."""
    match term:
        # What is frequent comes first.
        case Union(one, other) | Intersection(one, other) | Compose(one, other) | Difference(one, other):
            return type(term)(of_relation(one), of_relation(other))
        case Defined(name, body):
            return Defined(name, of_relation(body))
        case Identity(events):
            return Identity(of_set(events))
        case DefinedSet(name, events):
            return DefinedSet(name, of_set(events))
        case BaseSet() | Everything() | Nothing() | Base() | Empty() | RecursionVariable():
            return term
        case SetUnion(a, b) | SetIntersection(a, b) | SetDifference(a, b) | Product(a, b):
            return type(term)(of_set(a), of_set(b))
        case Domain(body) | Range(body) | Inverse(body) | Closure(body):
            return type(term)(of_relation(body))
        case Recursive(name, equations):
            return Recursive(name, tuple((variable, of_relation(body)) for variable, body in equations))
        case _:
            assert_never(term)
