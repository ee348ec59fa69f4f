"""The mean time of a test in a folder, from its text to its results: `python -m bench.corpus FOLDER MODEL [JOBS]`.

Every process does all tests once before that, so that what is loaded with the first of its kind (a grammar, a model, a
solver) does not count; then they are done twenty times. With several jobs the tests are given to worker processes, as
`mcm check` does it: all of them, and then all of them twenty-one times; the mean is that of the additional ones, so
that the start of the workers does not count either.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from mcm import Options, Session, Source
from mcm.cli.main import search_rarely_for_garbage
from mcm.cli.work import Answered, Work
from mcm.cli.workers import run_in_workers

if TYPE_CHECKING:
    from collections.abc import Callable

_MORE = 20


def main(folder: str, model: str, jobs: str = "1") -> None:
    """Print the mean in seconds."""
    search_rarely_for_garbage()
    options = Options(models=(model,))
    sources = [Source(str(path), path.read_text(encoding="utf-8")) for path in sorted(Path(folder).rglob("*.litmus"))]
    if int(jobs) == 1:
        _check_all(options, sources)
        start = perf_counter()
        for _ in range(_MORE):
            _check_all(options, sources)
        print((perf_counter() - start) / (_MORE * len(sources)))
    else:
        work = Work(partial(_check, options), prepare=partial(_check_all, options, sources))
        once = _seconds(work, sources, int(jobs))
        again = _seconds(work, sources * (1 + _MORE), int(jobs))
        print((again - once) / (_MORE * len(sources)))


def _check(options: Options, source: Source, keep: Callable[[int], None] = lambda _: None) -> int:
    del keep
    # A session that keeps nothing: each test is read and elaborated each time.
    return len(Session(size=0).results(source, options))


def _check_all(options: Options, sources: list[Source]) -> None:
    for source in sources:
        _check(options, source)


def _seconds(work: Work[Source, int], sources: list[Source], jobs: int) -> float:
    start = perf_counter()
    answered = sum(isinstance(outcome, Answered) for _, outcome in run_in_workers(work, sources, jobs))
    taken = perf_counter() - start
    assert answered == len(sources), "a benchmark that loses tests measures nothing"
    return taken


if __name__ == "__main__":
    main(*sys.argv[1:])
