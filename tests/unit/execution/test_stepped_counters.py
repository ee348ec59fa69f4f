"""An iteration that has stepped a counter has had an effect, whatever it reads: its other variables are let alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm import Source
from mcm.execution.elaborate import elaborate
from mcm.execution.substitution import Substitution
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    import pytest

    from mcm.execution.expression import Expression

TEXT = """OPENCL counted
{ int t[1] = {3}; }
P0 (global int* t) {
  int a = t[0], b = t[0], s = 0;
  for (int i = 0; i < 9; i++) { s += a + b + t[0]; }
}
exists (0:s = 81)
"""


def test_what_is_read_again_is_put_in_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    applied: list[Expression] = []
    apply = Substitution.apply

    def noted(self: Substitution, expression: Expression) -> Expression:
        applied.append(expression)
        return apply(self, expression)

    monkeypatch.setattr(Substitution, "apply", noted)
    elaborate(read_test(Source("counted", TEXT)).program, waiting=True)
    assert len(applied) < 40
