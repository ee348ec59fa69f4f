"""An integer whose value depends on itself may hold an address."""

from __future__ import annotations

from typing import Final

import pytest

from mcm import EngineName, Judged, Source, Verdict, check

ENGINES: Final = [EngineName.EXPLICIT, EngineName.SMT]
TEXT: Final = """OPENCL cycle
{{ long x = 0; long y = 0; int z = 0; int w = 7; }}
P0 (global atomic_long* x, global atomic_long* y, global int* z, global int* w) {{
  long r = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(y, {written}, memory_order_relaxed, memory_scope_device);
}}
P1 (global atomic_long* x, global atomic_long* y) {{
  long r = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(x, r, memory_order_relaxed, memory_scope_device);
}}
exists ({condition})
"""


def states(written: str, condition: str, engine: EngineName) -> tuple[Verdict, list[tuple[object, str | None]]]:
    text = TEXT.format(written=written, condition=condition)
    result = check(Source("cycle.litmus", text), engine=engine)
    assert isinstance(result, Judged)
    assert result.complete
    return result.verdict, [(state.values["0:r"], state.example_of) for state in result.states]


@pytest.mark.parametrize("engine", ENGINES)
def test_what_may_be_any_integer_may_be_the_address_that_is_asked_for(engine: EngineName) -> None:
    anything = "0:r = any long"
    assert states("r", "0:r=&z", engine) == (Verdict.ALLOWED, [(0, anything), ("&z", anything)])


@pytest.mark.parametrize("engine", ENGINES)
def test_an_address_that_is_written_back_comes_out_of_thin_air(engine: EngineName) -> None:
    written = "r == 0 ? 0 : (intptr_t)z"
    several = "0:r = one of several values"
    assert states(written, "0:r=&z", engine) == (Verdict.ALLOWED, [(0, several), ("&z", several)])
    assert states(written, "0:r=&w", engine)[0] is Verdict.FORBIDDEN
    assert states(written, "0:r=3", engine)[0] is Verdict.FORBIDDEN


@pytest.mark.parametrize("engine", ENGINES)
def test_without_addresses_about_nothing_is_said_of_them(engine: EngineName) -> None:
    assert states("r == 0 ? 0 : 5", "0:r=5", engine)[0] is Verdict.ALLOWED
    assert states("r == 0 ? 0 : 5", "0:r=&z", engine)[0] is Verdict.FORBIDDEN
