"""Z3 within limits: whatever it does when time is up, that is a time-out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import z3
from msgspec import Struct

from mcm.engine.equations.errors import UndecidedEquationsError
from mcm.engine.equations.solving import decide
from mcm.engine.smt.budget import UndecidedError
from mcm.engine.smt.z3_solver import Z3Solver

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = "operator (distinct #x00 r10) not supported, apply simplifier before invoking translator"


class LeftOver(Struct):
    """Milliseconds that are left at the first look, and from the next one on."""

    looks: list[int]
    megabytes: int | None = None

    @property
    def milliseconds(self) -> int:
        return self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]


class Complaining:
    """A solver that complains of what it was interrupted at."""

    def set(self, name: str, value: int) -> None:
        """Take no notice."""

    def check(self, *_: object) -> object:
        raise z3.Z3Exception(WORDS)


def by_values(left: LeftOver) -> object:
    return decide(Complaining(), left)


def by_clauses(left: LeftOver, monkeypatch: pytest.MonkeyPatch) -> object:
    solver = Z3Solver(left)  # type: ignore[arg-type]
    monkeypatch.setattr(solver, "_solver", Complaining())
    return solver.solve()


def test_a_complaint_when_time_is_up_is_a_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UndecidedEquationsError, match="timeout"):
        by_values(LeftOver([5000, 2]))
    with pytest.raises(UndecidedError, match="timeout"):
        by_clauses(LeftOver([5000, 2]), monkeypatch)


def test_a_complaint_with_time_left_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    for ask in (by_values, lambda left: by_clauses(left, monkeypatch)):
        asked: Callable[[LeftOver], object] = ask
        with pytest.raises(z3.Z3Exception, match="not supported"):
            asked(LeftOver([5000, 4000]))
