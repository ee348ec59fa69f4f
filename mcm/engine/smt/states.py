"""All final states of the consistent executions of one skeleton."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mcm.engine.smt.decode import final_state
from mcm.execution.event import EventKind
from mcm.program.types import Location, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from mcm.engine.smt.decode import Decoder
    from mcm.engine.smt.encode import Encoding
    from mcm.execution.candidate import Candidate
    from mcm.program.condition import Observable
    from mcm.program.program import Program
    from mcm.program.types import Value

Found = tuple[tuple["Value", ...], bool, "Candidate | None"]


class StateSearch:
    """Finds the states one by one: each is blocked once it is found.

    A state is out of thin air if it has no execution in which nothing that is read depends on itself: that is asked of
    those that are found in another one. So it takes one proof that there are no more.
    Without `wants_witnesses`, states are decoded alone, which is quicker than decoding executions.
    `turned` are registers and locations that have the values of those observed in images of executions. `orbit` gives
    the states in which images of an execution end that ends in a state, itself first.
    """

    def __init__(
        self,
        encoding: Encoding,
        decoder: Decoder,
        observed: tuple[Observable, ...],
        turned: Sequence[tuple[Observable, ...]] = (),
        orbit: Callable[[tuple[Value, ...]], Iterable[tuple[Value, ...]]] = lambda state: (state,),
        *,
        wants_witnesses: bool,
    ) -> None:
        self._encoding = encoding
        self._decoder = decoder
        self._observed = observed
        self._wants_witnesses = wants_witnesses
        self._floating: Final = [_is_floating(what, encoding.skeleton.program) for what in observed]
        self._orbit: Final = orbit
        self._searching = encoding.circuit.variable()
        # What is observed, and what has the same values in images; for each the variable that its state is new.
        self._views: Final = (observed, *turned)
        self._new: Final = [encoding.circuit.variable() for _ in turned] if turned else []
        self._new.insert(0, encoding.circuit.variable() if turned else self._searching)
        if turned:
            encoding.circuit.require(-self._searching, *self._new)
        # With the gates prepared, blocking a state takes one clause, and literals of values can be decoded.
        self._decodes: Final = bool(turned) or not wants_witnesses
        for what in dict.fromkeys(what for view in self._views for what in view):
            for literal in encoding.final.cases(what).values():
                encoding.circuit.prepare([-literal, literal] if self._decodes else [-literal])

    @cached_property
    def _phases(self) -> list[list[int]]:
        """What is assumed: first that nothing that is read depends on itself, if anything can."""
        grounded = self._encoding.grounded
        return [[]] if grounded is None else [[grounded], []]

    def block(self, state: tuple[Value, ...]) -> None:
        """Exclude a state from the search."""
        for view, new in zip(self._views, self._new, strict=True):
            cases = [self._encoding.final.cases(what) for what in view]
            if all(value in known for value, known in zip(state, cases, strict=True)):
                self._encoding.circuit.require(-new, *(-each for each in self._literals(state, view)))

    def states(
        self, restrictions: list[int], ordered: Sequence[int], *, is_one_enough: bool = False
    ) -> Iterator[Found]:
        """States under assumptions, whether they are out of thin air, and an execution for each.

        Every execution has an image under which what is observed is one of the views, and for which `ordered` holds.
        Where one state is enough, it is out of thin air only if all are.
        """
        for phase in self._phases if is_one_enough else [[]]:
            while self._encoding.solve([self._searching, *restrictions, *ordered, *phase]):
                yield from self._orbit_of_found(restrictions)

    def _orbit_of_found(self, restrictions: list[int]) -> Iterator[Found]:
        """The state that was found last, and those of its images, which are blocked then."""
        state, candidate, is_grounded = self._found()
        thin_air = False
        if not is_grounded:
            # Another execution that ends so may be.
            thin_air = not self._encoding.solve([*self._ending_in(state), *restrictions, *self._phases[0]])
            candidate = candidate if thin_air else self._decoder.decode()
        for image in self._orbit(state):
            witness = candidate if self._wants_witnesses else None
            if self._wants_witnesses and (witness is None or image != state):
                witness = self._execution_of(image, [*restrictions, *self._phases[-1 if thin_air else 0]])
            yield self._typed(image), thin_air, witness
            self.block(image)

    def images(self, states: Collection[tuple[Value, ...]], restrictions: list[int]) -> Iterator[Found]:
        """The states of images of executions that end in known ones. All of these, and all of the images, are blocked.

        Known ones may be out of reach of the formula, as those of runs that go round a loop more often, and then their
        images are: so each is looked for.
        """
        blocked = set(states)
        for known in states:
            for image in self._orbit(known):
                if image not in blocked and self._has(image):
                    blocked.add(image)
                    yield from self._found_at(image, restrictions)
        for state in blocked:
            self.block(state)

    def _found_at(self, state: tuple[Value, ...], restrictions: list[int]) -> Iterator[Found]:
        """A state, if an execution ends in it."""
        for phase in self._phases:
            if self._encoding.solve([*self._ending_in(state), *restrictions, *phase]):
                witness = self._decoder.decode() if self._wants_witnesses else None
                yield self._typed(state), phase != self._phases[0], witness
                return

    def _has(self, state: tuple[Value, ...]) -> bool:
        """Whether the formula knows all values of a state."""
        return all(value in self._encoding.final.cases(what) for what, value in zip(self._observed, state, strict=True))

    def _execution_of(self, state: tuple[Value, ...], restrictions: list[int]) -> Candidate:
        """An execution that ends in a state: there is one, as that of an image."""
        is_found = self._encoding.solve([*self._ending_in(state), *restrictions])
        assert is_found, "what an execution has its image has as well"
        return self._decoder.decode()

    def _typed(self, state: tuple[Value, ...]) -> tuple[Value, ...]:
        """A state of the formula, which has one value for 0 and 0.0."""
        return tuple(map(_in_type, state, self._floating))

    def _found(self) -> tuple[tuple[Value, ...], Candidate | None, bool]:
        """The state that was found last, its execution, and whether nothing that is read in that depends on itself.

        Of a state of an image there is none, and it is decoded only if it is needed.
        """
        dependencies = self._encoding.dependencies
        candidate, is_grounded = None, True
        if not self._decodes or self._wants_witnesses or dependencies is not None:
            candidate = self._decoder.decode()
            executed = sum(1 << event for event in candidate.executed)
            is_grounded = dependencies is None or dependencies.are_acyclic(executed, candidate.reads_from)
            if not self._decodes:
                return final_state(candidate, self._observed), candidate, is_grounded
        true = self._encoding.truth(self._new)
        view = next(view for view, new in zip(self._views, self._new, strict=True) if new in true)
        return self._decode_state(view), candidate if view is self._observed else None, is_grounded

    def _decode_state(self, view: tuple[Observable, ...]) -> tuple[Value, ...]:
        """The state, decoded from the literals of its values; one is true for each register and location."""
        cases = [self._encoding.final.cases(what) for what in view]
        true = self._encoding.truth({abs(literal) for known in cases for literal in known.values()})
        return tuple(
            next(value for value, literal in known.items() if (literal > 0) == (abs(literal) in true))
            for known in cases
        )

    def _literals(self, state: tuple[Value, ...], view: tuple[Observable, ...]) -> list[int]:
        return [self._encoding.final.cases(what)[value] for what, value in zip(view, state, strict=True)]

    def _ending_in(self, state: tuple[Value, ...]) -> list[int]:
        """An assumption that an execution ends in a state."""
        ends = self._encoding.circuit.variable()
        for literal in self._literals(state, self._observed):
            self._encoding.circuit.require(-ends, literal)
        return [ends]

    def count(self, state: tuple[Value, ...], restrictions: list[int]) -> int:
        """The number of executions that end in a state: distinct in reads-from, modification orders and choices."""
        return count(self._encoding, self._decoder, [*self._ending_in(state), *restrictions])


def count(
    encoding: Encoding, decoder: Decoder, restrictions: list[int], reads: Mapping[int, Value] | None = None
) -> int:
    """The number of executions under assumptions: distinct in reads-from, modification orders and choices.

    `reads` are the values of all reads, where the formula leaves some open.
    """
    counting = encoding.circuit.variable()
    number = 0
    while encoding.solve([counting, *restrictions]):
        number += 1
        encoding.circuit.require(-counting, *(-each for each in _identity(encoding, decoder.decode(reads))))
    return number


def _identity(encoding: Encoding, candidate: Candidate) -> Iterator[int]:
    """Literals that hold in this execution and in no other."""
    execution, choices = encoding.execution, encoding.values.choices
    for event, literal in enumerate(execution.executed):
        yield literal if event in candidate.executed else -literal
    for read, write in candidate.reads_from.items():
        yield execution.reads_from[write, read]
    for choice, taken in zip(choices, candidate.choices, strict=True):
        yield choice if taken else -choice
    events = candidate.skeleton.events
    for order in candidate.modification_orders.values():
        writes = [event for event in order if events[event].kind is not EventKind.INITIAL]
        yield from (execution.writes_before(a, b) for a, b in pairwise(writes))


def _is_floating(what: Observable, program: Program) -> bool:
    """Whether a register or location holds numbers of a floating type."""
    if isinstance(what, Location):
        types = [program.object_at(what).type]
    else:
        registers = (
            register for thread in program.threads if thread.index == what.thread for register in thread.registers
        )
        types = [register.type for register in registers if register.name == what.register]
    return any(isinstance(type_, Scalar) and type_.is_floating for type_ in types)


def _in_type(value: Value, is_floating: bool) -> Value:  # noqa: FBT001 - it is mapped over values
    return float(value) if is_floating and isinstance(value, int) else value
