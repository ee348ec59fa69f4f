"""Tables of plain text: one for each family, and a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench.command import Failure, PastLimit
from bench.contender import Engine, Peer
from bench.measure import Point

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.contender import Contender
    from bench.family import Family
    from bench.measure import Outcome, Plan, Row

_WIDTH: Final = 10


def heading(family: Family, plan: Plan) -> str:
    """The family, and what the columns mean."""
    groups, columns = " " * 12, f"{'n':>4}{'states':>8}"
    for contender in plan.contenders:
        titles = "".join(f"{title:>{_WIDTH}}" for title in _titles(contender, plan))
        groups += f"{'- ' + contender.name + ' -':^{len(titles)}}"
        columns += titles
    return f"{family.name}, {family.model}: {family.title}\n{groups.rstrip()}\n{columns}"


def _titles(contender: Contender, plan: Plan) -> list[str]:
    if isinstance(contender, Peer):
        return ["command", "growth"]
    return ["engine", "growth", "command", *(["peer/mcm"] if _peer(plan) else [])]


def _peer(plan: Plan) -> Peer | None:
    return next((contender for contender in plan.contenders if isinstance(contender, Peer)), None)


def line(row: Row, plan: Plan) -> str:
    """One size: the medians of all contenders that are still in."""
    states = next((point.states for point in row.outcomes.values() if isinstance(point, Point) and point.states), "")
    peer = _peer(plan)
    against = row.outcomes.get(peer.name) if peer else None
    cells = [
        f"{cell:>{_WIDTH}}"
        for contender in plan.contenders
        for cell in _cells(contender, row.outcomes.get(contender.name), against, plan)
    ]
    return f"{row.size:>4}{states:>8}{''.join(cells)}".rstrip()


def _cells(contender: Contender, outcome: Outcome | None, against: Outcome | None, plan: Plan) -> list[str]:
    width = len(_titles(contender, plan))
    if outcome is None:
        return [""] * width
    if isinstance(outcome, PastLimit):
        return [f"> {plan.limit:g} s", *[""] * (width - 1)]
    if isinstance(outcome, Failure):
        return ["failed", *[""] * (width - 1)]
    growth = "" if outcome.growth is None else f"x{outcome.growth:.2f}"
    if isinstance(contender, Engine):
        return [duration(outcome.seconds), growth, duration(outcome.command), _ratio(outcome, against, plan)][:width]
    return [duration(outcome.command), growth]


def _ratio(ours: Point, peer: Outcome | None, plan: Plan) -> str:
    """How many times as long the peer's command took as ours."""
    if isinstance(peer, Point):
        return f"x{peer.command / ours.command:.2f}"
    return f">x{plan.limit / ours.command:.1f}" if isinstance(peer, PastLimit) else ""


def duration(seconds: float) -> str:
    """Three digits and a unit: `1.23 ms`, `45.6 ms`, `7.89 s`."""
    number, unit = (seconds, "s") if seconds >= 1 else (seconds * 1000, "ms")
    return f"{number:.{2 if number < 10 else 1 if number < 100 else 0}f} {unit}"


def summary(rows: Sequence[Row], plan: Plan) -> str:
    """For each family and contender: how far it got, and by what factor a step of size costs more."""
    title = f"{'family':<16}{'':<10}{'reaches':>8}{'in':>10}{'growth':>9}   {'passes ' + f'{plan.limit:g} s':<10}"
    return "\n".join([title.rstrip(), *_summary_lines(rows, plan)])


def _summary_lines(rows: Sequence[Row], plan: Plan) -> Iterator[str]:
    for name in dict.fromkeys(row.family.name for row in rows):
        for contender in plan.contenders:
            series = {
                row.size: row.outcomes[contender.name]
                for row in rows
                if row.family.name == name and contender.name in row.outcomes
            }
            yield f"{name:<16}{contender.name:<10}{_reach(series)}".rstrip()


def _reach(series: dict[int, Outcome]) -> str:
    points = {size: outcome for size, outcome in series.items() if isinstance(outcome, Point)}
    ending = next((f"at {size}" for size, outcome in series.items() if isinstance(outcome, PastLimit)), "")
    if not points:
        return f"{'-':>8}{'':>10}{'':>9}   {ending}"
    first, last = min(points), max(points)
    growth = ""
    if first < last:
        growth = f"x{(points[last].seconds / points[first].seconds) ** (1 / (last - first)):.2f}"
    return f"{last:>8}{duration(points[last].seconds):>10}{growth:>9}   {ending}"
