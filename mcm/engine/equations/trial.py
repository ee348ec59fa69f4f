"""Whether some values agree with what is decided, where a contradiction or a trial tells that without a solver."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from mcm.execution.evaluate import Evaluation, evaluate
from mcm.execution.expression import BinaryValue, ReadValue, UnaryValue, is_large
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.engine.equations.decided import DecidedExecution
    from mcm.execution.expression import Expression
    from mcm.program.types import Value

# What is tried for all reads whose values are not known.
_TRIED: Final = (0, 1)
# Of so many reads all combinations are tried.
_MOST_FREE: Final = 4
_INTEGERS: Final = frozenset(one for one in Scalar if not one.is_floating)


def tried(decided: DecidedExecution) -> bool | None:
    """Whether some values agree with what is decided; None where that is not seen."""
    skeleton = decided.skeleton
    unknown = [
        event
        for event in skeleton.events
        if event.kind.reads and event.identifier not in decided.known and not decided.skipped >> event.identifier & 1
    ]
    types = {skeleton.program.object_at(location).type for event in unknown for location in event.locations}
    # Values of other types are no numbers, or not exact.
    if skeleton.addresses or not types <= _INTEGERS:
        return None
    conditions = list(_conditions(decided))
    if any(_surely(condition, decided) is (not truth) for condition, truth in conditions):
        return False
    reads = [event.identifier for event in unknown]
    return True if any(_agree(values, conditions, decided) for values in _trials(reads, decided)) else None


def _trials(reads: list[int], decided: DecidedExecution) -> Iterator[dict[int, Value]]:
    """Values of reads: of those without a write any of what is tried, of others what was written then."""
    given = [read for read in reads if read in decided.sources]
    free = [read for read in reads if read not in decided.sources][:_MOST_FREE]
    for start, *chosen in product(_TRIED, repeat=1 + len(free)):
        values = {**decided.known, **dict.fromkeys(reads, start), **dict(zip(free, chosen, strict=True))}
        for read in given:
            written = decided.skeleton.events[decided.sources[read]].value
            value = None if written is None else evaluate(written, values, decided.choices)
            values[read] = start if value is None else value
        yield values


def _conditions(decided: DecidedExecution) -> Iterator[tuple[Expression, bool]]:
    """Everything that is decided, as conditions that hold or do not."""
    skeleton = decided.skeleton
    for event in skeleton.events:
        if (decided.executed | decided.skipped) >> event.identifier & 1:
            yield event.guard, bool(decided.executed >> event.identifier & 1)
    yield from ((constraint, True) for constraint in skeleton.constraints)
    # Addresses that are supposed are those of events.
    yield from ((one, bool(value)) for one, value in decided.supposed.items() if isinstance(value, int))


def _surely(condition: Expression, decided: DecidedExecution) -> bool | None:
    """Whether a condition surely holds, or surely does not, whatever the values that agree; None if neither is seen.

    What is supposed not to hold may have no value either.
    """
    known = evaluate(condition, decided.known, decided.choices)
    if known is not None:
        return is_true(known)
    if condition in decided.supposed:
        return bool(decided.supposed[condition])
    if is_large(condition):
        return None
    match condition:
        case BinaryValue("&&" | "||" as symbol, left, right):
            decides = symbol == "||"
            sides = {_surely(left, decided), _surely(right, decided)}
            return decides if decides in sides else None if None in sides else not decides
        case UnaryValue("!", operand):
            return False if _surely(operand, decided) else None
        case BinaryValue("!=" | "<" | ">", ReadValue(one), ReadValue(other)):
            return False if _copied(one, decided) == _copied(other, decided) else None
        case _:
            return None


def _copied(read: int, decided: DecidedExecution) -> int:
    """The read whose value another one returns, as far back as it was copied."""
    seen = {read}
    while (source := decided.sources.get(read)) is not None:
        written = decided.skeleton.events[source].value
        if not isinstance(written, ReadValue) or written.event in seen:
            return min(seen) if isinstance(written, ReadValue) else read
        read = written.event
        seen.add(read)
    return read


def _agree(values: Mapping[int, Value], conditions: list[tuple[Expression, bool]], decided: DecidedExecution) -> bool:
    """Whether values of all reads solve the equations, and the conditions hold, or do not, as they should."""
    evaluation = Evaluation(values, decided.choices)
    for read, source in decided.sources.items():
        written = decided.skeleton.events[source].value
        if written is None or evaluation.value(written) != values.get(read):
            return False
    for event, location in decided.locations.items():
        address = decided.skeleton.events[event].address
        is_executed = decided.executed >> event & 1
        if is_executed and address is not None and evaluation.value(address) != location:
            return False
    found = ((evaluation.value(condition), truth) for condition, truth in conditions)
    return all(value is not None and is_true(value) is truth for value, truth in found)
