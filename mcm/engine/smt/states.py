"""All final states of the consistent executions of one skeleton."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from mcm.engine.smt.decode import final_state
from mcm.execution.event import EventKind
from mcm.program.types import Location, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.engine.smt.decode import Decoder
    from mcm.engine.smt.encode import Encoding
    from mcm.execution.candidate import Candidate
    from mcm.program.condition import Observable
    from mcm.program.program import Program
    from mcm.program.types import Value

Found = tuple[tuple["Value", ...], bool, "Candidate | None"]


class StateSearch:
    """Finds the states one by one: each is blocked once it is found.

    Executions that are not out of thin air are searched first, so a state that is found later has only the others.
    Without `wants_witnesses`, states are decoded alone, which is quicker than decoding executions.
    `turned` are registers and locations that have the values of those observed in images of executions.
    """

    def __init__(
        self,
        encoding: Encoding,
        decoder: Decoder,
        observed: tuple[Observable, ...],
        turned: Sequence[tuple[Observable, ...]] = (),
        *,
        wants_witnesses: bool,
    ) -> None:
        self._encoding = encoding
        self._decoder = decoder
        self._observed = observed
        self._wants_witnesses = wants_witnesses
        self._floating: Final = [_is_floating(what, encoding.skeleton.program) for what in observed]
        self._searching = encoding.circuit.variable()
        # What is observed, and what has the same values in images; for each the variable that its state is new.
        self._views: Final = (observed, *turned)
        self._new: Final = [encoding.circuit.variable() for _ in turned] if turned else []
        self._new.insert(0, encoding.circuit.variable() if turned else self._searching)
        if turned:
            encoding.circuit.require(-self._searching, *self._new)
        # With the gates prepared, blocking a state takes one clause, and literals of values can be decoded.
        self._decodes: Final = bool(turned) or not wants_witnesses
        for what in {what for view in self._views for what in view}:
            for literal in encoding.final.cases(what).values():
                encoding.circuit.prepare([-literal, literal] if self._decodes else [-literal])

    def block(self, state: tuple[Value, ...]) -> None:
        """Exclude a state from the search."""
        for view, new in zip(self._views, self._new, strict=True):
            cases = [self._encoding.final.cases(what) for what in view]
            if all(value in known for value, known in zip(state, cases, strict=True)):
                self._encoding.circuit.require(-new, *(-each for each in self._literals(state, view)))

    def states(self, restrictions: list[int], ordered: Sequence[int]) -> Iterator[Found]:
        """States under assumptions, whether they are out of thin air, and an execution for each.

        Every execution has an image under which what is observed is one of the views, and for which `ordered` holds.
        """
        grounded = self._encoding.grounded()
        phases = [[]] if grounded is None else [[grounded], []]
        for phase in phases:
            thin_air = grounded is not None and not phase
            while self._encoding.solve([self._searching, *restrictions, *ordered, *phase]):
                state, candidate = self._found([*restrictions, *phase])
                # The formula has one value for 0 and 0.0.
                yield tuple(map(_in_type, state, self._floating)), thin_air, candidate
                self.block(state)

    def _found(self, restrictions: list[int]) -> tuple[tuple[Value, ...], Candidate | None]:
        """The state that was found last, and an execution of it if that is wanted."""
        if not self._decodes:
            candidate = self._decoder.decode()
            return final_state(candidate, self._observed), candidate
        true = self._encoding.truth(self._new)
        view = next(view for view, new in zip(self._views, self._new, strict=True) if new in true)
        state = self._decode_state(view)
        if not self._wants_witnesses:
            return state, None
        if view is not self._observed:
            # An image of the execution has the state.
            is_found = self._encoding.solve([*self._ending_in(state), *restrictions])
            assert is_found, "what an execution has its image has as well"
        return state, self._decoder.decode()

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
        registers = program.thread(what.thread).registers
        types = [register.type for register in registers if register.name == what.register]
    return any(isinstance(type_, Scalar) and type_.is_floating for type_ in types)


def _in_type(value: Value, is_floating: bool) -> Value:  # noqa: FBT001 - it is mapped over values
    return float(value) if is_floating and isinstance(value, int) else value
