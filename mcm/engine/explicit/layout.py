"""What of a skeleton stays the same during the search, in the form in which the search needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.matrix import Square
from mcm.execution.algebra import negation
from mcm.execution.evaluate import subexpressions
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, Constant, ReadValue

if TYPE_CHECKING:
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location

DEPENDENCIES: Final = ("data", "addr", "ctrl")


class Layout:
    """Packed relations and masks of a skeleton; `mobile` are the accesses whose location depends on the execution.

    `dependents` and `choosers` are the events whose guard, address or value mentions a read or a choice;
    `read_requirements` and `choice_requirements` say, as masks, which of the `requirements` do.
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
        self.readers = self.writers = self.initial = 0
        self.fixed: Final[dict[int, Location]] = {}
        mobile = []
        for event in self.events:
            bit = 1 << event.identifier
            self.readers |= bit if event.kind.reads else 0
            self.writers |= bit if event.kind.writes else 0
            self.initial |= bit if event.kind is EventKind.INITIAL else 0
            if isinstance(event.address, Constant) and len(event.locations) == 1:
                self.fixed[event.identifier] = event.locations[0]
            elif event.kind.is_access:
                mobile.append(event)
        self.mobile: Final = tuple(mobile)
        self.write_read: Final = self.square.product(self.writers, self.readers)
        self.write_write: Final = self.square.product(self.writers, self.writers)
        self.dependencies: Final = self._dependencies()
        # What may have to hold: the constraints, the guard of each event, that a loop is cut, that it is not.
        cuts = [cut.condition for cut in skeleton.stops]
        self.requirements: Final = (
            *skeleton.constraints,
            *(event.guard for event in self.events),
            *cuts,
            *map(negation, cuts),
        )
        self.dependents: Final[dict[int, list[int]]] = {}
        self.choosers: Final[dict[int, list[int]]] = {}
        self.read_requirements: Final[dict[int, int]] = {}
        self.choice_requirements: Final[dict[int, int]] = {}
        self._find_mentions()

    def _find_mentions(self) -> None:
        """For each read, and each choice, the events and the requirements that mention it."""
        for event in self.events:
            for part in _atoms(event.guard, event.address, event.value):
                if isinstance(part, ReadValue):
                    self.dependents.setdefault(part.event, []).append(event.identifier)
                else:
                    self.choosers.setdefault(part.index, []).append(event.identifier)
        for number, requirement in enumerate(self.requirements):
            for part in _atoms(requirement):
                if isinstance(part, ReadValue):
                    self.read_requirements[part.event] = self.read_requirements.get(part.event, 0) | 1 << number
                else:
                    self.choice_requirements[part.index] = self.choice_requirements.get(part.index, 0) | 1 << number

    def _dependencies(self) -> int:
        result = 0
        for name in DEPENDENCIES:
            result |= self.relations.get(name, 0)
        return result

    def cut_requirement(self, cut: int) -> int:
        """What has to hold, as a mask, where a loop is cut."""
        return 1 << len(self.skeleton.constraints) + len(self.events) + cut

    @property
    def uncut_requirements(self) -> int:
        """What has to hold, as a mask, where no loop is cut."""
        cuts = len(self.skeleton.stops)
        return self.cut_requirement(2 * cuts) - self.cut_requirement(cuts)

    def is_thin_air(self, executed: int, reads_from: int) -> bool:
        """Whether what is read depends on itself.

        A read `s` depends on a read `r` when `s` reads from a write that depends on `r`, or depends on `r` directly. An
        update depends on its own read only if the skeleton says so: what an exchange writes comes from elsewhere.
        """
        if not self.dependencies and not self.skeleton.self_dependent:
            return False
        square = self.square
        inside = square.product(executed, executed)
        itself = square.product(self.skeleton.self_dependent, self.skeleton.self_dependent) & square.identity
        through_writes = square.compose((self.dependencies | itself) & inside, reads_from)
        direct = (self.relations.get("addr", 0) | self.relations.get("ctrl", 0)) & square.product(
            executed, self.readers
        )
        return bool(square.closure(through_writes | direct) & square.identity)


def _atoms(*expressions: Expression | None) -> set[ReadValue | Choice]:
    """The reads and choices that expressions mention."""
    found: set[ReadValue | Choice] = set()
    for expression in expressions:
        if isinstance(expression, (ReadValue, Choice)):
            found.add(expression)
        elif not (expression is None or isinstance(expression, Constant)):
            found.update(part for part in subexpressions(expression) if isinstance(part, (ReadValue, Choice)))
    return found
