"""Who is measured: an engine of ours, or a peer's command."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, assert_never

from bench.command import Failure, Finished, PastLimit, run

if TYPE_CHECKING:
    from pathlib import Path

# What a process may need beside the engine: it ends itself at the limit, and is ended when it does not.
_GRACE: Final = 10.0


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine of mcm, and the solver that it may use, by the words that `mcm check` knows."""

    name: str
    engine: str
    solver: str = "z3"


@dataclass(frozen=True, slots=True)
class Peer:
    """Another tool: the words of its command, `{file}` among them."""

    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.words[0].rpartition("/")[2]


Contender = Engine | Peer

ENGINES: Final = {
    "explicit": Engine("explicit", "explicit"),
    "smt": Engine("smt", "smt"),
    "cadical": Engine("cadical", "smt", "cadical"),
    "auto": Engine("auto", "auto"),
}


def peer(command: str) -> Peer:
    """A peer from its command line; raises ValueError when that names no `{file}`."""
    words = tuple(shlex.split(command))
    if not any("{file}" in word for word in words):
        raise ValueError("the command of a peer says where the test goes: '{file}'")
    return Peer(words)


@dataclass(frozen=True, slots=True)
class Sample:
    """One measurement: seconds of the engine (None for a peer) and of the whole command, start included.

    `states` and `answer` (a fingerprint) say what was found, so that answers can be compared.
    """

    engine: float | None
    command: float
    states: int | None = None
    answer: str | None = None

    @property
    def spent(self) -> float:
        """What it took to measure, roughly."""
        return self.command + (self.engine or 0.0)


def measure(contender: Contender, file: Path, model: str, limit: float) -> Sample | PastLimit | Failure:
    """Measure once, in fresh processes."""
    match contender:
        case Engine():
            return _measure_engine(contender, file, model, limit)
        case Peer(words):
            outcome = run([word.replace("{file}", str(file)) for word in words], limit)
            return Sample(None, outcome.seconds) if isinstance(outcome, Finished) else outcome
        case _:
            assert_never(contender)


def _measure_engine(one: Engine, file: Path, model: str, limit: float) -> Sample | PastLimit | Failure:
    worker = [sys.executable, "-m", "bench.worker", str(file), model, one.engine, one.solver, str(limit)]
    inside = run(worker, limit + _GRACE)
    if not isinstance(inside, Finished):
        return inside
    report = json.loads(inside.output)
    if report["undecided"] == "timeout" or report["seconds"] > limit:
        return PastLimit()
    if report["undecided"]:
        return Failure(f"undecided: {report['undecided']}")
    options = ["--model", model, "--engine", one.engine, "--solver", one.solver, "--quiet"]
    whole = run([sys.executable, "-m", "mcm", "check", str(file), *options], limit + _GRACE)
    if not isinstance(whole, Finished):
        return whole
    return Sample(report["seconds"], whole.seconds, report["states"], report["answer"])
