"""One run told step by step."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from mcm.base.visible import visible

if TYPE_CHECKING:
    from mcm.answer.run_result import RunResult, TraceLine


def render_trace(result: RunResult) -> str:
    """A numbered line for everything that happened, or happened several times in a row, and how to repeat it.

    ValueError where nothing was noted.
    """
    if result.trace is None:
        raise ValueError("the run has no trace: it was not asked for by trace=True")
    threads = [line.thread or "" for line in result.trace.lines]
    width = max(map(len, threads), default=0)
    lines = [f"Run of {result.test}, {result.schedule} on {result.memory}"]
    number = 1
    for line, alike in groupby(result.trace.lines):
        times = len(list(alike))
        lines.append(f"{number:>5}  {_line(line, width)}{f', {times} times' if times > 1 else ''}")
        number += times
    return "\n".join(map(visible, [*lines, f"schedule: {result.trace.schedule}"])) + "\n\n"


def _line(line: TraceLine, width: int) -> str:
    if line.thread is None:
        return f"{'':<{width}}  {line.what}"
    if line.span is None:
        return f"{line.thread:<{width}}  {line.what}"
    operation = " ".join(line.span.text.split())
    return f"{line.thread:<{width}}  line {line.span.line}: {operation}  ({line.what})"
