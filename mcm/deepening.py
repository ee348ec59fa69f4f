"""How often runs of the machine go round the loops that the bound cuts: a bound at which they may come to an end.

`docs/adr/0061-the-bound-that-runs-need.md` says when it is tried.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.answer.result import DEEPEST
from mcm.confirm import runs_of
from mcm.program import instruction as hir
from mcm.program.walk import walk
from mcm.run_numbers import AHEAD

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from mcm.base.source import Span
    from mcm.execution.event import EventKind
    from mcm.machine.recording import Operation, Recording
    from mcm.program.program import Program

# Where luck decides how often a loop goes round, runs differ.
_RUNS: Final = range(4)
# Of tasks that are handed out, one work-group may take all.
_AHEAD: Final = (AHEAD,)


class _CutLoop(Struct, frozen=True):
    """A loop of one body: where operations begin that each iteration performs once, and all inside the loop."""

    own: frozenset[int]
    inside: frozenset[int]


def bounds_of_runs(program: Program, loops: Collection[Span]) -> Iterator[int]:
    """The bounds at which it pays to look again, in this order: the second one is that of units that go ahead."""
    usual = bound_of_runs(program, loops)
    if usual is None:
        return
    yield usual
    ahead = bound_of_runs(program, loops, _AHEAD) if usual <= DEEPEST else None
    if ahead is not None and usual < ahead <= DEEPEST:
        yield ahead


def bound_of_runs(program: Program, loops: Collection[Span], runs: Iterable[int] = _RUNS) -> int | None:
    """The most iterations of these loops that a run goes on behind, or meets something wrong in; None where none does.

    Nothing follows from it about other executions: it is where it pays to look again.
    """
    run_of = runs_of(program)
    bound = 0
    for number in runs:
        recording = run_of(number)
        # The last one is that of the test that ends a loop, unless the run goes no further than what is wrong.
        is_whole = not recording.findings
        bound = max(bound, _most_iterations(program, loops, recording) - is_whole)
        if bound > DEEPEST:
            break
    return bound or None


def _most_iterations(program: Program, loops: Collection[Span], recording: Recording) -> int:
    """How often some operation of one of the loops is executed from where a thread comes to the loop."""
    performed: dict[int, list[Operation]] = {thread.index: [] for thread in program.threads}
    for operation in recording.operations:
        if operation.thread is not None:
            performed[operation.thread].append(operation)
    cut: dict[int, tuple[_CutLoop, ...]] = {}
    most = 0
    for thread in program.threads:
        # The work-items of a launch share their body.
        key = id(thread.body)
        if key not in cut:
            cut[key] = tuple(_cut_loops(thread.body, loops))
        most = max((most, *(_iterations(loop, performed[thread.index]) for loop in cut[key])))
    return most


def _cut_loops(body: hir.Block, loops: Collection[Span]) -> Iterable[_CutLoop]:
    for node in walk(body):
        if isinstance(node, hir.Loop) and node.span in loops:
            inside = walk(node)
            inner = {part.span.start for loop in inside[1:] if isinstance(loop, hir.Loop) for part in walk(loop)}
            starts = frozenset(part.span.start for part in inside)
            yield _CutLoop(starts - inner, starts)


def _iterations(loop: _CutLoop, performed: Sequence[Operation]) -> int:
    """The most iterations of a loop between operations outside it, by the operations of a thread."""
    times: Counter[tuple[EventKind, int]] = Counter()
    most = 0
    for operation in performed:
        start = operation.span.start
        if start not in loop.inside:
            times.clear()
        elif start in loop.own:
            # A barrier has two operations, an entry and an exit.
            times[operation.kind, start] += 1
            most = max(most, times[operation.kind, start])
    return most
