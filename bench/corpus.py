"""The mean time of a test in a folder, from its text to its results: `python -m bench.corpus FOLDER MODEL`."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import mean
from time import perf_counter

from mcm.base.source import Source
from mcm.pipeline import Options, check


def main(folder: str, model: str) -> None:
    """Check every test of the folder in this process; the first one, which loads what all need, does not count."""
    options = Options(models=(model,))
    sources = [Source(str(path), path.read_text(encoding="utf-8")) for path in sorted(Path(folder).rglob("*.litmus"))]
    check(sources[0], options)
    print(mean(_seconds(source, options) for source in sources))


def _seconds(source: Source, options: Options) -> float:
    start = perf_counter()
    check(source, options)
    return perf_counter() - start


if __name__ == "__main__":
    main(*sys.argv[1:])
