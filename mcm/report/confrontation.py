"""The machine beside a model: one table, for people and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mcm import __version__
from mcm.report.align import align
from mcm.report.colour import Tone
from mcm.report.json_format import to_json
from mcm.report.words import kind_in_words, observation_in_words, verdict_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcm.answer.confrontation import Column, Confrontation, Contradiction, Row
    from mcm.report.colour import Palette
    from mcm.report.json_format import Json


def render_confrontation(found: Confrontation, palette: Palette) -> str:
    """One test under one model, without a final line end."""
    result = found.result
    lines = [
        f"{palette.paint(result.test or result.file, Tone.TITLE)} under {result.model}: {verdict_in_words(result)}"
    ]
    if result.condition is not None:
        lines.append(f"  {result.condition.quantifier.value} ({result.condition.text})")
        lines.append(f"  {observation_in_words(result)}")
    lines += ["", *(f"  {line}" for line in align(list(_table(found))))]
    remarks = [*map(_limited, (column for column in found.columns if column.limit)), *_problems(found)]
    if remarks:
        lines += ["", *(f"  {remark}" for remark in remarks)]
    for contradiction in found.contradictions:
        lines += ["", *(f"  {line}" for line in _contradiction(contradiction, found, palette))]
    return "\n".join(lines)


def _table(found: Confrontation) -> Iterator[tuple[str, ...]]:
    names = list(found.rows[0].values) if found.rows else []
    yield ("", *names, found.result.model, *map(_heading, found.columns))
    for row in found.rows:
        mark = "*" if row.satisfies and found.result.condition else ""
        seen = (_times(count, column) for count, column in zip(row.seen, found.columns, strict=True))
        yield (mark, *map(str, row.values.values()), _word(row), *seen)


def _heading(column: Column) -> str:
    return column.name if column.runs is None or column.runs == 1 else f"{column.name} ({column.runs} runs)"


def _times(count: int, column: Column) -> str:
    if not count:
        return "-"
    return "seen" if column.runs is None or column.runs == 1 else str(count)


def _word(row: Row) -> str:
    word = {True: "allowed", False: "forbidden", None: "not known"}[row.allowed]
    return word if row.beyond is None else f"{word} ({row.beyond.replace('-', ' ')})"


def _limited(column: Column) -> str:
    return f"note: not all schedules on {column.name}: {column.limit}"


def _problems(found: Confrontation) -> Iterator[str]:
    for problem in found.problems:
        places = " and ".join(f"{place.thread} in line {place.span.line}" for place in problem.places)
        yield f"the machine met: {kind_in_words(problem)} ({places}): {problem.why}"


def _contradiction(one: Contradiction, found: Confrontation, palette: Palette) -> Iterator[str]:
    values = " ".join(f"{name}={value};" for name, value in one.values.items())
    yield palette.paint(
        f"CONTRADICTION: {values} was seen and is forbidden: the model or the machine is wrong", Tone.BAD
    )
    least = "the least number" if one.is_least else "shortened; others may have fewer"
    yield f"with {one.switches} switch{'' if one.switches == 1 else 'es'} between threads, {least}:"
    yield f'mcm run {found.result.file} --memory {one.memory} --trace --replay "{one.schedule}"'


def render_confrontations_json(all_found: Iterable[Confrontation]) -> str:
    """The document of `mcm check --format json`, each result with what the machine did under `run`."""
    results: list[Json] = []
    for found in all_found:
        plain = to_json(found.result)
        assert isinstance(plain, dict)
        results.append({**plain, "run": _run(found)})
    document: Json = {"tool": "mcm", "version": __version__, "results": results}
    return json.dumps(document, indent=2, ensure_ascii=False)


def _run(found: Confrontation) -> Json:
    return {
        "columns": [
            {"name": c.name, "runs": c.runs, "complete": c.runs is None and c.limit is None} for c in found.columns
        ],
        "states": [
            {
                "values": dict(row.values),
                "satisfies": row.satisfies,
                "allowed": row.allowed,
                "beyond": row.beyond,
                "seen": {column.name: count for column, count in zip(found.columns, row.seen, strict=True)},
            }
            for row in found.rows
        ],
        "problems": [
            {
                "kind": problem.kind,
                "why": problem.why,
                "rules": list(problem.rules),
                "events": [
                    {"thread": p.thread, "line": p.span.line, "col": p.span.column, "text": p.text}
                    for p in problem.places
                ],
            }
            for problem in found.problems
        ],
        "contradictions": [
            {
                "values": dict(one.values),
                "memory": one.memory,
                "schedule": one.schedule,
                "switches": one.switches,
                "least": one.is_least,
            }
            for one in found.contradictions
        ],
    }
