"""The query about a test: what is asked for, and the skeletons that it is asked of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct, field

from mcm.answer.query import Limits, Query, SolverName
from mcm.engine.choose import EngineName
from mcm.execution.call_orders import CallOrders
from mcm.execution.elaborate import MOST_EVENTS
from mcm.execution.evaluate import reads_of
from mcm.execution.skeleton import StopKind
from mcm.execution.supposition import NOTHING_SUPPOSED
from mcm.explain.observed import columns_of, observed_by, show_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcm.answer.answer import State
    from mcm.answer.progress import Progress
    from mcm.answer.shown_states import ShownState
    from mcm.cat.model import Model
    from mcm.catalogue.library import ChosenModel, ModelLike
    from mcm.execution.event import EventKind
    from mcm.execution.skeleton import Skeleton
    from mcm.execution.supposition import Suppositions
    from mcm.execution.tickets import Tickets
    from mcm.front_end.test import Test


class Elaborate(Protocol):
    """Gives the skeletons of a test."""

    def __call__(  # noqa: PLR0913 - what there is to choose
        self,
        *,
        waiting: bool,
        overwrites: bool = False,
        folds: bool = False,
        limit: int | None = None,
        bound: int | None = None,
        supposed: Suppositions = NOTHING_SUPPOSED,
        tickets: Tickets | None = None,
        calls: CallOrders = CallOrders.EACH,
    ) -> tuple[Skeleton, ...]:
        """The skeletons; with `waiting`, threads stop where they only wait (ADR 0018), or store what they would store
        anew if it `overwrites` (ADR 0129).

        If it `folds`, nothing depends on reads where nobody writes, whose values are known, nor does it on reads that
        return what is `supposed`. Loops are unrolled up to `bound`. Raises EventLimitError beyond `limit` (None: as the
        options say), and TooManyOrdersError where each order of `calls` is wanted, and there are too many.
        """


# Iterations of a loop whose end depends on memory, where no bound is given.
_FEW_ITERATIONS: Final = 2


class Options(Struct, frozen=True, kw_only=True):
    """What to check with, and how: `models` are names, files, or `all` (none: the dialect's own).

    `without` are rules that are left out, by ID; `profile` is what the device offers (None: everything). `limits` hold
    for each model, `events` for each test. `wants_states`: all final states are listed, else only the condition is
    answered. `wants_executions`: each state keeps an execution that ends so. `counts`: the executions of each state are
    counted. `wants_reason`: why an outcome is forbidden is said in one line. `explains`: it is told why
    flags of the model are raised, else only which and where; nor has the result then more than a line about it needs:
    no values of states, no text, no warnings. `bound`: iterations of a loop whose end depends on memory (None: a few,
    and as many as runs need where those decide nothing). `accepts_bounded`: what holds within them is taken for an
    answer. `progress` is what the device promises (None: what the dialect's devices do). `goes_on`: a large program
    that is undefined is searched for all its states and problems nevertheless, as far as `limits` allow. `on_state` is
    called with the name of the model and each state as soon as it is found, unless it is counted or out of thin air.
    """

    models: tuple[ModelLike, ...] = ()
    without: tuple[str, ...] = ()
    engine: EngineName = EngineName.AUTO
    bound: int | None = None
    accepts_bounded: bool = False
    progress: Progress | None = None
    wants_states: bool = True
    wants_executions: bool = False
    counts: bool = False
    profile: str | None = None
    events: int = MOST_EVENTS
    limits: Limits = field(default_factory=Limits)
    goes_on: bool = False
    wants_reason: bool = False
    explains: bool = True
    solver: SolverName = SolverName.AUTO
    on_state: Callable[[str, ShownState], None] | None = None

    @property
    def iterations(self) -> int:
        """Those after which a loop is cut whose end depends on memory."""
        return _FEW_ITERATIONS if self.bound is None else self.bound


def needs_no_dependencies(model: Model) -> bool:
    """Whether nothing in a model speaks of dependencies, so that skeletons that fold say the same."""
    # Imported here: small tests need none of it.
    from mcm.catalogue.dependencies import mentions_dependencies  # noqa: PLC0415

    return not mentions_dependencies(model)


def skeletons_for(model: Model, elaborate: Elaborate, *, folds: bool = False) -> tuple[Skeleton, ...]:
    """The events of a test; where a thread only waits, it stops, if that is right for the model (ADR 0019).

    Read-modify-writes are two events for models that mean that (ADR 0037). What such models let be left out is not
    known, so that loops which wait are unrolled like others.
    """
    if model.splits_updates:
        # Imported here: no built-in model does.
        from mcm.execution.splitting import split_updates  # noqa: PLC0415

        return tuple(map(split_updates, elaborate(waiting=False)))
    skeletons = elaborate(waiting=True, overwrites=True, folds=folds)
    if not any(stop.kind is StopKind.WAIT for skeleton in skeletons for stop in skeleton.stops):
        return skeletons
    # Imported here: few tests wait.
    from mcm.catalogue.waiting import drops_failed_reads, drops_stores, mixes_orders  # noqa: PLC0415

    if not drops_failed_reads(model):
        return elaborate(waiting=False, folds=folds)
    if not all(drops_stores(model, skeleton) for skeleton in skeletons):
        skeletons = elaborate(waiting=True, folds=folds)
    if model.linearisations and any(map(mixes_orders, skeletons)):
        return elaborate(waiting=False, folds=folds)
    return skeletons


def kinds_that_cut(skeletons: Iterable[Skeleton]) -> set[EventKind]:
    """The kinds of events whose read values are mentioned where loops of the skeletons are cut.

    What a compare-exchange reads is not, if only that it succeeds is asked.
    """
    return {
        skeleton.events[read].kind
        for skeleton in skeletons
        for stop in skeleton.stops
        if stop.kind is StopKind.BOUND
        for read in reads_of(stop.condition)
    }


def query_for(test: Test, chosen: ChosenModel, options: Options, skeletons: tuple[Skeleton, ...]) -> Query:
    """What an engine is asked about a test where everything is wanted."""
    program = test.program
    return Query(
        skeletons=skeletons,
        model=chosen.model,
        # What nobody sees may differ.
        observed=observed_by(program) if options.wants_states or program.condition else (),
        proposition=program.condition.proposition if program.condition else None,
        filter=program.filter,
        wants_states=options.wants_states,
        wants_witnesses=options.wants_executions,
        counts=options.counts,
        limits=options.limits,
        solver=options.solver,
        on_state=teller(test, chosen, options) if options.on_state is not None and options.wants_states else None,
    )


def teller(test: Test, chosen: ChosenModel, options: Options) -> Callable[[State], None]:
    """A function that tells of a state as reports show it."""
    program = test.program
    columns = columns_of(observed_by(program), program)

    def tell(state: State) -> None:
        assert options.on_state is not None, "it is asked for"
        options.on_state(chosen.name, show_state(state, columns, program))

    return tell
