r"""Whether a model leaves settled accesses no freedom, and lets them be left out: by the shapes of its terms.

Needed are: closures H that order events (happens-before), irreflexive; H on accesses of one location, h; that a plain
read reads a visible write, `(h & (W * R)) \ (h ; [W] ; h)`; that what is not ordered by h may not be last,
`irreflexive mo ; h`; and that every other check and flag either has settled accesses at no end, or has one of the
shapes below, which settled accesses satisfy. `docs/search.md` has the argument for each.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.cat.model import Shape
from mcm.engine.explicit.settled.footprint import Footprints
from mcm.engine.explicit.settled.shapes import bare, intersections, is_local, unions
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    Difference,
    Everything,
    Identity,
    Intersection,
    Inverse,
    Product,
    SetTerm,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.cat.model import Check, Flag, Model
    from mcm.relation.term import RelationTerm, Term

_RF, _MO, _LOC, _EXT, _INT, _PO = map(Base, ("rf", "mo", "loc", "ext", "int", "po"))
_READS, _WRITES = BaseSet("R"), BaseSet("W")
_SAME: Final = Identity(Everything())


class Located(Struct, frozen=True):
    """A part of h: pairs of `order` of one location, between the members of each of `sides`."""

    order: Closure
    sides: tuple[tuple[SetTerm, SetTerm], ...]


class SettlingRules(Struct, frozen=True):
    """What is needed of a model: the parts of h, the reads that need a visible write, the closures H.

    Of each closure it has the local parts of its body: the others concern no settled access. A read must not have its
    source in one of `flagged`: a flag is about such sources.
    """

    parts: tuple[Located, ...]
    visible: SetTerm
    local: dict[Closure, tuple[RelationTerm, ...]]
    flagged: tuple[SetTerm, ...]


@lru_cache(maxsize=64)
def settling_rules(model: Model, empty: frozenset[str]) -> SettlingRules | None:
    """The rules of a model where the base sets `empty` have no members; None if they are not enough."""
    for check in model.checks:
        found = _visibility(check)
        if found is not None:
            rules = _Rules(model, empty, *found)
            return rules.result() if rules.are_enough() else None
    return None


class _Rules:
    """One model, with its h and the reads that need a visible write."""

    def __init__(self, model: Model, empty: frozenset[str], order: RelationTerm, visible: SetTerm) -> None:
        self._model: Final = model
        self._order: Final = order
        self._visible: Final = visible
        self._parts: Final = tuple(map(_located, unions(order)))
        self._footprints: Final = Footprints(empty, frozenset(each.name for each in model.linearisations))
        self._flagged: Final[list[SetTerm]] = []

    def result(self) -> SettlingRules:
        """The rules; to be called when they are enough."""
        parts = tuple(part for part in self._parts if part is not None)
        local = {order: tuple(filter(is_local, unions(order.body))) for order in self._footprints.carried}
        return SettlingRules(parts, self._visible, local, tuple(self._flagged))

    def are_enough(self) -> bool:
        """Whether settled accesses have one source each and break no check, and removing them changes no other."""
        model = self._model
        if None in self._parts:
            return False
        for order in model.linearisations:
            inside = Intersection(order.order, Product(order.events, order.events))
            if self._footprints.set(order.events).some or not self._is_untouched(inside):
                return False
        if not (all(map(self._is_harmless, model.checks)) and all(map(self._is_not_raised, model.flags))):
            return False
        if not all(is_local(p) or self._is_untouched(p) for h in self._footprints.carried for p in unions(h.body)):
            return False
        irreflexive = {bare(part) for check in model.checks for part in _irreflexive_parts(check)}
        return irreflexive.issuperset(self._footprints.carried) and any(map(self._puts_last, irreflexive))

    # --- checks -------------------------------------------------------------------------------------------------------

    def _is_harmless(self, check: Check) -> bool:
        """Whether a check speaks of other events only, and exactly, or holds of settled accesses."""
        term = check.term
        if check.negated or isinstance(term, SetTerm):
            return self._is_untouched(term)
        match check.shape:
            case Shape.IRREFLEXIVE:
                return all(map(self._has_no_loop, unions(term)))
            case Shape.ACYCLIC:
                return self._is_untouched(Closure(term))
            case Shape.EMPTY:
                return self._is_untouched(term) or (
                    _visibility(check) is not None and self._footprints.relation(term).exact
                )
            case _:
                assert_never(check.shape)

    def _is_untouched(self, term: Term) -> bool:
        """Whether a term has no settled access in it and is exact."""
        if isinstance(term, SetTerm):
            members = self._footprints.set(term)
            return members.exact and not members.some
        footprint = self._footprints.relation(term)
        return footprint.exact and footprint.is_free

    def _has_no_loop(self, term: RelationTerm) -> bool:
        """Whether a relation is exact, and relates no settled access to itself."""
        footprint = self._footprints.relation(term)
        if not footprint.exact or not footprint.inside:
            return footprint.exact
        plain = bare(term)
        if plain == _RF or plain in self._footprints.carried or self._puts_last(plain):
            return True
        return isinstance(plain, Compose) and bare(plain.left) == _RF and self._is_order(plain.right)

    def _is_order(self, term: RelationTerm) -> bool:
        """Whether a relation is h, or h or the same."""
        return {bare(part) for part in unions(term)} - {_SAME} <= {bare(part) for part in unions(self._order)}

    def _puts_last(self, term: RelationTerm) -> bool:
        """Whether a relation is the modification order of all objects that are not atomic, and then h."""
        return isinstance(term, Compose) and _has_plain_writes(term.left) and bare(term.right) == bare(self._order)

    # --- flags --------------------------------------------------------------------------------------------------------

    def _is_not_raised(self, flag: Flag) -> bool:
        """Whether a flag speaks of other events only, and exactly, or is not raised by settled accesses."""
        term = flag.term
        if isinstance(term, SetTerm) or flag.shape is not Shape.EMPTY or not flag.negated:
            return self._is_untouched(term)
        footprint = self._footprints.relation(term)
        if footprint.exact and not (footprint.into or footprint.out):
            return not footprint.inside or self._is_of_unordered(term) or self._is_of_sources(term)
        return False

    def _is_of_unordered(self, term: RelationTerm) -> bool:
        """Whether pairs are accesses of one location, one a write, of two units or one, that nothing orders."""
        excused: set[RelationTerm] = set()
        while isinstance(outer := bare(term), Difference):
            excused |= {bare(part) for part in unions(outer.right)}
            term = outer.left
        base = list(intersections(term))
        if _LOC not in base or not any(map(_needs_write, base)):
            return False
        parts = {bare(part) for part in unions(self._order)}
        ordered = _EXT in base and self._inverted(excused) and ({bare(self._order)} <= excused or parts <= excused)
        return ordered or (_INT in base and {_SAME, _PO, Inverse(_PO)} <= excused)

    def _inverted(self, excused: set[RelationTerm]) -> bool:
        return any(isinstance(part, Inverse) and bare(part.body) == bare(self._order) for part in excused)

    def _is_of_sources(self, term: RelationTerm) -> bool:
        """Whether pairs are reads-from with a source in some set: then settled reads must have another one."""
        plain = bare(term)
        if isinstance(plain, Compose) and bare(plain.right) == _RF:
            sources = bare(plain.left)
            if isinstance(sources, Identity):
                self._flagged.append(sources.set)
                return True
        return False


def _irreflexive_parts(check: Check) -> Iterator[RelationTerm]:
    if check.shape is Shape.IRREFLEXIVE and not check.negated and not isinstance(check.term, SetTerm):
        yield from unions(check.term)


def _visibility(check: Check) -> tuple[RelationTerm, SetTerm] | None:
    r"""The h and the set S of a check `empty (rf ; [S]) \ ((h & (W * R)) \ (h ; [W] ; h))`; None for any other."""
    if check.shape is not Shape.EMPTY or check.negated or isinstance(check.term, SetTerm):
        return None
    match bare(check.term):
        case Difference(reads, allowed):
            match bare(reads), bare(allowed):
                case Compose(source, chosen), Difference(before, hidden):
                    order = _of_writes_before_reads(before)
                    ends = bare(chosen)
                    if (
                        order is not None
                        and bare(source) == _RF
                        and isinstance(ends, Identity)
                        and _is_hidden(hidden, order)
                    ):
                        return order, ends.set
    return None


def _of_writes_before_reads(term: RelationTerm) -> RelationTerm | None:
    """The h of `h & (W * R)`."""
    match bare(term):
        case Intersection(order, sides) if bare(sides) == Product(_WRITES, _READS):
            return order
    return None


def _is_hidden(term: RelationTerm, order: RelationTerm) -> bool:
    """Whether a relation is `h ; [W] ; h`."""
    match bare(term):
        case Compose(first, second) if bare(second) == bare(order):
            match bare(first):
                case Compose(one, write):
                    return bare(one) == bare(order) and bare(write) == Identity(_WRITES)
    return False


def _located(term: RelationTerm) -> Located | None:
    """A part of h; None if it is no closure, on one location, between members of sets."""
    closures: list[Closure] = []
    sides: list[tuple[SetTerm, SetTerm]] = []
    is_located = False
    for part in intersections(term):
        match part:
            case Closure():
                closures.append(part)
            case Product(left, right):
                sides.append((left, right))
            case _ if part == _LOC:
                is_located = True
            case _:
                return None
    return Located(closures[0], tuple(sides)) if is_located and len(closures) == 1 else None


def _has_plain_writes(term: RelationTerm) -> bool:
    """Whether a relation is the modification order but for pairs of atomic objects."""
    match bare(term):
        case Difference(every, atomic):
            return bare(every) == _MO and any(map(_is_of_atomic_objects, intersections(atomic)))
        case plain:
            return plain == _MO


def _is_of_atomic_objects(term: RelationTerm) -> bool:
    return term == Product(BaseSet("AO"), BaseSet("AO"))


def _needs_write(term: RelationTerm) -> bool:
    """Whether every pair of a relation, a union of products, has a write as an end."""
    return all(isinstance(part, Product) and _WRITES in (part.left, part.right) for part in unions(term))
