"""Logs of herd7, litmus7 and mcm, read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from mcm.answer.compared_logs import Log, LoggedTest, state_of
from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.answer.compared_logs import State
    from mcm.answer.result import Result
    from mcm.base.source import Source

_HEAD: Final = re.compile(r"Test (\S+)(?: .*)?\Z")
_STATES: Final = re.compile(r"States (\d+)\Z")
_HISTOGRAM: Final = re.compile(r"Histogram \((\d+) states?\)\Z")
_COUNTED: Final = re.compile(r"(\d+)\s*[*:]>(.*)\Z")
_VALUE: Final = re.compile(r"\[?([^\s;=\]]+(?:\[\d+\])?)\]?\s*=\s*([^;]+);?")
_NUMBER: Final = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)\Z")

_UNDEFINED: Final = "undefined"


def read_log(source: Source) -> Log:
    """The log in a text: what herd7, litmus7 or mcm wrote; InputError where it is none of these, or was cut off."""
    if source.text.lstrip().startswith("{"):
        return _of_json(source)
    tests = list(_blocks(source))
    if not tests:
        raise _no_log(source, 0, "no log: expected blocks that begin with 'Test NAME', or JSON of mcm")
    is_observed = any(count is not None for test in tests for count in test.states.values())
    return _log(source, tests, is_observed=is_observed)


def log_of(name: str, results: Iterable[Result]) -> Log:
    """What a model allows for tests, as a log."""
    from mcm.answer.result import Judged, Undecided  # noqa: PLC0415

    tests: dict[str, LoggedTest] = {}
    for result in results:
        test = result.test or result.file
        if not isinstance(result, Judged | Undecided):
            tests[test] = LoggedTest(test, {}, open="invalid")
            continue
        states: dict[State, int | None] = {state_of(state.values): None for state in result.states}
        reason = None if result.complete else result.reason or "bound"
        tests[test] = LoggedTest(test, states, is_undefined=bool(result.undefined), open=reason)
    return Log(name, tests, is_observed=False)


def _log(source: Source, tests: list[LoggedTest], *, is_observed: bool) -> Log:
    """The log of some tests; of a test that was run several times, the observations are added."""
    found: dict[str, LoggedTest] = {}
    for test in tests:
        before = found.get(test.name)
        if before is not None and not is_observed:
            raise _no_log(source, 0, f"the test '{test.name}' is in this log twice, and may have two answers")
        found[test.name] = test if before is None else _added(before, test)
    return Log(source.name, found, is_observed)


def _added(one: LoggedTest, other: LoggedTest) -> LoggedTest:
    states = dict(one.states)
    for state, count in other.states.items():
        states[state] = (states.get(state) or 0) + (count or 0)
    return LoggedTest(one.name, states, one.is_undefined or other.is_undefined, one.open or other.open)


def _no_log(source: Source, offset: int, message: str) -> InputError:
    return InputError(Diagnostic("E412", message, Span(source, offset, offset)))


def _blocks(source: Source) -> Iterator[LoggedTest]:
    """The tests of a log in text."""
    lines = [source.line(number).strip() for number in range(1, len(source.line_starts) + 1)]
    at = 0
    while at < len(lines):
        head = _HEAD.match(lines[at])
        begun = at
        at += 1
        if head is None or at >= len(lines):
            continue
        announced = _STATES.match(lines[at]) or _HISTOGRAM.match(lines[at])
        if announced is None:
            continue
        number = int(announced[1])
        shown = lines[at + 1 : at + 1 + number]
        states = dict(_state(line) for line in shown if _is_state(line))
        rest = _until_next(lines, at + 1 + number)
        if len(states) < number or not any(rest):
            raise _no_log(source, source.line_starts[begun], f"the test '{head[1]}' is cut off in this log")
        is_undefined = any(line in {"Undef", "Loop Undef"} or line.startswith("Flag ") for line in rest)
        open_ = "bound" if any(line.startswith("Loop ") for line in rest) else None
        yield LoggedTest(head[1], states, is_undefined, open_)
        at += number + 1


def _until_next(lines: list[str], at: int) -> list[str]:
    end = next((number for number in range(at, len(lines)) if _HEAD.match(lines[number])), len(lines))
    return lines[at:end]


def _is_state(line: str) -> bool:
    """Whether a line has nothing but values, and how often they were seen."""
    counted = _COUNTED.match(line)
    return not _VALUE.sub("", counted[2] if counted else line).strip()


def _state(line: str) -> tuple[State, int | None]:
    counted = _COUNTED.match(line)
    text = counted[2] if counted else line
    values = {name.strip("[]"): _value(value) for name, value in _VALUE.findall(text)}
    return state_of(values), int(counted[1]) if counted else None


def _value(text: str) -> str:
    """A value; hexadecimal numbers are shown as others are."""
    text = text.strip()
    return str(int(text, 0)) if _NUMBER.match(text) and text.lower().lstrip("-").startswith("0x") else text


class _State(msgspec.Struct):
    values: dict[str, int | float | str]


class _CountedState(_State):
    runs: int


class _Result(msgspec.Struct):
    """What is read of a result of `mcm check`."""

    states: list[_State]
    complete: bool
    status: str
    undefined: list[Any]
    test: str | None = None
    file: str | None = None
    model: str | None = None
    reason: str | None = None


class _Runs(msgspec.Struct):
    """What is read of what `mcm run` says of a test."""

    test: str
    states: list[_CountedState]


class _Document(msgspec.Struct):
    """What is read of a document of mcm."""

    results: list[_Result] | None = None
    runs: list[_Runs] | None = None


def _of_json(source: Source) -> Log:
    try:
        document = msgspec.json.decode(source.text.encode(errors="replace"), type=_Document)
    except msgspec.DecodeError as error:
        raise _no_log(source, 0, f"no log: {error}") from None
    if document.runs is not None:
        return _log(source, [_run(run) for run in document.runs], is_observed=True)
    if document.results is None:
        raise _no_log(source, 0, "no log: expected 'results' of mcm check, or 'runs' of mcm run")
    models = sorted({str(result.model) for result in document.results})
    if len(models) > 1:
        raise _no_log(source, 0, f"a log of several models ({', '.join(models)}); expected one")
    return _log(source, [_result(result) for result in document.results], is_observed=False)


def _run(run: _Runs) -> LoggedTest:
    states: dict[State, int | None] = {state_of(state.values): state.runs for state in run.states}
    return LoggedTest(run.test, states)


def _result(result: _Result) -> LoggedTest:
    states: dict[State, int | None] = {state_of(state.values): None for state in result.states}
    reason = None if result.complete else result.reason or "bound"
    if result.status in {"invalid", "error"}:
        reason = "invalid"
    return LoggedTest(result.test or result.file or "", states, bool(result.undefined), reason)
