"""Events that a condition of constants in a loop assigns."""

from __future__ import annotations

from host_samples import holds, kinds

_TURNS = """int* x = malloc_shared<int>(1, q); event last; for (int i = 0; i < 3; i++) {
  event one = q.submit([&](handler& h) { h.depends_on(last); h.single_task([=] { *x = i; }); });
  if (CONDITION) last = one; } q.wait();"""


def test_constants_choose_the_command() -> None:
    assert holds(_TURNS.replace("CONDITION", "i < 3"), "x[0]=2")
    assert kinds(_TURNS.replace("CONDITION", "i == 0")) == {"data-race"}
