"""The ways to what a write writes: what the reads return that are looked at on each.

A sum of which conditions say what is added has few ways, where combining all that each part may be has very many: what
comes with a flag that says "the sum of all before" ends a look back, and is never added to by the next round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.evaluate import Evaluation, reads_of, subexpressions
from mcm.execution.expression import Choice, ReadValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcm.execution.event import Event
    from mcm.program.types import Value

    Way = tuple[Mapping[int, Value], Value]

# More ways are not listed: parts that do not depend on each other have fewer values than combinations.
MOST_WAYS: Final = 256

# Fewer reads have few combinations.
_SEVERAL: Final = 2


def ways_to_write(write: Event, domain: Callable[[int], Iterable[Value]]) -> list[Way] | None:
    """For each way to what a write writes where it is executed, the values of the reads that are looked at, and it.

    Reads that decide only whether it is executed are not looked at.
    None where nothing is won, choices are made, or there are too many ways.
    """
    guard, expression = write.guard, write.value
    assert expression is not None, "a write writes a value"
    if len(reads_of(expression)) < _SEVERAL:
        return None
    if any(isinstance(part, Choice) for whole in (guard, expression) for part in subexpressions(whole)):
        return None
    found: list[Way] = []
    nothing: dict[int, Value] = {}
    waiting = [(nothing, Evaluation(nothing, ()))]
    while waiting:
        known, evaluation = waiting.pop()
        if evaluation.value(guard) == 0:
            continue
        value = evaluation.value(expression)
        if value is not None:
            found.append((known, value))
        else:
            missing = evaluation.first_missing(expression)
            assert isinstance(missing, ReadValue), "it is a read that is not known"
            for each in domain(missing.event):
                further = {**known, missing.event: each}
                # What has a value keeps it.
                more = evaluation.copy(further, ())
                more.learn()
                waiting.append((further, more))
        if len(found) + len(waiting) > MOST_WAYS:
            return None
    return found
