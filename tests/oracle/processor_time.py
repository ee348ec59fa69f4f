"""Limits of processor time for work that asks the engines: what else the machine does makes no difference."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING
from unittest.mock import PropertyMock, patch

from z3 import Solver, Z3Exception

from mcm import LimitReachedError, time_limit
from mcm.base.deadline import TIMEOUT
from mcm.engine.equations.context import context_of_this_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

# Where mcm and its engines look at a clock.
CLOCKS = (
    "mcm.base.deadline.monotonic",
    "mcm.engine.choose.perf_counter",
    "mcm.engine.explicit.budget.perf_counter",
    "mcm.engine.smt.budget.monotonic",
)
# Where they say how long the solver may take, which knows wall time only: it is interrupted instead.
BUDGETS = ("mcm.engine.explicit.budget.NodeBudget.milliseconds", "mcm.engine.smt.budget.Budget.milliseconds")

HOUR = 3_600_000

# What asks no clock for so long has not ended: seconds of wall time between two looks.
INTERVAL = 0.2


@contextmanager
def processor_time_limit(seconds: float) -> Iterator[None]:
    """As `time_limit`, in seconds of processor time of this process, within the solver too."""
    with ExitStack() as stack:
        for clock in CLOCKS:
            stack.enter_context(patch(clock, time.process_time))
        for budget in BUDGETS:
            stack.enter_context(patch(budget, PropertyMock(return_value=HOUR)))
        stack.enter_context(_interrupting_the_solver(time.process_time() + seconds))
        stack.enter_context(time_limit(seconds))
        yield


@contextmanager
def _interrupting_the_solver(end: float) -> Iterator[None]:
    """Within, a thread interrupts what Z3 solves for this one after a point of processor time.

    Only while it solves: an interruption at another time ends what the context is used for next.
    """
    context, lock, is_over, is_solving = context_of_this_thread(), threading.Lock(), threading.Event(), False
    solve = Solver.check

    def check(solver: Solver, *assumptions: object) -> object:
        nonlocal is_solving
        is_solving = True
        try:
            return solve(solver, *assumptions)
        except Z3Exception as error:
            # Interrupted while it simplifies, Z3 may complain of what is not simplified.
            if time.process_time() > end:
                raise LimitReachedError(TIMEOUT) from error
            raise
        finally:
            with lock:
                is_solving = False

    def watch() -> None:
        while not is_over.wait(INTERVAL):
            with lock:
                if is_solving and time.process_time() > end:
                    context.interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        with patch.object(Solver, "check", check):
            yield
    finally:
        is_over.set()
        watcher.join()
        # An interruption that came a moment too late would end all that is asked of the context until something is
        # solved in it.
        solve(Solver(ctx=context))
