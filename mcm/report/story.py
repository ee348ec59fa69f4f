"""One run told step by step."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcm.answer.ran import Ran, Told


def render_story(ran: Ran) -> str:
    """A numbered line for everything that happened, or happened several times in a row, and how to repeat it."""
    assert ran.story is not None
    threads = [line.thread or "" for line in ran.story.lines]
    width = max(map(len, threads), default=0)
    lines = [f"Run of {ran.test}, {ran.schedule} on {ran.memory}"]
    number = 1
    for line, alike in groupby(ran.story.lines):
        times = len(list(alike))
        lines.append(f"{number:>5}  {_line(line, width)}{f', {times} times' if times > 1 else ''}")
        number += times
    return "\n".join([*lines, f"schedule: {ran.story.schedule}"]) + "\n\n"


def _line(line: Told, width: int) -> str:
    if line.thread is None:
        return f"{'':<{width}}  {line.what}"
    if line.span is None:
        return f"{line.thread:<{width}}  {line.what}"
    operation = " ".join(line.span.text.split())
    return f"{line.thread:<{width}}  line {line.span.line}: {operation}  ({line.what})"
