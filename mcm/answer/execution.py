"""An execution as evidence: its events, and how they are related."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.base.bits import members

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.program.program import Program
    from mcm.program.types import Value
    from mcm.relation.evaluate import Structure


class ExecutedEvent(Struct, frozen=True):
    """An event as people name it; what does not apply to its kind is None.

    `number` is how relations name it. `thread` is None for the initial writes. `order` and `scope` are None where the
    access is plain. `read` and `written` are values, addresses as `&x`.
    """

    number: int
    kind: str
    thread: str | None
    span: Span
    location: str | None
    read: int | float | str | None
    written: int | float | str | None
    order: str | None
    scope: str | None


class Execution:
    """One execution, which the model allows unless an explanation says how it breaks it.

    Its parts are worked out when they are asked for.
    """

    def __init__(self, candidate: Candidate) -> None:
        self._candidate = candidate

    @cached_property
    def events(self) -> tuple[ExecutedEvent, ...]:
        """The executed events; initial writes come first, then those of each thread in the order of the program."""
        events = self._candidate.skeleton.events
        return tuple(self._event(events[number]) for number in sorted(self._candidate.executed))

    def relation(self, name: str) -> tuple[tuple[int, int], ...]:
        """The pairs of a base relation (`po`, `rf` …; `mcm models --vocabulary` lists them) or of a linearisation.

        Raises KeyError for any other name.
        """
        rows = self._structure.relations[name]
        return tuple((first, second) for first, row in enumerate(rows) for second in members(row))

    @property
    def relation_names(self) -> tuple[str, ...]:
        """The names that `relation` knows."""
        return tuple(sorted(self._structure.relations))

    @cached_property
    def _structure(self) -> Structure:
        # Imported here: only whoever asks for evidence needs it.
        from mcm.catalogue.evaluate import structure_of  # noqa: PLC0415

        return structure_of(self._candidate)

    def _event(self, event: Event) -> ExecutedEvent:
        candidate, program = self._candidate, self._candidate.skeleton.program
        number = event.identifier
        location = candidate.locations.get(number)
        return ExecutedEvent(
            number=number,
            kind=event.kind.value,
            thread=None if event.thread is None else program.thread(event.thread).name,
            span=event.span,
            location=None if location is None else program.show_location(location),
            read=_shown(candidate.read_values.get(number), program),
            written=_shown(candidate.written_values.get(number), program),
            order=None if event.order is None else event.order.value,
            scope=None if event.scope is None else event.scope.name.lower(),
        )


def _shown(value: Value | None, program: Program) -> int | float | str | None:
    return value if value is None or isinstance(value, (int, float)) else program.show_value(value)
