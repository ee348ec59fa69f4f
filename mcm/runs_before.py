"""What a few runs of the machine tell of a program before an engine is asked, or where none knows the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.answer.answer import Answer, State
from mcm.answer.result import FIRST_PROBLEM
from mcm.execution.outcome import compiled
from mcm.program.condition import Truth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.answer.query import Query
    from mcm.catalogue.library import ChosenModel
    from mcm.front_end.test import Test
    from mcm.machine.recording import Recording

# Runs for states of a large program perform so many operations at most.
_MOST_OPERATIONS: Final = 20_000

# After so many in a row that end in states that were met before, it is looked for no others.
_MOST_IN_VAIN: Final = 8

NOTHING: Final = Answer(engine="machine", states=(), flags=(), faults=(), bounded=(), reachable=None)


class Runs(Struct, frozen=True):
    """What a few runs of the machine met and the model confirms (None: nothing), and the last one that was made."""

    met: Answer | None = None
    last: Recording | None = None


def runs_met(test: Test, chosen: ChosenModel, runs: Sequence[int]) -> Runs:
    """A few runs of the machine, up to the first one that meets undefined behaviour which the model confirms.

    The filter of a test is about whole executions, and what is met is a part of one: then nothing is concluded. Nor is
    it for a model by which read-modify-writes are two events, since a run has one.
    """
    if test.program.filter is not None or chosen.model.splits_updates:
        return Runs()
    # Imported here: small tests need none of the machine.
    from mcm.confirm import undefined_behaviour  # noqa: PLC0415

    met = undefined_behaviour(test.program, chosen.model, runs)
    faults = tuple(raised for raised in met.faults if raised.fault.rule not in chosen.without)
    if not (met.flags or faults):
        return Runs(last=met.last)
    return Runs(replace(NOTHING, flags=met.flags, faults=faults, undecided=FIRST_PROBLEM), met.last)


def states_of_runs(query: Query, test: Test, chosen: ChosenModel) -> tuple[State, ...]:
    """States in which runs end that the model allows, each once.

    None where executions are asked for: those of runs are told otherwise.
    """
    wants_none = not query.wants_states or query.wants_witnesses or query.counts
    if wants_none or query.filter is not None or chosen.model.splits_updates:
        return ()
    # Imported here: few tests are so large that they take the solver.
    from mcm.asked_runs import AskedRuns  # noqa: PLC0415

    runs = AskedRuns(test.program, chosen.model, Truth(value=True))
    ends = runs.ends(query.observed, _MOST_OPERATIONS, _MOST_IN_VAIN)
    satisfies = compiled(query.proposition, query.observed)
    return tuple(State(values, satisfies=satisfies(values)) for values, _ in ends)
