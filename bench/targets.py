"""What was promised, measured: `python -m bench.targets [PEERS]`, where PEERS holds the folders `opencl` and `c11`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Final

from bench.command import Finished, run
from bench.contender import ENGINES, Sample, measure
from bench.registry import FAMILIES
from bench.table import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.family import Family

_RUNS: Final = 5
_LIMIT: Final = 30.0
_PYTHON: Final = sys.executable
_ROOT: Final = Path(__file__).parents[1]

# Family, size, and what the engine may take under `--engine auto`.
_FAMILIES: Final = (
    ("writers", 9, 0.05),
    ("writers", 30, 0.05),
    ("counter", 6, 0.1),
    ("counter", 10, 1.0),
    ("ISA2", 16, 0.3),
    ("SB+rlx", 12, 2.0),
    ("IRIW+rel+acq", 5, 2.0),
    ("ticket-lock", 3, 0.05),
    ("ticket-lock", 5, 1.0),
    ("IRIW+sc.dev", 6, 5.0),
)


@dataclass(frozen=True, slots=True)
class Target:
    """What is timed, what it may take, and the runs (None where it could not be measured)."""

    what: str
    seconds: float
    taken: tuple[float, ...] | None

    @property
    def is_met(self) -> bool:
        """Whether the median keeps within the promise."""
        return self.taken is not None and median(self.taken) < self.seconds

    def row(self) -> str:
        """The target as a row of the table."""
        if self.taken is None:
            return f"| {self.what} | {duration(self.seconds)} | not measured | | |"
        spread = f"{duration(min(self.taken))} - {duration(max(self.taken))}"
        verdict = "yes" if self.is_met else "**no**"
        return f"| {self.what} | {duration(self.seconds)} | {duration(median(self.taken))} | {spread} | {verdict} |"


def targets(peers: Path) -> Iterator[Target]:
    """Everything that was promised, one after the other."""
    check = (_PYTHON, "-m", "mcm", "check")
    opencl, c11 = str(peers / "opencl"), str(peers / "c11")
    whole = (*check, opencl, "--model", "opencl-scoped", "--jobs", "2", "--quiet")
    yield Target("the OpenCL peer tests, `opencl-scoped`, `--jobs 2`: wall", 1.0, _walls(whole, opencl))
    yield Target("the same, in one process: mean of a test", 0.005, _means(opencl, "opencl-scoped"))
    yield Target("the C11 peer tests, `rc11`, two processes: mean of a test", 0.003, _means(c11, "rc11", "2"))
    yield Target("the same, in one process: mean of a test", 0.003, _means(c11, "rc11"))
    small = str(_ROOT / "litmus" / "opencl" / "patterns" / "MP.litmus")
    yield Target("one small file, cold: wall", 0.2, _walls((*check, small), small))
    with TemporaryDirectory() as folder:
        for name, size, seconds in _FAMILIES:
            yield Target(f"`{name}` of {size}: engine", seconds, _engine(name, size, Path(folder)))


def _walls(command: Sequence[str], needed: str) -> tuple[float, ...] | None:
    """How long a command takes, start included."""
    runs = _runs(command, needed)
    return None if runs is None else tuple(one.seconds for one in runs)


def _means(folder: str, model: str, jobs: str = "1") -> tuple[float, ...] | None:
    """How long a test of a folder takes in the mean, start not included."""
    runs = _runs((_PYTHON, "-m", "bench.corpus", folder, model, jobs), folder)
    return None if runs is None else tuple(float(one.output) for one in runs)


def _runs(command: Sequence[str], needed: str) -> list[Finished] | None:
    outcomes = [run(command, _LIMIT) for _ in range(_RUNS)] if Path(needed).exists() else []
    finished = [outcome for outcome in outcomes if isinstance(outcome, Finished)]
    return finished if len(finished) == _RUNS else None


def _engine(name: str, size: int, folder: Path) -> tuple[float, ...] | None:
    """How long the default engine takes, when it finds the right number of states."""
    family = FAMILIES[name]
    file = folder / f"{name}.{size}.litmus"
    file.write_text(family.litmus(size), encoding="utf-8")
    samples = [measure(ENGINES["auto"], file, family.model, _LIMIT) for _ in range(_RUNS)]
    right = [
        sample.engine
        for sample in samples
        if isinstance(sample, Sample) and sample.engine is not None and _is_right(sample, family, size)
    ]
    return tuple(right) if len(right) == _RUNS else None


def _is_right(sample: Sample, family: Family, size: int) -> bool:
    return family.states is None or sample.states == family.states(size)


def _yardstick() -> float:
    """How fast the machine is at the moment: seconds for a fixed loop of plain Python, the best of five."""

    def once() -> float:
        start = perf_counter()
        total = 0
        for number in range(1_000_000):
            total += number * number % 7
        return perf_counter() - start

    return min(once() for _ in range(5))


def main(peers: str = "../shared/peers") -> int:
    """Print the table; 1 when a promise is not kept or could not be looked at."""
    print(f"A million rounds of a plain loop take {duration(_yardstick())} here.\n")
    print(f"| what | target | median of {_RUNS} | from - to | met |\n|---|---|---|---|---|")
    met = True
    for target in targets(Path(peers)):
        print(target.row(), flush=True)
        met &= target.is_met
    print(f"\nAnd {duration(_yardstick())} afterwards.")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
