"""Where engines take too long to say which rules forbid an outcome, the ways are told that they had found by then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mcm
from mcm.base.deadline import LimitReachedError
from mcm.explain.forbidden import Exclusions

if TYPE_CHECKING:
    import pytest

    from mcm.answer.explanation import RuleSet

TEXT = "C coherence\n{ }\nP0 (atomic_int* x) { atomic_store(x, 1); int r0 = atomic_load(x); }\nexists (0:r0=0)\n"


def test_they_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def rule_sets(self: Exclusions, _most: int) -> tuple[RuleSet, ...]:
        self._suppose_all()
        raise LimitReachedError("timeout")

    monkeypatch.setattr(Exclusions, "rule_sets", rule_sets)
    monkeypatch.setattr(Exclusions, "of_deviations", lambda _self: None)
    shown = mcm.render_explanations([mcm.check(TEXT).explain()])

    assert "0:r0=0  P0 line 3:51 reads x from its initial value" in shown
    assert "These ways are excluded by" in shown
    assert "There are more ways than were looked at" in shown
