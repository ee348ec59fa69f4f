"""Programs from text, run by the machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from mcm.base.source import Source
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test
from mcm.machine.build import build
from mcm.machine.exhaustive import Budget, explore
from mcm.machine.run import run

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.machine.exhaustive import Exploration
    from mcm.machine.run import Run
    from mcm.machine.schedule import Scheduler
    from mcm.program.program import Program
    from mcm.program.types import Value


@dataclass(frozen=True)
class Test:
    """A program with what its condition observes."""

    program: Program

    def explore(self, memory: str, *, reduced: bool = True, **limits: Any) -> Exploration:
        return explore(build(self.program, memory), observed_by(self.program), Budget(**limits), reduced=reduced)

    def states(self, memory: str) -> set[tuple[Value, ...]]:
        found = self.explore(memory)
        assert found.is_complete
        return set(found.states)

    def kinds(self, memory: str) -> set[str]:
        return {finding.kind for finding in self.explore(memory).findings}

    def run(self, memory: str, scheduler: Scheduler, **limits: int) -> Run:
        return run(build(self.program, memory), scheduler, observed_by(self.program), **limits)


@pytest.fixture
def program() -> Callable[[str], Test]:
    """A test from the text after its first line."""

    def from_text(text: str) -> Test:
        source = Source("test.litmus", f"OPENCL test\n{text}")
        return Test(read_test(source).program)

    return from_text
