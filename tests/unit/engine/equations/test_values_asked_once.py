"""Whether values that depend on themselves exist is asked once of each program, whatever the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mcm import Session, Source
from mcm.engine.equations import system

if TYPE_CHECKING:
    from mcm import Found

pytestmark = pytest.mark.slow

# What each thread writes, and whether, depends on what the other one wrote.
CYCLE = """C cycle
{ [x] = 0; [y] = 0; }
P0 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
  if (r0 != 2) { atomic_store_explicit(y, CHANGED, memory_order_relaxed); }
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  atomic_store_explicit(x, r0, memory_order_relaxed);
}
exists (0:r0 = 1)
"""


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The executions whose equations are solved from now on."""
    asked: list[object] = []
    real = system.Equations

    def equations(decided: object, left: object) -> object:
        asked.append(decided)
        return real(decided, left)  # type: ignore[arg-type]

    monkeypatch.setattr(system, "Equations", equations)
    return asked


def cycle(changed: str) -> Source:
    return Source("cycle.litmus", CYCLE.replace("CHANGED", changed))


def found(session: Session, changed: str, model: str, engine: str) -> Found:
    return session.check(cycle(changed), model, engine=engine)  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["explicit", "smt"])
def test_another_model_asks_nothing_again(engine: str, solved: list[object]) -> None:
    session = Session()
    first = found(session, "r0 * 3 + 1", "c11", engine)
    before = len(solved)
    assert before > 0
    assert found(session, "r0 * 3 + 1", "c11-simp", engine).states == first.states
    assert len(solved) == before


@pytest.mark.parametrize("engine", ["explicit", "smt"])
def test_another_program_is_asked_about(engine: str, solved: list[object]) -> None:
    session = Session()
    without = found(session, "r0 * 3 + 1", "c11", engine)
    before = len(solved)
    assert found(session, "r0 | 1", "c11", engine).reachable is not without.reachable
    assert len(solved) > before
