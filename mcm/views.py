"""From the results of a test to what a page about it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from mcm.answer.exhibit import exhibits_of
from mcm.answer.page import Page, View
from mcm.answer.result import Judged, Undecided
from mcm.asking import MANY_EVENTS
from mcm.base.deadline import LimitReachedError
from mcm.engine.choose import NODE_BUDGET, EngineName
from mcm.execution.call_orders import TooManyOrdersError
from mcm.execution.shared import EventLimitError
from mcm.execution.skeleton import StopKind
from mcm.explain.combinations import combinations
from mcm.explain.switches import switches
from mcm.explain.told import told_exhibits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.answer.explanation import Explanation
    from mcm.answer.result import Found, Result
    from mcm.base.source import Source
    from mcm.catalogue.library import ChosenModel
    from mcm.execution.skeleton import Skeleton
    from mcm.queries import Elaborate

# A test with more events than these is not checked again for each rule: that would take long.
_MOST_EVENTS: Final = 64

# Nor is it elaborated further: of so many events and iterations, those that only might be executed included.
_MOST_ELABORATED: Final = 1_000

# So many sets of rules may be given up by the short search before no others are asked about: what makes one hard is the
# test, and so the others are hard too.
_MOST_GIVEN_UP: Final = 2


class Judge(Protocol):
    """Gives the result of the test under a model without some rules."""

    def __call__(self, model: ChosenModel, rules: tuple[str, ...], engine: EngineName, nodes: int) -> Result:
        """The result that this engine finds within so many search nodes."""


class Explain(Protocol):
    """Gives explanations of the test under a model."""

    def __call__(self, model: ChosenModel, known: Found | None) -> tuple[Explanation, ...]:
        """Those of its problems and of its outcome; of a `known` result those that do not take long.

        Raises LimitReachedError.
        """


class Means(Struct, frozen=True):
    """What pages need beyond results; `judge` is None where nobody asks what rules do."""

    elaborate: Elaborate
    explain: Explain
    judge: Judge | None


def page_of(results: Sequence[tuple[ChosenModel | None, Result]], source: Source | None, means: Means | None) -> Page:
    """The page of a test from its results, each with its model; `means` is None where there is no program."""
    skeletons = None if means is None else _skeletons(means.elaborate)
    views = tuple(
        _view(model, result, skeletons, means)
        if model is not None and means is not None and isinstance(result, Judged | Undecided)
        else View(result)
        for model, result in results
    )
    return Page(source, views)


def _skeletons(elaborate: Elaborate) -> tuple[Skeleton, ...] | None:
    """The skeletons that an engine may have looked at; None where there are too many events, or orders of calls."""
    # Most tests were elaborated with the first of the limits before.
    for limit in (MANY_EVENTS, _MOST_ELABORATED):
        try:
            found = elaborate(waiting=True, overwrites=True, limit=limit)
            if any(stop.kind is StopKind.WAIT for skeleton in found for stop in skeleton.stops):
                found += elaborate(waiting=True, limit=limit) + elaborate(waiting=False, limit=limit)
        except EventLimitError:
            continue
        except TooManyOrdersError:
            return None
        return None if sum(len(skeleton.events) for skeleton in found) > _MOST_EVENTS else found
    return None


def _view(model: ChosenModel, result: Found, skeletons: tuple[Skeleton, ...] | None, means: Means) -> View:
    judge = means.judge
    given_up = 0

    def found(rules: tuple[str, ...]) -> Found | None:
        nonlocal given_up
        if judge is None or given_up == _MOST_GIVEN_UP:
            return None
        other = judge(model, rules, EngineName.EXPLICIT, NODE_BUDGET)
        given_up += not isinstance(other, Judged)
        return other if isinstance(other, Judged | Undecided) else None

    known = skeletons if isinstance(result, Judged) else None
    if known is not None and model.model.splits_updates:
        # Imported here: no built-in model does.
        from mcm.execution.splitting import split_updates  # noqa: PLC0415

        known = tuple(map(split_updates, known))
    explanations = _explanations(model, result, means, is_small=known is not None)
    exhibits = told_exhibits(exhibits_of(result), explanations)
    if judge is None:
        return View(result, exhibits)
    single = switches(model.model, result, known, lambda rule: found((rule,)))
    sets = [one.rules for explanation in explanations for one in explanation.rule_sets]
    return View(result, exhibits, single, combinations(result, single, sets, found))


def _explanations(model: ChosenModel, result: Found, means: Means, *, is_small: bool) -> tuple[Explanation, ...]:
    """The explanations of a test, none where they take too long."""
    try:
        if is_small:
            return means.explain(model, None)
        return means.explain(model, result) if isinstance(result, Judged) else ()
    except (LimitReachedError, MemoryError):
        return ()
