"""The ways to an outcome: executions each of which reads otherwise than the others. One search finds them all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.engine.equations.errors import UndecidedEquationsError
from mcm.engine.explicit.budget import ExhaustedError, NodeBudget
from mcm.engine.explicit.compile import compile_model
from mcm.engine.explicit.findings import Findings
from mcm.engine.explicit.search import Search

if TYPE_CHECKING:
    from mcm.answer.answer import Varying
    from mcm.answer.query import Query
    from mcm.engine.explicit.findings import Values
    from mcm.execution.candidate import Candidate


class Ways(Struct, frozen=True):
    """Executions that satisfy the proposition of a query, no two of which read from the same writes.

    `open_` says why there may be others: the reason that ended the search, or `bound`; None if these are all.
    """

    executions: tuple[Candidate, ...]
    open_: str | None


def find_ways(query: Query, most: int) -> Ways:
    """At most so many ways, as the search meets them. The query asks for no states, and for witnesses."""
    findings = _WaysFound(query, most)
    budget = NodeBudget(query.limits)
    plan = compile_model(query.model)
    reason = None
    try:
        for skeleton in query.skeletons:
            # The image of an execution under symmetry is another way.
            Search(skeleton, plan, findings, budget, uses_symmetry=False).run()
    except (UndecidedEquationsError, ExhaustedError) as error:
        reason = error.reason
    if reason is None and findings.has_enough:
        reason = "ways"
    return Ways(findings.executions, reason or ("bound" if findings.is_cut else None))


class _WaysFound(Findings):
    """Keeps one execution for each way instead of one for each state."""

    def __init__(self, query: Query, most: int) -> None:
        super().__init__(query)
        self._most: Final = most
        self._ways: Final[dict[object, Candidate]] = {}

    @property
    def executions(self) -> tuple[Candidate, ...]:
        """What was found, in this order."""
        return tuple(self._ways.values())

    @property
    def states(self) -> int:
        """How many ways were found."""
        return len(self._ways)

    @property
    def has_enough(self) -> bool:
        """Whether as many as are wanted were found."""
        return self.states >= self._most

    @property
    def wants_one_of_each_leaf(self) -> bool:
        """Yes: those with other orders of writes, of which there may be very many, are the same way."""
        return True

    @property
    def asks_whether_complete(self) -> bool:
        """No: only those that satisfy the proposition matter."""
        return False

    def add_state(self, values: Values, witness: Candidate | None, *, thin_air: bool) -> None:
        """Add the way of an execution."""
        del values, thin_air
        assert witness is not None, "the query asks for them"
        key = id(witness.skeleton.events), frozenset(witness.reads_from.items())
        self._ways.setdefault(key, witness)

    def add_example(self, values: Values, witness: Candidate | None, varying: tuple[Varying, ...]) -> None:
        """Add the way of an execution whose values depend on themselves."""
        del varying
        self.add_state(values, witness, thin_air=True)
