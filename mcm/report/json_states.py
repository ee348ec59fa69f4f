"""Many final states as JSON, piece by piece: as `json_records.encode` writes them, in a tenth of the time."""

from __future__ import annotations

from operator import getitem
from typing import TYPE_CHECKING

from mcm.report.json_records import encode_line
from mcm.report.json_values import values_record
from mcm.report.pieces import pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.shown_states import ManyShownStates


def state_pieces(states: ManyShownStates, layout: str) -> Iterator[str]:
    """The states with commas between them, each line of them behind `layout`, a line end and what it is indented by."""
    return pieces(_states(states, layout), ",")


def _states(states: ManyShownStates, layout: str) -> Iterator[str]:
    packed = states.states
    columns = [
        {
            chr(number): f"{layout}    {encode_line(name)}: {encode_line(values_record({name: value})[name])}"
            for number, value in enumerate(shown)
        }
        for name, shown in zip(states.names, states.shown, strict=True)
    ]
    ends = [_end(satisfies, layout) for satisfies in (False, True)]
    executions = packed.executions
    for number, (text, satisfies) in enumerate(zip(packed.texts, packed.satisfied, strict=True)):
        counted = "null" if executions is None or executions[number] is None else str(executions[number])
        values = ",".join(map(getitem, columns, text))
        before, after = ends[satisfies]
        yield f'{layout}{{{layout}  "values": {{{values}{before}{counted}{after}'


def _end(satisfies: bool, layout: str) -> tuple[str, str]:  # noqa: FBT001 - one private caller
    """What follows the values of a state, before and after the number of its executions."""
    before = (
        f'{layout}  }},{layout}  "satisfies": {str(satisfies).lower()},{layout}  "thin_air": false,'
        f'{layout}  "executions": '
    )
    return before, f',{layout}  "example_of": null{layout}}}'
