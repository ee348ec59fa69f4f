"""What waits for what in an execution, whatever the model: commands and the calls that wait for them, and groups.

Groups wait at barriers and in their functions.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Final

from mcm.relation.evaluate import Evaluator
from mcm.relation.term import Base, BaseSet, Compose, Identity, Intersection, Inverse, Product, SetIntersection, Union

if TYPE_CHECKING:
    from mcm.relation.evaluate import Rows, Structure
    from mcm.relation.term import RelationTerm, SetTerm


def _between(first: SetTerm, relation: RelationTerm, last: SetTerm) -> RelationTerm:
    return Intersection(relation, Product(first, last))


_START, _END, _COMPLETE, _RETURN = (BaseSet(name) for name in ("START", "END", "COMPLETE", "RETURN"))
_CALL: Final = BaseSet("COLL")
_COMMAND: Final = Base("same-command")
_QUEUE: Final = Base("before-in-queue")

# Each event with those that cannot take place before it.
WAITING: Final = reduce(
    Union,
    (
        Base("enqueue"),
        Base("run"),
        Base("child"),
        Base("callback"),
        Base("awaits"),
        _between(_START, _COMMAND, _END),
        _between(_END, _COMMAND, _COMPLETE),
        # Whoever executes a command has finished before it ends.
        Compose(Inverse(Base("run")), _between(_START, _COMMAND, _END)),
        Compose(_QUEUE, Identity(_RETURN)),
        Compose(_QUEUE, Identity(SetIntersection(_START, BaseSet("IN_ORDER")))),
        Compose(_QUEUE, Identity(SetIntersection(_START, BaseSet("COMMAND_BARRIER")))),
        Compose(Identity(SetIntersection(_COMPLETE, BaseSet("COMMAND_BARRIER"))), _QUEUE),
        _between(BaseSet("EF"), Base("syncbar"), BaseSet("XF")),
        # The call of a group function is one event; who has made it goes on when all others of the group have, too.
        Compose(_between(_CALL, Base("syncbar"), _CALL), Base("po")),
    ),
)


def waiting_order(structure: Structure) -> Rows:
    """The pairs of `WAITING` in an execution."""
    return Evaluator(structure).relation(WAITING)
