"""How far commands get where it is supposed what is read: as far as they do in a run, which comes to its end.

That they do is shown when it is looked at what is settled: in the order of a run each event of a command comes behind
all that it waits for (`docs/search.md`, *Commands of the host*).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.algebra import TRUE
from mcm.execution.progress import Emptied, Progress, Stage
from mcm.execution.supposition import FalseSuppositionError
from mcm.program.command import RESULT, numbered
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.execution.expression import Constant, Expression
    from mcm.execution.progress import Unknown
    from mcm.execution.shared import Shared

_REACHED = frozenset({Stage.STARTED, Stage.ENDED, Stage.COMPLETE})


def is_presumed(shared: Shared, what: Unknown) -> bool:
    """Whether it is supposed that a command gets so far: it, and all that it waits for, is enqueued in any case."""
    calls = shared.calls
    match what:
        case Progress(command, stage) if stage in _REACHED:
            waiting = shared.program.commands[command]
            needed = {command, *waiting.waits, *(one for one in waiting.requires if one in calls.enqueued)}
            return all(number in calls.enqueued and calls.enqueued[number][1] is TRUE for number in needed)
        case Emptied(call):
            queue = next(each.queue for each in calls.queue_calls if each.event == call)
            return all(each.guard is TRUE for each in calls.queue_calls if each.queue == queue)
        case _:
            return False


def presumed_result(shared: Shared, command: int, number: int) -> Constant | None:
    """The value of this number that a blocking read is supposed to return, as its thread is supposed to read it.

    None where nothing is supposed. All reads of a command stand at one place of the text.
    """
    units = shared.program.commands[command].units
    supposed = shared.foreknown.supposed.items()
    found = [one.value for place, one in supposed if place.thread in units and place.earlier == number]
    return found[0] if len(found) == 1 else None


def check_results(shared: Shared, registers: Mapping[RegisterName, Expression]) -> None:
    """Raise FalseSuppositionError where a blocking read may return something else than it was supposed to."""
    for (command, number), value in shared.calls.presumed.items():
        (unit,) = shared.program.commands[command].units
        if registers.get(RegisterName(unit, numbered(RESULT, number))) != value:
            raise FalseSuppositionError
