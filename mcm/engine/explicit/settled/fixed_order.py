"""The order that a program fixes by itself: by sequencing, barriers and commands, whatever reads return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.engine.explicit.settled.clocks import Phases
from mcm.engine.explicit.settled.conditions import Conditions
from mcm.engine.explicit.settled.footprint import OF_ANY_ORDER
from mcm.engine.explicit.settled.kinds import Kinds, empty_bases
from mcm.engine.explicit.settled.openings import with_decided
from mcm.engine.explicit.settled.ordering import Ordering
from mcm.engine.explicit.settled.rules import rules_for_all
from mcm.execution.substitution import Substitution

if TYPE_CHECKING:
    from mcm.cat.model import Model
    from mcm.engine.explicit.settled.rules import SettlingRules
    from mcm.execution.skeleton import Skeleton

_NOTHING_KNOWN: Final = Substitution({})


def fixed_order(
    skeleton: Skeleton, model: Model, known: Substitution = _NOTHING_KNOWN
) -> tuple[Phases, Ordering] | None:
    """The order in which a run performs the events, and which surely happen before which; None if that is not known.

    It is `known` what some reads return and what becomes of choices.
    """
    rules = rules_for_all(model, empty_bases(skeleton))
    if rules is None or not has_plain_units(skeleton, model):
        return None
    return order_by(skeleton, rules, Kinds(skeleton, OF_ANY_ORDER), with_decided(skeleton.constraints, known))


def order_by(
    skeleton: Skeleton, rules: SettlingRules, kinds: Kinds, known: Substitution
) -> tuple[Phases, Ordering] | None:
    """The same by some rules, where it is `known` what some reads return and what becomes of choices."""
    phases = Phases(skeleton, Conditions(skeleton, known))
    ordering = Ordering(skeleton, rules, kinds, phases)
    return (phases, ordering) if ordering.is_usable and ordering.are_apart else None


def has_plain_units(skeleton: Skeleton, model: Model) -> bool:
    """Whether accesses are those of threads in which all is sequenced, each of them one event."""
    return not (model.splits_updates or any(event.asynchronous is not None for event in skeleton.events))
