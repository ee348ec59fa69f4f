"""What an engine is asked."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcm.execution.skeleton import IMPL_DEFINED_FAULTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.answer.answer import Answer, State
    from mcm.answer.conflict import KnownConflicts
    from mcm.cat.model import Model
    from mcm.execution.skeleton import Fault, Skeleton
    from mcm.program.condition import Observable, Proposition


class SolverName(Enum):
    """The solvers that the SMT engine can give its formula to; AUTO is one of them, by the size of the formula."""

    AUTO = "auto"
    Z3 = "z3"
    CADICAL = "cadical"


class Limits(Struct, frozen=True):
    """How much an answer may cost: wall seconds, search nodes, megabytes. None: no limit.

    Nodes concern the explicit engine only: those that find nothing count, and in a large program each counts for more.
    `nodes_in_all`: beyond `nodes` a search goes on as long as it is likely to end within so many.
    """

    seconds: float | None = None
    nodes: int | None = None
    nodes_in_all: int | None = None
    megabytes: int | None = None


class Sought(Struct, frozen=True):
    """Problems that decide a verdict: flags of these names, and faults that implement none of the rules `without`."""

    flags: frozenset[str]
    without: frozenset[str] = frozenset()

    def decides(self, fault: Fault) -> bool:
        """Whether a fault is such a problem: what only depends on the implementation is the weaker verdict."""
        return fault.rule not in self.without and fault.kind not in IMPL_DEFINED_FAULTS

    def is_in(self, answer: Answer) -> bool:
        """Whether some such problem was found."""
        return any(flag.name in self.flags for flag in answer.flags) or any(
            self.decides(raised.fault) for raised in answer.faults
        )


class Query(Struct, frozen=True):
    """All skeletons of one program, a model, and what is wanted.

    `observed` are the registers and locations that make up a state, in the order of listing. `proposition` is the
    condition's (its names are all observed); executions that do not satisfy `filter` do not count.
    `wants_states` false: only whether a state satisfying the proposition exists, and one witness; flags as always.
    `wants_witnesses` false: an engine may leave out the executions that show states.
    `first_problem`: problems are asked for before anything else, and where there is one the answer is the first that
    was found: nothing else is looked for then. `decisive`: where one of these was found, a search within a budget
    ends after few states. `wants_outcomes` false: only flags and faults are asked for.
    `counts` asks for the number of executions of each state. `known` are states that were found before (not out of thin
    air), for the answer to begin with. `on_state` is called with each other state as soon as it is found, unless states
    are counted or all its executions have values out of thin air. `solver` and `conflicts` matter to the solver only.
    `conflicts` are what earlier queries learned about the program, and more is added: they may change which executions
    show what is found, and nothing else.
    """

    skeletons: tuple[Skeleton, ...]
    model: Model
    observed: tuple[Observable, ...]
    proposition: Proposition | None = None
    filter: Proposition | None = None
    wants_states: bool = True
    wants_flags: bool = True
    wants_outcomes: bool = True
    first_problem: Sought | None = None
    decisive: Sought | None = None
    wants_witnesses: bool = True
    counts: bool = False
    known: tuple[State, ...] = ()
    conflicts: KnownConflicts | None = None
    on_state: Callable[[State], None] | None = None
    limits: Limits = field(default_factory=Limits)
    solver: SolverName = SolverName.AUTO
