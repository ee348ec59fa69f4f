"""Which kinds of events the members of a set, or the ends of the pairs of a relation, can be: by their terms alone."""

from __future__ import annotations

from enum import Flag as Flags
from enum import auto
from functools import lru_cache
from typing import TYPE_CHECKING, Final, assert_never

from mcm.execution.vocabulary import COMMAND_EVENTS
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
    SetUnion,
    Union,
)

if TYPE_CHECKING:
    from mcm.relation.term import RelationTerm, SetTerm


class Kinds(Flags):
    """A set of kinds: pure reads, pure writes (initial ones as well), read-modify-writes, and events of no location.

    Of the latter, fences that are no part of a barrier are a kind of their own; so are the reads and the writes of
    locations that nobody accesses atomically.
    """

    READ = auto()
    PLAIN_READ = auto()
    WRITE = auto()
    PLAIN_WRITE = auto()
    UPDATE = auto()
    FENCE = auto()
    OTHER = auto()


NONE: Final = Kinds(0)
ALL: Final = ~NONE
PLAIN: Final = Kinds.PLAIN_READ | Kinds.PLAIN_WRITE
_READS: Final = Kinds.READ | Kinds.PLAIN_READ | Kinds.UPDATE
_WRITES: Final = Kinds.WRITE | Kinds.PLAIN_WRITE | Kinds.UPDATE
_ACCESSES: Final = _READS | _WRITES

# Base sets that are just the events of some kinds, and others of which all members are of some kinds.
_EXACT: Final = {
    "R": _READS,
    "W": _WRITES,
    "M": _ACCESSES,
    "RMW": Kinds.UPDATE,
}
_WITHIN: Final = {
    **_EXACT,
    "IW": _WRITES & ~Kinds.UPDATE,
    "INDETERMINATE": _WRITES & ~Kinds.UPDATE,
    "A": _ACCESSES & ~PLAIN,
    **dict.fromkeys(("RLX", "ACQ", "REL", "SC"), ~PLAIN),
    "AO": _ACCESSES,
    "ATOMIC_TYPE": _ACCESSES,
    "F": Kinds.FENCE | Kinds.OTHER,
    "EF": Kinds.OTHER,
    "XF": Kinds.OTHER,
    "ONE_SPACE": Kinds.OTHER,
    "COLL": Kinds.OTHER,
    "MAP": _ACCESSES,
    "MAP_WRITE": _ACCESSES,
    "NEEDS_MAP": _ACCESSES,
    "IMAGES": _ACCESSES,
    "PIPES": _ACCESSES,
    "PACKETS": _ACCESSES,
    "PIPE_WRITES": Kinds.UPDATE,
    "PIPE_READS": Kinds.UPDATE,
    **dict.fromkeys(COMMAND_EVENTS, Kinds.OTHER),
}
# The kinds of the first and of the second events of the pairs of base relations.
_ENDS: Final = {
    "rf": (_WRITES, _READS),
    "mo": (_WRITES, _WRITES),
    "loc": (_ACCESSES, _ACCESSES),
    "shared-buffer": (_ACCESSES, _ACCESSES),
    "overlapping-buffers": (_ACCESSES, _ACCESSES),
    "rmw": (Kinds.READ, Kinds.WRITE),
    "run": (Kinds.OTHER, ALL),
    "callback": (Kinds.OTHER, ALL),
    "unmap": (_ACCESSES, Kinds.OTHER),
    **dict.fromkeys(
        ("syncbar", "enqueue", "same-command", "awaits", "before-in-queue", "queued", "child", "status"),
        (Kinds.OTHER, Kinds.OTHER),
    ),
}


@lru_cache(maxsize=1024)
def members(term: SetTerm) -> Kinds:
    """The kinds that members of a set can have."""
    match term:
        case BaseSet(name):
            return _WITHIN.get(name, ALL)
        case Everything():
            return ALL
        case Nothing():
            return NONE
        case SetUnion(left, right):
            return members(left) | members(right)
        case SetIntersection(left, right):
            return members(left) & members(right)
        case SetDifference(left, right):
            return members(left) & ~covered(right)
        case Domain(relation):
            return ends(relation)[0]
        case Range(relation):
            return ends(relation)[1]
        case DefinedSet(_, body):
            return members(body)
        case _:
            assert_never(term)


@lru_cache(maxsize=1024)
def covered(term: SetTerm) -> Kinds:
    """Kinds of which all events are members of a set."""
    match term:
        case BaseSet(name):
            return _EXACT.get(name, NONE)
        case Everything():
            return ALL
        case SetUnion(left, right):
            return covered(left) | covered(right)
        case SetIntersection(left, right):
            return covered(left) & covered(right)
        case SetDifference(left, right):
            return covered(left) & ~members(right)
        case DefinedSet(_, body):
            return covered(body)
        case Nothing() | Domain() | Range():
            return NONE
        case _:
            assert_never(term)


@lru_cache(maxsize=1024)
def ends(term: RelationTerm) -> tuple[Kinds, Kinds]:
    """The kinds that the first and the second events of the pairs of a relation can have."""
    # What is frequent comes first.
    match term:
        case Compose(one, other):
            return ends(one)[0], ends(other)[1]
        case Closure(body) | Defined(_, body):
            return ends(body)
        case Union(one, other):
            (a, b), (c, d) = ends(one), ends(other)
            return a | c, b | d
        case Intersection(one, other):
            (a, b), (c, d) = ends(one), ends(other)
            return a & c, b & d
        case Identity(events):
            return members(events), members(events)
        case Base(name):
            return _ENDS.get(name, (ALL, ALL))
        case Product(left, right):
            return members(left), members(right)
        case Difference(one, other):
            (a, b), (c, d) = ends(one), _covered_ends(other)
            return a & ~c, b & ~d
        case Inverse(body):
            first, second = ends(body)
            return second, first
        case Empty():
            return NONE, NONE
        case RecursionVariable() | Recursive():
            return ALL, ALL
        case _:
            assert_never(term)


@lru_cache(maxsize=1024)
def _covered_ends(term: RelationTerm) -> tuple[Kinds, Kinds]:
    """Kinds such that a relation has every pair of which the first (the second) event is of one of them."""
    match term:
        case Product(left, right):
            first, second = covered(left), covered(right)
            return first if second is ALL else NONE, second if first is ALL else NONE
        case Union(one, other):
            (a, b), (c, d) = _covered_ends(one), _covered_ends(other)
            return a | c, b | d
        case Intersection(one, other):
            (a, b), (c, d) = _covered_ends(one), _covered_ends(other)
            return a & c, b & d
        case Inverse(body):
            first, second = _covered_ends(body)
            return second, first
        case Defined(_, body):
            return _covered_ends(body)
        case _:
            return NONE, NONE


# Relations of accesses of one location: nobody accesses it atomically, or not.
_OF_ONE_LOCATION: Final = frozenset({"rf", "mo", "loc"})


@lru_cache(maxsize=4096)
def reached(term: RelationTerm, start: Kinds, *, backwards: bool = False) -> Kinds:
    """The kinds of the second events of the pairs of a relation whose first events are of some kinds, or conversely."""
    match term:
        case Compose(one, other):
            first, last = (other, one) if backwards else (one, other)
            return reached(last, reached(first, start, backwards=backwards), backwards=backwards)
        case Defined(_, body):
            return reached(body, start, backwards=backwards)
        case Inverse(body):
            return reached(body, start, backwards=not backwards)
        case Union(one, other):
            return reached(one, start, backwards=backwards) | reached(other, start, backwards=backwards)
        case Intersection(one, other):
            return reached(one, start, backwards=backwards) & reached(other, start, backwards=backwards)
        case Closure(body):
            found, known = reached(body, start, backwards=backwards), NONE
            while found is not known:
                known, found = found, found | reached(body, found, backwards=backwards)
            return found
        case Identity(events):
            return start & members(events)
    near, far = reversed(ends(term)) if backwards else ends(term)
    if not near & start:
        return NONE
    match term:
        case Base(name) if name in _OF_ONE_LOCATION and not near & start & ~PLAIN:
            return far & PLAIN
        case Base(name) if name in _OF_ONE_LOCATION and not near & start & PLAIN:
            return far & ~PLAIN
        case Difference(one, _):
            return far & reached(one, start, backwards=backwards)
        case _:
            return far
