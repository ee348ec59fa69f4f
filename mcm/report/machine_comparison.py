"""A comparison of the machine with a model: one table, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from msgspec.structs import replace

from mcm.answer.machine_comparison import (
    BlockedContradiction,
    MachineComparison,
    ProblemContradiction,
    StateContradiction,
)
from mcm.base.visible import visible
from mcm.report.align import align
from mcm.report.blocked import blocked_in_words
from mcm.report.colour import Tone
from mcm.report.json_format import encoded_pieces, problem_record, result_record, waiting_record
from mcm.report.json_records import ComparedStateRecord, ContradictionRecord, RunModeRecord, RunRecord
from mcm.report.json_values import values_record
from mcm.report.notes import notes_in_text
from mcm.report.state_table import told_once
from mcm.report.words import MEANINGLESS, answer_in_words, counted, kind_in_words, verdict_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.answer.machine_comparison import ComparedState, Contradiction, RunMode
    from mcm.answer.result import Problem, Result
    from mcm.report.colour import Palette


def render_machine_comparison(found: MachineComparison, palette: Palette) -> str:
    """One test under one model, without a final line end."""
    result = found.result
    name = palette.paint(visible(result.test or result.file), Tone.TITLE)
    lines = [f"{name} under {visible(result.model)}: {visible(verdict_in_words(result))}"]
    if result.condition is not None:
        lines.append(f"  {result.condition.quantifier.value} ({visible(result.condition.text)})")
        lines.append(f"  {answer_in_words(result)}")
    if found.states:
        above = [f"  {MEANINGLESS}"] if result.undefined else []
        lines += ["", *above, *(f"  {line}" for line in _states(found))]
    remarks = [*notes_in_text(result), *_remarks(found)]
    if remarks:
        lines += ["", *(f"  {remark}" for remark in remarks)]
    for contradiction in found.contradictions:
        lines += ["", *(f"  {line}" for line in _contradiction(contradiction, found, palette))]
    return "\n".join(lines)


def render_machine_remarks(found: MachineComparison, palette: Palette, *, quiet: bool) -> str:
    """What the machine found, without the states; empty if there is nothing. `quiet` leaves only contradictions."""
    result = found.result
    lines = [] if quiet else [*_remarks(found)]
    for contradiction in found.contradictions:
        lines += _contradiction(contradiction, found, palette)
    if not lines:
        return ""
    head = f"{visible(result.test or result.file)} under {visible(result.model)}:"
    return "\n".join([head, *(f"  {line}" for line in lines)]) + "\n"


def _remarks(found: MachineComparison) -> Iterator[str]:
    """Which schedules were not run, and the problems and blocked units that the machine found."""
    yield from map(visible, _plain_remarks(found))


def _plain_remarks(found: MachineComparison) -> Iterator[str]:
    yield from map(_limited, (mode for mode in found.modes if mode.limit))
    yield from _problems(found)
    yield from (f"the machine was blocked: {blocked_in_words(units)}" for units in found.blocked)
    if not found.result.complete and (found.problems or found.states):
        yield f"note: {found.result.model} has no complete answer, so that nothing contradicts it"
    yield from (f"note: not compared: {why}" for why in found.not_compared)


def _states(found: MachineComparison) -> Iterator[str]:
    """The table of states; where it would be too wide, below the values that all of them share."""
    shared = told_once(found.states, found.result)
    if shared:
        from mcm.report.shared_values import shared_in_words  # noqa: PLC0415 - most tables are small

        yield from shared_in_words(shared, found.result, len(found.states))
    yield from align(list(_table(found, [name for name in found.states[0].values if name not in shared])))


def _table(found: MachineComparison, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    yield ("", *map(found.result.shown_name, names), found.result.model, *map(_heading, found.modes))
    for state in found.states:
        mark = "*" if state.satisfies and found.result.condition else ""
        seen = (_times(count, mode) for count, mode in zip(state.seen, found.modes, strict=True))
        yield (mark, *(str(state.values[name]) for name in names), _word(state), *seen)


def _heading(mode: RunMode) -> str:
    return mode.name if mode.runs is None or mode.runs == 1 else f"{mode.name} ({mode.runs} runs)"


def _times(count: int, mode: RunMode) -> str:
    if not count:
        return "-"
    return "seen" if mode.runs is None or mode.runs == 1 else str(count)


def _word(state: ComparedState) -> str:
    word = {True: "allowed", False: "forbidden", None: "not known"}[state.allowed]
    return word if state.beyond is None else f"{word} ({state.beyond.replace('-', ' ')})"


def _limited(mode: RunMode) -> str:
    return f"note: {'not all schedules on ' if mode.runs is None else ''}{mode.name}: {mode.limit}"


def _problems(found: MachineComparison) -> Iterator[str]:
    for problem in found.problems:
        yield f"the machine met: {kind_in_words(problem)} ({_sites(problem)}): {problem.why}"


def _sites(problem: Problem) -> str:
    return " and ".join(f"{site.thread} in line {site.span.line}" for site in problem.sites)


def _contradiction(one: Contradiction, found: MachineComparison, palette: Palette) -> Iterator[str]:
    repetition = one.repetition
    yield palette.paint(f"CONTRADICTION: {visible(_seen(one, found))}: the model or the machine is wrong", Tone.BAD)
    least = "the least number" if repetition.is_least else "shortened; others may have fewer"
    yield f"with {counted(repetition.switches, 'switch', 'switches')} between threads, {least}:"
    yield f'mcm run {visible(found.result.file)} --memory {repetition.memory} --trace --replay "{repetition.schedule}"'


def _seen(one: Contradiction, found: MachineComparison) -> str:
    match one:
        case StateContradiction(values):
            shown = (f"{found.result.shown_name(name)}={value};" for name, value in values.items())
            return f"{' '.join(shown)} was seen and is forbidden"
        case ProblemContradiction(problem):
            return f"a {kind_in_words(problem)} was met ({_sites(problem)}), and the program is said to be defined"
        case BlockedContradiction(units):
            return f"{blocked_in_words(units)}, which no execution of the model does"
        case _:
            assert_never(one)


def machine_comparison_pieces(all_found: Iterable[MachineComparison | Result]) -> Iterator[str]:
    """The document of `mcm check --format json`, piece by piece, each result with what the machine did under `run`.

    A test that was not run has a result alone.
    """
    records = (
        replace(result_record(found.result), run=_run(found))
        if isinstance(found, MachineComparison)
        else result_record(found)
        for found in all_found
    )
    return encoded_pieces(records)


def _run(found: MachineComparison) -> RunRecord:
    return RunRecord(
        columns=tuple(
            RunModeRecord(name=mode.name, runs=mode.runs, complete=mode.runs is None and mode.limit is None)
            for mode in found.modes
        ),
        states=tuple(
            ComparedStateRecord(
                values=values_record(state.values),
                satisfies=state.satisfies,
                allowed=state.allowed,
                beyond=state.beyond,
                seen={mode.name: count for mode, count in zip(found.modes, state.seen, strict=True)},
            )
            for state in found.states
        ),
        problems=tuple(map(problem_record, found.problems)),
        blocked=tuple(tuple(map(waiting_record, units)) for units in found.blocked),
        contradictions=tuple(map(_contradiction_record, found.contradictions)),
        not_compared=found.not_compared,
    )


def _contradiction_record(one: Contradiction) -> ContradictionRecord:
    return ContradictionRecord(
        values=values_record(one.values) if isinstance(one, StateContradiction) else None,
        problem=problem_record(one.problem) if isinstance(one, ProblemContradiction) else None,
        blocked=tuple(map(waiting_record, one.units)) if isinstance(one, BlockedContradiction) else None,
        memory=one.repetition.memory,
        schedule=one.repetition.schedule,
        switches=one.repetition.switches,
        least=one.repetition.is_least,
    )
