"""What the threads of one program fill in together while they are elaborated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcm.base.deadline import poll
from mcm.execution.algebra import FALSE, TRUE, truth
from mcm.execution.expression import Choice, GroupResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.base.source import Span
    from mcm.execution.call_orders import OpenExpression
    from mcm.execution.event import BarrierInstance, Event
    from mcm.execution.expression import Constant, Expression
    from mcm.execution.liveness import Used
    from mcm.execution.progress import CommandCalls, Unknown
    from mcm.execution.sequencing import Order
    from mcm.execution.skeleton import Fault, Stop
    from mcm.execution.supposition import Suppositions
    from mcm.execution.tickets import Tickets
    from mcm.execution.undetermined import Undetermined
    from mcm.program.operators import CollectiveOperator
    from mcm.program.program import Program, Thread
    from mcm.program.topology import SubGroup, WorkGroup
    from mcm.program.types import Flag, Location, Scope, Type, Value


class Arrival(Struct, frozen=True):
    """A thread's call of one dynamic instance of a barrier or group function; `operand` and `lane` are arguments."""

    thread: int
    guard: Expression
    span: Span
    flags: frozenset[Flag] = frozenset()
    scope: Scope | None = None
    operand: Expression | None = None
    lane: Expression | None = None


class GroupCall(Struct, frozen=True):
    """A thread's call of a group function, whose result has a type; it may be `supposed` to be something.

    `cluster` is as the instruction says.
    """

    instance: BarrierInstance
    operator: CollectiveOperator
    thread: int
    type: Type
    supposed: Constant | None = None
    cluster: int = 0


class Visit(Struct, frozen=True):
    """An arrival, in the order in which a thread makes them; `stops` is the number of all stops noted before it."""

    instance: BarrierInstance
    arrival: Arrival
    stops: int


class EventLimitError(Exception):
    """A program unrolls to more events and iterations of loops than `limit`; `span` is where it was given up."""

    def __init__(self, limit: int, span: Span) -> None:
        super().__init__(f"more than {limit} events")
        self.limit = limit
        self.span = span


class Foreknown(Struct, frozen=True):
    """What another elaboration of the same program has found out.

    `stored` are the locations whose addresses are stored somewhere, `named` the objects whose addresses the program has
    as values, where that matters, `held` the barriers and group functions that may
    hold, `missed` those of them that a member may miss because of what is behind them, `domains` the values that some
    locations can have, `unwritten` those of locations that nobody writes. `supposed` is what reads and group
    functions are supposed to return, `tickets` what threads take from the counter of their groups, `lacking` are the
    numbers of objects that may hold no value. `goes_to_end`: loops that come to an end by themselves are executed as
    often as that takes. `several_performers` are the groups for whose asynchronous copies it may matter which
    work-item performs them.
    """

    stored: frozenset[Location]
    named: frozenset[int] | None = None
    held: frozenset[BarrierInstance] = frozenset()
    missed: frozenset[BarrierInstance] = frozenset()
    domains: Mapping[Location, frozenset[Value]] = field(default_factory=dict)
    unwritten: Mapping[Value, Constant] = field(default_factory=dict)
    supposed: Suppositions = field(default_factory=dict)
    tickets: Tickets | None = None
    lacking: frozenset[int] = frozenset()
    goes_to_end: bool = False
    several_performers: frozenset[WorkGroup | SubGroup] = frozenset()


class CopyCall(Struct, frozen=True):
    """A call of an asynchronous copy by a thread: under which guard, and which number its next event has."""

    thread: int
    guard: Expression
    place: int


class Shared(Struct):
    """The skeleton under construction.

    `before` holds for events the mask of those sequenced before them, counted from the first of their thread, where
    that is not all earlier ones of the thread; `open_expressions` are those whose calls may come in several
    orders; `constants` the literals met; `choice_reads` the reads that a choice stands for, `expected` what they are
    compared with; `failures` has for reads of compare-exchanges that fail what must hold of them.
    `size` counts events and iterations of loops, up to `limit`. `waiting`: a thread stops where it waits; it may write
    there what the next iteration writes anew, if it `overwrites`.
    `visits` are arrivals in order; `openings` says whether instances open that may hold. `collected` has for each
    placeholder what it stands for; `host` are the calls of the host API, None where there are no commands.
    `group_arguments` are what calls about asynchronous copies pass, each with its guard and place; `copy_calls` are
    those that copy, `copy_numbers` the events of copies, `performers` says when each member of a group performs those
    of the group. `undetermined` are values that nothing determines, whoever comes to a call. `packets` are how many may
    be written to each pipe, `reserved_counts` how many a call may reserve. `plain` says which full expressions leave
    private variables alone (`known`), and `used` which of them expressions use, by their identities.
    `supposed` are the values of reads that were supposed, `foreseen` the calls whose results were; `observed` the
    registers of each thread whose final values matter, once somebody has asked.
    `may_end`: some loop that was cut may come to an end by itself. `stores_none`: a member without a value may be
    copied to memory.
    """

    program: Program
    bound: int
    waiting: bool
    limit: int
    locations: frozenset[Location]
    foreknown: Foreknown
    events: list[Event] = field(default_factory=list)
    before: Order = field(default_factory=dict)
    open_expressions: list[OpenExpression] = field(default_factory=list)
    constraints: list[Expression] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    constants: set[Value] = field(default_factory=set)
    size: int = 0
    choices: int = 0
    choice_reads: dict[int, frozenset[int]] = field(default_factory=dict)
    expected: dict[int, Expression] = field(default_factory=dict)
    failures: dict[int, Expression] = field(default_factory=dict)
    arrivals: dict[BarrierInstance, list[Arrival]] = field(default_factory=dict)
    visits: list[Visit] = field(default_factory=list)
    openings: dict[BarrierInstance, Choice] = field(default_factory=dict)
    collected: list[GroupCall | Unknown] = field(default_factory=list)
    host: CommandCalls | None = None
    group_arguments: dict[BarrierInstance, list[tuple[Expression, tuple[Expression, ...], Span]]] = field(
        default_factory=dict
    )
    copy_calls: dict[BarrierInstance, list[CopyCall]] = field(default_factory=dict)
    copy_numbers: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)
    performers: dict[WorkGroup | SubGroup, dict[int, Expression]] = field(default_factory=dict)
    undetermined: list[Undetermined] = field(default_factory=list)
    packets: dict[int, int] = field(default_factory=dict)
    reserved_counts: frozenset[int] = frozenset()
    plain: dict[int, bool] = field(default_factory=dict)
    used: dict[int, Used] = field(default_factory=dict)
    supposed: dict[int, Constant] = field(default_factory=dict)
    foreseen: set[int] = field(default_factory=set)
    observed: dict[int, frozenset[str]] | None = None
    overwrites: bool = False
    may_end: bool = False
    stores_none: bool = False
    _elements: dict[int, list[Location]] = field(default_factory=dict)
    _members: dict[WorkGroup | SubGroup, list[Thread]] = field(default_factory=dict)

    @property
    def elements(self) -> Mapping[int, list[Location]]:
        """The locations by their objects."""
        if not self._elements:
            for location in self.locations:
                self._elements.setdefault(location.object, []).append(location)
        return self._elements

    def members(self, instance: BarrierInstance) -> Sequence[Thread]:
        """The threads that an instance needs."""
        if not self._members:
            self._members = self.program.members_of_groups()
        return self._members[instance.group]

    def new_choice(self) -> int:
        """A free Boolean."""
        self.choices += 1
        return self.choices - 1

    def arrive(self, instance: BarrierInstance, arrival: Arrival) -> None:
        """Note that a thread arrives at a barrier or group function."""
        self.arrivals.setdefault(instance, []).append(arrival)
        # Where those take part who come, nobody is waited for.
        if not instance.of_active:
            self.visits.append(Visit(instance, arrival, len(self.stops)))

    def opening(self, instance: BarrierInstance) -> Expression:
        """The condition that an instance opens for those who have arrived."""
        if instance not in self.foreknown.held:
            return TRUE
        if instance not in self.openings:
            self.openings[instance] = Choice(self.new_choice())
        return self.openings[instance]

    def copy_number(self, instance: BarrierInstance) -> int:
        """What the event of a copy is: another number, from 1 on, for each call site and iteration."""
        return self.copy_numbers.setdefault((instance.site, instance.iteration), len(self.copy_numbers) + 1)

    def performs(self, instance: BarrierInstance, thread: int) -> Expression:
        """The condition that a member performs the copies of its group: the last, unless it matters who does."""
        if instance.group not in self.foreknown.several_performers:
            return TRUE if thread == self.members(instance)[-1].index else FALSE
        if instance.group not in self.performers:
            # Imported here: most programs have no copies.
            from mcm.execution.copies import performer  # noqa: PLC0415

            self.performers[instance.group] = performer(self, instance)
        return self.performers[instance.group][thread]

    @property
    def calls(self) -> CommandCalls:
        """The calls of the host API of a program with commands."""
        assert self.host is not None
        return self.host

    def unknown(self, what: Unknown) -> GroupResult:
        """The placeholder for the progress of a command."""
        known = self.calls.unknown
        if what not in known:
            known[what] = GroupResult(len(self.collected))
            self.collected.append(what)
        return known[what]

    def condition(self, what: Unknown) -> Expression:
        """The placeholder for the progress of a command, as a condition; true where that is supposed."""
        if self.foreknown.supposed:
            # Imported here: most programs have no commands.
            from mcm.execution.presumed import is_presumed  # noqa: PLC0415

            if is_presumed(self, what):
                return TRUE
        return truth(self.unknown(what))

    def domain(self, read: int) -> frozenset[Value] | None:
        """The values that an event can read; None where that is not known."""
        locations = self.events[read].locations
        domains = [self.foreknown.domains.get(location) for location in locations]
        return None if len(domains) != 1 else domains[0]

    def grow(self, span: Span) -> None:
        """Count one more event, or iteration of a loop.

        Raises EventLimitError beyond the limit, and LimitReachedError where no time is left.
        """
        poll()
        self.size += 1
        if self.size > self.limit:
            raise EventLimitError(self.limit, span)
