"""The checks of a model that reads see visible writes, by their shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.cat.model import Shape
from mcm.engine.explicit.settled.shapes import READ_BACK
from mcm.relation.parts import bare, intersections
from mcm.relation.term import (
    Base,
    BaseSet,
    Compose,
    Difference,
    Identity,
    Intersection,
    Product,
    SetIntersection,
    SetTerm,
    SetUnion,
    children,
)

if TYPE_CHECKING:
    from mcm.cat.model import Check, Model
    from mcm.relation.term import RelationTerm, Term

_RF, _PO = Base("rf"), Base("po")
_READS, _WRITES, _IMAGES = map(BaseSet, ("R", "W", "IMAGES"))
_READ_BACK: Final = Product(SetIntersection(_WRITES, _IMAGES), SetIntersection(_READS, _IMAGES))


def visible_writes(model: Model, empty: frozenset[str]) -> tuple[RelationTerm, SetTerm] | None:
    """The h of the checks that reads see visible writes, and what they are about together; None if there is not one."""
    found = [each for each in (visibility(check, empty) for check in model.checks) if each is not None]
    apart = [visible for _, visible in found if _mentions_images(visible)]
    # Where images are seen in another way than all else, that has to be said as well.
    lacks_images = len(apart) == 1 and "IMAGES" not in empty
    is_for_all = any(visibility(check) is not None for check in model.checks)
    if lacks_images or not is_for_all or len({bare(order) for order, _ in found}) != 1:
        return None
    order, visible = found[0]
    for _, others in found[1:]:
        visible = SetUnion(visible, others)
    return order, visible


def _mentions_images(events: SetTerm) -> bool:
    waiting: list[Term] = [events]
    while waiting:
        part = waiting.pop()
        if part == _IMAGES:
            return True
        waiting += children(part)
    return False


def visibility(check: Check, empty: frozenset[str] = frozenset()) -> tuple[RelationTerm, SetTerm] | None:
    r"""The h and the set S of a check `empty (rf ; [S]) \ ((h & (W * R)) \ (h ; [W] ; h))`; None for any other.

    Where no unit reads back what it writes to images (`READ_BACK` is `empty`), the latter h may lack pairs of that.
    """
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
                        and _is_hidden(hidden, order, empty)
                    ):
                        return order, ends.set
    return None


def _of_writes_before_reads(term: RelationTerm) -> RelationTerm | None:
    """The h of `h & (W * R)`."""
    match bare(term):
        case Intersection(order, sides) if bare(sides) == Product(_WRITES, _READS):
            return order
    return None


def _is_hidden(term: RelationTerm, order: RelationTerm, empty: frozenset[str]) -> bool:
    """Whether a relation is `h ; [W] ; h`."""
    match bare(term):
        case Compose(first, second) if bare(_with_read_back(second, empty)) == bare(order):
            match bare(first):
                case Compose(one, write):
                    return bare(one) == bare(order) and bare(write) == Identity(_WRITES)
    return False


def _with_read_back(term: RelationTerm, empty: frozenset[str]) -> RelationTerm:
    """What a relation is but for pairs of what a unit writes to images and reads back, where there are none."""
    match bare(term):
        case Difference(whole, lacking) if READ_BACK in empty and _is_of_read_back(lacking):
            return whole
    return term


def _is_of_read_back(term: RelationTerm) -> bool:
    """Whether all pairs are of a write of an image and a later read of one by the same unit."""
    plain = bare(term)
    if isinstance(plain, Difference):
        return _is_of_read_back(plain.left)
    return {_PO, _READ_BACK} <= {bare(part) for part in intersections(plain)}
