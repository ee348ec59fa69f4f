"""Where units stop: at the bound of a loop, in one that waits for others, in executions in which they wait for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.engine.smt.circuit import FALSE
from mcm.engine.smt.least_blocked import LeastBlocked, stops_of
from mcm.engine.smt.witnesses import find_all
from mcm.execution.skeleton import StopKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span
    from mcm.engine.smt.decode import Decoder
    from mcm.engine.smt.encode import Encoding
    from mcm.engine.smt.findings import Findings
    from mcm.engine.smt.ordering import Ordering
    from mcm.execution.candidate import Candidate
    from mcm.execution.skeleton import Stop


def find_stops(
    encoding: Encoding, decoder: Decoder, findings: Findings, passing: list[int], ordering: Ordering
) -> None:
    """Note which loops are cut, which wait, and the blocked executions, of which the filter has to let pass."""
    for stop in _reached(encoding, decoder, StopKind.BOUND, ordering):
        findings.add_cut(stop)
    for stop in _reached(encoding, decoder, StopKind.WAIT, ordering):
        findings.add_wait(stop)
    blocked = encoding.stops.blocked()
    if blocked != FALSE:
        _find_blocked(encoding, decoder, findings, [encoding.assumption(blocked), *passing], ordering)


def _reached(encoding: Encoding, decoder: Decoder, kind: StopKind, ordering: Ordering) -> Iterator[Stop]:
    """The stops of a kind that some execution reaches, one for each place in each thread.

    Units that wait are told of where they may fail again.
    """
    stops = [(stop, literal) for stop, literal in encoding.stops.of_kind(kind) if stop.fails_again]
    literals = {number: literal for number, (_, literal) in enumerate(stops)}

    def place(number: int) -> tuple[int, Span]:
        stop, _ = stops[number]
        return stop.thread, stop.span

    ordered = ordering.of_conditions({number: stop.condition for number, (stop, _) in enumerate(stops)})
    for number, _ in find_all(encoding, decoder, literals, [], place, ordered=ordered):
        yield stops[number][0]


def _find_blocked(
    encoding: Encoding, decoder: Decoder, findings: Findings, restrictions: list[int], ordering: Ordering
) -> None:
    """For each least set of places the least execution in which units wait there for ever, and nowhere else."""
    for places, witness in _least_places(encoding, decoder, [*restrictions, *ordering.of_places()]).items():
        if not findings.is_blocked_at_fewer(places):
            least = LeastBlocked(encoding, decoder, places, restrictions).find(witness)
            findings.add_blocked(stops_of(least), least)


def _least_places(encoding: Encoding, decoder: Decoder, restrictions: list[int]) -> dict[frozenset[Span], Candidate]:
    """The least sets of places where units can wait for ever while they wait nowhere else, with such executions."""
    literals: dict[Span, list[int]] = {}
    for stop, literal in zip(encoding.skeleton.stops, encoding.stops.reached, strict=True):
        literals.setdefault(stop.span, []).append(literal)
    found: dict[frozenset[Span], Candidate] = {}
    searching = encoding.circuit.variable()
    while encoding.solve([searching, *restrictions]):
        witness = decoder.decode()
        places = frozenset(stop.span for stop in stops_of(witness))
        found = {known: other for known, other in found.items() if not places < known}
        found[places] = witness
        # From now on nobody waits at one of these places.
        waiting = [encoding.circuit.any_of(there) for place, there in literals.items() if place in places]
        encoding.circuit.require(-searching, *(-literal for literal in waiting))
    return found
