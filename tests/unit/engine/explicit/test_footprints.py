"""Which pairs of a term may have a settled access as an end or in the middle."""

from typing import Final

from mcm.engine.explicit.settled.footprint import RELAXED as RELAXED_SETS
from mcm.engine.explicit.settled.footprint import Footprints
from mcm.relation.term import Base, BaseSet, Closure, Compose, Identity, Product, SetDifference, SetIntersection, Union

PO, RF, MO = Base("po"), Base("rf"), Base("mo")
ATOMIC: Final = Identity(BaseSet("A"))


def test_a_composition_is_exact_unless_its_middle_may_be_settled() -> None:
    footprints = Footprints(frozenset(), {})

    assert not footprints.relation(Compose(PO, PO)).is_kept
    assert footprints.relation(Compose(Compose(PO, ATOMIC), PO)).is_kept
    # A settled write is read by settled reads alone, and these lead on.
    assert footprints.relation(Compose(ATOMIC, Compose(RF, PO))).is_kept
    assert footprints.relation(Compose(Compose(ATOMIC, MO), RF)).is_free


def test_what_leads_in_and_out_in_sequence_and_forward_on_a_location_bridges() -> None:
    footprints = Footprints(frozenset(), {}, RELAXED_SETS)
    writes = Identity(SetIntersection(BaseSet("W"), BaseSet("A")))
    through = Compose(Compose(Compose(PO, writes), RF), PO)

    assert footprints.relation(through).exact
    assert footprints.relation(through).bridges
    assert not footprints.relation(Compose(through, PO)).exact
    assert not footprints.relation(Compose(Compose(Base("ext"), RF), PO)).exact
    # From a read one would come to other reads of the location.
    assert not footprints.relation(Compose(Compose(PO, Base("loc")), PO)).exact


def test_closures_that_lead_through_settled_accesses_are_noted() -> None:
    footprints = Footprints(frozenset(), {})
    carried, not_carried = Closure(Union(PO, RF)), Closure(Union(RF, MO))

    assert footprints.relation(carried).out
    assert footprints.relation(not_carried).exact
    assert list(footprints.carried) == [carried]


def test_empty_sets_make_terms_empty() -> None:
    plain = SetDifference(BaseSet("M"), BaseSet("A"))

    assert Footprints(frozenset({"SC"}), {}).relation(Product(BaseSet("SC"), plain)).is_empty
    assert Footprints(frozenset(), {}).relation(Product(BaseSet("SC"), plain)).into
    assert not Footprints(frozenset({"SC"}), {}).set(SetIntersection(BaseSet("SC"), plain)).some
