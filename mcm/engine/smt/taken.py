"""How many numbers are taken from a counter at most, where who takes one goes on only if it is one of a few.

A work-item takes jobs until it gets a number that says that there are no more. A loop is unrolled for each of them as
if it could take all jobs; but of all the updates of the counter only so many are executed as there are jobs and
work-items: the solver is told so, as that is a pigeonhole principle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.execution.algebra import conjuncts
from mcm.execution.evaluate import evaluate, reads_of
from mcm.execution.expression import ReadValue
from mcm.execution.substitution import Substitution
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.program.types import Value

_TAKEN = ReadValue(-1)


def most_taken(updates: Sequence[Event], values: Sequence[Value], choices: int) -> int:
    """How many updates of a counter are executed at most that return these values, one after the other.

    Of each thread one is the last that is executed; each other one has returned a value for which a later one is
    executed. So of the first k values, which k updates return, all but one for each thread are such values. The program
    has so many `choices`.
    """
    leading: set[int] = set()
    chains: dict[int | None, list[Event]] = {}
    for update in updates:
        chains.setdefault(update.thread, []).append(update)
    apply = Substitution({ReadValue(update.identifier): _TAKEN for update in updates}).apply
    known: dict[frozenset[Expression], frozenset[int]] = {}
    for chain in chains.values():
        for place, later in enumerate(chain):
            about = _about_one(later.guard)
            for earlier in chain[:place]:
                asked = frozenset(map(apply, about.get(earlier.identifier, ())))
                if asked not in known:
                    known[asked] = frozenset(i for i, value in enumerate(values) if _may_hold(asked, value, choices))
                leading |= known[asked]
    most = len(values)
    while most > sum(place < most for place in leading) + len(chains):
        most -= 1
    return most


def _about_one(guard: Expression) -> Mapping[int, Sequence[Expression]]:
    """The parts of a guard that are about one read each."""
    found: dict[int, list[Expression]] = {}
    for part in conjuncts(guard):
        reads = reads_of(part)
        if len(reads) == 1:
            (read,) = reads
            found.setdefault(read, []).append(part)
    return found


def _may_hold(conditions: frozenset[Expression], value: Value, choices: int) -> bool:
    """Whether conditions may hold on what is taken."""
    results = (evaluate(condition, {_TAKEN.event: value}, [None] * choices) for condition in conditions)
    return all(result is None or is_true(result) for result in results)
