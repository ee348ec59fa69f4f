"""Whether a model allows all that it allowed before when less is sequenced: pairs of `po` go, and nothing else does."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from mcm.catalogue.survival import Change, keeps_executions
from mcm.relation.polarity import Polarity, polarity

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.relation.term import Term

_ORDER: Final = frozenset({"po"})


@lru_cache(maxsize=64)
def allows_more_with_less_order(model: Model) -> bool:
    """Whether each consistent execution is one still, and raises the flags that it raised, where `po` has fewer pairs.

    Derived from the terms: checks must not be broken, unless a plain read races then, and flags must not be lost.
    """
    return keeps_executions(model, _LessOrder())


class _LessOrder:
    """What becomes of terms when program order shrinks, and all else stays as it is."""

    def change(self, term: Term) -> Change:
        found = polarity(term, _ORDER)
        return Change(
            shrinks=found in {Polarity.CONSTANT, Polarity.INCREASING},
            grows=found in {Polarity.CONSTANT, Polarity.DECREASING},
        )
