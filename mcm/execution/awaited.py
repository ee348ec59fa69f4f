"""What units wait for through atomics: asked of a part of a skeleton, and said of the skeleton when it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.relation.term import RelationTerm

# Writes of one location, by their numbers: the first comes before the second in modification order.
InOrder = tuple[int, int]


class Awaited(Struct, frozen=True):
    """Whenever an event is executed, some others are, too, and each of them is related to it by `order`."""

    order: RelationTerm
    event: int
    earlier: tuple[int, ...]


class Shown(Struct, frozen=True):
    """What holds in every consistent execution of a skeleton: what is awaited, and the order of writes, if executed.

    It was shown of the events `kept` alone, so these have to stay.
    """

    awaited: tuple[Awaited, ...]
    orders: frozenset[InOrder]
    kept: frozenset[int]


class Place(Struct, frozen=True):
    """A place in a unit: it is reached if `guard` holds, and sequenced after the events `after`."""

    guard: Expression
    after: tuple[int, ...]


class Wait(Struct, frozen=True):
    """The question whether, whenever a place is reached, an event is executed and related to it by `order`."""

    order: RelationTerm
    event: int
    place: Place


class Part(Struct, frozen=True):
    """Some events of a skeleton, numbered anew, of which every consistent execution is one of theirs without the rest.

    `waits` and `orders` are what may be so in all of them.
    """

    skeleton: Skeleton
    waits: tuple[Wait, ...]
    orders: tuple[InOrder, ...]
