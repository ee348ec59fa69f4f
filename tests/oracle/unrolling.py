"""Every way through one unit of a structured program, loops unrolled to a bound, whatever its reads may return.

The body of a loop that depends on memory is executed at most `bound` times, and its test once more; a loop that tests
at its end, or not at all, has one iteration more. Then the unit stops, as `mcm check --bound` says.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from oracle.candidates import Event
from oracle.loops import (
    Access,
    Assign,
    Body,
    Break,
    DoWhile,
    Fence,
    If,
    Increment,
    Kind,
    Looping,
    LoopProgram,
    Meet,
    Repeat,
    Return,
    Run,
    Statement,
    Test,
    While,
    deciding,
    tested,
)
from oracle.program import UNASSIGNED, Barrier, G, Order, Scope


@dataclass(frozen=True, slots=True)
class Happened:
    """An event of a way, not numbered yet, and the site that it belongs to."""

    event: Event
    site: int


@dataclass(frozen=True, slots=True)
class Cut:
    """The loop at `site` would go on beyond the bound.

    `repeats` says that the last iteration had no effect: the registers that matter are as before, no write changed a
    value, and no compare-exchange failed that might have succeeded. `since` is where it begins among the events.
    """

    site: int
    repeats: bool
    since: int


@dataclass(frozen=True, slots=True)
class Held:
    """The unit stands at a barrier that it has reached and not left."""

    site: int
    barrier: Barrier


@dataclass(frozen=True, slots=True)
class Way:
    """One way through a unit; `stop` is None when it leads to the end."""

    happened: tuple[Happened, ...]
    registers: Mapping[str, int]
    stop: Cut | Held | None


def ways(program: LoopProgram, unit: int, bound: int) -> Iterator[Way]:
    """Yield every way through a unit."""
    values = domain(program, bound)
    decides = deciding(program.units[unit])
    scripts: list[tuple[int, ...]] = [()]
    while scripts:
        script = scripts.pop()
        run = _Run(program, unit, bound, values, decides, script)
        try:
            yield run.way()
        except _ChoiceError as choice:
            scripts += [(*script, option) for option in range(choice.options)]


def domain(program: LoopProgram, bound: int) -> dict[str, tuple[int, ...]]:
    """Collect the values that each location may hold; too many do no harm, since their reads find no source."""
    found = {location.name: {location.initial or 0} for location in program.locations}
    added = []
    for unit in program.units:
        for access, times in _executions(unit.body, bound):
            if access.kind in {Kind.STORE, Kind.EXCHANGE, Kind.COMPARE}:
                found[access.location].add(access.value)
            elif access.kind is Kind.ADD:
                added += [access] * times
    for access in added:
        found[access.location] |= {value + access.value for value in found[access.location]}
    return {name: tuple(sorted(values)) for name, values in found.items()}


def _executions(body: Body, bound: int) -> Iterator[tuple[Access, int]]:
    """Yield each access, and how often it can be executed."""
    for statement in body:
        match statement:
            case Repeat(times, inner):
                yield from ((access, times * count) for access, count in _executions(inner, bound))
            case While(_, _, inner) | DoWhile(_, inner, _):
                yield from ((access, (bound + 1) * count) for access, count in _executions(inner, bound))
                yield from ((access, bound + 1) for access in tested(statement))
            case If(_, then, otherwise):
                yield from _executions(then, bound)
                yield from _executions(otherwise, bound)
                yield from ((access, 1) for access in tested(statement))
            case Run(access):
                yield access, 1
            case _:
                pass


class _ChoiceError(Exception):
    """The script is used up: one of so many options has to be chosen."""

    def __init__(self, options: int) -> None:
        super().__init__()
        self.options = options


class _StopError(Exception):
    def __init__(self, stop: Cut | Held) -> None:
        super().__init__()
        self.stop = stop


class _End(Enum):
    FALLS = auto()
    BREAKS = auto()
    RETURNS = auto()


@dataclass
class _Run:
    """Executes a unit; where something is open, it takes the next choice of the script."""

    program: LoopProgram
    unit: int
    bound: int
    values: Mapping[str, tuple[int, ...]]
    decides: frozenset[str]
    script: tuple[int, ...]
    taken: int = 0
    happened: list[Happened] = field(default_factory=list)
    registers: dict[str, int] = field(default_factory=dict)
    effects: int = 0
    """How many things happened that a repeated iteration must not do: writes of other values, barriers, bad luck."""
    met: dict[str, int] = field(default_factory=dict)

    @property
    def looping(self) -> Looping:
        return self.program.units[self.unit]

    def way(self) -> Way:
        self.registers = dict.fromkeys(self.looping.registers, UNASSIGNED)
        stop = None
        try:
            self.body(self.looping.body)
        except _StopError as error:
            stop = error.stop
        return Way(tuple(self.happened), dict(self.registers), stop)

    def choose(self, options: int) -> int:
        if options == 1:
            return 0
        if self.taken == len(self.script):
            raise _ChoiceError(options)
        self.taken += 1
        return self.script[self.taken - 1]

    def body(self, body: Body) -> _End:
        for statement in body:
            end = self.statement(statement)
            if end is not _End.FALLS:
                return end
        return _End.FALLS

    def statement(self, statement: Statement) -> _End:
        match statement:
            case Run(access, register):
                result = self.access(access)
                if register is not None:
                    self.registers[register] = result
            case Assign(register, value):
                self.registers[register] = value
            case Increment(register):
                self.registers[register] += 1
            case If(test, then, otherwise):
                return self.body(then if self.test(test) else otherwise)
            case Repeat(times, body):
                return self.repeat(times, body)
            case While(site, test, body):
                return self.while_loop(site, test, body)
            case DoWhile(site, body, test):
                return self.do_loop(site, body, test)
            case Break():
                return _End.BREAKS
            case Return():
                return _End.RETURNS
            case Meet():
                self.meet(statement)
            case Fence(site, order, scope):
                self.happen(Event(0, self.unit, fence=True, flags=G, order=order, scope=scope), site)
        return _End.FALLS

    def repeat(self, times: int, body: Body) -> _End:
        for _ in range(times):
            end = self.body(body)
            if end is not _End.FALLS:
                return _End.RETURNS if end is _End.RETURNS else _End.FALLS
        return _End.FALLS

    def while_loop(self, site: int, test: Test | None, body: Body) -> _End:
        done = 0
        before: _Head | None = None
        while True:
            now = self.head()
            if test is not None and not self.test(test):
                return _End.FALLS
            if done == (self.bound if test is not None else self.bound + 1):
                raise _StopError(self.cut(site, before, now))
            end = self.body(body)
            if end is not _End.FALLS:
                return _End.RETURNS if end is _End.RETURNS else _End.FALLS
            done += 1
            before = now

    def do_loop(self, site: int, body: Body, test: Test) -> _End:
        for _ in range(self.bound + 1):
            before = self.head()
            end = self.body(body)
            if end is not _End.FALLS:
                return _End.RETURNS if end is _End.RETURNS else _End.FALLS
            if not self.test(test):
                return _End.FALLS
        raise _StopError(self.cut(site, before, self.head()))

    def head(self) -> "_Head":
        registers = {name: self.registers[name] for name in self.decides}
        return _Head(registers, len(self.happened), self.effects)

    def cut(self, site: int, before: "_Head | None", now: "_Head") -> Cut:
        """Describe the loop whose last iteration began at `before` and ended at `now`; a test may have followed."""
        if before is None:
            return Cut(site, repeats=False, since=len(self.happened))
        repeats = before.registers == now.registers and before.effects == self.effects
        return Cut(site, repeats, before.events)

    def test(self, test: Test) -> bool:
        result = self.registers[test.of] if isinstance(test.of, str) else self.access(test.of)
        return (result == test.value) is test.equal

    def meet(self, meet: Meet) -> None:
        # BAR-1: an entry fence that releases and an exit fence that acquires.
        count = self.met[meet.label] = self.met.get(meet.label, 0) + 1
        barrier = Barrier(f"{meet.label}.{count}", meet.flags, Scope.WORK_GROUP)
        half = Event(0, self.unit, fence=True, flags=meet.flags, scope=Scope.WORK_GROUP, barrier=barrier)
        self.effects += 1
        self.happen(replace(half, entry=True, order=Order.RELEASE), meet.site)
        if self.choose(2) == 1:
            raise _StopError(Held(meet.site, barrier))
        self.happen(replace(half, exit=True, order=Order.ACQUIRE), meet.site)

    def happen(self, event: Event, site: int) -> None:
        self.happened.append(Happened(event, site))

    def access(self, access: Access) -> int:
        location = next(each for each in self.program.locations if each.name == access.location)
        atomic = access.order is not None
        order, scope = access.order, access.scope
        if access.kind is Kind.STORE:
            self.effects += 1
            self.happen(
                Event(
                    0,
                    self.unit,
                    location,
                    writes=True,
                    written_value=access.value,
                    atomic=atomic,
                    order=order,
                    scope=scope,
                ),
                access.site,
            )
            return access.value
        read = self.values[access.location][self.choose(len(self.values[access.location]))]
        written: int | None = None
        result = read
        match access.kind:
            case Kind.EXCHANGE:
                written = access.value
            case Kind.ADD:
                written = read + access.value
            case Kind.COMPARE:
                assert access.expected is not None
                result = int(read == self.registers[access.expected])
                if result and access.weak and self.choose(2) == 1:
                    result = 0
                    self.effects += 1
                if result:
                    written = access.value
                else:
                    # RMW-2: a failing compare-exchange is a load with the failure order.
                    order = Order.RELAXED
                    self.registers[access.expected] = read
            case _:
                pass
        self.effects += written is not None and written != read
        self.happen(
            Event(
                0,
                self.unit,
                location,
                reads=True,
                writes=written is not None,
                read_value=read,
                written_value=written,
                atomic=atomic,
                order=order,
                scope=scope,
            ),
            access.site,
        )
        return result


@dataclass(frozen=True, slots=True)
class _Head:
    """How things stand where an iteration begins, as far as they matter afterwards."""

    registers: Mapping[str, int]
    events: int
    effects: int
