"""Pictures of programs with commands: the order of commands without what follows from it."""

from __future__ import annotations

from pathlib import Path

from mcm import Options, Session

ENQUEUED = Path(__file__).parents[3] / "litmus" / "opencl" / "host" / "CC-3.fine-svm.litmus"


def test_what_follows_from_the_order_of_commands_is_not_drawn() -> None:
    (view,) = Session().page(ENQUEUED, Options(), wants_rules=False).views
    execution = view.exhibits[0].execution
    drawn = [edge for edge in execution.scene().edges if edge.name == "gsw"]
    kinds = {event.number: event.kind for event in execution.events}
    starts = [edge for edge in drawn if kinds[edge.source] == "start"]

    # A start comes before what its kernel does, which comes before the end: the start is not drawn to the end.
    assert starts
    assert not [edge for edge in starts if kinds[edge.target] in {"end", "complete"}]


def test_initial_values_stand_on_the_left_where_a_window_shows_them() -> None:
    (view,) = Session().page(ENQUEUED.with_name("HOST-2.litmus"), Options(), wants_rules=False).views
    scene = next(one for one in view.exhibits if "excluded" in one.title).execution.scene()
    (initial,) = (node for node in scene.nodes if node.kind.value == "initial")

    assert initial.column == 0
