"""The variable ordering of the search: which read or free choice a partial execution is branched on next."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.engine.explicit.valuation import DecideChoice, Obstacle, Valuation, blocker, blockers
from mcm.execution.event import EventKind
from mcm.execution.expression import Choice, ReadValue
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.engine.explicit.findings import Findings
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton, Stop

# The urgency of knowing a value: less comes first.
_PENDING, _STOP, _WATCHED = range(3)

_ALTERNATIVES_OF_CHOICE: Final = 2


class AssignRead(Struct, frozen=True):
    """Branch on a read: it takes its value from one of the events of the mask `writes`."""

    read: int
    writes: int


class Decisions:
    """Picks the decisions of one skeleton.

    First come updates, then other atomic reads, then plain ones: what synchronises leaves most plain reads one write.
    Among these first come reads that have a write whose value is not known, then what determines whether threads stop,
    then the watched registers, then everything else. Among equally urgent decisions the one with the fewest
    alternatives comes first (smallest domain). Before a read that has more of them than a choice comes what an event
    has to be chosen for: bounds are narrowed by what is known to be executed.
    """

    def __init__(self, skeleton: Skeleton, findings: Findings, stops: tuple[Stop, ...]) -> None:
        self._skeleton: Final = skeleton
        # Whether these are reached is decided first.
        self._stops: Final = stops
        self._findings: Final = findings
        self._watched: Final = tuple(
            skeleton.registers[what] for what in findings.watched if isinstance(what, RegisterName)
        )

    @cached_property
    def _ranks(self) -> tuple[int, ...]:
        return tuple(map(_rank, self._skeleton.events))

    @cached_property
    def _conditions(self) -> tuple[Expression, ...]:
        """What must be known of a complete execution besides its events."""
        skeleton = self._skeleton
        return (
            *skeleton.constraints,
            *(condition for stop in skeleton.stops for condition in (stop.condition, stop.persists)),
            *(fault.condition for fault in skeleton.faults),
            *self._watched,
            *skeleton.finals.values(),
        )

    def next(self, valuation: Valuation, writes: Mapping[int, int]) -> AssignRead | Obstacle | None:
        """The next decision, None if nothing is left to decide but values that depend on themselves.

        `writes` has the reads that can be given a write, and the writes that are left for each.
        """
        if not writes and not self._skeleton.choices:
            return valuation.obstacle()
        urgency: dict[int, int] = {}
        seen: set[ReadValue | Choice] = set()
        for rank, part in self._needs(valuation):
            if part in seen:
                # It was needed as urgently before.
                continue
            seen.add(part)
            match self._origin(part, valuation, writes):
                case Choice(index):
                    if not urgency or rank < min(urgency.values()):
                        return DecideChoice(index)
                case ReadValue(event):
                    urgency.setdefault(event, rank)
        if writes:
            least = len(self._skeleton.events)
            _, _, _, read = min(
                (self._ranks[read], urgency.get(read, least), left.bit_count(), read) for read, left in writes.items()
            )
            if self._skeleton.choices and writes[read].bit_count() > _ALTERNATIVES_OF_CHOICE:
                return valuation.choice_of_event() or AssignRead(read, writes[read])
            return AssignRead(read, writes[read])
        return valuation.obstacle() or self._open_choice(valuation)

    def _needs(self, valuation: Valuation) -> Iterator[tuple[int, ReadValue | Choice]]:
        """The reads and choices that are not known but needed, each with its urgency, most urgent first."""
        for read in valuation.waiting:
            if read not in valuation.values:
                yield _PENDING, ReadValue(read)
        for part in blockers((stop.condition for stop in self._stops), valuation):
            yield _STOP, part
        for part in blockers(self._watched, valuation):
            yield _WATCHED, part

    def _origin(
        self, part: ReadValue | Choice, valuation: Valuation, writes: Mapping[int, int]
    ) -> ReadValue | Choice | None:
        """A read or choice that can be decided now and that `part` depends on; None if it depends only on itself."""
        seen = set[int]()
        found: ReadValue | Choice | None = part
        while isinstance(found, ReadValue) and found.event not in writes:
            if found.event in seen:
                return None
            seen.add(found.event)
            # A read that cannot be assigned yet is not known to be executed, or its address is not known.
            found = valuation.unknown_part(valuation.sources.get(found.event, found.event))
        return found

    def _open_choice(self, valuation: Valuation) -> DecideChoice | None:
        for expression in self._conditions:
            part = blocker(expression, valuation)
            if isinstance(part, Choice):
                return DecideChoice(part.index)
        return None


def _rank(event: Event) -> int:
    return 0 if event.kind is EventKind.UPDATE else 1 if event.atomic else 2
