"""Whether updates of atomic objects read the last write before them, by the checks of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.cat.model import Shape
from mcm.relation.parts import bare, unions
from mcm.relation.term import Base, BaseSet, Compose, Intersection, Inverse, Product, SetTerm

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.relation.term import RelationTerm

_RF, _MO = Base("rf"), Base("mo")
_ATOMIC_OBJECTS: Final = Product(BaseSet("AO"), BaseSet("AO"))
_AFTER_ITS_SOURCE: Final = Compose(_MO, _RF)
_NEXT_TO_ITS_SOURCE: Final = Compose(Compose(_MO, _MO), Inverse(_RF))


def reads_write_before(model: Model) -> bool:
    """Whether an update of an atomic object has to read from the last write before it: a check says so."""
    parts = {
        _plain(part)
        for check in model.checks
        if check.shape is Shape.IRREFLEXIVE and not check.negated and not isinstance(check.term, SetTerm)
        for part in unions(check.term)
    }
    return {_RF, _AFTER_ITS_SOURCE, _NEXT_TO_ITS_SOURCE} <= parts


def _plain(term: RelationTerm) -> RelationTerm:
    """A relation with compositions from the left, without names, and for atomic objects."""
    match bare(term):
        case Intersection(order, within) if bare(order) == _MO and bare(within) == _ATOMIC_OBJECTS:
            return _MO
        case Compose(left, Compose(middle, right)):
            return _plain(Compose(Compose(left, middle), right))
        case Compose(left, right):
            return Compose(_plain(left), _plain(right))
        case plain:
            return plain
