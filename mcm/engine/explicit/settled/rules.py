r"""Whether a model leaves settled accesses no freedom, and lets them be left out: by the shapes of its terms.

Needed are: closures H that order events (happens-before), irreflexive; H on accesses of one location, h; that a plain
read reads a visible write, `(h & (W * R)) \ (h ; [W] ; h)`; that what is not ordered by h may not be last,
`irreflexive mo ; h`; and that every other check and flag either has settled accesses at no end, or has one of the
shapes below, which settled accesses satisfy. For relaxed atomics it must be coherent as well, with read-modify-writes
that read the write just before. `docs/search.md` has the argument for each.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.cat.model import Shape
from mcm.engine.explicit.settled.footprint import OF_ANY_ORDER, OF_COMMANDS, PLAIN, RELAXED, WAITING, Footprints
from mcm.engine.explicit.settled.shapes import is_local, is_same
from mcm.engine.explicit.settled.visible_writes import visibility, visible_writes
from mcm.relation.parts import bare, intersections, spread, unions
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
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.cat.model import Check, Flag, Model
    from mcm.relation.term import RelationTerm

RF, _MO, _LOC, _INT, _PO = map(Base, ("rf", "mo", "loc", "int", "po"))
_SHARED: Final = Base("shared-buffer")
_ATOMIC_OBJECTS: Final = Product(BaseSet("AO"), BaseSet("AO"))
_READS, _WRITES = BaseSet("R"), BaseSet("W")
SAME: Final = Identity(Everything())


class Located(Struct, frozen=True):
    """A part of h: pairs of `order` of one location, between the members of each of `sides`."""

    order: Closure
    sides: tuple[tuple[SetTerm, SetTerm], ...]


class SettlingRules(Struct, frozen=True):
    """What is needed of a model: the parts of h, the reads that need a visible write, the closures H.

    Of each closure it has the local parts of its body; the others concern no settled access, but `bridges` of them may
    lead through settled ones: those `of_atomics` through atomics only. A read must not have its source in one of
    `flagged`: a flag is about such sources. `unordered` are flags about conflicting accesses that nothing orders,
    without what is not local in them. `atomics`: relaxed atomics may be settled too. `orders_writes`: the modification
    order does not go against h. `apart`: a flag is about atomics on one buffer in kernels that the host enqueues,
    unless one of these orders them.
    """

    parts: tuple[Located, ...]
    visible: SetTerm
    local: dict[Closure, tuple[RelationTerm, ...]]
    bridges: dict[Closure, tuple[RelationTerm, ...]]
    of_atomics: frozenset[RelationTerm]
    flagged: tuple[SetTerm, ...]
    unordered: tuple[RelationTerm, ...]
    atomics: bool
    orders_writes: bool
    apart: tuple[Closure, ...] = ()


@lru_cache(maxsize=64)
def settling_rules(model: Model, empty: frozenset[str]) -> SettlingRules | None:
    """The rules of a model where the base sets and relations `empty` are empty; None if they are not enough.

    They are for plain accesses alone where the model asks too much of others.
    """
    found = visible_writes(model, empty)
    if found is None:
        return None
    orders = {order.name: order.events for order in model.linearisations}
    for settled in (RELAXED, PLAIN):
        rules = _Rules(model, empty, Footprints(empty, orders, settled), *found)
        if rules.are_enough() and (settled is PLAIN or rules.are_coherent()):
            return rules.result(Footprints(empty, orders, PLAIN), atomics=settled is RELAXED)
    return None


@lru_cache(maxsize=64)
def rules_for_all(model: Model, empty: frozenset[str]) -> SettlingRules | None:
    """The rules that hold where nothing but barriers is left, whatever the orders of atomics; None if not enough.

    Then nothing has to stay as it was, and what synchronises through atomics orders nothing else.
    """
    found = visible_writes(model, empty)
    if found is None:
        return None
    orders = {order.name: order.events for order in model.linearisations}
    rules = _Rules(model, empty, Footprints(empty, orders, OF_ANY_ORDER), *found)
    others = (
        Footprints(empty, orders, WAITING, of_units=True),
        Footprints(empty, orders, OF_COMMANDS, of_commands=True),
    )
    return rules.result_for_all() if rules.force_all(others) else None


class _Rules:
    """One model, with its h and the reads that need a visible write."""

    def __init__(
        self, model: Model, empty: frozenset[str], footprints: Footprints, order: RelationTerm, visible: SetTerm
    ) -> None:
        self._model: Final = model
        self._order: Final = order
        self._visible: Final = visible
        self._order_parts: Final = {bare(order), *unions(order)}
        self._footprints: Final = footprints
        self._empty: Final = empty
        self._parts: Final = tuple(map(self._located, self._unions(order)))
        self._flagged: Final[list[SetTerm]] = []
        self._unordered: Final[list[RelationTerm]] = []
        self._apart: Final[list[Closure]] = []
        self._irreflexive: Final = {bare(part) for check in model.checks for part in irreflexive_parts(check)}

    def result(self, of_plain: Footprints, *, atomics: bool) -> SettlingRules:
        """The rules; to be called when they are enough. `of_plain`: the footprints where only plain accesses settle."""
        parts = tuple(part for part in self._parts if part is not None)
        bodies = {order: tuple(unions(order.body)) for order in self._footprints.carried}
        local = {order: tuple(filter(is_local, body)) for order, body in bodies.items()}
        bridges = {
            order: tuple(filter(self._bridges, chain.from_iterable(map(spread, filter(self._bridges, body)))))
            for order, body in bodies.items()
        }
        every = chain.from_iterable(bridges.values())
        of_atomics = frozenset(part for part in every if not of_plain.relation(part).bridges)
        flagged, unordered = tuple(self._flagged), tuple(self._unordered)
        return SettlingRules(
            parts, self._visible, local, bridges, of_atomics, flagged, unordered, atomics, self._orders_writes()
        )

    def result_for_all(self) -> SettlingRules:
        """The rules where nothing else is left; to be called when they force all."""
        parts = tuple(part for part in self._parts if part is not None)
        local = {part.order: tuple(filter(is_local, unions(part.order.body))) for part in parts}
        flagged, unordered = tuple(self._flagged), tuple(self._unordered)
        local |= {order: tuple(filter(is_local, unions(order.body))) for order in self._apart}
        apart = tuple(self._apart)
        return SettlingRules(
            parts,
            self._visible,
            local,
            {},
            frozenset(),
            flagged,
            unordered,
            atomics=True,
            orders_writes=True,
            apart=apart,
        )

    def _bridges(self, term: RelationTerm) -> bool:
        return not is_local(term) and self._footprints.relation(term).bridges

    def _unions(self, term: RelationTerm) -> list[RelationTerm]:
        """What a relation is the union of, without what is empty."""
        return [part for part in unions(term) if not self._footprints.relation(part).is_empty]

    def _intersections(self, term: RelationTerm) -> Iterator[RelationTerm]:
        """What a relation is the intersection of; a union of which all but one part is empty is that part."""
        for part in intersections(term):
            several = self._unions(part)
            if isinstance(part, Union) and len(several) == 1:
                yield from self._intersections(several[0])
            else:
                yield part

    def _located(self, term: RelationTerm) -> Located | None:
        """A part of h; None if it is no closure, on one location, between members of sets."""
        closures: list[Closure] = []
        sides: list[tuple[SetTerm, SetTerm]] = []
        is_located = False
        for part in self._intersections(term):
            match part:
                case Closure() as closure:
                    closures.append(closure)
                case Product(left, right):
                    sides.append((left, right))
                case _ if part == _LOC:
                    is_located = True
                case _:
                    return None
        return Located(closures[0], tuple(sides)) if is_located and len(closures) == 1 else None

    def are_coherent(self) -> bool:
        """Whether the modification order agrees with h, atomics read by both, and updates read the write before."""
        found = self._irreflexive
        return (
            self._orders_writes()
            and any(isinstance(t, Compose) and _is_fr(t.left) and self._is_order(t.right) for t in found)
            and any(isinstance(t, Compose) and bare(t.left) == RF and self._is_order(t.right) for t in found)
            and RF in found
            and any(isinstance(t, Compose) and _is_mo(t.left) and bare(t.right) == RF for t in found)
            and any(map(skips_a_write, found))
        )

    def _orders_writes(self) -> bool:
        """Whether the modification order does not go against h."""
        return any(isinstance(t, Compose) and self._is_order(t.left) and _is_mo(t.right) for t in self._irreflexive)

    def are_enough(self) -> bool:
        """Whether settled accesses have one source each and break no check, and removing them changes no other."""
        model = self._model
        if None in self._parts:
            return False
        for order in model.linearisations:
            inside = Intersection(order.order, Product(order.events, order.events))
            if self._footprints.set(order.events).some or not self._footprints.is_untouched(inside):
                return False
        if not (all(map(self._is_harmless, model.checks)) and all(map(self._is_not_raised, model.flags))):
            return False
        if not all(is_local(p) or self._is_free(p) for h in self._footprints.carried for p in unions(h.body)):
            return False
        return self._irreflexive.issuperset(self._footprints.carried) and any(map(self._puts_last, self._irreflexive))

    def force_all(self, others: tuple[Footprints, ...]) -> bool:
        """Whether settled accesses have one source each, and neither they nor barriers and commands raise a flag."""
        return (
            all(part is not None and part.order in self._irreflexive for part in self._parts)
            and any(map(self._puts_last, self._irreflexive))
            and self.are_coherent()
            and all(self._is_not_raised_at_all(flag, others) for flag in self._model.flags)
        )

    def _is_not_raised_at_all(self, flag: Flag, others: tuple[Footprints, ...]) -> bool:
        term = flag.term
        if isinstance(term, SetTerm) or flag.shape is not Shape.EMPTY or not flag.negated:
            return all(footprints.is_untouched(term) for footprints in (self._footprints, *others))
        return all(
            (self._is_not_raised_within(part) or self._is_of_apart(part))
            and all(footprints.relation(part).is_free for footprints in others)
            for part in self._unions(term)
        )

    def _is_free(self, term: RelationTerm) -> bool:
        footprint = self._footprints.relation(term)
        return footprint.exact and footprint.is_free

    # --- checks -------------------------------------------------------------------------------------------------------

    def _is_harmless(self, check: Check) -> bool:
        """Whether a check speaks of other events only, and exactly, or holds of settled accesses."""
        term = check.term
        if check.negated or isinstance(term, SetTerm):
            return self._footprints.is_untouched(term)
        match check.shape:
            case Shape.IRREFLEXIVE:
                return all(map(self._has_no_loop, unions(term)))
            case Shape.ACYCLIC:
                return self._footprints.is_untouched(Closure(term))
            case Shape.EMPTY:
                return self._footprints.is_untouched(term) or (
                    visibility(check, self._empty) is not None and self._footprints.relation(term).is_kept
                )
            case _:
                assert_never(check.shape)

    def _has_no_loop(self, term: RelationTerm) -> bool:
        """Whether a relation is exact, and relates no settled access to itself."""
        footprint = self._footprints.relation(term)
        if not footprint.is_kept or not footprint.inside:
            return footprint.is_kept
        return bare(term) in self._footprints.carried or self._leads_on(term) or skips_a_write(bare(term))

    def _leads_on(self, term: RelationTerm, *, or_stays: bool = False) -> bool:
        """Whether on accesses of one location a relation is within one total order of them.

        With `or_stays` it may relate the same besides.
        """
        plain = bare(term)
        if plain in {RF, _MO} or plain in self._order_parts or _is_fr(plain) or (or_stays and is_same(plain)):
            return True
        match plain:
            case Union(one, other):
                return self._leads_on(one, or_stays=or_stays) and self._leads_on(other, or_stays=or_stays)
            case Intersection(one, other):
                return self._leads_on(one, or_stays=or_stays) or self._leads_on(other, or_stays=or_stays)
            case Difference(one, _):
                return self._leads_on(one, or_stays=or_stays)
            case Compose(one, other):
                both = self._leads_on(one, or_stays=True) and self._leads_on(other, or_stays=True)
                return both and (or_stays or self._leads_on(one) or self._leads_on(other))
            case _:
                return False

    def _is_order(self, term: RelationTerm) -> bool:
        """Whether a relation is h, or h or the same."""
        return {bare(part) for part in unions(term)} - {SAME} == {bare(part) for part in unions(self._order)}

    def _puts_last(self, term: RelationTerm) -> bool:
        """Whether a relation is the modification order of all objects that are not atomic, and then h; or h first."""
        if not isinstance(term, Compose):
            return False
        sides = ((term.left, term.right), (term.right, term.left))
        return any(_has_plain_writes(one) and bare(other) == bare(self._order) for one, other in sides)

    # --- flags --------------------------------------------------------------------------------------------------------

    def _is_not_raised(self, flag: Flag) -> bool:
        """Whether a flag speaks of other events only, and exactly, or is not raised by settled accesses."""
        term = flag.term
        if isinstance(term, SetTerm) or flag.shape is not Shape.EMPTY or not flag.negated:
            return self._footprints.is_untouched(term)
        # A union is empty where each of its parts is.
        return all(map(self._is_not_raised_by, self._unions(term)))

    def _is_not_raised_by(self, term: RelationTerm) -> bool:
        return self._footprints.relation(term).is_kept and self._is_not_raised_within(term)

    def _is_not_raised_within(self, term: RelationTerm) -> bool:
        footprint = self._footprints.relation(term)
        if footprint.into or footprint.out:
            return False
        return not footprint.inside or self._is_of_unordered(term) or self._is_of_sources(term)

    def _is_of_unordered(self, term: RelationTerm) -> bool:
        """Whether pairs are accesses of one location, one a write, of two units or one, that nothing orders."""
        excused: set[RelationTerm] = set()
        whole = term
        while isinstance(outer := bare(term), Difference):
            excused |= {bare(part) for part in unions(outer.right)}
            term = outer.left
        base = list(self._intersections(term))
        if _LOC not in base or not any(map(_needs_write, base)):
            return False
        if _INT in base and {SAME, _PO, Inverse(_PO)} <= excused:
            return True
        parts = {bare(part) for part in unions(self._order)}
        self._unordered.append(_local_part(whole))
        return self._inverted(excused) and ({bare(self._order)} <= excused or parts <= excused)

    def _is_of_apart(self, term: RelationTerm) -> bool:
        """Whether pairs are of different kernel instances, which no closure orders whole."""
        excused: set[RelationTerm] = set()
        while isinstance(outer := bare(term), Difference):
            excused |= {bare(part) for part in unions(outer.right)}
            term = outer.left
        orders = [
            part for part in excused if isinstance(part, Closure) and Inverse(part) in map(_bare_inverse, excused)
        ]
        if not orders or not self._is_of_buffers(term):
            return False
        self._apart.extend(orders)
        return True

    def _is_of_buffers(self, term: RelationTerm) -> bool:
        """Whether all pairs are accesses of one buffer by kernel instances that are no family."""
        plain = bare(term)
        if isinstance(plain, Difference):
            return self._is_of_buffers(plain.left)
        return plain == _SHARED or any(map(self._is_of_buffers, set(intersections(plain)) - {plain}))

    def _inverted(self, excused: set[RelationTerm]) -> bool:
        return any(isinstance(part, Inverse) and bare(part.body) == bare(self._order) for part in excused)

    def _is_of_sources(self, term: RelationTerm) -> bool:
        """Whether pairs are reads-from with a source in some set: then settled reads must have another one."""
        plain = bare(term)
        if isinstance(plain, Compose) and bare(plain.right) == RF:
            sources = bare(plain.left)
            if isinstance(sources, Identity):
                self._flagged.append(sources.set)
                return True
        return False


def _bare_inverse(term: RelationTerm) -> RelationTerm:
    """The inverse of what no definition names."""
    return Inverse(bare(term.body)) if isinstance(term, Inverse) else term


def _is_mo(term: RelationTerm) -> bool:
    """Whether a relation is the modification order, of all objects or of atomic ones."""
    parts = set(intersections(term))
    return _MO in parts and parts <= {_MO, _ATOMIC_OBJECTS}


def _is_fr(term: RelationTerm) -> bool:
    """Whether a relation is from-reads: `rf^-1 ; mo`, but for what is the same."""
    match bare(term):
        case Difference(every, same) if bare(same) == SAME:
            match bare(every):
                case Compose(source, order):
                    return bare(source) == Inverse(RF) and _is_mo(order)
    return False


def skips_a_write(term: RelationTerm) -> bool:
    """Whether a relation is `mo ; mo ; rf^-1`: from a write over another one back to what an update reads."""
    if isinstance(term, Compose) and bare(term.right) == Inverse(RF):
        orders = bare(term.left)
        return isinstance(orders, Compose) and _is_mo(orders.left) and _is_mo(orders.right)
    return False


def _local_part(term: RelationTerm) -> RelationTerm:
    """At least the pairs of one location in a relation, as a local term."""
    match bare(term):
        case Difference(one, other):
            return Difference(_local_part(one), other) if is_local(other) else _local_part(one)
        case Intersection(one, other):
            return Intersection(_local_part(one), _local_part(other))
        case plain:
            return plain if is_local(plain) else Product(Everything(), Everything())


def irreflexive_parts(check: Check) -> Iterator[RelationTerm]:
    """The relations that a check says are irreflexive."""
    if check.shape is Shape.IRREFLEXIVE and not check.negated and not isinstance(check.term, SetTerm):
        yield from unions(check.term)


def _has_plain_writes(term: RelationTerm) -> bool:
    """Whether a relation is the modification order but for pairs of atomic objects."""
    match bare(term):
        case Difference(every, atomic):
            return bare(every) == _MO and _ATOMIC_OBJECTS in intersections(atomic)
        case plain:
            return plain == _MO


def _needs_write(term: RelationTerm) -> bool:
    """Whether every pair of a relation, a union of products, has a write as an end."""
    return all(isinstance(part, Product) and _WRITES in (part.left, part.right) for part in unions(term))
