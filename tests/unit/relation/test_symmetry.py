from __future__ import annotations

from pathlib import Path

import pytest

from mcm.base.bits import members
from mcm.catalogue.registry import get, names
from mcm.execution.elaborate import elaborate
from mcm.execution.vocabulary import RELATIONS, SYMMETRIC
from mcm.front_end.read import read_test
from mcm.front_end.test import InvalidTestError
from mcm.relation.symmetry import is_symmetric
from mcm.relation.term import (
    Base,
    BaseSet,
    Closure,
    Compose,
    Difference,
    Identity,
    Intersection,
    Inverse,
    Product,
    RelationTerm,
    Union,
)
from mcm.syntax.read import read_source

PO, LOC = Base("po"), Base("loc")
READS, WRITES = BaseSet("R"), BaseSet("W")
SHIPPED = Path(__file__).resolve().parents[3] / "litmus" / "opencl"


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (PO, False),
        (LOC, True),
        (Union(PO, Inverse(PO)), True),
        (Union(PO, LOC), False),
        (Union(Product(READS, WRITES), Product(WRITES, READS)), True),
        (Product(READS, WRITES), False),
        (Intersection(LOC, Product(READS, READS)), True),
        (Difference(LOC, PO), False),
        (Difference(LOC, Union(Inverse(PO), PO)), True),
        (Closure(Union(PO, Inverse(PO))), True),
        (Compose(LOC, LOC), False),
        (Inverse(Identity(READS)), True),
    ],
)
def test_terms(term: RelationTerm, expected: bool) -> None:
    assert is_symmetric(term, SYMMETRIC) is expected


def test_races_are_symmetric_in_all_models() -> None:
    races = [flag.term for name in names() for flag in get(name).flags if flag.name == "data_race"]
    assert len(races) > 10
    assert all(isinstance(term, RelationTerm) and is_symmetric(term, SYMMETRIC) for term in races)


@pytest.mark.slow
def test_the_base_relations_said_to_be_symmetric_are() -> None:
    assert set(RELATIONS) > SYMMETRIC
    seen = set()
    for path in sorted(SHIPPED.rglob("*.litmus"))[::6]:
        source = read_source(path)
        try:
            program = read_test(source).program
        except InvalidTestError:
            continue
        for skeleton in elaborate(program, 1):
            for name in SYMMETRIC & skeleton.relations.keys():
                rows = skeleton.relations[name]
                pairs = {(first, last) for first, row in enumerate(rows) for last in members(row)}
                assert {(last, first) for first, last in pairs} == pairs, (path, name)
                seen |= {name} if pairs else set()
    assert seen == SYMMETRIC - {"loc"}  # which depends on the values of the execution
