"""A skeleton as bit masks and packed relations, computed once before the search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.bit_matrices import matrices_of
from mcm.execution.algebra import TRUE, disjunction, negation
from mcm.execution.expression import Choice, Constant, ReadValue, size_of
from mcm.execution.mentions import Mentions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.engine.explicit.known_parts import ExpressionGraph
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Location, Value

DEPENDENCIES: Final = ("data", "addr", "ctrl")

# From so many parts on, written out, it pays to keep what the parts of expressions come to.
MANY_PARTS: Final = 512


class PackedSkeleton:
    """Packed relations and masks of a skeleton; a relation is packed when it is asked for.

    `static_locations` has the locations of the accesses that always have the same, `dynamic_accesses` are the others.
    `open_events` are those of which something is not known before the search: whether they are executed, what they
    access, or what they write; `written` has what the other ones write.
    `read_dependents` and `choice_dependents` are the events whose guard, address or value mentions a read or a choice;
    `read_requirements` and `choice_requirements` say, as masks, which of the `requirements` do. Where there is much to
    evaluate, `graph` has the parts of all expressions instead; then `part_dependents` are the events whose guard,
    address or value a part is, and `part_requirements` the requirements that it is a condition in.
    """

    __slots__ = (
        "_relations",
        "choice_dependents",
        "choice_requirements",
        "dependencies",
        "dynamic_accesses",
        "events",
        "graph",
        "initial",
        "matrices",
        "open_events",
        "part_dependents",
        "part_requirements",
        "read_dependents",
        "read_requirements",
        "readers",
        "requirements",
        "skeleton",
        "static_locations",
        "write_read",
        "write_write",
        "writers",
        "written",
    )

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton: Final = skeleton
        self.events: Final[tuple[Event, ...]] = skeleton.events
        self.matrices: Final = matrices_of(len(skeleton.events))
        self._relations: Final[dict[str, int]] = {}
        sets = skeleton.sets
        self.readers, self.writers, self.initial = (sets[name].events for name in ("R", "W", "IW"))
        self.static_locations: Final[dict[int, Location]] = {}
        self.written: Final[dict[int, Value]] = {}
        dynamic, left = [], []
        for event in self.events:
            is_static = type(event.address) is Constant and len(event.locations) == 1
            if is_static:
                self.static_locations[event.identifier] = event.locations[0]
            elif event.kind.is_access:
                dynamic.append(event)
            value = event.value
            if event.guard is not TRUE or not (is_static or event.address is None):
                left.append(event)
            elif type(value) is Constant:
                self.written[event.identifier] = value.value
            elif value is not None:
                left.append(event)
        self.dynamic_accesses: Final = tuple(dynamic)
        self.open_events: Final = tuple(left)
        self.write_read: Final = self.matrices.product(self.writers, self.readers)
        self.write_write: Final = self.matrices.product(self.writers, self.writers)
        self.dependencies: Final = self._dependencies()
        # What can be required: the constraints, the guard of each event, that each stop is not reached, that it is,
        # that some stop is.
        stops = [stop.condition for stop in skeleton.stops]
        self.requirements: Final = (
            *skeleton.constraints,
            *[event.guard for event in self.events],
            *map(negation, stops),
            *stops,
            disjunction(*stops),
        )
        self.graph: Final = self._graph()
        self.part_dependents: Final[dict[int, list[int]]] = {}
        self.part_requirements: Final[dict[int, int]] = {}
        self.read_dependents: Final[dict[int, list[int]]] = {}
        self.choice_dependents: Final[dict[int, list[int]]] = {}
        self.read_requirements: Final[dict[int, int]] = {}
        self.choice_requirements: Final[dict[int, int]] = {}
        if self.graph is None:
            self._find_mentions()
        else:
            self._find_parts(self.graph)

    def _graph(self) -> ExpressionGraph | None:
        """The parts of all expressions that are evaluated, where there is much to evaluate."""
        if sum([size_of(one) for one in self._evaluated() if type(one) is not Constant]) < MANY_PARTS:
            return None
        # Imported here: small tests need none of it.
        from mcm.engine.explicit.known_parts import ExpressionGraph  # noqa: PLC0415

        return ExpressionGraph(self._evaluated())

    def _evaluated(self) -> Iterator[Expression]:
        """The expressions that a search asks for again and again."""
        skeleton = self.skeleton
        yield from self.requirements
        for event in self.open_events:
            yield from event.expressions
        yield from (stop.persists for stop in skeleton.stops)
        yield from (fault.condition for fault in skeleton.faults)
        yield from skeleton.registers.values()

    def _find_parts(self, graph: ExpressionGraph) -> None:
        """For each part, the events and the requirements that it matters to as a whole."""
        for event in self.open_events:
            for part in event.expressions:
                self.part_dependents.setdefault(graph.numbers[part], []).append(event.identifier)
        self.part_requirements.update(graph.inside_conditions(self.requirements))

    def _find_mentions(self) -> None:
        """For each read, and each choice, the events and the requirements that mention it."""
        mentions = Mentions()
        for event in self.open_events:
            for part in _atoms(mentions, event.guard, event.address, event.value):
                if isinstance(part, ReadValue):
                    self.read_dependents.setdefault(part.event, []).append(event.identifier)
                else:
                    self.choice_dependents.setdefault(part.index, []).append(event.identifier)
        for number, requirement in enumerate(self.requirements):
            if type(requirement) is Constant:
                continue
            for part in _atoms(mentions, requirement):
                if isinstance(part, ReadValue):
                    self.read_requirements[part.event] = self.read_requirements.get(part.event, 0) | 1 << number
                else:
                    self.choice_requirements[part.index] = self.choice_requirements.get(part.index, 0) | 1 << number

    def _dependencies(self) -> int:
        result = 0
        for name in DEPENDENCIES:
            result |= self.relation(name)
        return result

    def relation(self, name: str) -> int:
        """A static base relation; empty where the skeleton has none of this name."""
        found = self._relations.get(name)
        if found is None:
            rows = self.skeleton.relations.get(name, ())
            found = self._relations[name] = self.matrices.pack(rows) if any(rows) else 0
        return found

    def stop_requirement(self, number: int) -> int:
        """The requirement, as a mask, that a stop is reached."""
        return self._first_stop << len(self.skeleton.stops) + number

    @property
    def complete_requirements(self) -> int:
        """The requirements, as a mask, that no stop is reached."""
        return self.stop_requirement(0) - self._first_stop

    @property
    def unfinished_requirement(self) -> int:
        """The requirement, as a mask, that some stop is reached."""
        return 1 << len(self.requirements) - 1

    @property
    def _first_stop(self) -> int:
        return 1 << len(self.skeleton.constraints) + len(self.events)

    def is_thin_air(self, executed: int, reads_from: int) -> bool:
        """Whether a value that is read depends on itself (out of thin air).

        A read `s` depends on a read `r` when `s` reads from a write that depends on `r`, or depends on `r` directly. An
        update depends on its own read only if the skeleton says so: what an exchange writes comes from elsewhere.
        """
        if not self.dependencies and not self.skeleton.self_dependent:
            return False
        matrices = self.matrices
        inside = matrices.product(executed, executed)
        itself = matrices.product(self.skeleton.self_dependent, self.skeleton.self_dependent) & matrices.identity
        through_writes = matrices.compose((self.dependencies | itself) & inside, reads_from)
        direct = (self.relation("addr") | self.relation("ctrl")) & matrices.product(executed, self.readers)
        return bool(matrices.closure(through_writes | direct) & matrices.identity)


def _atoms(mentions: Mentions, *expressions: Expression | None) -> set[ReadValue | Choice]:
    """The reads and choices that expressions mention."""
    found: set[ReadValue | Choice] = set()
    for expression in expressions:
        # Most are constants.
        if expression is None or type(expression) is Constant:
            continue
        if isinstance(expression, (ReadValue, Choice)):
            found.add(expression)
        else:
            found |= mentions.of(expression)
    return found
