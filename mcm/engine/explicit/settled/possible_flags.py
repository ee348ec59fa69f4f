"""Which flags of a model may be raised whatever happens before what: by the kinds of two events, and how they stand.

What the program fixes of two events is known of all executions: their sets, their groups, and whether one is sequenced
before the other. Each flag is bounded from above by a term that speaks of nothing else, so it is evaluated once for
all events of two kinds that stand in one way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.base.bits import members
from mcm.cat.model import Shape
from mcm.execution.vocabulary import PLACES, SETS
from mcm.relation.evaluate import Evaluator, Structure
from mcm.relation.parts import bare, intersections, unions
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
    SetDifference,
    SetIntersection,
    SetTerm,
    SetUnion,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.cat.model import Flag, Model
    from mcm.engine.explicit.settled.kinds import Kinds
    from mcm.relation.term import RelationTerm

# What the program fixes of two events by where they stand.
FIXED: Final = ("po", "int", "ext", *PLACES)

_ALL: Final = Product(Everything(), Everything())
_LOC: Final = Base("loc")
# Pairs of these access one location.
_OF_ONE_LOCATION: Final = {
    _LOC: _ALL,
    Base("rf"): Product(BaseSet("W"), BaseSet("R")),
    Base("mo"): Product(BaseSet("W"), BaseSet("W")),
}


class Standing(Struct, frozen=True):
    """How two events stand: the relations of `FIXED` that lead from the first to the second, and back."""

    forth: frozenset[str]
    back: frozenset[str]


class PossibleFlags:
    """The flags of a model, bounded for the kinds of the events of one skeleton."""

    def __init__(self, model: Model, kinds: Kinds, empty: frozenset[str]) -> None:
        """`empty` are base relations that are empty in all executions."""
        self._names: Final = kinds.names
        self._everything: Final = (1 << len(kinds.names)) - 1
        parts = [part for flag in model.flags for part in _parts(flag)]
        # A flag of another form may always be raised.
        self._is_open: Final = None in parts
        known = [part for part in parts if part is not None]
        together, anywhere = _Bounds(empty, of_one_location=True), _Bounds(empty, of_one_location=False)
        self._of_one_location: Final = [together.relation(part, above=True) for part in known]
        self._others: Final = [anywhere.relation(part, above=True) for part in known if not _is_of_one_location(part)]
        self._evaluators: Final[dict[Standing, Evaluator]] = {}

    def may_be_raised_somewhere(self, standing: Standing) -> bool:
        """Whether a flag that is not about accesses of one location may be raised by two events that stand so."""
        return self._is_open or any(
            self._has(part, standing, self._everything, self._everything) for part in self._others
        )

    def may_be_raised(self, standing: Standing, first: int, second: int) -> bool:
        """Whether a flag may be raised by two accesses of one location, of these kinds, that stand so, or by one."""
        return self._is_open or any(self._has(part, standing, first, second) for part in self._of_one_location)

    def _has(self, bound: RelationTerm, standing: Standing, first: int, second: int) -> bool:
        count, rows = len(self._names), self._evaluator(standing).relation(bound)
        return any(
            row & (second << count | 1 << kind) or rows[count + kind] >> count + kind & 1
            for kind, row in enumerate(rows[:count])
            if first >> kind & 1
        ) or any(rows[count + kind] & (first | 1 << count + kind) for kind in members(second))

    def _evaluator(self, standing: Standing) -> Evaluator:
        """A structure of two events of each kind; each of the first ones stands so to each of the others."""
        found = self._evaluators.get(standing)
        if found is None:
            count = len(self._names)
            size, firsts = 2 * count, self._everything
            sets = {name: sum(1 << i for i in range(size) if name in self._names[i % count]) for name in SETS}
            rows = {}
            for name in FIXED:
                forth = firsts << count if name in standing.forth else 0
                back = firsts if name in standing.back else 0
                own = name not in {"po", "ext"}
                rows[name] = tuple((forth if i < count else back) | own << i for i in range(size))
            found = self._evaluators[standing] = Evaluator(Structure(size, (1 << size) - 1, sets, rows))
        return found


def _parts(flag: Flag) -> Iterator[RelationTerm | None]:
    """The relations of which a flag is about any pair; None where it is about something else."""
    if flag.shape is not Shape.EMPTY or not flag.negated:
        yield None
    elif isinstance(flag.term, SetTerm):
        yield Identity(flag.term)
    else:
        yield from unions(flag.term)


def _is_of_one_location(term: RelationTerm) -> bool:
    """Whether all pairs of a relation access one location, by its shape."""
    match bare(term):
        case Intersection() as both:
            return any(map(_is_of_one_location, intersections(both)))
        case Union(one, other):
            return _is_of_one_location(one) and _is_of_one_location(other)
        case Difference(one, _):
            return _is_of_one_location(one)
        case Compose(one, other) if isinstance(bare(one), Identity):
            return _is_of_one_location(other)
        case Compose(one, other) if isinstance(bare(other), Identity):
            return _is_of_one_location(one)
        case plain:
            return plain in _OF_ONE_LOCATION


class _Bounds(Struct, frozen=True):
    """Bounds of terms on pairs of events, `of_one_location` or any, by what the program fixes.

    Those `above` contain a relation or set, the others are within it.
    """

    empty: frozenset[str]
    of_one_location: bool

    def relation(self, term: RelationTerm, *, above: bool) -> RelationTerm:
        """A bound of a relation."""
        unknown: RelationTerm = _ALL if above else Empty()
        match term:
            case Defined(_, body):
                return self.relation(body, above=above)
            case Base(name):
                if name in self.empty:
                    return Empty()
                if name in FIXED or (term == _LOC and self.of_one_location):
                    return term if name in FIXED else _ALL
                return _OF_ONE_LOCATION.get(term, _ALL) if above else unknown
            case Empty():
                return term
            case Identity(events):
                return Identity(self.set(events, above=above))
            case Product(left, right):
                return Product(self.set(left, above=above), self.set(right, above=above))
            case Union(one, other):
                return Union(self.relation(one, above=above), self.relation(other, above=above))
            case Intersection(one, other):
                return Intersection(self.relation(one, above=above), self.relation(other, above=above))
            case Difference(one, other):
                return Difference(self.relation(one, above=above), self.relation(other, above=not above))
            case Inverse(body):
                return Inverse(self.relation(body, above=above))
            case Compose(one, other):
                # The event in the middle is one of the two only if one of the parts leads nowhere.
                if not (isinstance(bare(one), Identity) or isinstance(bare(other), Identity)):
                    return unknown
                return Compose(self.relation(one, above=above), self.relation(other, above=above))
            case Closure(body):
                return _ALL if above else self.relation(body, above=False)
            case _:
                # Of what is defined by itself, and of operators that are not known here, nothing is.
                return unknown

    def set(self, term: SetTerm, *, above: bool) -> SetTerm:
        """A bound of a set."""
        match term:
            case BaseSet() | Everything() | Nothing():
                return term
            case SetUnion(one, other):
                return SetUnion(self.set(one, above=above), self.set(other, above=above))
            case SetIntersection(one, other):
                return SetIntersection(self.set(one, above=above), self.set(other, above=above))
            case SetDifference(one, other):
                return SetDifference(self.set(one, above=above), self.set(other, above=not above))
            case DefinedSet(_, body):
                return self.set(body, above=above)
            case Domain() | Range():
                return Everything() if above else Nothing()
            case _:
                assert_never(term)
