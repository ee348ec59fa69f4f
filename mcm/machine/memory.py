"""What threads ask of memory, and what every memory answers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.machine.footprint import Footprint
    from mcm.program.types import Flag, Order, Scope, Value

# Memories are values: a step makes a new one, so that states can be kept, compared and returned to.
StateT = TypeVar("StateT", bound=Hashable)


class ReadRequest(Struct, frozen=True):
    """Read a location, given by its number; `order` is None for a plain access. `site` is the instruction."""

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
    """Read a location and write what `combine` makes of its value."""

    site: int
    location: int
    combine: Callable[[Value], Value]
    order: Order
    scope: Scope


class CompareRequest(Struct, frozen=True):
    """Write `desired` if the location holds `expected`; a weak exchange may fail although it does."""

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
    """One way in which a request may go: the message that is read (or behind which is written), and success."""

    message: int
    succeeds: bool = True


class Race(Struct, frozen=True):
    """Two accesses, as (thread, instruction), that conflict and are not ordered."""

    earlier: tuple[int, int]
    later: tuple[int, int]
    both_atomic: bool


class Effect(Struct, Generic[StateT], frozen=True):
    """The result of a step: the new memory, what was read, and what that showed.

    `indeterminate` says that the value read had never been written.
    """

    state: StateT
    value: Value = 0
    succeeded: bool = True
    races: tuple[Race, ...] = ()
    indeterminate: bool = False


class MemorySubsystem(Protocol[StateT]):
    """A memory: its states, and how each thread's requests change them.

    Threads and locations go by their numbers.
    """

    name: str

    def start(self) -> StateT:
        """The state before anything has run."""

    def choices(self, state: StateT, thread: int, request: Request) -> Sequence[Choice]:
        """The ways in which a request may go now; none where the run cannot go on consistently."""

    def perform(self, state: StateT, thread: int, request: Request, choice: Choice) -> Effect[StateT]:
        """Carry a request out."""

    def fence(self, state: StateT, thread: int, flags: frozenset[Flag], order: Order, scope: Scope) -> StateT:
        """A fence."""

    def arrive(self, state: StateT, thread: int, flags: frozenset[Flag], scope: Scope) -> StateT:
        """The entry of a barrier."""

    def leave(self, state: StateT, group: Sequence[int]) -> StateT:
        """The exits of all members of a barrier."""

    def footprint(self, location: int, order: Order | None, *, writes: bool) -> Footprint:
        """What an access of a location touches; accesses commute, with all that they show, unless these conflict."""

    def fence_footprint(self, order: Order) -> Footprint:
        """What a fence touches. Barriers touch nothing of others."""

    def finals(self, state: StateT, locations: Sequence[int]) -> Sequence[tuple[Value, ...]]:
        """What the locations may hold when nothing runs any more."""
