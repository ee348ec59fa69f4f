"""The explicit engine: a search through executions, one skeleton after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.engine.explicit.findings import Findings
from mcm.engine.explicit.meter import ExhaustedError, Meter
from mcm.engine.explicit.plan import plan_of
from mcm.engine.explicit.search import Search

if TYPE_CHECKING:
    from mcm.answer.answer import Answer
    from mcm.answer.query import Query


def decide(query: Query) -> Answer:
    """Everything that the query asks for, or as much as its limits allow."""
    findings = Findings(query)
    meter = Meter(query.limits)
    try:
        for skeleton in query.skeletons:
            Search(skeleton, plan_of(query.model), findings, meter).run()
    except ExhaustedError as exhausted:
        return findings.answer(exhausted.reason)
    return findings.answer(None)
