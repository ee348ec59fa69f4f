"""Kernels at their real size, measured: `python -m bench.real_sizes`. What is timed are whole commands."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from bench.registry import FAMILIES
from bench.table import duration

if TYPE_CHECKING:
    from collections.abc import Iterator

# What searches for long ends by itself then; that is wall time, which is several times the other on a busy machine.
_LONG: Final = ("--timeout", "240")
# Exit codes of commands that have an answer.
_ANSWERED: Final = frozenset({0, 1})
_MEMORY_GOAL: Final = 500


@dataclass(frozen=True, slots=True)
class Work:
    """A member of a family, what it may take, and the options that it is asked with."""

    what: str
    family: str
    size: int
    seconds: float
    options: tuple[str, ...] = ()
    command: str = "check"


WORK: Final = (
    Work("histogram, 4 groups of 16, 8 bins", "histogram-groups", 4, 1.0),
    Work("histogram, 16 groups of 16", "histogram-groups", 16, 10.0),
    Work("histogram, 64 groups of 64", "histogram-large", 64, 10.0, _LONG),
    Work("histogram, 16 groups of 16, atomics without orders", "histogram-seq-cst", 16, 10.0),
    Work("the same, added before all have counted", "histogram-missed", 16, 10.0, _LONG),
    Work("32 groups of 32, added before all have counted", "histogram-missed-large", 32, 30.0, _LONG),
    Work("tree reduction, 64 work-items", "reduction", 64, 0.5),
    Work("tree reduction, 256", "reduction", 256, 3.0),
    Work("tree reduction, 1,024", "reduction", 1024, 30.0, _LONG),
    Work("scan, 64 work-items", "scan", 64, 1.0),
    Work("scan, 256", "scan", 256, 10.0),
    Work("bitonic sort, 64 work-items", "bitonic-sort", 64, 10.0),
    Work("merge sort, 64 work-items", "merge-sort", 64, 10.0),
    Work("merge sort, 256", "merge-sort", 256, 10.0),
    Work("list ranking, 64 work-items", "list-ranking", 64, 10.0),
    Work("segmented scan, 64 work-items", "segmented-scan", 64, 1.0),
    Work("segmented scan, 256", "segmented-scan", 256, 10.0),
    Work("rounds until no flag is set, 16 work-items", "rounds-flag", 16, 2.0),
    Work("rounds until no flag is set, 64", "rounds-flag", 64, 10.0),
    Work("rounds until a group function says so, 64", "rounds-group-function", 64, 10.0),
    Work("odd-even transposition sort of 32 numbers", "odd-even-sort", 16, 10.0),
    Work("Bellman-Ford in a group, 8 edges", "bellman-ford", 8, 20.0, _LONG),
    Work("the last of 8 groups of 64 adds up", "last-block", 8, 10.0, _LONG),
    Work("the last of 32 groups of 64", "last-block", 32, 30.0, _LONG),
    Work("the last of 64 work-items adds up", "last-of-all", 64, 10.0, _LONG),
    Work("8 groups, atomics without orders", "last-block-seq-cst", 8, 10.0, _LONG),
    Work("reduction by a group function, 1,024", "group-functions", 1024, 2.0),
    Work("race: histogram, 16 groups of 16, bins not cleared", "histogram-race", 16, 1.0),
    Work("race: tree reduction, 256, wrong flag", "reduction-race", 256, 1.0),
    Work("race: tree reduction, 1,024, wrong flag", "reduction-race", 1024, 1.0),
    Work("race: scan, 256, a barrier missing", "scan-race", 256, 1.0),
    Work("race: scan, 1,024, a barrier missing", "scan-race", 1024, 1.0),
    Work("spin lock, 6 groups, counter observed", "spin-lock", 6, 1.0, _LONG),
    Work("spin lock, 8", "spin-lock", 8, 10.0, _LONG),
    Work("64 groups add their numbers under a lock", "locked-sum", 64, 5.0, _LONG),
    Work("lock that 4 groups of 4 take", "lock-across-groups", 4, 10.0, _LONG),
    Work("leader of 64 by compare-exchange, seq_cst", "leader", 64, 2.0),
    Work("leader of 256", "leader", 256, 5.0),
    Work("leader of a group of 256, in local memory", "group-leader", 256, 10.0),
    Work("the first of 32 initialises, the others wait", "first-initialises", 8, 10.0, _LONG),
    Work("sum of 64 by compare-exchange", "tried-sum", 16, 2.0),
    Work("sum of 256 floats", "float-sum", 64, 2.0),
    Work("CAS lock, 7, bound 1, without states", "cas-lock", 7, 5.0, ("--bound", "1", "--no-states", *_LONG)),
    Work("ticket lock that spins, 8", "spinning-ticket-lock", 8, 5.0, _LONG),
    Work("MCS lock, 8", "mcs-lock", 8, 5.0, _LONG),
    Work("CLH lock, 8", "clh-lock", 8, 5.0, _LONG),
    Work("semaphore with two permits, 8", "semaphore", 8, 10.0, _LONG),
    Work("lock for one writer or seven readers", "readers-writer-lock", 8, 5.0, _LONG),
    Work("lock for one writer or readers who come first, 8", "readers-first-lock", 8, 5.0, _LONG),
    Work("Anderson's array lock, 8", "array-lock", 8, 2.0, _LONG),
    Work("maximum of 64 by compare-exchange", "maximum", 64, 2.0),
    Work("Treiber's stack, 6 pop", "popped-stack", 6, 15.0, _LONG),
    Work("16 push to Treiber's stack", "pushed-stack", 16, 10.0, _LONG),
    Work("4 groups of 16 visit 16 nodes", "visited", 16, 2.0),
    Work("frontier of 16 with three edges each", "frontier", 16, 10.0, _LONG),
    Work("8 work-items take 8 jobs from a counter", "jobs", 8, 2.0, ("--bound", "8", *_LONG)),
    Work("32 take 32", "jobs", 32, 10.0, ("--bound", "32", *_LONG)),
    Work("4 groups of 8 take 6 jobs, one work-item for all", "group-jobs", 6, 15.0, _LONG),
    Work("64 work-items take places from a counter", "compaction", 16, 2.0),
    Work("8 groups of 8 take ranges, their work-items places", "group-compaction", 8, 2.0),
    Work("64 take places from the counter of their key", "scatter", 16, 2.0),
    Work("hash table of 16, 8 keys", "hash-table", 8, 10.0, _LONG),
    Work("bounded queue of two, 2 put and 2 take", "bounded-queue", 4, 40.0, _LONG),
    Work("32 work-groups append in turn", "turns", 32, 20.0),
    Work("64 pass a token on", "tokens", 64, 10.0),
    Work("wavefront, 16 rows of four", "wavefront", 16, 10.0),
    Work("one gathers from 63, and tells them", "gathering", 64, 10.0),
    Work("sense-reversing barrier, 8", "sense-barrier", 8, 10.0, _LONG),
    Work("two rounds of a sense-reversing barrier, 8", "two-round-barrier", 8, 10.0, _LONG),
    Work("latch, 8 groups of 8", "latch", 8, 10.0, _LONG),
    Work("decoupled look-back, 8 groups", "look-back", 8, 1.0, _LONG),
    Work("decoupled look-back, 8 groups of 8, sums of all", "look-back-groups", 8, 10.0, _LONG),
    Work("the same, tile numbers from a counter", "look-back-tickets", 8, 20.0, _LONG),
    Work("decoupled look-back, 8 groups, flag and sum in one word", "look-back-words", 8, 5.0, _LONG),
    Work("store-buffer ring, 14, seq_cst", "SB+sc", 14, 0.8, _LONG),
    Work("IRIW, release and acquire, 8 readers", "IRIW+rel+acq", 8, 2.0, _LONG),
    Work("run: tree reduction, 1,024, random", "reduction", 1024, 2.0, ("--schedule", "random"), "run"),
    Work("run: tree reduction, 1,024, clover", "reduction", 1024, 2.0, ("--schedule", "clover"), "run"),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor seconds and megabytes at the peak of a command, and whether it has an answer."""

    seconds: float
    megabytes: float
    answered: bool


def cost(command: tuple[str, ...]) -> Cost:
    """What a command takes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    return Cost(seconds, usage.ru_maxrss / 1024, process.returncode in _ANSWERED)


def rows(folder: Path) -> Iterator[str]:
    """The rows of the table, one after the other."""
    for work in WORK:
        family = FAMILIES[work.family]
        file = folder / f"{family.name}.{work.size}.litmus"
        file.write_text(family.litmus(work.size), encoding="utf-8")
        command = [sys.executable, "-m", "mcm", work.command, str(file), *work.options]
        if work.command == "check":
            command += ["--model", family.model]
        taken = cost(tuple(command))
        met = taken.answered and taken.seconds < work.seconds
        time = duration(taken.seconds) if taken.answered else f"> {duration(taken.seconds)}"
        memory = f"{taken.megabytes:.0f} MB" if taken.megabytes < _MEMORY_GOAL else f"**{taken.megabytes:.0f} MB**"
        yield f"| {work.what} | {time} | {duration(work.seconds)} | {memory} | {'yes' if met else '**no**'} |"


def main() -> int:
    """Print the table."""
    print("| work | processor time | goal | peak memory | met |\n|---|---|---|---|---|")
    with TemporaryDirectory() as folder:
        for row in rows(Path(folder)):
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
