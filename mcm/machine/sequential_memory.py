"""Sequentially consistent memory: one value for each location."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.machine.footprint import NO_FOOTPRINT, Footprint
from mcm.machine.memory import Choice, CompareRequest, Effect, ReadRequest, UpdateRequest, WriteRequest
from mcm.program.value_arithmetic import are_same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.fact import Fact
    from mcm.machine.memory import Misuse, Request
    from mcm.machine.memory_layout import MemoryLayout
    from mcm.program.types import Flag, Order, Scope, Value

# The value of every location, and the mask of the locations that have not been written.
Store = tuple[tuple["Value", ...], int]

_ONLY: Final = (Choice(0),)
_FAILURE: Final = (Choice(0, succeeds=False),)
_EITHER: Final = (Choice(0), Choice(0, succeeds=False))


class SequentialMemory:
    """Memory in which every read gives the value of the last write; every execution is an interleaving."""

    name = "interleaving"
    is_one_store = True

    def __init__(self, layout: MemoryLayout) -> None:
        self._layout = layout

    def start(self) -> Store:
        """The initial values."""
        values = tuple(place.begins_with for place in self._layout.locations)
        unset = sum(1 << i for i, place in enumerate(self._layout.locations) if place.is_indeterminate)
        return values, unset

    def choices(self, state: Store, thread: int, request: Request) -> Sequence[Choice]:  # noqa: ARG002
        """The only way, but for a weak compare-exchange, which may fail."""
        if not isinstance(request, CompareRequest):
            return _ONLY
        if not are_same(state[0][request.location], request.expected):
            return _FAILURE
        return _EITHER if request.weak else _ONLY

    def perform(self, state: Store, thread: int, request: Request, choice: Choice) -> Effect[Store]:  # noqa: ARG002
        """Perform a request."""
        values, unset = state
        location = request.location
        old = values[location]
        indeterminate = bool(unset >> location & 1)
        match request:
            case ReadRequest():
                return Effect(state, old, indeterminate=indeterminate)
            case WriteRequest(_, _, new):
                indeterminate = False
            case UpdateRequest(_, _, combine):
                new = combine(old)
            case CompareRequest(_, _, _, desired):
                if not choice.succeeds:
                    return Effect(state, old, succeeded=False, indeterminate=indeterminate)
                new = desired
            case _:
                assert_never(request)
        changed = (*values[:location], new, *values[location + 1 :])
        return Effect((changed, unset & ~(1 << location)), old, indeterminate=indeterminate)

    def fence(self, state: Store, thread: int, flags: frozenset[Flag], order: Order, scope: Scope) -> Store:  # noqa: ARG002
        """The same state: memory is in order already."""
        return state

    def arrive(self, state: Store, thread: int, flags: frozenset[Flag], scope: Scope) -> Store:  # noqa: ARG002
        """The same state: memory is in order already."""
        return state

    def leave(self, state: Store, group: Sequence[int]) -> Store:  # noqa: ARG002
        """The same state: memory is in order already."""
        return state

    def meet(self, state: Store, group: Sequence[int]) -> Store:  # noqa: ARG002
        """The same state: memory is in order already."""
        return state

    def give(self, state: Store, thread: int, box: int, *, to_child: bool = False) -> Store:  # noqa: ARG002
        """The same state: memory is in order already."""
        return state

    def pass_on(self, state: Store, sources: Sequence[int], box: int) -> Store:  # noqa: ARG002
        """The same state: memory is in order already."""
        return state

    def take(self, state: Store, thread: int, box: int) -> Store:  # noqa: ARG002
        """The same state: memory is in order already."""
        return state

    def learn(self, state: Store, thread: int, fact: Fact) -> Store:  # noqa: ARG002
        """The same state: memory is in order already."""
        return state

    def unmap(self, state: Store, thread: int, command: int) -> tuple[Store, tuple[Misuse, ...]]:  # noqa: ARG002
        """The same state: misuses are found on weak memory."""
        return state, ()

    def put(self, state: Store, box: int, fact: Fact) -> Store:  # noqa: ARG002
        """The same state: memory is in order already."""
        return state

    def knows(self, state: Store, thread: int, fact: Fact) -> bool:  # noqa: ARG002
        """False: nobody learns anything."""
        return False

    def begin_copy(self, state: Store, thread: int, copier: int) -> Store:  # noqa: ARG002
        """The same state: memory is in order already."""
        return state

    def end_copy(self, state: Store, copier: int, event: Value) -> Store:  # noqa: ARG002
        """The same state: memory is in order already."""
        return state

    def await_copies(self, state: Store, group: Sequence[int], copier: int, events: Sequence[Value]) -> Store:  # noqa: ARG002
        """The same state: memory is in order already."""
        return state

    def footprint(self, location: int, order: Order | None, *, writes: bool) -> Footprint:  # noqa: ARG002
        """The location, read or written."""
        return Footprint(writes=1 << location) if writes else Footprint(reads=1 << location)

    def fence_footprint(self, order: Order) -> Footprint:  # noqa: ARG002
        """None: a fence has no effect."""
        return NO_FOOTPRINT

    def finals(self, state: Store, locations: Sequence[int]) -> Sequence[tuple[Value, ...]]:
        """The current values."""
        return (tuple(state[0][location] for location in locations),)
