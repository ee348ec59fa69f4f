"""The graph of commands marks every pair of commands that races, in shipped and random host programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from mcm.catalogue import registry
from mcm.command_graph.graph import command_graph
from mcm.command_graph.render import GRAPH_FORMATS, render_commands
from mcm.execution.elaborate import elaborate
from oracle.corpora import SEED, identify
from oracle.host_generate import host_program
from oracle.test_host_programs import SHIPPED, program_from
from oracle.test_machine_against_models import answer_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

CHUNK: Final = 50
COUNT: Final = 100


def assert_races_are_marked(text: str) -> None:
    program = program_from(text)
    skeletons = elaborate(program)
    graph = command_graph(program, skeletons, registry.get("opencl-3.0"))
    assert graph.is_whole
    step_of = {event: step.number for step in graph.steps for event in step.events}
    marked = {frozenset((conflict.first, conflict.second)) for conflict in graph.conflicts}
    races = [flag for flag in answer_of(program, "opencl-3.0", skeletons).flags if flag.name == "data_race"]
    for flag in races:
        steps = frozenset(step_of[event] for event in flag.events)
        atomic = all(skeletons[0].events[event].atomic for event in flag.events)
        if len(steps) == 2 and not atomic:
            assert steps in marked, text
    for format_ in GRAPH_FORMATS:
        assert render_commands(graph, format_)


@pytest.mark.parametrize("path", SHIPPED, ids=identify)
def test_shipped_host_programs(path: Path) -> None:
    assert_races_are_marked(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("start", range(0, COUNT, CHUNK))
def test_random_host_programs(start: int) -> None:
    for number in range(start, start + CHUNK):
        assert_races_are_marked(host_program(f"{SEED}-graph", number))
