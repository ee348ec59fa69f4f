"""Executions to draw."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import mcm

if TYPE_CHECKING:
    from collections.abc import Callable

LITMUS = Path(__file__).parents[3] / "litmus"

MESSAGE = """OPENCL MP
{ [x]=0; [y]=0; }
P0@wg 0 (global int* x, global atomic_int* y) {
  *x = 1;
  atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);
}
P1@wg 1 (global int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);
  int r1 = *x;
}
exists (1:r0=1 /\\ 1:r1=0)
"""


@cache
def execution_of(text: str, satisfies: bool) -> mcm.Execution:
    result = mcm.check(text, executions=True, timeout=60)
    (found, *_) = [one.execution for one in result.states if one.satisfies == satisfies]
    assert found is not None
    return found


@cache
def executions_of(file: Path) -> tuple[mcm.Execution, ...]:
    result = mcm.check(file, executions=True, timeout=60)
    shown = [result.states[number] for number in {0, len(result.states) - 1} if result.states]
    kept = [one.execution for one in (*shown, *result.undefined[:2], *result.blocked[:2])]
    return tuple(execution for execution in kept if execution is not None)


@pytest.fixture
def weak() -> mcm.Execution:
    """Message passing that goes wrong."""
    return execution_of(MESSAGE, satisfies=True)


@pytest.fixture
def draw() -> Callable[[str], mcm.Execution]:
    """Gives an execution of a test that satisfies its condition."""
    return lambda text: execution_of(text, satisfies=True)


@pytest.fixture
def executions() -> Callable[[str], tuple[mcm.Execution, ...]]:
    """Gives executions of a shipped test: its first and last state, problems, and blocked ones."""
    return lambda name: executions_of(LITMUS / f"{name}.litmus")
