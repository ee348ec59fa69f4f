"""The block that herd7 prints, byte for byte, so that mcompare7 and scripts read ours."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from mcm.answer.result import BOUND, Invalid, Judged, Observation, Undecided, Unreadable, Verdict
from mcm.answer.shown_states import are_counted
from mcm.base.visible import visible
from mcm.program.condition import Quantifier
from mcm.report.pieces import gathered, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.result import Found, Problem, Result
    from mcm.answer.shown_states import ShownState

_KINDS: Final = {
    Quantifier.EXISTS: "Allowed",
    Quantifier.NOT_EXISTS: "Forbidden",
    Quantifier.FORALL: "Required",
}


def render_herd(result: Result) -> str:
    """The block of one result, with the empty line that ends it.

    A test without an answer has no block: herd7 prints none either, and says why on its error stream.
    """
    return "".join(herd_pieces(result))


def herd_pieces(result: Result) -> Iterator[str]:
    """The same, piece by piece: there may be a million states."""
    given: object = result
    if not isinstance(given, Judged | Undecided | Invalid | Unreadable):
        # Not nothing, which is what a test without an answer gives.
        message = f"expected a result, found {type(given).__name__}"
        raise TypeError(message)
    if isinstance(result, Judged | Undecided) and _has_block(result):
        yield from gathered(chain(pieces(map(visible, _lines(result))), ["\n\n"]))


def _lines(result: Found) -> Iterator[str]:
    yield f"Test {result.test} {_kind(result)}"
    yield f"States {len(result.states)}"
    yield from map(_state, result.states)
    yield _outcome(result)
    yield "Witnesses"
    yield from _witnesses(result)
    yield from (f"Flag {name}" for name in _flag_names(result))
    yield f"Condition {_condition(result)}"
    yield _observation(result)
    yield f"Time {result.test} {result.seconds:.2f}"
    if result.fingerprint is not None:
        yield f"Hash={result.fingerprint}"


def _has_block(result: Found) -> bool:
    """Whether the format has a place for a result: it has, if final states were looked for and the search ended."""
    if isinstance(result, Judged):
        return result.verdict is not Verdict.NO_EXECUTION
    return result.reason == BOUND


def _kind(result: Found) -> str:
    # herd7 gives a test without condition the condition `forall (true)`.
    return _KINDS[result.condition.quantifier] if result.condition else _KINDS[Quantifier.FORALL]


def _state(state: ShownState) -> str:
    parts = (f"{_bracketed(name)}={value};" for name, value in state.values.items())
    return " ".join(parts)


def _bracketed(name: str) -> str:
    return name if ":" in name else f"[{name}]"


def _outcome(result: Found) -> str:
    prefix = "Loop " if result.bounded else ""
    if result.undefined:
        return f"{prefix}Undef"
    return f"{prefix}Ok" if _holds(result) else f"{prefix}No"


def _holds(result: Found) -> bool:
    """Whether the condition holds, as far as was looked."""
    if result.holds is not None or result.condition is None:
        return result.holds is not False
    positive, negative = _counts(result)
    match result.condition.quantifier:
        case Quantifier.EXISTS:
            return positive > 0
        case Quantifier.NOT_EXISTS:
            return positive == 0
        case Quantifier.FORALL:
            return negative == 0


def _witnesses(result: Found) -> list[str]:
    positive, negative = _counts(result)
    if result.condition and result.condition.quantifier is Quantifier.NOT_EXISTS:
        # For herd7 a positive witness speaks for the quantified condition, not for the proposition under it.
        positive, negative = negative, positive
    line = f"Positive: {positive} Negative: {negative}"
    return [line] if _counts_executions(result) else [line, "Counting states"]


def _counts(result: Found) -> tuple[int, int]:
    """How many executions (or states, when executions were not counted) satisfy the proposition, and how many not."""
    if not _counts_executions(result):
        positive = len(result.states) if result.condition is None else result.satisfying
        return positive, len(result.states) - positive
    weights = [state.executions or 0 for state in result.states]
    positive = sum(
        weight
        for weight, state in zip(weights, result.states, strict=True)
        if state.satisfies or result.condition is None
    )
    return positive, sum(weights) - positive


def _counts_executions(result: Found) -> bool:
    return are_counted(result.states) and all(state.executions is not None for state in result.states)


def _flag_names(result: Found) -> list[str]:
    return sorted({_flag_name(problem) for problem in (*result.undefined, *result.impl_defined, *result.flags)})


def _flag_name(problem: Problem) -> str:
    return problem.kind.replace("-", "_")


def _condition(result: Found) -> str:
    if result.condition is None:
        return f"{Quantifier.FORALL.value} (true)"
    return f"{result.condition.quantifier.value} ({result.condition.text})"


def _observation(result: Found) -> str:
    positive, negative = _counts(result)
    word = (result.observation or _observed(positive, negative)).value
    return f"Observation {result.test} {word} {positive} {negative}"


def _observed(positive: int, negative: int) -> Observation:
    if positive and negative:
        return Observation.SOMETIMES
    return Observation.ALWAYS if positive else Observation.NEVER
