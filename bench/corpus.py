"""The mean time of a test in a folder, from its text to its results: `python -m bench.corpus FOLDER MODEL [JOBS]`.

With one job everything is done in this process, and the first test, which loads what all need, does not count. With
more, the tests are given to worker processes, as `mcm check` does it, once and then four times more: the mean is that
of the additional tests, so that the start of the workers does not count.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from time import perf_counter

from mcm.base.source import Source
from mcm.cli.work import Answered, Work, run_here
from mcm.cli.workers import run_in_workers
from mcm.pipeline import Options, check

_MORE = 4


def main(folder: str, model: str, jobs: str = "1") -> None:
    """Print the mean in seconds."""
    work = Work(partial(_check, Options(models=(model,))), prepare=_prepare)
    sources = [Source(str(path), path.read_text(encoding="utf-8")) for path in sorted(Path(folder).rglob("*.litmus"))]
    if int(jobs) == 1:
        _seconds(work, sources[:1], 1)
        print(_seconds(work, sources, 1) / len(sources))
    else:
        once = _seconds(work, sources, int(jobs))
        again = _seconds(work, sources * (1 + _MORE), int(jobs))
        print((again - once) / (_MORE * len(sources)))


def _check(options: Options, source: Source) -> int:
    return len(check(source, options))


def _prepare() -> None:
    """Nothing: each process loads with its first test what it needs."""


def _seconds(work: Work[Source, int], sources: list[Source], jobs: int) -> float:
    start = perf_counter()
    outcomes = run_here(work, sources) if jobs == 1 else run_in_workers(work, sources, jobs)
    answered = sum(isinstance(outcome, Answered) for outcome in outcomes)
    taken = perf_counter() - start
    assert answered == len(sources), "a benchmark that loses tests measures nothing"
    return taken


if __name__ == "__main__":
    main(*sys.argv[1:])
