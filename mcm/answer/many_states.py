"""Many final states in little memory: a character stands for each value, and a state is made when it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from operator import getitem, itemgetter
from typing import TYPE_CHECKING, overload

from mcm.answer.answer import State
from mcm.program.value_order import rank_of_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcm.program.types import Value


class PackedValues:
    """Tuples of values as texts of one character for each: Python keeps these in one byte, as long as 255 suffice.

    Each position has characters of its own. Values that are equal have the same one, and the first of them stands for
    the others.
    """

    __slots__ = ("_characters", "values")

    def __init__(self, size: int) -> None:
        self._characters: list[dict[Value, str]] = [{} for _ in range(size)]
        # For each position, the value that each character stands for.
        self.values: list[dict[str, Value]] = [{} for _ in range(size)]

    def pack(self, values: Sequence[Value]) -> str:
        """The text for some values, which may be fewer than there are positions."""
        try:
            return "".join(map(getitem, self._characters, values))
        except KeyError:
            return "".join(map(self.character, range(len(self.values)), values))

    def character(self, position: int, value: Value) -> str:
        """The character for a value."""
        known = self._characters[position]
        found = known.get(value)
        if found is None:
            found = known[value] = chr(len(known))
            self.values[position][found] = value
        return found

    def unpack(self, packed: str) -> tuple[Value, ...]:
        """The values that a text stands for."""
        return tuple([known[character] for known, character in zip(self.values, packed, strict=True)])


class ManyStates(Sequence[State]):
    """Final states, distinct and sorted, each of some execution without values that depend on themselves.

    `values` has for each position the values that its characters stand for, sorted; `texts` has the states, packed.
    `executions` has their numbers, where these were counted.
    """

    __slots__ = ("executions", "satisfied", "texts", "values")

    def __init__(
        self,
        values: tuple[tuple[Value, ...], ...],
        texts: tuple[str, ...],
        satisfied: bytes,
        executions: tuple[int | None, ...] | None,
    ) -> None:
        self.values = values
        self.texts = texts
        self.satisfied = satisfied
        self.executions = executions

    @property
    def satisfying(self) -> int:
        """How many satisfy the proposition."""
        return self.satisfied.count(1)

    def __len__(self) -> int:
        """How many there are."""
        return len(self.texts)

    @overload
    def __getitem__(self, index: int) -> State: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[State, ...]: ...
    def __getitem__(self, index: int | slice) -> State | tuple[State, ...]:
        """A state, or some of them."""
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(len(self))))
        executions = None if self.executions is None else self.executions[index]
        return State(_unpacked(self.values, self.texts[index]), bool(self.satisfied[index]), executions=executions)

    def __eq__(self, other: object) -> bool:
        """Whether the other has the same states, however it keeps them."""
        if isinstance(other, ManyStates):
            ours = self.values, self.texts, self.satisfied, self.executions
            return ours == (other.values, other.texts, other.satisfied, other.executions) or tuple(self) == tuple(other)
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        """The hash of the states as a tuple."""
        return hash(tuple(self))


def many_states(
    packed: PackedValues, found: Mapping[str, int | None], satisfies: Callable[[Sequence[Value]], bool]
) -> ManyStates:
    """States that were packed, each with the number of its executions, sorted; `satisfies` tells which do."""
    used = [set(map(itemgetter(position), found)) for position in range(len(packed.values))]
    values = tuple(
        tuple(sorted((known[character] for character in there), key=rank_of_value))
        for known, there in zip(packed.values, used, strict=True)
    )
    ranked = [
        {character: chr(rank[known[character]]) for character in there}
        for known, there, rank in zip(packed.values, used, map(_numbers, values), strict=True)
    ]
    if any(before != after for known in ranked for before, after in known.items()):
        found = {"".join(map(getitem, ranked, text)): number for text, number in found.items()}
    texts = tuple(sorted(found))
    satisfied = bytes(satisfies(_unpacked(values, text)) for text in texts)
    counted = any(number is not None for number in found.values())
    return ManyStates(values, texts, satisfied, tuple(found[text] for text in texts) if counted else None)


def _numbers(values: tuple[Value, ...]) -> dict[Value, int]:
    return {value: number for number, value in enumerate(values)}


def _unpacked(values: tuple[tuple[Value, ...], ...], text: str) -> tuple[Value, ...]:
    return tuple([known[ord(character)] for known, character in zip(values, text, strict=True)])


def satisfying(states: Sequence[State]) -> int:
    """How many states satisfy the proposition."""
    return states.satisfying if isinstance(states, ManyStates) else sum(state.satisfies for state in states)
