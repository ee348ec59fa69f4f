"""What of a skeleton stays the same during the search, in the form in which the search needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.matrix import Square
from mcm.execution.evaluate import subexpressions
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Constant, ReadValue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.execution.event import Event
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location

DEPENDENCIES: Final = ("data", "addr", "ctrl")


class Layout:
    """Packed relations and masks of a skeleton; `mobile` are the accesses whose location depends on the execution.

    `read_requirements` and `choice_requirements` say, as masks, which of the `requirements` mention a read or a choice.
    """

    __slots__ = (
        "choice_requirements",
        "choosers",
        "dependencies",
        "dependents",
        "events",
        "fixed",
        "initial",
        "mobile",
        "read_requirements",
        "readers",
        "relations",
        "requirements",
        "skeleton",
        "square",
        "write_read",
        "write_write",
        "writers",
    )

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton: Final = skeleton
        self.events: Final[tuple[Event, ...]] = skeleton.events
        self.square: Final = Square(len(skeleton.events))
        self.relations: Final = {name: self.square.pack(rows) for name, rows in skeleton.relations.items()}
        self.readers: Final = mask(e for e in self.events if e.kind.reads)
        self.writers: Final = mask(e for e in self.events if e.kind.writes)
        self.initial: Final = mask(e for e in self.events if e.kind is EventKind.INITIAL)
        self.fixed: Final[dict[int, Location]] = {
            e.identifier: e.locations[0]
            for e in self.events
            if isinstance(e.address, Constant) and len(e.locations) == 1
        }
        self.mobile: Final = tuple(e for e in self.events if e.kind.is_access and e.identifier not in self.fixed)
        self.write_read: Final = self.square.product(self.writers, self.readers)
        self.write_write: Final = self.square.product(self.writers, self.writers)
        self.dependents: Final = self._dependents(ReadValue)
        self.choosers: Final = self._dependents(Choice)
        self.dependencies: Final = self._dependencies()
        # What may have to hold: the constraints, and the guard of each event.
        self.requirements: Final = (*skeleton.constraints, *(event.guard for event in self.events))
        self.read_requirements: Final[dict[int, int]] = {}
        self.choice_requirements: Final[dict[int, int]] = {}
        for number, requirement in enumerate(self.requirements):
            for part in subexpressions(requirement):
                if isinstance(part, ReadValue):
                    self.read_requirements[part.event] = self.read_requirements.get(part.event, 0) | 1 << number
                elif isinstance(part, Choice):
                    self.choice_requirements[part.index] = self.choice_requirements.get(part.index, 0) | 1 << number

    def _dependents(self, kind: type[ReadValue | Choice]) -> dict[int, tuple[int, ...]]:
        """For each read, or each choice, the events whose guard, address or value mentions it."""
        found: dict[int, list[int]] = {}
        for event in self.events:
            mentioned = {
                part.event if isinstance(part, ReadValue) else part.index
                for expression in (event.guard, event.address, event.value)
                if expression is not None
                for part in subexpressions(expression)
                if isinstance(part, kind)
            }
            for atom in mentioned:
                found.setdefault(atom, []).append(event.identifier)
        return {atom: tuple(events) for atom, events in found.items()}

    def _dependencies(self) -> int:
        result = 0
        for name in DEPENDENCIES:
            result |= self.relations.get(name, 0)
        return result

    def is_thin_air(self, executed: int, reads_from: int) -> bool:
        """Whether what is read depends on itself.

        A read `s` depends on a read `r` when `s` reads from a write that depends on `r`, or depends on `r` directly. An
        update depends on its own read only if the skeleton says so: what an exchange writes comes from elsewhere.
        """
        square = self.square
        inside = square.product(executed, executed)
        itself = square.product(self.skeleton.self_dependent, self.skeleton.self_dependent) & square.identity
        through_writes = square.compose((self.dependencies | itself) & inside, reads_from)
        direct = (self.relations.get("addr", 0) | self.relations.get("ctrl", 0)) & square.product(
            executed, self.readers
        )
        return bool(square.closure(through_writes | direct) & square.identity)


def mask(events: Iterable[Event]) -> int:
    """Events as bits."""
    return sum(1 << event.identifier for event in events)
