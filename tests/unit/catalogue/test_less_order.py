"""Which models allow at least as much when less is sequenced."""

from pathlib import Path

import pytest

import mcm
from mcm.catalogue.less_order import allows_more_with_less_order
from mcm.catalogue.registry import get_for, names


@pytest.mark.parametrize("name", names())
def test_built_in_models_do(name: str) -> None:
    assert allows_more_with_less_order(get_for(name, "accesses"))


@pytest.mark.parametrize(
    ("text", "allows"),
    [
        ("acyclic po | rf as nothing_back", True),
        ("irreflexive rf ; (int \\ po) as later_only", False),
        ("~empty po ; [R] as some", False),
        ("flag ~empty (loc & int) \\ po \\ po^-1 as loose", True),
        ("flag ~empty po & loc as tight", False),
        ("flag empty po & loc as free", True),
    ],
)
def test_of_others_it_follows_from_their_terms(tmp_path: Path, text: str, allows: bool) -> None:
    file = tmp_path / "m.cat"
    file.write_text(f'"m"\n{text}\n')
    assert allows_more_with_less_order(mcm.load_model(file).model) is allows


def test_an_own_write_may_hide_another_one_from_an_image() -> None:
    # IMG-1: without the order, the unit's own write is visible still.
    assert not allows_more_with_less_order(get_for("opencl-3.0", "memory"))
