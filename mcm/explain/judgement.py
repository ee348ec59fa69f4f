"""What an answer means for the question that the test asks: reachability, whether it holds, and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.answer.many_states import satisfying
from mcm.answer.result import Observation, Verdict
from mcm.program.condition import Quantifier

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.program.condition import Condition


class Reachability(Struct, frozen=True):
    """Whether some outcome satisfies the proposition, and whether some outcome does not; None when not known."""

    satisfied: bool | None
    failed: bool | None

    @property
    def passes(self) -> bool | None:
        """Whether some outcome passes the filter of the test, so that there is one to be looked at."""
        if self.satisfied or self.failed:
            return True
        return False if self.satisfied is False and self.failed is False else None

    @property
    def observation(self) -> Observation | None:
        """How often the proposition holds, as far as both questions are answered."""
        match self.satisfied, self.failed:
            case True, True:
                return Observation.SOMETIMES
            case True, False:
                return Observation.ALWAYS
            case False, _:
                return Observation.NEVER
            case _:
                return None

    def holds(self, quantifier: Quantifier) -> bool | None:
        """Whether the quantified condition holds."""
        match quantifier:
            case Quantifier.EXISTS:
                return self.satisfied
            case Quantifier.NOT_EXISTS:
                return None if self.satisfied is None else not self.satisfied
            case Quantifier.FORALL:
                return None if self.failed is None else not self.failed
            case _:
                assert_never(quantifier)


UNKNOWN: Final = Reachability(satisfied=None, failed=None)


def reachability(answer: Answer) -> Reachability:
    """What listed states say; a state found is certain even when the search ended early."""
    unknown = None if answer.undecided else False
    satisfied = satisfying(answer.states)
    return Reachability(
        satisfied=satisfied > 0 or unknown,
        failed=satisfied < len(answer.states) or unknown,
    )


def conditional_verdict(condition: Condition | None, reach: Reachability) -> Verdict:
    """Allowed or forbidden for `exists` and `~exists`, required or violated for `forall`.

    A test without a condition asks which states there are; it is allowed to run.
    """
    if condition is None:
        return Verdict.ALLOWED
    if condition.quantifier is Quantifier.FORALL:
        if reach.failed is None:
            return Verdict.UNDECIDED
        return Verdict.VIOLATED if reach.failed else Verdict.REQUIRED
    if reach.satisfied is None:
        return Verdict.UNDECIDED
    return Verdict.ALLOWED if reach.satisfied else Verdict.FORBIDDEN
