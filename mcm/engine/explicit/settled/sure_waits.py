"""What units surely wait for, as far as that is told without a search, and what it settles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.engine.explicit.settled.last_update import asks_for_the_last, before_the_last
from mcm.engine.explicit.settled.only_writer import asks_for_the_only_writer, behind_the_only_writer
from mcm.engine.explicit.settled.reduction import without_settled
from mcm.engine.explicit.settled.synchronising import synchronisation

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcm.cat.model import Model
    from mcm.execution.skeleton import Skeleton
    from mcm.program.condition import Observable


def with_sure_waits(skeleton: Skeleton, model: Model, watched: Collection[Observable]) -> Skeleton:
    """What is left of a skeleton by what units surely wait for; the same one where that settles nothing.

    It has the same final states of what is `watched`, the same flags, faults and stops.
    """
    if skeleton.shown is not None or not (asks_for_the_last(skeleton) or asks_for_the_only_writer(skeleton)):
        return skeleton
    found = synchronisation(skeleton, model)
    if found is None:
        return skeleton
    waits = before_the_last(found.part, model) | behind_the_only_writer(found.part)
    if not waits:
        return skeleton
    return without_settled(replace(skeleton, shown=found.shown(waits, ())), model, watched)
