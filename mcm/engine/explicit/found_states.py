"""The final states that the search has found, each once; most of them packed."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.answer.answer import State, more_general
from mcm.answer.many_states import PackedValues, many_states
from mcm.execution.outcome import compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcm.answer.answer import Varying
    from mcm.answer.query import Query
    from mcm.execution.candidate import Candidate
    from mcm.program.types import Value

# From so many states on, an answer keeps them packed.
MANY_STATES: Final = 4096


class FoundStates:
    """States by their values, which are those of what the query observes."""

    def __init__(self, query: Query, many: int = MANY_STATES) -> None:
        self._counts: Final = query.counts
        self._many: Final = many
        self._satisfies: Final = compiled(query.proposition, query.observed)
        self.packed: Final = PackedValues(len(query.observed))
        # Packed states, each with the number of its executions, where these are counted.
        self._plain: Final[dict[str, int | None]] = {}
        # Those with more than values, packed as well: values that depend on themselves, or an execution.
        self._others: Final[dict[str, State]] = {}
        self._on_state: Callable[[State], None] | None = None
        for state in query.known:
            self._put(self.packed.pack(state.values), state)
        if not query.counts:
            self._on_state = query.on_state

    def __len__(self) -> int:
        """How many states were found."""
        return len(self._plain) + len(self._others)

    def satisfies(self, values: Sequence[Value]) -> bool:
        """Whether a state satisfies the proposition of the query."""
        return self._satisfies(values)

    def is_known(self, values: Sequence[Value], *, thin_air: bool) -> bool:
        """Whether a state was found, without values that depend on themselves unless `thin_air` says that it has."""
        text = self.packed.pack(values)
        if text in self._plain:
            return True
        other = self._others.get(text)
        return other is not None and (thin_air or not other.thin_air)

    def add(self, values: tuple[Value, ...], witness: Candidate | None, *, thin_air: bool) -> None:
        """Add the final state of an execution, which is counted."""
        text = self.packed.pack(values)
        if not self._counts and witness is None and not thin_air:
            self.add_packed((text,))
            return
        known = self._known(text, values)
        executions = None
        if self._counts:
            executions = 1 + ((known.executions or 0) if known is not None else 0)
        if known is not None and (thin_air or not known.thin_air):
            witness = known.witness or witness
            thin_air = known.thin_air
        varying = () if known is None else known.varying
        self._put(text, State(values, self._satisfies(values), thin_air, executions, witness, varying))

    def add_packed(self, texts: Iterable[str]) -> None:
        """Add states of executions that are neither asked for nor counted, and have no values out of thin air."""
        plain, others = self._plain, self._others
        for text in texts:
            if text in plain:
                continue
            if text in others:
                self._put(text, replace(others[text], thin_air=False))
                continue
            plain[text] = None
            if self._on_state is not None:
                self._on_state(self._state(text))

    def add_example(self, values: tuple[Value, ...], witness: Candidate | None, varying: tuple[Varying, ...]) -> None:
        """Add a state that stands for others."""
        text = self.packed.pack(values)
        known = self._known(text, values)
        if known is None:
            executions = 0 if self._counts else None
            known = State(values, self._satisfies(values), thin_air=True, executions=executions, witness=witness)
        self._put(text, replace(known, varying=more_general(known.varying, varying)))

    def count_more(self, executions: Sequence[Callable[[tuple[Value, ...]], int]]) -> None:
        """Add executions to the states in which they can end: each is given as how many of them end in a state."""
        for text in (*self._plain, *self._others):
            state = self._known(text, self.packed.unpack(text))
            assert state is not None, "it is one of them"
            more = sum(each(state.values) for each in executions)
            if more:
                self._put(text, replace(state, executions=more + (state.executions or 0)))

    def sorted(self) -> Sequence[State]:
        """All of them, sorted by values."""
        if not self._others and len(self._plain) >= self._many:
            return many_states(self.packed, self._plain, self._satisfies)
        states = [*map(self._state, self._plain), *self._others.values()]
        return tuple(sorted(states, key=attrgetter("rank")))

    def _state(self, text: str) -> State:
        values = self.packed.unpack(text)
        return State(values, self._satisfies(values), executions=self._plain[text])

    def _known(self, text: str, values: tuple[Value, ...]) -> State | None:
        if text in self._plain:
            return State(values, self._satisfies(values), executions=self._plain[text])
        return self._others.get(text)

    def _put(self, text: str, state: State) -> None:
        if self._on_state is not None and not (state.thin_air or self.is_known(state.values, thin_air=False)):
            self._on_state(state)
        if state.thin_air or state.varying or state.witness is not None:
            self._plain.pop(text, None)
            self._others[text] = state
        else:
            self._others.pop(text, None)
            self._plain[text] = state.executions
