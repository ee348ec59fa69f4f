"""The interface between threads and memory: requests, choices and effects."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.machine.fact import Fact
    from mcm.machine.footprint import Footprint
    from mcm.program.types import Flag, Order, Scope, Value

# States of memory are immutable values, so that a search can keep them, compare them and return to them.
StateT = TypeVar("StateT", bound=Hashable)


class ReadRequest(Struct, frozen=True):
    """Read the location with this number; `order` is None for a plain access. `site` is the instruction."""

    site: int
    location: int
    order: Order | None
    scope: Scope | None


class WriteRequest(Struct, frozen=True):
    """Write a value to a location."""

    site: int
    location: int
    value: Value
    order: Order | None
    scope: Scope | None


class UpdateRequest(Struct, frozen=True):
    """Read a location, and write `combine` of its value."""

    site: int
    location: int
    combine: Callable[[Value], Value]
    order: Order | None
    scope: Scope | None


class CompareRequest(Struct, frozen=True):
    """Write `desired` if the value is `expected`; a weak exchange may fail also then."""

    site: int
    location: int
    expected: Value
    desired: Value
    success: Order
    failure: Order
    scope: Scope
    weak: bool


Request = ReadRequest | WriteRequest | UpdateRequest | CompareRequest


class Choice(Struct, frozen=True):
    """One way to perform a request: the index of the message that is read, or after which is written, and success."""

    message: int
    succeeds: bool = True


class Race(Struct, frozen=True):
    """Two accesses, as (thread, instruction), that conflict and are not ordered by happens-before."""

    earlier: tuple[int, int]
    later: tuple[int, int]
    both_atomic: bool


class Misuse(Struct, frozen=True):
    """A use of buffers, by accesses as (thread, instruction), of the kind and by the rule that models name."""

    kind: str
    rule: str
    why: str
    accesses: tuple[tuple[int, int], ...]


class Effect(Struct, Generic[StateT], frozen=True):
    """The effect of a request: the new state, the value read, and the races and misuses found.

    `indeterminate`: the location that was read had never been written.
    """

    state: StateT
    value: Value = 0
    succeeded: bool = True
    races: tuple[Race, ...] = ()
    indeterminate: bool = False
    misuses: tuple[Misuse, ...] = ()


class MemorySubsystem(Protocol[StateT]):
    """An operational model of memory: its states, and how requests change them.

    Threads are numbered by position in the program, locations as in the memory layout. Commands hand what is known of
    global memory from thread to thread through numbered boxes, which only grow.
    """

    name: str
    is_one_store: bool

    def start(self) -> StateT:
        """The state before the first step."""

    def choices(self, state: StateT, thread: int, request: Request) -> Sequence[Choice]:
        """The ways to perform a request now; none where, after a data race, no value may be read."""

    def perform(self, state: StateT, thread: int, request: Request, choice: Choice) -> Effect[StateT]:
        """Perform a request."""

    def fence(self, state: StateT, thread: int, flags: frozenset[Flag], order: Order, scope: Scope) -> StateT:
        """The state after a fence of a thread."""

    def arrive(self, state: StateT, thread: int, flags: frozenset[Flag], scope: Scope) -> StateT:
        """The state after a thread has entered a barrier."""

    def leave(self, state: StateT, group: Sequence[int]) -> StateT:
        """The state after all threads of a group have left a barrier."""

    def meet(self, state: StateT, group: Sequence[int]) -> StateT:
        """The state after threads have met in a group function: what each has done comes before what all do next."""

    def give(self, state: StateT, thread: int, box: int, *, to_child: bool = False) -> StateT:
        """The state after what a thread has seen of global memory has been put into a box; see `take`.

        `to_child`: it is handed to a kernel that a device enqueues, and reaches fine-grain memory only (HOST-1).
        """

    def pass_on(self, state: StateT, sources: Sequence[int], box: int) -> StateT:
        """The state after all that is in some boxes has been put into another one."""

    def take(self, state: StateT, thread: int, box: int) -> StateT:
        """The state after a thread has learnt what is in a box: what was given happens before its next action."""

    def learn(self, state: StateT, thread: int, fact: Fact) -> StateT:
        """The state after a thread has learnt a fact: whoever synchronises with it knows it too."""

    def unmap(self, state: StateT, thread: int, command: int) -> tuple[StateT, tuple[Misuse, ...]]:
        """The state after a thread has called an unmap, and the accesses that the map should not have ended for."""

    def put(self, state: StateT, box: int, fact: Fact) -> StateT:
        """The state after a fact has been put into a box."""

    def knows(self, state: StateT, thread: int, fact: Fact) -> bool:
        """Whether a fact happens before the next action of a thread; on one store that is not kept."""

    def begin_copy(self, state: StateT, thread: int, copier: int) -> StateT:
        """The state after a thread has begun an asynchronous copy, whose accesses are those of `copier`."""

    def end_copy(self, state: StateT, copier: int, event: Value) -> StateT:
        """The state after a copy is complete, which has an event."""

    def await_copies(self, state: StateT, group: Sequence[int], copier: int, events: Sequence[Value]) -> StateT:
        """The state after all threads of a group have waited for the copies with some events."""

    def footprint(self, location: int, order: Order | None, *, writes: bool) -> Footprint:
        """The footprint of an access; accesses of different threads commute unless their footprints conflict."""

    def fence_footprint(self, order: Order) -> Footprint:
        """The footprint of a fence. Barriers have none."""

    def finals(self, state: StateT, locations: Sequence[int]) -> Sequence[tuple[Value, ...]]:
        """The possible final values of the locations, in their order."""
