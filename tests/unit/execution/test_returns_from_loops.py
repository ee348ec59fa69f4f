"""Functions that return from within a loop that has had an effect before, called by loops that may wait."""

from __future__ import annotations

import pytest

from mcm import check
from mcm.base.source import Source

FETCH = "atomic_fetch_add_explicit(y, 1, memory_order_relaxed);"
LOAD = "atomic_load_explicit(x, memory_order_relaxed)"


@pytest.mark.parametrize(
    ("parameter", "effect"), [("atomic_int* y", FETCH), ("int* y", "*y = *y + 1;")], ids=["update", "plain"]
)
@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < 2; i++) {{ if (i == 1) return {load}; {effect} }} return 7;",
        "for (int i = 0; i < 2; i++) {{ do {{ if (i) return {load}; }} while (0); {effect} }} return 7;",
    ],
    ids=["loop", "loop-in-loop"],
)
def test_what_iterations_before_it_have_done_is_an_effect(body: str, parameter: str, effect: str) -> None:
    lines = [
        "C returning",
        "{ x = 0; y = 0; }",
        f"int next (atomic_int* x, {parameter}) {{ {body.format(load=LOAD, effect=effect)} }}",
        f"P0 (atomic_int* x, {parameter}) {{ int r; do {{ r = next(x, y); }} while (r == 0); }}",
        "P1 (atomic_int* x) { atomic_store_explicit(x, 1, memory_order_relaxed); }",
        "locations [y;]",
    ]
    result = check(Source("returning", "\n".join(lines)))

    assert result.bounded
    assert {state.values["y"] for state in result.states} == {1, 2, 3}
