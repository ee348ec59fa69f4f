"""Values that are copied around circles and decide nothing, as in `r0 = x; y = r0` beside `r1 = y; x = r1`.

Any value solves that, which is seen without a solver. Most tests of values out of thin air have no other circles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.execution.evaluate import evaluate
from mcm.execution.expression import ReadValue
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.engine.equations.decided import DecidedExecution
    from mcm.execution.expression import Expression
    from mcm.program.types import Value

_INTEGERS: Final = frozenset(
    one for one in Scalar if not one.is_floating and one not in {Scalar.BOOL, Scalar.EVENT, Scalar.RESERVATION}
)


class Copies(Struct, frozen=True):
    """For each read whose value depends on itself the number of its circle, and the types of what goes around these.

    The equations are solved by any values, one for each circle.
    """

    circles: Mapping[int, int]
    types: Sequence[Scalar]

    def values(self, amounts: Sequence[int]) -> dict[int, Value]:
        """What the reads return where these go around the circles."""
        return {read: amounts[circle] for read, circle in self.circles.items()}


def copies_of(decided: DecidedExecution) -> Copies | None:
    """The copies of an execution in which everything is decided but values; None where that is not all there is.

    No thread stops in it.
    """
    # Addresses are of several kinds.
    if decided.skeleton.addresses or not _needs_no_more(decided):
        return None
    copied: dict[int, int] = {}
    for event in decided.skeleton.events:
        read = event.identifier
        if event.kind.reads and decided.executed >> read & 1 and read not in decided.known:
            other = _copied(read, decided)
            if other is None:
                return None
            copied[read] = other
    return None if copied.keys() < set(copied.values()) else _numbered(copied, decided)


def _copied(read: int, decided: DecidedExecution) -> int | None:
    """The read of an integer of the same type whose value the write has that this one takes its value from."""
    source = decided.sources.get(read)
    written = None if source is None else decided.skeleton.events[source].value
    if not isinstance(written, ReadValue):
        return None
    type_ = _type(read, decided)
    return written.event if type_ in _INTEGERS and type_ is _type(written.event, decided) else None


def _type(read: int, decided: DecidedExecution) -> object:
    location = decided.locations.get(read) or decided.skeleton.events[read].locations[0]
    return decided.skeleton.program.object_at(location).type


def _numbered(copied: Mapping[int, int], decided: DecidedExecution) -> Copies:
    """The circles by number, of reads that each return what another one does."""
    circles: dict[int, int] = {}
    types: list[Scalar] = []
    for start in copied:
        path = [start]
        while path[-1] not in circles and copied[path[-1]] not in path:
            path.append(copied[path[-1]])
        if path[-1] not in circles:
            type_ = _type(start, decided)
            assert isinstance(type_, Scalar)
            circles[path[-1]] = len(types)
            types.append(type_)
        circles.update(dict.fromkeys(path, circles[path[-1]]))
    return Copies(circles, types)


def _needs_no_more(decided: DecidedExecution) -> bool:
    """Whether everything that is decided holds whatever goes around, and nothing else depends on it."""
    skeleton = decided.skeleton
    return all(_is(condition, truth, decided) for condition, truth in _decisions(decided)) and not any(
        evaluate(fault.condition, decided.known, decided.choices) is None for fault in skeleton.faults
    )


def _decisions(decided: DecidedExecution) -> Iterator[tuple[Expression, Value | None]]:
    """Conditions and addresses, each with what is decided of it: a condition holds if this is not 0."""
    skeleton = decided.skeleton
    for event in skeleton.events:
        is_executed = decided.executed >> event.identifier & 1
        yield event.guard, is_executed
        if is_executed and event.address is not None:
            yield event.address, decided.locations.get(event.identifier)
    yield from ((constraint, 1) for constraint in skeleton.constraints)
    yield from ((stop.condition, 0) for stop in skeleton.stops)
    yield from decided.supposed.items()


def _is(expression: Expression, decision: Value | None, decided: DecidedExecution) -> bool:
    value = evaluate(expression, decided.known, decided.choices)
    if value is None:
        return False
    return is_true(value) is bool(decision) if isinstance(decision, int) else value == decision
