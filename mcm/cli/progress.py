"""A progress bar on the error stream, for long work on a terminal."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.progress import Progress, TaskID

Item = TypeVar("Item")

_PATIENCE: Final = 1.0
_REFRESH: Final = 0.1


def with_progress(items: Iterable[Item], total: int, verb: str = "checking") -> Iterator[Item]:
    """The same items; on a terminal, a bar is shown when they take longer than a second."""
    if total < 2 or not sys.stderr.isatty():
        yield from items
        return
    due = monotonic() + _PATIENCE
    bar: tuple[Progress, TaskID] | None = None
    try:
        for done, item in enumerate(items, start=1):
            if monotonic() > due:
                bar = bar or _start(total, verb)
                bar[0].update(bar[1], completed=done, refresh=True)
                due = monotonic() + _REFRESH
            yield item
    finally:
        if bar is not None:
            bar[0].stop()


def _start(total: int, verb: str) -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    # No refreshing thread: workers are forked meanwhile, and a process with threads must not be forked.
    progress = Progress(
        TextColumn(verb),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
    )
    progress.start()
    return progress, progress.add_task(verb, total=total)
