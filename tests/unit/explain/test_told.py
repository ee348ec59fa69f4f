from __future__ import annotations

from pathlib import Path

import mcm
from mcm.answer.exhibit import Exhibit, ExhibitKind, foremost
from mcm.answer.result import Judged
from mcm.session import Session

PATTERNS = Path(__file__).parents[3] / "litmus" / "opencl" / "patterns"


def shown(name: str, model: str = "opencl-3.0") -> tuple[Judged, tuple[Exhibit, ...]]:
    (view,) = Session().page(PATTERNS / f"{name}.litmus", mcm.Options(models=(model,)), wants_rules=False).views
    assert isinstance(view.result, Judged)
    return view.result, view.exhibits


def test_a_forbidden_outcome_is_there_with_what_it_breaks() -> None:
    result, exhibits = shown("MP.dv")
    (excluded,) = [one for one in exhibits if one.kind is ExhibitKind.EXCLUDED]
    scene = excluded.execution.scene()
    marked = {(edge.source, edge.target, edge.name) for edge in scene.edges if edge.marked}

    assert foremost(exhibits, result) is excluded
    assert excluded.title == "1:r0=1 /\\ 1:r1=0, excluded by VIS-2"
    assert (0, 5, "rf") in marked
    assert (3, 4, "sw-g-1") in marked
    assert [step.rules for step in excluded.steps if step.breaks] == [("VIS-2",)]
    # The other executions are as they were.
    assert [one.title for one in exhibits if one.kind is ExhibitKind.STATE] == ["1:r0=0; 1:r1=-1", "1:r0=1; 1:r1=1"]


def test_marked_edges_are_in_the_execution() -> None:
    for name, model in (("MP.dv", "opencl-3.0"), ("SB", "sc"), ("CoRR", "opencl-3.0"), ("IRIW.sc", "opencl-3.0")):
        _, exhibits = shown(name, model)
        excluded = [one for one in exhibits if one.kind is ExhibitKind.EXCLUDED]
        assert excluded
        for exhibit in excluded:
            numbers = {event.number for event in exhibit.execution.events}
            scene = exhibit.execution.scene()
            marked = [edge for edge in scene.edges if edge.marked]
            assert marked, name
            assert {end for edge in marked for end in (edge.source, edge.target)} <= numbers


def test_a_race_is_told_by_what_fails() -> None:
    _, exhibits = shown("MP")
    first = next(one for one in exhibits if one.kind is ExhibitKind.PROBLEM)

    assert any(step.text.startswith("✗ ") and step.events for step in first.steps)
    assert [edge.name for edge in first.execution.scene().edges if edge.marked] == ["race"]


def test_an_allowed_outcome_is_told() -> None:
    result, exhibits = shown("SB")
    best = foremost(exhibits, result)

    assert best is not None
    assert best.satisfies
    assert any("no interleaving" in step.text for step in best.steps)


def test_what_waits_for_ever_is_shown_first() -> None:
    result, exhibits = shown("../loops/deadlock.each-other.relaxed")
    best = foremost(exhibits, result)

    assert best is not None
    assert best.kind is ExhibitKind.BLOCKED
    assert any("wait for each other" in step.text for step in best.steps)
