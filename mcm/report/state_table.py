"""Final states as a table: names over right-aligned values."""

from __future__ import annotations

from operator import getitem
from typing import TYPE_CHECKING

from mcm.answer.shown_states import ManyShownStates, are_counted
from mcm.base.visible import visible
from mcm.report.colour import Palette, Tone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.result import Found
    from mcm.answer.shown_states import ShownState


def state_table(result: Found, palette: Palette) -> Iterator[str]:
    """The table, line by line; satisfying states are marked."""
    states = result.states
    if not states:
        return
    if isinstance(states, ManyShownStates) and not are_counted(states):
        yield from _many(states, result, palette)
        return
    counted = are_counted(states)
    headings = [*(visible(result.shown_name(name)) for name in states[0].values), *(["executions"] if counted else [])]
    rows = [_cells(state, counted) for state in states]
    widths = [max(len(row[column]) for row in [headings, *rows]) for column in range(len(headings))]
    yield "      " + "  ".join(cell.rjust(width) for cell, width in zip(headings, widths, strict=True))
    for state, row in zip(states, rows, strict=True):
        marked = state.satisfies and result.condition is not None
        line = f"    {'*' if marked else ' '} " + "  ".join(
            cell.rjust(width) for cell, width in zip(row, widths, strict=True)
        )
        line += _thin_air(state)
        yield palette.paint(line, Tone.TITLE) if marked else line


def _many(states: ManyShownStates, result: Found, palette: Palette) -> Iterator[str]:
    """The same of states whose values alone are shown: each value is put into words once."""
    marks = result.condition is not None
    columns = []
    headings = []
    for name, shown in zip((visible(result.shown_name(name)) for name in states.names), states.shown, strict=True):
        cells = [visible(str(value)) for value in shown]
        width = max(map(len, (name, *cells)))
        headings.append(name.rjust(width))
        columns.append({chr(number): cell.rjust(width) for number, cell in enumerate(cells)})
    yield "      " + "  ".join(headings)
    for text, satisfies in zip(states.states.texts, states.states.satisfied, strict=True):
        line = "  ".join(map(getitem, columns, text))
        yield palette.paint(f"    * {line}", Tone.TITLE) if satisfies and marks else f"      {line}"


def _thin_air(state: ShownState) -> str:
    """A mark where values depend on themselves, with what the state is an example of."""
    if state.example_of is None:
        return "  (thin air)" if state.thin_air else ""
    also = "" if state.thin_air else "also "
    return f"  ({also}thin air, an example of {visible(state.example_of)})"


def _cells(state: ShownState, with_executions: bool) -> list[str]:  # noqa: FBT001 - one private caller
    executions = [str(state.executions)] if with_executions else []
    return [*(visible(str(value)) for value in state.values.values()), *executions]
