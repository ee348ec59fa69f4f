"""How many numbers are taken from a counter at most, and that their values do not depend on themselves."""

from __future__ import annotations

import pytest

from mcm.answer.query import Limits
from mcm.base.source import Source
from mcm.catalogue import registry
from mcm.catalogue.rules import without
from mcm.engine.smt.apart import taken
from mcm.engine.smt.budget import Budget
from mcm.engine.smt.encode import Encoding
from mcm.execution.elaborate import elaborate
from mcm.front_end.read import read_test

TAKE = "atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_device)"


def taking(code: str, other: str = "") -> str:
    return f"""OPENCL taking
{{ [c]=0; [x]=0; int a[8]; }}
kernel K (global atomic_int* c, global atomic_int* x, global int* a) {{ int i = 0; {code} }}
launch K global 3, local 1, dev 0;
{other}exists (x=1)
"""


def numbers(text: str) -> list[tuple[int, int]]:
    """Of each counter how many updates may be executed, and how many are at most."""
    (skeleton,) = elaborate(read_test(Source("taking", text)).program, 3)
    return [(len(updates), len(values)) for updates, values in taken(skeleton)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (taking(f"while ((i = {TAKE}) < 2) {{ a[i] = 1; }}"), [(12, 5)]),
        (taking(f"for (;;) {{ i = {TAKE}; if (i >= 2) {{ break; }} a[i] = 1; }}"), [(12, 5)]),
        # Two of the numbers lead on.
        (taking(f"while (((i = {TAKE}) & 1) == 0 && i < 4) {{ }}"), [(12, 5)]),
        # What leads on is another value, or any is followed by one.
        (taking(f"while (atomic_load(x) == 0) {{ i = {TAKE}; }}"), [(9, 9)]),
        (taking(f"i = {TAKE}; i = {TAKE}; if (i < 2) {{ i = {TAKE}; }}"), [(9, 9)]),
        # A thread that takes one.
        (
            taking(f"while ((i = {TAKE}) < 2) {{ }}", f"P9@wg 9, dev 0 (global atomic_int* c) {{ int r = {TAKE}; }}\n"),
            [(13, 6)],
        ),
        # From other writes it is not counted.
        (
            taking(
                f"while ((i = {TAKE}) < 2) {{ }}", "P9@wg 9, dev 0 (global atomic_int* c) { atomic_store(c, 0); }\n"
            ),
            [],
        ),
    ],
)
def test_numbers_that_are_taken(text: str, expected: list[tuple[int, int]]) -> None:
    found = numbers(text)
    assert [counter for counter in found if counter[0] > 1] == expected


@pytest.mark.parametrize("rules", [(), ("RMW-1",)])
def test_nothing_is_asked_about_values_of_counters(rules: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(Encoding, "solve", lambda *given: asked.append(given))
    (skeleton,) = elaborate(read_test(Source("taking", taking(f"while ((i = {TAKE}) < 2) {{ a[i] = i; }}"))).program)

    Encoding(skeleton, without(registry.get("opencl-3.0"), rules), Budget(Limits()))

    assert bool(asked) is bool(rules)
