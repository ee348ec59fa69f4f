"""A test under a model that is to be explained: its result, and what is asked further."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.answer.explanation import Explanation, Kind, Sentence
from mcm.answer.result import EVENTS, Verdict
from mcm.asking import supposed_query_about
from mcm.engine.choose import is_settled
from mcm.execution.call_orders import CallOrders, TooManyOrdersError
from mcm.execution.shared import EventLimitError
from mcm.explain.witness_search import OpenError, WitnessSearch, goal_of
from mcm.pipeline import check
from mcm.queries import query_for, skeletons_for

if TYPE_CHECKING:
    from mcm.answer.query import Query
    from mcm.answer.result import Found
    from mcm.catalogue.library import ChosenModel
    from mcm.execution.skeleton import Skeleton
    from mcm.front_end.test import Test
    from mcm.program.condition import Proposition
    from mcm.queries import Elaborate, Options


class Case:
    """A test under a model, with its result, which may be known, and the outcome that it asks about."""

    def __init__(
        self, test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate, result: Found | None = None
    ) -> None:
        self.test: Final = test
        self.chosen: Final = chosen
        self.goal: Final = goal_of(test.program.condition)
        # Of the states nothing is told but which satisfy the condition, and all of them may be many.
        asked = replace(options, wants_states=test.program.condition is None)
        self.result: Final[Found] = result or check(test, chosen, asked, elaborate)
        # What decides is looked at within the bound within which it was found.
        self._options: Final = replace(options, bound=self.result.bound)
        self._elaborate: Final[Elaborate] = partial(elaborate, bound=self.result.bound)

    @cached_property
    def search(self) -> WitnessSearch:
        """What finds executions that end as asked. Raises OpenError where the program has too many events."""
        return self._searching(self.goal)

    @cached_property
    def search_of_all_stores(self) -> WitnessSearch:
        """The same, where nothing is left out that a loop stores while it waits (ADR 0129), within the bound."""
        return self._searching(self.goal, stores=True)

    @property
    def passes_filter(self) -> bool:
        """Whether the test has no filter, or some execution passes it, however it ends."""
        if self.test.program.filter is None:
            return True
        return self._searching(goal_of(None)).find(self.chosen.model) is not None

    def _searching(self, goal: Proposition, *, stores: bool = False) -> WitnessSearch:
        try:
            skeletons = self._elaborate(waiting=True) if stores else self._skeletons()
        except (EventLimitError, TooManyOrdersError):
            raise OpenError(EVENTS) from None
        query = query_for(self.test, self.chosen, self._options, skeletons)
        return WitnessSearch(replace(query, proposition=goal), self._options.engine)

    def _skeletons(self) -> tuple[Skeleton, ...]:
        """Those of each order of calls; where these are too many, of the two in which states were found."""
        model, elaborate = self.chosen.model, self._elaborate
        try:
            return skeletons_for(model, elaborate)
        except TooManyOrdersError:
            orders = (CallOrders.FORWARDS, CallOrders.BACKWARDS)
            return tuple(each for calls in orders for each in skeletons_for(model, partial(elaborate, calls=calls)))

    @cached_property
    def supposed(self) -> Query | None:
        """The query in which plain reads return what a run reads, where data decides where the program goes."""
        try:
            return supposed_query_about(self.test, self.chosen, self._options, self._elaborate)
        except (EventLimitError, TooManyOrdersError):
            return None

    @property
    def is_settled(self) -> bool:
        """Whether barriers, and updates that commute, leave nothing open; see `docs/search.md`."""
        options = replace(self._options, wants_executions=False)
        return is_settled(query_for(self.test, self.chosen, options, self._skeletons()))

    @property
    def is_possible(self) -> bool | None:
        """Whether some execution ends as asked, as far as the verdict says."""
        match self.result.verdict:
            case Verdict.ALLOWED | Verdict.VIOLATED:
                return True
            case Verdict.FORBIDDEN | Verdict.REQUIRED | Verdict.NO_EXECUTION:
                return False
            case _:
                return None

    @property
    def observed(self) -> Proposition | None:
        """What the condition speaks of."""
        condition = self.test.program.condition
        return None if condition is None else condition.proposition

    def explanation(self, kind: Kind, subject: str, **fields: object) -> Explanation:
        """An explanation of this case."""
        return Explanation(
            kind=kind,
            test=self.test.program.name,
            model=self.chosen.name,
            file=self.test.source.name,
            verdict=self.result.verdict,
            subject=subject,
            condition=self.test.program.condition,
            **fields,  # type: ignore[arg-type]
        )

    def unexplained(self, reason: str | None) -> Explanation:
        """That nothing can be explained, which does not make the verdict another one."""
        subject, why = "undecided", f"undecided ({reason})"
        if self.is_possible is not None:
            subject = self.result.verdict.value.replace("-", " ")
            why = f"the verdict is known, but the search for what explains it ended early ({reason})"
        sentences = (Sentence(f"nothing can be explained: {why}"),)
        return self.explanation(Kind.UNDECIDED, subject, sentences=sentences, looked_at_all=False)
