"""The elaboration of a program whose groups take numbers from a counter: of one way that stands for all.

`docs/search.md`, *Numbers of groups*, says why it does.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mcm.catalogue.updates import reads_write_before
from mcm.engine.choose import EngineName, told_in
from mcm.execution.shared import EventLimitError
from mcm.execution.tickets import tickets_of
from mcm.queries import needs_no_dependencies, query_for, skeletons_for

if TYPE_CHECKING:
    from mcm.catalogue.library import ChosenModel
    from mcm.front_end.test import Test
    from mcm.queries import Elaborate, Options


def with_tickets(test: Test, chosen: ChosenModel, options: Options, elaborate: Elaborate) -> Elaborate:
    """The same, of one way in which groups take numbers from a counter, where one stands for all."""
    wants_all = options.wants_executions or options.counts or options.engine is not EngineName.AUTO
    if wants_all or chosen.model.splits_updates or not reads_write_before(chosen.model):
        return elaborate
    tickets = tickets_of(test.program)
    if tickets is None:
        return elaborate
    numbered = partial(elaborate, tickets=tickets)
    if not needs_no_dependencies(chosen.model):
        return numbered
    try:
        told = told_in(query_for(test, chosen, options, skeletons_for(chosen.model, numbered)))
    except EventLimitError:
        return numbered
    return partial(numbered, supposed=told)
