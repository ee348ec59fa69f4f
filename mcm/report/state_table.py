"""Final states as a table: names over right-aligned values."""

from __future__ import annotations

from itertools import compress
from operator import getitem
from typing import TYPE_CHECKING, Final

from mcm.answer.shown_states import ManyShownStates, are_counted
from mcm.base.visible import visible
from mcm.report.colour import Palette, Tone

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from mcm.answer.machine_comparison import ComparedState
    from mcm.answer.result import Found
    from mcm.answer.shown_states import ShownState

# The longest line of a table that still tells something.
_WIDEST: Final = 160


def told_once(states: Sequence[ShownState] | Sequence[ComparedState], result: Found) -> dict[str, str]:
    """The values that all these states share, by name, where a table of all values would be too wide; else none."""
    values = states[0].values
    widths = (max(len(result.shown_name(name)), len(str(value))) for name, value in values.items())
    if sum(width + 2 for width in widths) <= _WIDEST:
        return {}
    # Imported here: most tables are small.
    from mcm.report.shared_values import shared_values  # noqa: PLC0415

    return shared_values(states)


def state_table(result: Found, palette: Palette) -> Iterator[str]:
    """The table, line by line; satisfying states are marked.

    Where its lines would be too long, values that are the same in all states stand above it, by array.
    """
    states = result.states
    if not states:
        return
    shared = told_once(states, result)
    if shared:
        from mcm.report.shared_values import shared_in_words  # noqa: PLC0415 - as above

        yield from (f"      {line}" for line in shared_in_words(shared, result, len(states)))
    if isinstance(states, ManyShownStates) and not are_counted(states):
        yield from _many(states, result, palette, shared)
    else:
        yield from _few(states, result, palette, shared)


def _few(states: Sequence[ShownState], result: Found, palette: Palette, left_out: Container[str]) -> Iterator[str]:
    counted = are_counted(states)
    names = [name for name in states[0].values if name not in left_out]
    headings = [*(visible(result.shown_name(name)) for name in names), *(["executions"] if counted else [])]
    rows = [_cells(state, names, counted) for state in states]
    widths = [max(len(row[column]) for row in [headings, *rows]) for column in range(len(headings))]
    if headings:
        yield "      " + "  ".join(cell.rjust(width) for cell, width in zip(headings, widths, strict=True))
    for state, row in zip(states, rows, strict=True):
        marked = state.satisfies and result.condition is not None
        line = f"    {'*' if marked else ' '} " + "  ".join(
            cell.rjust(width) for cell, width in zip(row, widths, strict=True)
        )
        line += _thin_air(state)
        if line.strip():
            yield palette.paint(line, Tone.TITLE) if marked else line


def _many(states: ManyShownStates, result: Found, palette: Palette, left_out: Container[str]) -> Iterator[str]:
    """The same of states whose values alone are shown: each value is put into words once."""
    marks = result.condition is not None
    columns = []
    headings = []
    for name, shown in zip(states.names, states.shown, strict=True):
        if name in left_out:
            continue
        heading = visible(result.shown_name(name))
        cells = [visible(str(value)) for value in shown]
        width = max(map(len, (heading, *cells)))
        headings.append(heading.rjust(width))
        columns.append({chr(number): cell.rjust(width) for number, cell in enumerate(cells)})
    if not columns:
        return
    texts: Iterable[Iterable[str]] = states.states.texts
    if left_out:
        stays = [name not in left_out for name in states.names]
        texts = (compress(text, stays) for text in states.states.texts)
    yield "      " + "  ".join(headings)
    for text, satisfies in zip(texts, states.states.satisfied, strict=True):
        line = "  ".join(map(getitem, columns, text))
        yield palette.paint(f"    * {line}", Tone.TITLE) if satisfies and marks else f"      {line}"


def _thin_air(state: ShownState) -> str:
    """A mark where values depend on themselves, with what the state is an example of."""
    if state.example_of is None:
        return "  (thin air)" if state.thin_air else ""
    also = "" if state.thin_air else "also "
    return f"  ({also}thin air, an example of {visible(state.example_of)})"


def _cells(state: ShownState, names: Sequence[str], with_executions: bool) -> list[str]:  # noqa: FBT001 - one private caller
    executions = [str(state.executions)] if with_executions else []
    return [*(visible(str(state.values[name])) for name in names), *executions]
