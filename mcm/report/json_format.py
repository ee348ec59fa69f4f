"""Results as JSON, in the shape that `schema.json` beside this file and `docs/json.md` describe."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Final

from mcm.answer.result import Findings, Judged, Undecided
from mcm.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.answer.result import Problem, Result, ShownState, Site
    from mcm.base.diagnostic import Diagnostic, Note
    from mcm.base.source import Span
    from mcm.program.condition import Condition
    from mcm.program.header import Expectation

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def render_json(results: Iterable[Result]) -> str:
    """The whole document, indented, without a line end."""
    document: Json = {"tool": "mcm", "version": __version__, "results": [to_json(result) for result in results]}
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def to_json(result: Result) -> dict[str, Json]:
    """One result as an object; what does not apply to its case is null or empty."""
    found = result if isinstance(result, Judged | Undecided) else _NOTHING
    return {
        "file": result.file,
        "test": result.test,
        "model": result.model,
        "engine": found.engine,
        "status": result.status.value,
        "reason": result.reason if isinstance(result, Undecided) else None,
        "condition": _condition(found.condition),
        "verdict": result.verdict.value,
        "reachable": found.reachable,
        "holds": found.holds,
        "observation": found.observation.value if found.observation else None,
        "complete": not isinstance(result, Undecided) and not found.bounded,
        "bound": result.bound,
        "bounded": [_position(span) for span in found.bounded],
        "states": [_state(state) for state in found.states],
        "undefined": [problem_to_json(problem) for problem in found.undefined],
        "impl_defined": [problem_to_json(problem) for problem in found.impl_defined],
        "flags": [problem_to_json(problem) for problem in found.flags],
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in result.diagnostics],
        "expected": _expectation(result.expected),
        "as_expected": result.as_expected,
        "seconds": round(found.seconds, 6),
        "hash": result.fingerprint,
    }


_NOTHING: Final = Findings(file="", model="", bound=0)


def _condition(condition: Condition | None) -> Json:
    return {"quantifier": condition.quantifier.value, "text": condition.text} if condition else None


def _state(state: ShownState) -> Json:
    return {
        "values": {name: number(value) for name, value in state.values.items()},
        "satisfies": state.satisfies,
        "thin_air": state.thin_air,
        "executions": state.executions,
    }


def number(value: float | str) -> Json:
    """A value of a state; JSON has no infinities and no NaN, so that they are given as text."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def problem_to_json(problem: Problem) -> Json:
    """One race, fault or flag as an object."""
    return {
        "kind": problem.kind,
        "events": [_site(site) for site in problem.sites],
        "why": problem.why,
        "rules": list(problem.rules),
    }


def _site(site: Site) -> Json:
    return {"thread": site.thread, **_position(site.span), "text": site.text}


def _position(span: Span) -> dict[str, Json]:
    return {"line": span.line, "col": span.column}


def _diagnostic(diagnostic: Diagnostic) -> Json:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "file": diagnostic.span.source.name,
        **_position(diagnostic.span),
        "notes": [_note(note) for note in diagnostic.notes],
    }


def _note(note: Note) -> Json:
    if note.span is None:
        return {"message": note.message, "file": None, "line": None, "col": None}
    return {"message": note.message, "file": note.span.source.name, **_position(note.span)}


def _expectation(expectation: Expectation | None) -> Json:
    if expectation is None:
        return None
    return {
        "model": expectation.model,
        "observation": expectation.observation,
        "race": expectation.race,
        "divergence": expectation.divergence,
        "impl_defined": expectation.impl_defined,
        "invalid": expectation.invalid,
    }
