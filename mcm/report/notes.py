"""What an answer leaves open, and why, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.result import BOUND, DEEPEST, EVENTS, FIRST_PROBLEM
from mcm.base.deadline import TIMEOUT
from mcm.base.visible import visible
from mcm.report.launches import notes_on_launches
from mcm.report.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.answer.result import Found
    from mcm.base.source import Span

# At most so many units that wait in the same way are named one by one.
_FEW_UNITS: Final = 3


def notes_of(result: Found, position: Callable[[Span], str]) -> Iterator[str]:
    """The notes on a result; `position` says how a place in the text is named."""
    if result.has_execution is False and not result.bounded:
        yield f"no consistent execution is complete: {_exclusion(result)}"
    elif result.passes is False:
        yield "no execution passes the filter of the test: there is no final state to look at"
    yield from _reason(result)
    for span in result.bounded:
        if span in result.written_out:
            yield (
                f"bounded: the loop at {position(span)} enqueues commands, and was written out for"
                f" {counted(result.written_out[span], 'iteration')}; longer runs were not looked at"
            )
            continue
        yield (
            f"bounded: the loop at {position(span)} was cut after {counted(result.bound, 'iteration')};"
            f" longer runs were not looked at (--bound{_enough(result)})"
        )
    yield from notes_on_launches(result)
    yield from _waits(result)


def notes_in_text(result: Found) -> Iterator[str]:
    """The notes on a result as reports for people show them, with places as FILE:LINE."""
    yield from (f"note: {visible(note)}" for note in notes_of(result, _position))


def _position(span: Span) -> str:
    return f"{visible(span.source.name)}:{span.line}"


def _waits(result: Found) -> Iterator[str]:
    """What units wait for that the device need not let come; many that wait alike are named together."""
    forever = {(unit.thread, unit.span) for blocked in result.blocked for unit in blocked.units}
    waits = [unit for unit in result.waits if (unit.thread, unit.span) not in forever]
    alike: dict[tuple[int, str], dict[str, None]] = {}
    for unit in waits:
        alike.setdefault((unit.span.line, unit.waits_for), {})[unit.thread] = None
    said = dict.fromkeys((unit.thread, unit.span.line, unit.waits_for) for unit in waits)
    for thread, line, what in said:
        units = [*alike[line, what]]
        if len(units) <= _FEW_UNITS:
            yield f"{thread} ends only if other units go on: at line {line} it waits for {what} (--progress)"
        elif thread == units[0]:
            named = f"{', '.join(units[: _FEW_UNITS - 1])} and {len(units) - _FEW_UNITS + 1} more"
            yield f"{named} end only if other units go on: at line {line} they wait for {what} (--progress)"


def _enough(result: Found) -> str:
    """The bound that lets one unit take all jobs from a counter, or that runs need, if that is more than it was."""
    if result.needed is not None and result.needed > DEEPEST:
        return f"; in a run of the machine it goes round {result.needed} times and more"
    if result.needed is not None:
        return f" {result.needed}, as runs of the machine need, was tried, and not searched in time"
    if result.enough is None or result.enough <= result.bound:
        return ""
    return f" {result.enough} lets one unit take all jobs from the counter"


def _reason(result: Found) -> Iterator[str]:
    match result.reason:
        case None:
            return
        case str(reason) if reason == BOUND:
            yield "what was found within the bound decides nothing (--accept-bounded takes it for an answer)"
        case str(reason) if reason == EVENTS:
            yield "the program has more events than may be elaborated (--events)"
        case str(reason) if reason == FIRST_PROBLEM:
            left = "further states and problems" if result.states else "states and further problems"
            yield f"one problem decides: {left} were not looked for (--timeout SECONDS looks for them as long)"
        case str(reason) if result.lacks_only_states:
            yield (
                f"not all states are listed ({_limit(reason, result)}; --no-states asks for none);"
                " the verdict is about all executions"
            )
        case reason:
            found = result.states or result.undefined or result.impl_defined or result.flags or result.blocked
            listed = "; what is listed was found before that" if found else ""
            yield f"the search ended early ({_limit(reason, result)}){listed}"


def _limit(reason: str, result: Found) -> str:
    """What ended a search, and how to change that."""
    if reason == TIMEOUT and result.time_limit is not None:
        return f"timeout: {result.time_limit:g} s, see --timeout"
    return reason


def _exclusion(result: Found) -> str:
    excluded = result.excluded
    if excluded is not None and excluded.checks:
        rules = f" [{', '.join(excluded.rules)}]" if excluded.rules else ""
        return f"the model excludes them by {', '.join(excluded.checks)}{rules}"
    if result.blocked:
        return "units wait forever in each of them"
    return "why was not found out" if excluded is None else "the values of the program leave none"
