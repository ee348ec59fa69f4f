"""What a host program does, by trying every execution: each order of calls, source of a read and answer of a query."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import permutations, product

from oracle import rules
from oracle.brute import consistent
from oracle.candidates import Event
from oracle.host_events import Events, events_of
from oracle.host_program import Cast, Enqueue, HostProgram, Query, SetStatus, WaitFor
from oracle.host_progress import FAILED_IN_WAIT_LIST, Place, Progress, asked, courses, runs, ways_of
from oracle.host_rules import COMPLETE, FINDINGS, HostExecution, answers_agree, calls_agree
from oracle.model import Model
from oracle.program import UNASSIGNED, Exchange, FetchAdd, Load, Operand, Store

State = tuple[tuple[str, int], ...]
"""Every register (`P0:r1`, `Ke1[0]:r1`) and location with its final value, sorted by name."""

Source = dict[int, int]

INVALID_OPERATION = -59


class TooManyError(Exception):
    """There are more executions than are worth trying."""


@dataclass(slots=True)
class HostAnswer:
    states: set[State] = field(default_factory=set)
    findings: set[str] = field(default_factory=set)
    blocked: bool = False
    """Whether in some execution a thread, or a command, waits for ever."""


def host_answer(program: HostProgram, model: Model, most: int = 20_000) -> HostAnswer:
    """Try every execution; TooManyError if that takes more than `most` of them."""
    cast, found, tried = Cast(program), HostAnswer(), 0
    for ways in ways_of(cast):
        for progress in courses(cast, ways):
            for x, values in _consistent(events_of(progress), model):
                tried += 1
                if tried > most:
                    raise TooManyError
                _note(found, x, values)
    return found


def _note(found: HostAnswer, x: HostExecution, values: "Values") -> None:
    found.findings |= {name for name, holds in FINDINGS.items() if name not in found.findings and holds(x)}
    if not x.happened.progress.is_over:
        found.blocked = True
        return
    last = [sorted({values.written(write) for write in rules.last_writes(x, place)}) for place in x.program.locations]
    names = [location.name for location in x.program.locations]
    for chosen in product(*last):
        found.states.add(tuple(sorted([*values.registers(), *zip(names, chosen, strict=True)])))


def _consistent(events: Events, model: Model) -> Iterator[tuple[HostExecution, "Values"]]:
    """Yield the consistent executions of a course, for each way in which queries are answered."""
    queries = asked(events.progress)
    for source, order in _atomic_choices(events):
        x = HostExecution(events, source, order, model)
        if not (consistent(_without_plain_reads(x)) and calls_agree(x)):
            continue
        for chosen in product(range(4), repeat=len(queries)):
            answers = dict(zip(queries, chosen, strict=True))
            if not (_can_be_told(events.progress, answers) and answers_agree(x, answers)):
                continue
            for plain in _visible(x):
                x.source = source | plain
                values = Values(x, answers)
                if rules.vis_3(x) and values.agree():
                    yield x, values
            x.source = source


def _can_be_told(progress: Progress, answers: Mapping[Place, int]) -> bool:
    """A user event is never queued nor running: it waits, or it is complete."""
    steps = {place: progress.step(place) for place in answers}
    return all(
        answer in (0, 2) or (isinstance(step := steps[place], Query) and progress.cast.completes(step.event))
        for place, answer in answers.items()
    )


def _without_plain_reads(x: HostExecution) -> HostExecution:
    """The execution as far as atomic objects go: where plain objects are read from is chosen later."""
    x.events = tuple(replace(e, reads=e.reads and e.number in x.source) for e in x.happened.all)
    return x


def _atomic_choices(events: Events) -> Iterator[tuple[Source, dict[str, tuple[int, ...]]]]:
    """Yield where the reads of atomic objects may read from, with the modification orders."""
    here = [event for event in events.all if event.location is not None and event.location.atomic]
    reads = [event for event in here if event.reads]
    choices = [
        [write.number for write in here if write.writes and write.location == read.location and write is not read]
        for read in reads
    ]
    locations = sorted({event.location.name for event in here if event.location is not None})
    writes = [[e.number for e in here if e.writes and e.location and e.location.name == name] for name in locations]
    for chosen in product(*choices):
        source = {read.number: write for read, write in zip(reads, chosen, strict=True)}
        for orders in product(*([(first, *rest) for rest in permutations(others)] for first, *others in writes)):
            order = dict(zip(locations, orders, strict=True))
            if _is_coherent(reads, source, order):
                yield source, order


def _is_coherent(reads: list[Event], source: Source, order: dict[str, tuple[int, ...]]) -> bool:
    """RMW-1, which needs no happens-before: it saves time to ask it first."""
    return all(
        order[read.location.name].index(source[read.number]) == order[read.location.name].index(read.number) - 1
        for read in reads
        if read.writes and read.location is not None
    )


def _visible(x: HostExecution) -> Iterator[Source]:
    """Yield where the reads of plain objects may read from: VIS-2."""
    x.events = tuple(x.happened.all)
    reads = [event for event in x.events if event.reads and event.location and not event.location.atomic]
    choices = []
    for read in reads:
        assert read.location is not None
        writes = [e for e in x.accesses(read.location) if e.writes]
        choices.append([write.number for write in writes if rules.vis_1(x, write, read)])
    for chosen in product(*choices):
        yield {read.number: write for read, write in zip(reads, chosen, strict=True)}


class _CircularError(Exception):
    """A value depends on itself; no program that is compared can give such a value to itself."""


class Values:
    """The values that are read and written in an execution, each computed from those that it depends on."""

    def __init__(self, x: HostExecution, answers: Mapping[Place, int]) -> None:
        self._x = x
        self._progress = x.happened.progress
        self._answers = answers
        self._place = {event.number: place for place, event in x.happened.accesses.items()}
        self._found: dict[int, int | None] = {}
        """By write; None while it is computed."""

    def agree(self) -> bool:
        """Tell whether each guard turns out as was taken, and no value depends on itself."""
        try:
            return all(self._guard_agrees(place) for place in self._progress.ways if self._is_reached(place))
        except _CircularError:
            return False

    def _is_reached(self, place: Place) -> bool:
        return place[1] <= self._progress.made[place[0]]

    def _guard_agrees(self, place: Place) -> bool:
        guard = self._progress.step(place).guard
        assert guard is not None
        return (self.register(place, guard.register) == guard.value) is self._progress.ways[place]

    def read(self, event: Event) -> int:
        return self.written(self._x.events[self._x.source[event.number]])

    def written(self, event: Event) -> int:
        if event.number not in self._found:
            self._found[event.number] = None
            self._found[event.number] = 0 if event.initial else self._computed(event)
        found = self._found[event.number]
        if found is None:
            raise _CircularError
        return found

    def _computed(self, event: Event) -> int:
        place = self._place[event.number]
        step = self._progress.step(place)
        match step:
            case Store(_, value) | Exchange(_, _, value):
                return self._operand(place, value)
            case FetchAdd(_, _, addend):
                return self.read(event) + addend
            case _:
                raise AssertionError(step)

    def _operand(self, place: Place, operand: Operand) -> int:
        return operand if isinstance(operand, int) else self.register(place, operand)

    def register(self, place: Place, name: str) -> int:
        """The value of a register before a step."""
        actor, end = place
        for index in range(end - 1, -1, -1):
            step = self._progress.step((actor, index))
            if self._progress.happens((actor, index)) and getattr(step, "register", None) == name:
                return self._assigned((actor, index))
        return UNASSIGNED

    def _assigned(self, place: Place) -> int:
        step = self._progress.step(place)
        match step:
            case Query(_, event):
                answer = self._answers[place]
                return self._progress.failed.get(event, answer) if answer == COMPLETE else answer
            case WaitFor(events):
                return FAILED_IN_WAIT_LIST if any(event in self._progress.failed for event in events) else 0
            case SetStatus(event):
                is_first = self._x.happened.calls[place] in self._x.happened.sets(event)
                return 0 if is_first else INVALID_OPERATION
            case Enqueue(event):
                (actor,) = self._progress.cast.commands[event].actors
                # What does not run for a failure reads nothing.
                access = self._x.happened.accesses.get((actor, 0))
                return 0 if access is None else self.read(access)
            case Load() | Exchange() | FetchAdd():
                return self.read(self._x.happened.accesses[place])
            case _:
                raise AssertionError(step)

    def registers(self) -> Iterator[tuple[str, int]]:
        """The registers that the text declares, at the end."""
        for actor in self._progress.cast.actors:
            if actor.command is None or "[" in actor.name:
                for name in declared(self._progress.cast, actor.name):
                    # Who is never started gives no value to anything, not even where it is declared.
                    is_run = runs(self._progress, actor)
                    value = self.register((actor.number, len(actor.steps)), name) if is_run else 0
                    yield f"{actor.name}:{name}", value


def declared(cast: Cast, name: str) -> list[str]:
    """The registers of an actor: work-items of one kernel have the same."""
    kernel = name.partition("[")[0]
    steps = [step for actor in cast.actors if actor.name.partition("[")[0] == kernel for step in actor.steps]
    found = [getattr(step, "register", None) for step in steps]
    return sorted({register for register in found if register is not None})
