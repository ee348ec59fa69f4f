"""Final states with names and values as reports write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final, overload

from msgspec.structs import replace

from mcm.base.compared import PartlyCompared
from mcm.base.frozen import FrozenMapping

if TYPE_CHECKING:
    from mcm.answer.execution import Execution
    from mcm.answer.many_states import ManyStates


Number = int | float | str


class ShownState(PartlyCompared, frozen=True):
    """A final state: values by name, numbers or `&x` for an address.

    `thin_air`: every execution that ends so has values that depend on themselves. `example_of` says of which states
    this is one where such values are not determined (`0:r0 = 1:r0 + 1, any int`), else None. `executions` is the number
    of executions, where it was asked for. `execution` is one of them, where executions were asked for.
    """

    not_compared: ClassVar[frozenset[str]] = frozenset({"execution"})

    values: Mapping[str, Number]
    satisfies: bool
    thin_air: bool
    executions: int | None
    execution: Execution | None = None
    example_of: str | None = None


_NO_VALUES: Final[Mapping[str, Number]] = FrozenMapping({})
_SATISFYING: Final = ShownState(_NO_VALUES, satisfies=True, thin_air=False, executions=None)
_OTHER: Final = ShownState(_NO_VALUES, satisfies=False, thin_air=False, executions=None)


def counted_states(number: int, satisfying: int) -> tuple[ShownState, ...]:
    """So many states of which nothing is told but how many satisfy the proposition."""
    return (_SATISFYING,) * satisfying + (_OTHER,) * (number - satisfying)


class ManyShownStates(Sequence[ShownState]):
    """Many states, each of which is made when it is looked at.

    `names` are those of what has values, and `shown` has the values of each as reports write them.
    """

    __slots__ = ("names", "shown", "states")

    def __init__(self, names: tuple[str, ...], shown: tuple[tuple[Number, ...], ...], states: ManyStates) -> None:
        self.names = names
        self.shown = shown
        self.states = states

    def __len__(self) -> int:
        """How many there are."""
        return len(self.states)

    @overload
    def __getitem__(self, index: int) -> ShownState: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ShownState, ...]: ...
    def __getitem__(self, index: int | slice) -> ShownState | tuple[ShownState, ...]:
        """A state, or some of them."""
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(len(self))))
        states = self.states
        values = {
            name: known[ord(character)]
            for name, known, character in zip(self.names, self.shown, states.texts[index], strict=True)
        }
        executions = None if states.executions is None else states.executions[index]
        return ShownState(FrozenMapping(values), bool(states.satisfied[index]), thin_air=False, executions=executions)

    def __eq__(self, other: object) -> bool:
        """Whether the other has the same states, however it keeps them."""
        if isinstance(other, ManyShownStates):
            return (self.names, self.shown, self.states) == (other.names, other.shown, other.states)
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        """The hash of the states as a tuple."""
        return hash(tuple(self))


def satisfying(states: Sequence[ShownState]) -> int:
    """How many states satisfy the proposition."""
    if isinstance(states, ManyShownStates):
        return states.states.satisfying
    return sum(state.satisfies for state in states)


def are_counted(states: Sequence[ShownState]) -> bool:
    """Whether the executions of some state were counted."""
    if isinstance(states, ManyShownStates):
        return states.states.executions is not None
    return any(state.executions is not None for state in states)


def are_thin_air(states: Sequence[ShownState]) -> bool:
    """Whether values of some state depend on themselves."""
    if isinstance(states, ManyShownStates):
        return False
    return any(state.thin_air or state.example_of for state in states)


def without_their_executions(states: Sequence[ShownState]) -> Sequence[ShownState]:
    """The states without the executions that show them."""
    if isinstance(states, ManyShownStates):
        return states
    return tuple(replace(state, execution=None) for state in states)
