"""Engine against engine, and the machine against its model, on one text."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final
from zlib import crc32

from fuzz.complaint import CounterexampleError
from mcm import Judged, MachineComparison, Options, Source, check_all, shared_session

if TYPE_CHECKING:
    from mcm import Result

# Texts are small: what takes longer is not compared, and is counted.
_SECONDS: Final = 2
_EVENTS: Final = 200

# How many pairs of a program and a model were compared, and why others were not.
COMPARED: Final[Counter[str]] = Counter()


def agree(text: str) -> None:
    """Both engines give the same answer under every model."""
    source = Source("t.litmus", text)
    # Counting the executions of each state takes long: it is done for some texts.
    counts = crc32(text.encode("utf-8", "surrogatepass")) % 4 == 0
    explicit = check_all(source, ("all",), engine="explicit", timeout=_SECONDS, events=_EVENTS, bound=1, count=counts)
    if not any(isinstance(result, Judged) for result in explicit):
        COMPARED["programs that are not judged"] += 1
        return
    smt = check_all(source, ("all",), engine="smt", timeout=_SECONDS, events=_EVENTS, bound=1, count=counts)
    for one, other in zip(explicit, smt, strict=True):
        _compare(one, other)


def _compare(one: Result, other: Result) -> None:
    if not (isinstance(one, Judged) and isinstance(other, Judged)) or one.reason or other.reason:
        COMPARED["pairs without a whole answer"] += 1
        return
    if any(state.thin_air for state in one.states):
        COMPARED["pairs with thin air"] += 1
    COMPARED["pairs compared"] += 1
    mine, others = _answer(one), _answer(other)
    for what, value in mine.items():
        if value != others[what]:
            detail = f"{one.model}: explicit says {value}\n  smt says {others[what]}"
            raise CounterexampleError(f"engines differ in {what} under {one.model}", detail)


def _answer(result: Judged) -> dict[str, object]:
    problems = (*result.undefined, *result.impl_defined, *result.flags)
    return {
        "verdict": result.verdict,
        "reachability": (result.reachable, result.holds, result.observation),
        "completeness": (result.complete, result.has_execution, sorted(span.start for span in result.bounded)),
        "states": sorted(
            (
                tuple(map(str, state.values.items())),
                state.satisfies,
                state.thin_air,
                state.example_of or "",
                state.executions or 0,
            )
            for state in result.states
        ),
        "problems": [
            (p.kind, tuple((s.thread, s.span.start, s.iteration) for s in p.sites), p.location, p.why, p.rules)
            for p in problems
        ],
        "waits": sorted((unit.thread, unit.span.start) for unit in result.waits),
        "blocked": sorted(
            sorted((u.thread, u.span.start, u.waits_for) for u in blocked.units) for blocked in result.blocked
        ),
    }


def machine_agrees(text: str) -> None:
    """Nothing that the machine does contradicts the model of the dialect."""
    options = Options(bound=1, events=_EVENTS)
    for one in shared_session().check_and_run(Source("t.litmus", text), options, 200, 0):
        if not isinstance(one, MachineComparison):
            COMPARED["programs that are not run"] += 1
            continue
        COMPARED["programs run"] += 1
        for contradiction in one.contradictions:
            raise CounterexampleError(f"machine against {one.result.model}", str(contradiction))
