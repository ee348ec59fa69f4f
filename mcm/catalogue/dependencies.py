"""Whether a model looks at what depends on reads: those of OpenCL, SYCL and C do not, those of processors do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.relation.term import Base, children

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.relation.term import Term

_DEPENDENCIES: Final = frozenset({"data", "addr", "ctrl"})


def mentions_dependencies(model: Model) -> bool:
    """Whether a check, a flag or an order of the model contains a dependency."""
    waiting: list[Term] = [*(check.term for check in model.checks), *(flag.term for flag in model.flags)]
    for order in model.linearisations:
        waiting += (order.events, order.order)
    seen = set(waiting)
    while waiting:
        term = waiting.pop()
        if isinstance(term, Base) and term.name in _DEPENDENCIES:
            return True
        further = [child for child in children(term) if child not in seen]
        seen.update(further)
        waiting += further
    return False
