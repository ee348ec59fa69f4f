"""CaDiCaL ends a stretch after some conflicts: what it may do besides is switched off."""

from __future__ import annotations

from itertools import combinations
from typing import ClassVar

import pytest

from mcm.answer.query import Limits
from mcm.engine.smt.budget import Budget, UndecidedError

pytest.importorskip("pysat", reason="the extra mcm[fast] is not installed")

from mcm.engine.smt import cadical


class Recorder(cadical.Cadical195):  # type: ignore[misc] - python-sat has no annotations
    """A solver that tells how it is configured, and in how many stretches it solves."""

    configured: ClassVar[dict[str, int]]
    stretches = 0

    def configure(self, parameters: dict[str, int]) -> None:
        Recorder.configured = parameters
        super().configure(parameters)

    def solve_limited(self, *given: object, **named: object) -> object:
        Recorder.stretches += 1
        return super().solve_limited(*given, **named)


@pytest.fixture
def solver(monkeypatch: pytest.MonkeyPatch) -> cadical.CadicalSolver:
    monkeypatch.setattr(cadical, "Cadical195", Recorder)
    monkeypatch.setattr(Recorder, "stretches", 0)
    return cadical.CadicalSolver(Budget(Limits()))


def pigeons(holes: int) -> list[int]:
    """The clauses that one more pigeon than there are holes sits in a hole of its own, which no search finds soon."""
    clauses = []
    for pigeon in range(holes + 1):
        clauses += [*(1 + pigeon * holes + hole for hole in range(holes)), 0]
    for hole in range(holes):
        for one, other in combinations(range(holes + 1), 2):
            clauses += [-(1 + one * holes + hole), -(1 + other * holes + hole), 0]
    return clauses


def test_variables_are_not_eliminated(solver: cadical.CadicalSolver) -> None:
    del solver

    assert Recorder.configured == {"elim": 0}


def test_limits_are_looked_at_between_stretches(solver: cadical.CadicalSolver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cadical, "_CONFLICTS", 50)
    solver.add(pigeons(7))

    assert not solver.solve()
    assert Recorder.stretches > 1


def test_a_limit_that_is_reached_ends_the_search(
    solver: cadical.CadicalSolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reached(_: Budget) -> None:
        reason = "timeout"
        raise UndecidedError(reason)

    monkeypatch.setattr(cadical, "_CONFLICTS", 50)
    monkeypatch.setattr(Budget, "check", reached)
    solver.add(pigeons(7))

    with pytest.raises(UndecidedError):
        solver.solve()
    assert Recorder.stretches == 1
