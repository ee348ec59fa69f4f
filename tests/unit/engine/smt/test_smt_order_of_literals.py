"""The formula is the same each time, so that its solutions are: what a solver finds first is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.query import Query
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.engine.smt.decide import decide
from mcm.engine.smt.final import FinalState
from mcm.execution.elaborate import elaborate
from mcm.explain.observed import observed_by
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    import pytest

    from mcm.engine.smt.values import Cases
    from mcm.program.condition import Observable

NAMES = "abcdefgh"
TEXT = f"""C order
{{ x = 0; }}
P0 (atomic_int* x) {{ {" ".join(f"int {name} = atomic_load(x);" for name in NAMES)} }}
P1 (atomic_int* x) {{ atomic_store(x, 1); }}
locations [{" ".join(f"0:{name};" for name in NAMES)}]
"""


def test_the_values_of_a_state_are_encoded_in_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    program = read_test(Source("order.litmus", TEXT)).program
    asked: dict[Observable, None] = {}
    cases = FinalState.cases

    def noted(final: FinalState, what: Observable) -> Cases:
        asked.setdefault(what)
        return cases(final, what)

    monkeypatch.setattr(FinalState, "cases", noted)
    query = Query(elaborate(program), registry.get("c11"), observed_by(program), wants_witnesses=False)
    decide(query)

    assert tuple(asked) == query.observed
