"""The ways to what a write writes: what the reads return that are looked at on each.

A sum of which conditions say what is added has few ways, where combining all that each part may be has very many: what
comes with a flag that says "the sum of all before" ends a look back, and is never added to by the next round.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mcm.execution.evaluate import evaluate, reads_of, subexpressions
from mcm.execution.expression import Choice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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
    waiting: list[dict[int, Value]] = [{}]
    while waiting:
        known = waiting.pop()
        if evaluate(guard, known, ()) == 0:
            continue
        asked = _Asked(known)
        value = evaluate(expression, asked, ())
        if value is not None:
            found.append((known, value))
        else:
            assert asked.missing is not None, "it is a read that is not known"
            waiting += ({**known, asked.missing: each} for each in domain(asked.missing))
        if len(found) + len(waiting) > MOST_WAYS:
            return None
    return found


class _Asked(Mapping[int, "Value"]):
    """What some reads return; the first of the others that is asked for is noted."""

    def __init__(self, known: Mapping[int, Value]) -> None:
        self._known = known
        self.missing: int | None = None

    def __getitem__(self, read: int) -> Value:
        if read not in self._known and self.missing is None:
            self.missing = read
        return self._known[read]

    def __iter__(self) -> Iterator[int]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)
