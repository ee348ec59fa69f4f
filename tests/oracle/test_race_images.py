"""A race and its images under exchanges of threads: asked about once, counted each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm import Source, load_model, parse
from oracle import race_repairs
from oracle.explanations import Evidence, subject_of
from oracle.race_images import Images

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from mcm.answer.answer import RaisedFlag
    from mcm.answer.query import Query
    from oracle.race_images import RaceWithRepair

# Of the four items, any two race.
ITEMS = r"""OPENCL items
{ [x]=0; }
kernel K (global int* x) { *x = 1; }
launch K global 4, local 1;
exists (x=1)
"""
# The last writes something else.
UNLIKE = ITEMS.replace("*x = 1;", "*x = get_global_id(0) == 3 ? 2 : 1;")


def races_of(text: str) -> tuple[Query, list[tuple[RaisedFlag, RaceWithRepair]]]:
    subject = subject_of(parse(Source("items.litmus", text)))
    query = replace(
        subject.query(load_model("opencl-3.0"), "races"), proposition=None, wants_witnesses=True, wants_outcomes=False
    )
    races = []
    for raised, flag in race_repairs.races_of(query):
        lacking = race_repairs.lacking_of(raised, flag, query)
        assert lacking is not None
        races.append((raised, race_repairs.with_repair(raised, lacking)))
    return query, races


def images_among(text: str) -> int:
    """Races that are known once the first was looked at."""
    query, races = races_of(text)
    images = Images(query.skeletons[0], query.model)
    images.add(races[0][1], race_repairs.Findings())
    return sum(images.known(race) is not None for _, race in races)


def test_all_races_of_threads_with_the_same_code_are_images_of_one() -> None:
    assert len(races_of(ITEMS)[1]) == 6
    assert images_among(ITEMS) == 6


def test_a_race_with_a_thread_that_does_something_else_is_no_image() -> None:
    assert len(races_of(UNLIKE)[1]) == 6
    # The three races of threads that write the same, or the three others.
    assert images_among(UNLIKE) == 3


def test_a_race_that_lacks_something_else_is_no_image() -> None:
    query, races = races_of(ITEMS)
    images = Images(query.skeletons[0], query.model)
    images.add(replace(races[0][1], lifted="HB-G"), race_repairs.Findings())
    assert not any(images.known(race) for _, race in races)


def test_one_repair_is_asked_about_and_all_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    check: Callable[..., None] = race_repairs.check_repair

    def counting(*arguments: object) -> None:
        asked.append(arguments)
        check(*arguments)

    monkeypatch.setattr(race_repairs, "check_repair", counting)
    query, _ = races_of(ITEMS)
    evidence = Evidence()
    race_repairs.check_races("items", query, evidence)

    assert len(asked) == 1
    assert evidence.wrong == []
    assert evidence.counts["races"] == evidence.counts["races removed by the repair"] == 6
    assert evidence.counts["races that are images of others"] == 5
