"""Final states of large programs in which runs end: they are told where the solver does not come to an end."""

from __future__ import annotations

from typing import NoReturn

import pytest

from mcm import Options, Undecided, shared_session
from mcm.base.source import Source
from mcm.engine import choose
from mcm.engine.smt import decide as solver
from mcm.engine.smt.budget import UndecidedError

BODY = "atomic_exchange(x, {0} + atomic_load(y)); atomic_store(y, 1);"
THREADS = "".join(f"P{n} (atomic_int* x, atomic_int* y) {{ {BODY.format(n)} }}\n" for n in range(18))
SOURCE = Source("t", f"C t\n{{ }}\n{THREADS}locations [x; y;]\n")


def _gives_up(*_: object) -> NoReturn:
    reason = "timeout"
    raise UndecidedError(reason)


@pytest.mark.parametrize("budget", [1, 60])
def test_states_of_runs_are_told_where_the_solver_does_not_come_to_an_end(
    monkeypatch: pytest.MonkeyPatch, budget: int
) -> None:
    (whole,) = shared_session().results(SOURCE, Options())
    monkeypatch.setattr(choose, "NODE_BUDGET", budget)
    monkeypatch.setattr(solver, "_search", _gives_up)
    (part,) = shared_session().results(SOURCE, Options())
    told: list[object] = []
    shared_session().results(SOURCE, Options(on_state=lambda _, state: told.append(state)))

    assert isinstance(part, Undecided)
    assert part.reason == "timeout"
    found = {tuple(state.values.items()) for state in part.states}
    assert len(found) > 1
    assert found <= {tuple(state.values.items()) for state in whole.states}
    assert len(told) == len(found)
