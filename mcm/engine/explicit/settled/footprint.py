"""Which pairs of a term may have a settled access as an end, and whether the others need one in the middle.

Settled are some plain accesses of objects that are not atomic: for some locations all of their accesses. The *others*
are all other events. A term is *exact* if its pairs of others are the same in an execution and in what is left of it
when the settled accesses are removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct
from msgspec.structs import replace

from mcm.engine.explicit.settled.shapes import HOST_WITHOUT_MAP, SC_FENCES
from mcm.execution.vocabulary import SETS
from mcm.relation.parts import bare
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    Defined,
    DefinedSet,
    Difference,
    Domain,
    Empty,
    Everything,
    Identity,
    Intersection,
    Inverse,
    Nothing,
    Product,
    Range,
    RecursionVariable,
    Recursive,
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
)
from mcm.relation.within import lies_within

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.relation.term import RelationTerm, Term

# The base sets that plain accesses of objects that are not atomic can be in; with those of relaxed atomics, or of
# atomics of any order, besides; and the base sets that all of them are in.
PLAIN: Final = frozenset(
    (
        *("R", "W", "M", "IW", "INDETERMINATE", "H", "NEEDS_MAP", "G", "L", "C", "IMAGES"),
        *("BUFFER", "COARSE", "PROG", "FINE", "FINE_ATOMICS", "SYSTEM", "SYSTEM_ATOMICS"),
    )
)
RELAXED: Final = PLAIN | {"A", "AO", "ATOMIC_TYPE", "RMW", "RLX", "WI", "SG", "WG", "DV", "ALL"}
OF_ANY_ORDER: Final = RELAXED | {"ACQ", "REL", "ACQ_REL", "SC"}
ALWAYS: Final = frozenset({"M"})
# The base sets that entries and exits of barriers, and calls of group functions, can be in.
WAITING: Final = frozenset(
    {"COLL", "F", "EF", "XF", "ONE_SPACE", "ACQ", "REL", "G", "L", "IMAGE", "WI", "SG", "WG", "DV", "ALL"}
)
# The base sets that the events of commands, and of calls that enqueue them or wait, can be in.
OF_COMMANDS: Final = frozenset(
    (
        *("G", "H", "CALL", "RETURN", "BLOCKING", "START", "END", "COMPLETE"),
        *("IN_ORDER", "MARKER", "COMMAND_BARRIER", "LISTED"),
    )
)
# Relations between accesses of one location, and between a read and what depends on it.
_OF_ONE_LOCATION: Final = ("rf", "mo", "loc")
_DEPENDENCIES: Final = ("data", "addr", "ctrl")


class Members(Struct, frozen=True):
    """Of a set: whether settled accesses may be members, whether all are; whether it is empty, exact, of writes."""

    some: bool
    every: bool
    is_empty: bool = False
    exact: bool = True
    only_writes: bool = False


_NO_MEMBERS: Final = Members(some=False, every=False, is_empty=True, only_writes=True)


class Footprint(Struct, frozen=True):
    """Of a relation: whether it may have pairs of two settled accesses, into one from another event, out of one.

    Such pairs are *near* if they lead forward on one location, in reads-from and modification order; into one if the
    event is sequenced before it, or before a write that so leads to it; out of one likewise. A term that is exact but
    for pairs that lead into and out of settled accesses in this way *bridges*. `from_writes`: the first of two settled
    accesses is a write. `is_same`: no pair is of two events.
    """

    inside: bool = False
    into: bool = False
    out: bool = False
    exact: bool = True
    is_empty: bool = False
    near_inside: bool = True
    near_into: bool = True
    near_out: bool = True
    bridges: bool = False
    is_same: bool = False
    from_writes: bool = False

    @property
    def is_free(self) -> bool:
        """Whether no pair has a settled access as an end."""
        return not (self.inside or self.into or self.out)

    @property
    def is_kept(self) -> bool:
        """Whether the pairs of others stay as they are."""
        return self.exact and not self.bridges

    def __or__(self, other: Footprint) -> Footprint:
        """That of a union."""
        return Footprint(
            self.inside or other.inside,
            self.into or other.into,
            self.out or other.out,
            self.exact and other.exact,
            self.is_empty and other.is_empty,
            self.near_inside and other.near_inside,
            self.near_into and other.near_into,
            self.near_out and other.near_out,
            self.bridges or other.bridges,
            self.is_same and other.is_same,
            self.from_writes and other.from_writes,
        )

    def __and__(self, other: Footprint) -> Footprint:
        """That of an intersection."""
        if self.is_empty or other.is_empty:
            return NOWHERE
        return Footprint(
            self.inside and other.inside,
            self.into and other.into,
            self.out and other.out,
            self.exact and other.exact,
            is_empty=False,
            near_inside=self.near_inside or other.near_inside,
            near_into=self.near_into or other.near_into,
            near_out=self.near_out or other.near_out,
            bridges=self.bridges or other.bridges,
            is_same=self.is_same or other.is_same,
            from_writes=self.from_writes or other.from_writes,
        )


NOWHERE: Final = Footprint(is_empty=True, is_same=True, from_writes=True)
_ANYWHERE: Final = Footprint(inside=True, into=True, out=True, near_inside=False, near_into=False, near_out=False)
_SEQUENCED: Final = Footprint(inside=True, into=True, out=True, near_inside=False)
_UNKNOWN: Final = replace(_ANYWHERE, exact=False)


# Of the base relations, where settled accesses are taken out; those that are not named can have any pairs.
_OF_ACCESSES: Final = {
    **dict.fromkeys(_DEPENDENCIES, _UNKNOWN),
    **dict.fromkeys(("rf", "mo"), Footprint(inside=True, from_writes=True)),
    "loc": Footprint(inside=True, near_inside=False),
    "po": _SEQUENCED,
    "syncbar": Footprint(),
}
# The same where whole units are taken out that do nothing but wait.
_OF_UNITS: Final = {
    **dict.fromkeys(_DEPENDENCIES, _UNKNOWN),
    **dict.fromkeys(_OF_ONE_LOCATION, Footprint()),
    **dict.fromkeys(("po", "int"), Footprint(inside=True, near_inside=False)),
}
# The same of the events of commands, and of calls about them, which access nothing.
_OF_COMMANDS: Final = {
    **dict.fromkeys(_DEPENDENCIES, _UNKNOWN),
    **dict.fromkeys((*_OF_ONE_LOCATION, "syncbar", "shared-buffer"), Footprint()),
}


class Footprints:
    """Works out footprints; `empty` are base sets and relations without members.

    `orders` are the sets that linearisations order.

    `settled` are the base sets that settled accesses can be in; with `of_units`, those that events of
    units can be in that do nothing but wait at barriers and in group functions; with `of_commands`, those of the
    events of commands, and of calls about them.

    `carried` are the closures that may lead from one other event to another through settled accesses. They are taken
    to be exact here: that a settled access in the middle can be left out has to be shown for each.
    """

    def __init__(
        self,
        empty: frozenset[str],
        orders: Mapping[str, SetTerm],
        settled: frozenset[str] = PLAIN,
        *,
        of_units: bool = False,
        of_commands: bool = False,
    ) -> None:
        self._empty: Final = empty
        self._orders: Final = orders
        self._settled: Final = settled
        self._always = (frozenset({"F"}) if "COLL" in empty else frozenset[str]()) if of_units else ALWAYS
        if of_commands:
            self._always = frozenset()
        self._relations_of: Final = _OF_COMMANDS if of_commands else _OF_UNITS if of_units else _OF_ACCESSES
        self._sets: Final[dict[SetTerm, Members]] = {}
        self._relations: Final[dict[RelationTerm, Footprint]] = {}
        self._without_pairs: Final[dict[RelationTerm, bool]] = {}
        self.carried: Final[dict[Closure, None]] = {}

    def set(self, term: SetTerm) -> Members:
        """What is known of a set."""
        found = self._sets.get(term)
        if found is None:
            found = self._of_set(term)
            found = self._sets[term] = _NO_MEMBERS if found.is_empty else found
        return found

    def relation(self, term: RelationTerm) -> Footprint:
        """What is known of a relation."""
        found = self._relations.get(term)
        if found is None:
            found = NOWHERE if self._is_empty(term) else self._of_relation(term)
            self._relations[term] = found
        return found

    def _is_empty(self, term: RelationTerm) -> bool:
        """Whether a relation is empty, by its shape: then nothing is carried by what it is made of."""
        found = self._without_pairs.get(term)
        if found is None:
            found = self._without_pairs[term] = self._has_no_pairs(term)
        return found

    def _has_no_pairs(self, term: RelationTerm) -> bool:
        match term:
            case Base(name):
                return name in self._empty and name not in self._orders
            case Identity(events):
                return self.set(events).is_empty
            case Product(first, second):
                return self.set(first).is_empty or self.set(second).is_empty
            case Union(one, other):
                return self._is_empty(one) and self._is_empty(other)
            case Intersection(one, other) | Compose(one, other):
                return self._is_empty(one) or self._is_empty(other)
            case Difference(body, _) | Inverse(body) | Closure(body) | Defined(_, body):
                return self._is_empty(body)
            case _:
                return isinstance(term, Empty)

    def is_untouched(self, term: Term) -> bool:
        """Whether a term has nothing in it that is taken out, and is exact."""
        if isinstance(term, SetTerm):
            members = self.set(term)
            return members.exact and not members.some
        footprint = self.relation(term)
        return footprint.is_kept and footprint.is_free

    def _of_set(self, term: SetTerm) -> Members:
        match term:
            case BaseSet(name):
                some = name in self._settled or name not in SETS
                return Members(some, name in self._always, name in self._empty, only_writes=name in {"W", "IW", "RMW"})
            case Everything():
                return Members(some=True, every=True)
            case Nothing():
                return Members(some=False, every=False, is_empty=True)
            case SetUnion(left, right):
                one, other = self.set(left), self.set(right)
                return Members(
                    one.some or other.some,
                    one.every or other.every,
                    one.is_empty and other.is_empty,
                    one.exact and other.exact,
                    one.only_writes and other.only_writes,
                )
            case SetIntersection(left, right):
                if self._is_of_host_without_map(term):
                    return _NO_MEMBERS
                one, other = self.set(left), self.set(right)
                return Members(
                    one.some and other.some,
                    one.every and other.every,
                    one.is_empty or other.is_empty,
                    one.exact and other.exact,
                    one.only_writes or other.only_writes,
                )
            case SetDifference(left, right):
                one, other = self.set(left), self.set(right)
                some, every = one.some and not other.every, one.every and not other.some
                return Members(some, every, one.is_empty, one.exact and other.exact, one.only_writes)
            case Domain(relation):
                inner = self.relation(relation)
                return _ends(inner, some=inner.out, lost=inner.into)
            case Range(relation):
                inner = self.relation(relation)
                return _ends(inner, some=inner.into, lost=inner.out)
            case DefinedSet(_, body):
                return self.set(body)
            case _:
                assert_never(term)

    def _of_relation(self, term: RelationTerm) -> Footprint:
        match term:
            case Base(name):
                return self._of_base(name)
            case Empty():
                return NOWHERE
            case Identity(events):
                of = self.set(events)
                return (
                    NOWHERE
                    if of.is_empty
                    else Footprint(inside=of.some, exact=of.exact, is_same=True, from_writes=of.only_writes)
                )
            case Product(first, second):
                return _product(self.set(first), self.set(second))
            case Union(one, other):
                return self.relation(one) | self.relation(other)
            case Intersection(one, other):
                # What is empty carries nothing, whatever it is a part of.
                narrower = self.relation(other)
                return NOWHERE if narrower.is_empty else self.relation(one) & narrower
            case Difference(one, other):
                return _without(self.relation(one), self.relation(other))
            case Compose(one, other):
                if self._is_of_fences(_last_step(one), _first_step(other)):
                    return NOWHERE
                return _composed(self.relation(one), self.relation(other))
            case Inverse(body):
                return _inverted(self.relation(body))
            case Closure(body):
                inner = self.relation(body)
                if not (inner.into or inner.out):
                    return replace(inner, exact=inner.is_kept, is_same=False)
                self.carried[term] = None
                return replace(_ANYWHERE, exact=inner.exact)
            case Defined(_, body):
                return self.relation(body)
            case RecursionVariable() | Recursive():
                return _UNKNOWN
            case _:
                assert_never(term)

    def _is_of_host_without_map(self, term: SetTerm) -> bool:
        """Whether a set is of accesses by the host of what it would have to map, and there are none."""
        return HOST_WITHOUT_MAP in self._empty and {BaseSet("H"), BaseSet("NEEDS_MAP")} <= set(_parts(term))

    def _is_of_fences(self, one: RelationTerm, other: RelationTerm) -> bool:
        """Whether a linearisation of sequentially consistent events and fences meet where none is both."""
        if SC_FENCES not in self._empty:
            return False
        for order, step in ((one, other), (other, one)):
            if isinstance(order, Base) and order.name in self._orders and isinstance(step, Identity):
                return _lies_in(self._orders[order.name], "SC") and _lies_in(step.set, "F")
        return False

    def _of_base(self, name: str) -> Footprint:
        if name in self._orders:
            members = self.set(self._orders[name])
            return NOWHERE if members.is_empty else _UNKNOWN if members.some else Footprint(exact=members.exact)
        if name in self._empty:
            return NOWHERE
        return self._relations_of.get(name, _ANYWHERE)


def _parts(term: SetTerm) -> Iterator[SetTerm]:
    """What a set is the intersection of."""
    match term:
        case SetIntersection(left, right):
            yield from _parts(left)
            yield from _parts(right)
        case DefinedSet(_, body):
            yield from _parts(body)
        case _:
            yield term


def _first_step(term: RelationTerm) -> RelationTerm:
    """What a composition begins with."""
    plain = bare(term)
    return _first_step(plain.left) if isinstance(plain, Compose) else plain


def _last_step(term: RelationTerm) -> RelationTerm:
    """What a composition ends with."""
    plain = bare(term)
    return _last_step(plain.right) if isinstance(plain, Compose) else plain


def _lies_in(events: SetTerm, name: str) -> bool:
    """Whether all members of a set are in a base set, by its shape."""
    return lies_within(events, lambda part: part == BaseSet(name))


def _ends(relation: Footprint, *, some: bool, lost: bool) -> Members:
    """The first or second events of pairs; `lost`: others may be ends only of pairs with settled accesses."""
    exact = relation.is_kept and not lost
    return Members(relation.inside or some, every=False, is_empty=relation.is_empty, exact=exact)


def _product(one: Members, other: Members) -> Footprint:
    if one.is_empty or other.is_empty:
        return NOWHERE
    return replace(
        _ANYWHERE,
        inside=one.some and other.some,
        into=other.some,
        out=one.some,
        exact=one.exact and other.exact,
    )


def _without(one: Footprint, other: Footprint) -> Footprint:
    return replace(one, exact=one.exact and other.is_kept)


def _inverted(one: Footprint) -> Footprint:
    return replace(
        one,
        into=one.out,
        out=one.into,
        near_inside=not one.inside or one.is_same,
        near_into=not one.out,
        near_out=not one.into,
        from_writes=one.is_same and one.from_writes,
    )


def _composed(one: Footprint, other: Footprint) -> Footprint:
    """That of a composition: what is in the middle may be settled too."""
    if one.is_empty or other.is_empty:
        return NOWHERE
    loses = one.into and other.out
    # What bridges may be restricted, and not led on.
    is_bridge = not loses or (one.near_into and other.near_out)
    stays = (other.is_same or not one.bridges) and (one.is_same or not other.bridges)
    through, back = one.inside and other.inside, one.out and other.into
    into_on, on_out = one.into and other.inside, one.inside and other.out
    return Footprint(
        inside=through or back,
        into=into_on or other.into,
        out=on_out or one.out,
        exact=one.exact and other.exact and is_bridge and stays,
        near_inside=not back and (not through or (one.near_inside and other.near_inside)),
        near_into=(not into_on or (one.near_into and other.near_inside and (other.is_same or other.from_writes)))
        and (not other.into or (other.near_into and one.is_same)),
        near_out=(not on_out or (one.near_inside and other.near_out and (one.is_same or one.from_writes)))
        and (not one.out or (one.near_out and other.is_same)),
        bridges=loses or one.bridges or other.bridges,
        is_same=one.is_same and other.is_same,
        from_writes=one.from_writes,
    )
