"""Iterations of a loop, and which of them the bound is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from mcm.execution.algebra import TRUE
from mcm.execution.expression import Constant
from mcm.execution.liveness import is_private, read_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.liveness import Names
    from mcm.execution.path import Path, VariableState, Way
    from mcm.execution.shared import Shared
    from mcm.execution.skeleton import Fault
    from mcm.program import instruction as hir


class Round(Struct):
    """One iteration of a loop: how control leaves the loop in it, or goes `again`. Conditions count from its head.

    `exits`: the conditions under which one that begins as this one does is the last. `is_tested`: the loop's condition
    depends on memory. `may_wait`: one like it may have no effect. `change`: holds wherever one like it goes again.
    """

    leaves: Way | None
    again: Way | None
    returns: Way | None = None
    exits: tuple[Expression, ...] = ()
    stops: bool = False
    is_tested: bool = False
    may_wait: bool = False
    change: Expression = TRUE


class Beginning(Struct, frozen=True):
    """Where an iteration begins: what the variables hold, and how many events, attempts and faults are recorded.

    `before` is where the iteration before it began, which had an effect, or stored, where `effect`; None for the first
    one, and where nobody asks.
    """

    variables: dict[str, VariableState]
    events: int
    trials: int
    faults: int
    before: Beginning | None
    effect: Expression


class Tests(Protocol):
    """What evaluates the condition of a loop."""

    def test(self, node: hir.Expression, path: Path) -> Expression:
        """Evaluate a full expression as a condition on a path."""


class Iterations:
    """The iterations of a loop on a path; `live` says which variables matter where one begins.

    `goes_to_end`: those of a loop that comes to an end by itself are none that the bound is for. Else `may_end` says
    whether that could make a difference.
    """

    def __init__(
        self, node: hir.Loop, tests: Tests, live: Callable[[], Names], *, tests_first: bool, goes_to_end: bool
    ) -> None:
        self._node: Final = node
        self._tests: Final = tests
        self._live: Final = live
        self._tests_first: Final = tests_first
        self._goes_to_end: Final = goes_to_end
        self._tested: Final = sorted(set(read_by(node.condition)))
        # What has been tested where an iteration went on, and the addresses that have been read.
        self._met: Final[set[tuple[Expression, ...]]] = set()
        self._visited: Final[set[Expression]] = set()
        self.may_end = False

    def counts(self, this: Round, begun: Beginning, shared: Shared, following: Path) -> bool:
        """Whether an iteration that is followed by another one counts against the bound; its events are the last.

        None does in which something returns what it is supposed to: a run makes so many of them, and no more.
        """
        events = shared.events
        if not self._depends_on_memory(this, begun, shared.faults[begun.faults :], following):
            return False
        if (shared.supposed or shared.foreseen) and any(
            event.identifier in shared.supposed or event.identifier in shared.foreseen
            for event in events[begun.events :]
        ):
            return False
        if self._goes_to_end:
            return not self._comes_to_end(events[begun.events :], following)
        # What the condition comes to is not evaluated here: that would be noted.
        self.may_end = (
            self.may_end or self._may_count_itself() or self._goes_elsewhere(events[begun.events :], following)
        )
        return True

    def _depends_on_memory(self, this: Round, begun: Beginning, faults: Sequence[Fault], following: Path) -> bool:
        """Whether it depends on memory if an iteration is followed by another one.

        It does unless constants say that the loop ends: what the condition tests has changed, or the body goes on
        whatever memory holds and something has changed that may make it leave. What is read outside of all objects is
        a constant, but says nothing: where `faults` of the iteration are in the way, it need not come to an end.
        """
        assert this.again is not None
        variables = this.again.state.variables

        def has_changed(names: Iterable[str]) -> bool:
            return any(variables[name].value is not begun.variables[name].value for name in names if name in variables)

        def is_faulty() -> bool:
            return any(following.simplified(fault.condition) is TRUE for fault in faults)

        if not this.is_tested and has_changed(self._tested):
            return not is_private(self._node.condition) and is_faulty()
        return this.is_tested or this.again.condition is not TRUE or not has_changed(self._live()) or is_faulty()

    def _comes_to_end(self, events: Sequence[Event], following: Path) -> bool:
        """Whether a loop that goes on like this, with an iteration of these events, comes to an end by itself."""
        return self._goes_elsewhere(events, following) or self._counts_itself(following)

    def _counts_itself(self, following: Path) -> bool:
        """Whether what the loop's condition tests is constant where it goes on, and is not as it was before.

        In `while (i >= 0) { if (load(x + i)) i = -1; else i--; }` it depends on memory whether `i` is -1, but not what
        it is where the loop goes on.
        """
        if not self._may_count_itself():
            return False
        inside: Path | None = following
        if self._tests_first:
            inside = following.fork(self._tests.test(self._node.condition, following.again()))
        variables = {} if inside is None else inside.state.variables
        values = tuple(variables[name].value for name in self._tested if name in variables)
        if values in self._met or not all(isinstance(value, Constant) for value in values):
            return False
        self._met.add(values)
        return True

    def _may_count_itself(self) -> bool:
        """Whether the loop's condition tests private variables and nothing else."""
        return bool(self._tested) and is_private(self._node.condition)

    def _goes_elsewhere(self, events: Sequence[Event], following: Path) -> bool:
        """Whether an iteration reads where none before it did; the first one is like any other.

        There are only so many locations: what looks for a free slot, or back to the first group, comes to an end.
        """
        places = {
            event.address
            for event in events
            if event.kind.reads
            and isinstance(event.address, Constant)
            and event.locations
            and following.simplified(event.guard) is TRUE
        }
        is_new = bool(self._visited) and not places <= self._visited
        self._visited.update(places)
        return is_new
