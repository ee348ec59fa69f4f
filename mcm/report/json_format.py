"""Results as JSON, in the shape that `json_records` states and `docs/json.md` describes."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.answer.result import Findings, Judged, Observation, Undecided
from mcm.answer.shown_states import ManyShownStates
from mcm.report.json_records import (
    ConditionRecord,
    DiagnosticRecord,
    Document,
    EventRecord,
    ExpectationRecord,
    NoteRecord,
    PositionRecord,
    ProblemRecord,
    ResultRecord,
    StateRecord,
    WaitingRecord,
    encode,
)
from mcm.report.json_values import values_record
from mcm.report.pieces import gathered
from mcm.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.answer.result import Problem, Result, WaitingUnit
    from mcm.answer.shown_states import ShownState
    from mcm.base.diagnostic import Diagnostic, Note
    from mcm.base.source import Span
    from mcm.program.condition import Condition
    from mcm.program.header import Expectation

# What is in front of each line of a result.
_LAYOUT: Final = "\n    "
_NO_STATES: Final = '"states": []'

_NOTHING: Final = Findings(file="", model="", bound=0)


def render_json(results: Iterable[Result]) -> str:
    """The whole document, indented, without a line end."""
    return "".join(json_pieces(results))


def json_pieces(results: Iterable[Result]) -> Iterator[str]:
    """The same, piece by piece as results come: none is kept."""
    return _document(map(_result, results))


def encoded_pieces(results: Iterable[ResultRecord]) -> Iterator[str]:
    """The document with these results, piece by piece."""
    return _document([_encoded(result)] for result in results)


def _document(results: Iterable[Iterable[str]]) -> Iterator[str]:
    """The document, of whose results each is given in pieces."""
    empty = encode(Document(tool="mcm", version=__version__, results=()))
    before, after = empty.rsplit("[]", 1)
    gap = ""
    for result in results:
        yield from gathered(chain([gap or f"{before}["], result))
        gap = ","
    yield f"\n  ]{after}" if gap else empty


def _encoded(result: ResultRecord) -> str:
    # A line end in the text of a record is one of its layout: those in strings are escaped.
    return f"{_LAYOUT}{encode(result).replace(chr(10), _LAYOUT)}"


def _result(result: Result) -> Iterator[str]:
    """One result, in pieces where it has many states."""
    if not isinstance(result, Findings) or not isinstance(result.states, ManyShownStates):
        yield _encoded(result_record(result))
        return
    # Imported here: few results have so many.
    from mcm.report.json_states import state_pieces  # noqa: PLC0415

    # No string has the line end in it.
    before, after = _encoded(result_record(replace(result, states=()))).split(f"{_LAYOUT}  {_NO_STATES}", 1)
    yield f"{before}{_LAYOUT}  {_NO_STATES[:-1]}"
    yield from state_pieces(result.states, f"{_LAYOUT}    ")
    yield f"{_LAYOUT}  ]{after}"


def result_record(result: Result) -> ResultRecord:
    """One result; what does not apply to its case is null or empty."""
    found = result if isinstance(result, Judged | Undecided) else _NOTHING
    return ResultRecord(
        file=result.file,
        test=result.test,
        model=result.model,
        engine=found.engine,
        solver=found.solver,
        status=result.status,
        reason=found.reason,
        condition=condition_record(found.condition),
        verdict=result.verdict,
        reachable=found.reachable,
        holds=found.holds,
        observation=found.observation,
        complete=found.complete,
        bound=result.bound,
        bounded=tuple(map(_position, found.bounded)),
        waits=tuple(map(waiting_record, found.waits)),
        blocked=tuple(dict.fromkeys(waiting_record(unit) for blocked in found.blocked for unit in blocked.units)),
        excluded_by=(found.excluded.rules or found.excluded.checks) if found.excluded else (),
        states=tuple(map(state_record, found.states)),
        names=dict(found.names),
        undefined=tuple(map(problem_record, found.undefined)),
        impl_defined=tuple(map(problem_record, found.impl_defined)),
        flags=tuple(map(problem_record, found.flags)),
        diagnostics=tuple(map(diagnostic_record, result.diagnostics)),
        expected=_expectation(result.expected),
        as_expected=result.as_expected,
        seconds=round(found.seconds, 6),
        hash=result.fingerprint,
    )


def problem_record(problem: Problem) -> ProblemRecord:
    """One race, fault or flag."""
    events = tuple(
        EventRecord(
            thread=site.thread,
            line=site.span.line,
            col=site.span.column,
            text=site.text,
            iteration=site.iteration,
            iterations=site.iterations,
            access=site.access,
        )
        for site in problem.sites
    )
    return ProblemRecord(
        kind=problem.kind, location=problem.location, events=events, why=problem.why, rules=problem.rules
    )


def condition_record(condition: Condition | None) -> ConditionRecord | None:
    """The condition of a test; null where there is none."""
    return ConditionRecord(quantifier=condition.quantifier, text=condition.text) if condition else None


def state_record(state: ShownState) -> StateRecord:
    """A final state."""
    return StateRecord(
        values=values_record(state.values),
        satisfies=state.satisfies,
        thin_air=state.thin_air,
        executions=state.executions,
        example_of=state.example_of,
    )


def _position(span: Span) -> PositionRecord:
    return PositionRecord(line=span.line, col=span.column)


def waiting_record(unit: WaitingUnit) -> WaitingRecord:
    """A unit that waits."""
    return WaitingRecord(thread=unit.thread, line=unit.span.line, waits_for=unit.waits_for)


def diagnostic_record(diagnostic: Diagnostic) -> DiagnosticRecord:
    """A diagnostic as JSON has it."""
    return DiagnosticRecord(
        code=diagnostic.code,
        severity=diagnostic.severity,
        message=diagnostic.message,
        file=diagnostic.span.source.name,
        line=diagnostic.span.line,
        col=diagnostic.span.column,
        notes=tuple(map(_note, diagnostic.notes)),
    )


def _note(note: Note) -> NoteRecord:
    if note.span is None:
        return NoteRecord(message=note.message, file=None, line=None, col=None)
    return NoteRecord(message=note.message, file=note.span.source.name, line=note.span.line, col=note.span.column)


def _expectation(expectation: Expectation | None) -> ExpectationRecord | None:
    if expectation is None:
        return None
    return ExpectationRecord(
        model=expectation.model,
        observation=Observation(expectation.observation) if expectation.observation else None,
        race=expectation.race,
        divergence=expectation.divergence,
        impl_defined=expectation.impl_defined,
        invalid=expectation.invalid,
        terminates=expectation.terminates,
        defined=expectation.defined,
    )
