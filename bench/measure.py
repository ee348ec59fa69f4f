"""Points and series: the contenders measured in turn on one size after the other, until the limit has passed them."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from bench.command import Failure, PastLimit
from bench.contender import Engine, Sample, measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.contender import Contender
    from bench.family import Family


@dataclass(frozen=True, slots=True)
class Point:
    """The medians of so many runs of one contender on one size.

    `growth` is the factor for one step of size, over the size that was measured before. `engine` is None for a peer.
    """

    engine: float | None
    command: float
    states: int | None
    answer: str | None
    runs: int
    growth: float | None

    @property
    def seconds(self) -> float:
        """What growth is measured on: the engine alone where it can be told apart."""
        return self.command if self.engine is None else self.engine


Outcome = Point | PastLimit | Failure


@dataclass(frozen=True, slots=True)
class Row:
    """One size of a family: what became of each contender that was still in, and what is wrong with the answers."""

    family: Family
    size: int
    outcomes: dict[str, Outcome]
    complaints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured: each point `repeat` times, or until its runs have taken `limit` seconds."""

    contenders: tuple[Contender, ...]
    sizes: tuple[int, ...]
    limit: float
    repeat: int


def rows(family: Family, plan: Plan, folder: Path) -> Iterator[Row]:
    """Measure one size after the other; a contender leaves where it passes the limit or fails."""
    remaining = list(plan.contenders)
    before: dict[str, tuple[int, float]] = {}
    for size in plan.sizes:
        if size < family.smallest:
            continue
        file = folder / f"{family.name}.{size}.litmus"
        file.write_text(family.litmus(size), encoding="utf-8")
        samples = _in_turn(remaining, file, family.model, plan)
        outcomes = {name: _outcome(taken, size, before.get(name)) for name, taken in samples.items()}
        yield Row(family, size, outcomes, tuple(_complaints(family, size, outcomes)))
        before = {name: (size, point.seconds) for name, point in outcomes.items() if isinstance(point, Point)}
        remaining = [contender for contender in remaining if contender.name in before]
        if not any(isinstance(contender, Engine) for contender in remaining):
            return


def _in_turn(
    contenders: Sequence[Contender], file: Path, model: str, plan: Plan
) -> dict[str, list[Sample] | PastLimit | Failure]:
    """The samples of each contender, taken in turn so that all suffer the same noise."""
    taken: dict[str, list[Sample] | PastLimit | Failure] = {contender.name: [] for contender in contenders}
    for _ in range(plan.repeat):
        for contender in contenders:
            samples = taken[contender.name]
            if not isinstance(samples, list) or sum(sample.spent for sample in samples) > plan.limit:
                continue
            sample = measure(contender, file, model, plan.limit)
            if isinstance(sample, Sample):
                samples.append(sample)
            else:
                taken[contender.name] = sample
    return taken


def _outcome(taken: list[Sample] | PastLimit | Failure, size: int, before: tuple[int, float] | None) -> Outcome:
    if not isinstance(taken, list):
        return taken
    if len({sample.answer for sample in taken}) > 1:
        return Failure("the answer changes from run to run")
    engines = [sample.engine for sample in taken if sample.engine is not None]
    engine = median(engines) if engines else None
    command = median(sample.command for sample in taken)
    growth = None
    if before is not None:
        growth = ((command if engine is None else engine) / before[1]) ** (1 / (size - before[0]))
    return Point(engine, command, taken[0].states, taken[0].answer, len(taken), growth)


def _complaints(family: Family, size: int, outcomes: dict[str, Outcome]) -> Iterator[str]:
    """Whatever makes a time worthless."""
    where = f"{family.name} {size}"
    points = {name: point for name, point in outcomes.items() if isinstance(point, Point) and point.answer}
    expected = family.states(size) if family.states else None
    for name, outcome in outcomes.items():
        if isinstance(outcome, Failure):
            yield f"{where}: {name} failed: {outcome.reason}"
    for name, point in points.items():
        if expected is not None and point.states != expected:
            yield f"{where}: {name} finds {point.states} states, and counting gives {expected}"
    if len({point.answer for point in points.values()}) > 1:
        yield f"{where}: the answers of {' and '.join(points)} differ"
