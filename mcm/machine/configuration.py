"""A whole program at one moment, and its steps: one operation of one thread at a time."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar, assert_never

from mcm.base.bits import listed
from mcm.base.source import Span
from mcm.execution.evaluate import is_true
from mcm.machine.code import (
    Apart,
    Barrier,
    Branch,
    Collective,
    CompareExchange,
    Compute,
    Fence,
    Fork,
    Jump,
    Load,
    Note,
    Require,
    Select,
    Stop,
    Store,
    Update,
)
from mcm.machine.compile import compile_program
from mcm.machine.finding import Finding, Site
from mcm.machine.group import combined, diverged, group_of, groups_of, instance_of
from mcm.machine.memory import Choice, CompareRequest, ReadRequest, UpdateRequest, WriteRequest
from mcm.program.condition import RegisterName
from mcm.program.types import Location, RegisterPointer

if TYPE_CHECKING:
    from mcm.machine.code import Access, Instruction, Meeting, ThreadCode
    from mcm.machine.memory import Memory, Race, Request
    from mcm.machine.platform import Platform
    from mcm.program.condition import Observable
    from mcm.program.program import Program
    from mcm.program.types import Value

MemoryT = TypeVar("MemoryT", bound=Hashable)

# A thread that computes so long without an operation on memory is taken to go on for ever.
_LONGEST_COMPUTATION: Final = 100_000
_WAYS: Final = (Choice(0), Choice(1))
_ONE_WAY: Final = (Choice(0),)


class Configuration(NamedTuple, Generic[MemoryT]):
    """Every thread stands at an operation, a meeting, a fork or its end.

    `waiting` is the mask of threads that have arrived where they stand and wait for their group, `finished` that of
    those at their end.
    """

    places: tuple[int, ...]
    slots: tuple[tuple[Value, ...], ...]
    memory: MemoryT
    waiting: int = 0
    finished: int = 0


class Step(NamedTuple, Generic[MemoryT]):
    """What a step leads to. `value` is what it read, if it read."""

    after: Configuration[MemoryT]
    findings: tuple[Finding, ...] = ()
    value: Value | None = None


class EndlessError(Exception):
    """A thread computes for ever without touching memory."""

    def __init__(self, site: Site) -> None:
        super().__init__(f"{site.name} computes without end")
        self.site = site


class Machine(Generic[MemoryT]):
    """A compiled program on a memory. Threads go by their position in the program."""

    def __init__(self, program: Program, platform: Platform, memory: Memory[MemoryT]) -> None:
        self.program = program
        self.platform = platform
        self.memory = memory
        self.threads = compile_program(program)
        self.groups = groups_of(self.threads)
        self._first: Step[MemoryT] | None = None
        self._everybody = (1 << len(self.threads)) - 1
        self._positions = {code.index: number for number, code in enumerate(self.threads)}

    # --- configurations -----------------------------------------------------------------------------------------------

    def start(self) -> Step[MemoryT]:
        """Every thread at its first operation."""
        if self._first is None:
            self._first = self._begin()
        return self._first

    def _begin(self) -> Step[MemoryT]:
        places: list[int] = []
        slots: list[tuple[Value, ...]] = []
        findings: list[Finding] = []
        for number, code in enumerate(self.threads):
            own = list(code.initial)
            places.append(self._advance(number, 0, own, findings))
            slots.append(tuple(own))
        finished = sum(1 << t for t, code in enumerate(self.threads) if _ends(code, places[t]))
        return Step(Configuration(tuple(places), tuple(slots), self.memory.start(), 0, finished), tuple(findings))

    def instruction(self, now: Configuration[MemoryT], thread: int) -> Instruction:
        """What a thread stands at."""
        return self.threads[thread].instructions[now.places[thread]]

    def is_finished(self, now: Configuration[MemoryT], thread: int) -> bool:
        """Whether a thread has come to its end."""
        return bool(now.finished >> thread & 1)

    def ready(self, now: Configuration[MemoryT]) -> int:
        """The threads that neither have finished nor wait, as a mask."""
        return self._everybody & ~(now.waiting | now.finished)

    def runnable(self, now: Configuration[MemoryT]) -> tuple[int, ...]:
        """The threads that neither have finished nor wait."""
        return listed(self.ready(now))

    def choices(self, now: Configuration[MemoryT], thread: int) -> Sequence[Choice]:
        """The ways in which a runnable thread may go on."""
        instruction = self.instruction(now, thread)
        if isinstance(instruction, Fork):
            return _WAYS
        if isinstance(instruction, (Load, Store, Update, CompareExchange)):
            request = self._request(now, thread, instruction)
            return _ONE_WAY if request is None else self.memory.choices(now.memory, thread, request)
        return _ONE_WAY

    def findings_at_end(self, now: Configuration[MemoryT]) -> tuple[Finding, ...]:
        """Who waits for somebody who never comes."""
        return diverged(self, now)

    def finals(self, now: Configuration[MemoryT], observed: Sequence[Observable]) -> list[tuple[Value, ...]]:
        """The final states of a configuration in which every thread has finished."""
        numbers = self.platform.numbers
        located = [what for what in observed if isinstance(what, Location)]
        found = []
        for values in self.memory.finals(now.memory, [numbers[location] for location in located]):
            of = dict(zip(located, values, strict=True))
            found.append(
                tuple(self._register(now, what) if isinstance(what, RegisterName) else of[what] for what in observed)
            )
        return found

    def _register(self, now: Configuration[MemoryT], name: RegisterName) -> Value:
        number = self._positions[name.thread]
        return now.slots[number][self.threads[number].registers[name.register]]

    # --- steps --------------------------------------------------------------------------------------------------------

    def step(self, now: Configuration[MemoryT], thread: int, choice: Choice) -> Step[MemoryT]:
        """Let a thread do its next operation, and compute up to the one after."""
        instruction = self.instruction(now, thread)
        match instruction:
            case Fork(first, second):
                place = (second, first)[choice.message]
                return self._go_on(now, thread, place, list(now.slots[thread]), now.memory)
            case Load() | Store() | Update() | CompareExchange():
                return self._access(now, thread, instruction, choice)
            case Fence(flags, order, scope, _):
                memory = self.memory.fence(now.memory, thread, flags, order, scope)
                return self._go_on(now, thread, now.places[thread] + 1, list(now.slots[thread]), memory)
            case Barrier() | Collective():
                return self._meet(now, thread, instruction)
            case Compute() | Jump() | Branch() | Require() | Note() | Apart() | Select() | Stop():
                message = f"{instruction} is no step"
                raise AssertionError(message)
            case _:
                assert_never(instruction)

    def site(self, thread: int, place: int) -> Site:
        """An instruction as findings name it."""
        code = self.threads[thread]
        instruction = code.instructions[place]
        span = self.program.threads[thread].span
        if isinstance(instruction, Stop):
            # The brace that ends the thread.
            span = Span(span.source, span.end - 1, span.end)
        elif not isinstance(instruction, (Compute, Jump, Branch, Fork, Apart)):
            span = instruction.span
        return Site(thread, place, code.name, span)

    def _go_on(
        self,
        now: Configuration[MemoryT],
        thread: int,
        place: int,
        slots: list[Value],
        memory: MemoryT,
        findings: tuple[Finding, ...] = (),
        value: Value | None = None,
    ) -> Step[MemoryT]:
        found = list(findings)
        place = self._advance(thread, place, slots, found)
        places, kept = list(now.places), list(now.slots)
        places[thread], kept[thread] = place, tuple(slots)
        finished = now.finished | _ends(self.threads[thread], place) << thread
        return Step(Configuration(tuple(places), tuple(kept), memory, now.waiting, finished), tuple(found), value)

    def _advance(self, thread: int, place: int, slots: list[Value], found: list[Finding]) -> int:
        """Compute up to the next operation; `slots` is changed on the way."""
        instructions = self.threads[thread].instructions
        for _ in range(_LONGEST_COMPUTATION):
            instruction = instructions[place]
            match instruction:
                case Compute(target, value):
                    slots[target] = value(slots)
                case Branch(condition, otherwise):
                    if not is_true(condition(slots)):
                        place = otherwise
                        continue
                case Jump(to):
                    place = to
                    continue
                case Require(condition, kind, rule, why, _):
                    if not is_true(condition(slots)):
                        found.append(Finding(kind, rule, why, (self.site(thread, place),)))
                case Select():
                    self._select(thread, place, instruction, slots, found)
                case Note(target, address):
                    slots[target] = address(slots)
                case Apart(notes):
                    found += self._unsequenced(thread, notes, slots)
                case _:
                    return place
            place += 1
        raise EndlessError(self.site(thread, place))

    def _select(self, thread: int, place: int, node: Select, slots: list[Value], found: list[Finding]) -> None:
        """An element of a private array."""
        index = node.index(slots)
        if not isinstance(index, int) or not 0 <= index < node.length:
            why = f"the index is outside '{node.array}', which has {node.length} elements"
            found.append(Finding("out-of-bounds", "MEM-BOUNDS", why, (self.site(thread, place),)))
            slots[node.target] = slots[node.target] if node.writes else 0
        elif node.writes:
            slots[node.base + index] = slots[node.target]
            if node.defined is not None:
                slots[node.defined + index] = 1
        else:
            if node.defined is not None and not slots[node.defined + index]:
                why = f"'{node.array}[{index}]' is read before it has been given a value"
                found.append(Finding("uninitialised-read", "INIT-2", why, (self.site(thread, place),)))
            slots[node.target] = slots[node.base + index]

    def _unsequenced(
        self, thread: int, notes: tuple[tuple[int, int], ...], slots: Sequence[Value]
    ) -> Iterator[Finding]:
        """DR-3: accesses that are not sequenced and met the same object; each object once."""
        reported = set()
        for pair in notes:
            one, other = (slots[self._note(thread, place).target] for place in pair)
            name = self._name_of(thread, one)
            if one == other and name is not None and name not in reported:
                reported.add(name)
                why = f"'{name}' is changed and accessed in one expression without a sequence point in between"
                sites = sorted((self.site(thread, place) for place in pair), key=lambda site: site.span.start)
                yield Finding("unsequenced-race", "DR-3", why, tuple(sites))

    def _note(self, thread: int, place: int) -> Note:
        note = self.threads[thread].instructions[place]
        assert isinstance(note, Note)
        return note

    def _name_of(self, thread: int, address: Value) -> str | None:
        """The object at an address, if there is any."""
        match address:
            case Location() if address in self.platform.numbers:
                return self.program.show_location(address)
            case RegisterPointer():
                return self._register_at(thread, address)
            case _:
                return None

    def _register_at(self, thread: int, pointer: RegisterPointer) -> str | None:
        """The private variable that a pointer of the thread leads to."""
        registers = self.threads[thread].registers
        name = f"{pointer.register}[{pointer.offset}]"
        if name not in registers and pointer.offset == 0:
            name = pointer.register
        return name if name in registers else None

    # --- accesses -----------------------------------------------------------------------------------------------------

    def _request(self, now: Configuration[MemoryT], thread: int, node: Access) -> Request | None:
        """What an access asks of memory; None where its address is not that of a memory object."""
        slots, site = now.slots[thread], now.places[thread]
        address = node.address(slots)
        location = self.platform.numbers.get(address) if isinstance(address, Location) else None
        if location is None:
            return None
        match node:
            case Load(_, _, order, scope, _):
                return ReadRequest(site, location, order, scope)
            case Store(_, value, order, scope, _, _):
                return WriteRequest(site, location, value(slots), order, scope)
            case Update(_, _, operand, combine, order, scope, _):
                given = operand(slots)
                return UpdateRequest(site, location, lambda old: combine(old, given), order, scope)
            case CompareExchange(_, _, _, expected, desired, success, failure, scope, weak, _):
                return CompareRequest(site, location, expected(slots), desired(slots), success, failure, scope, weak)
            case _:
                assert_never(node)

    def _access(self, now: Configuration[MemoryT], thread: int, node: Access, choice: Choice) -> Step[MemoryT]:
        request, slots, place = self._request(now, thread, node), list(now.slots[thread]), now.places[thread]
        if request is None:
            findings = self._astray(thread, place, node, slots)
            return self._go_on(now, thread, place + 1, slots, now.memory, findings)
        effect = self.memory.perform(now.memory, thread, request, choice)
        match node:
            case Load(target) | Update(target):
                slots[target] = effect.value
            case CompareExchange(succeeded, found):
                slots[succeeded], slots[found] = int(effect.succeeded), effect.value
            case Store():
                pass
            case _:
                assert_never(node)
        findings = tuple(self._race(race) for race in effect.races)
        if effect.indeterminate:
            why = "a memory object is read before anything has been written to it"
            findings += (Finding("uninitialised-read", "INIT-2", why, (self.site(thread, place),)),)
        value = None if isinstance(node, Store) else effect.value
        return self._go_on(now, thread, place + 1, slots, effect.state, findings, value)

    def _race(self, race: Race) -> Finding:
        reason = "their scopes do not include each other" if race.both_atomic else "they are not both atomic"
        why = f"{reason}, and neither happens before the other"
        return Finding(
            "data-race", "DR-1", why, tuple(sorted((self.site(*race.earlier), self.site(*race.later)), key=_order))
        )

    def _astray(self, thread: int, place: int, node: Access, slots: list[Value]) -> tuple[Finding, ...]:
        """An access whose address leads to no memory object: to a private variable, or nowhere."""
        address = node.address(slots)
        site = (self.site(thread, place),)
        is_plain = (isinstance(node, Load) and node.order is None) or (isinstance(node, Store) and not node.is_call)
        if isinstance(address, RegisterPointer):
            if is_plain:
                return self._private(thread, node, address, slots, site)
            return (Finding("private-atomic", "AS-5", "an atomic operation on private memory is undefined", site),)
        self._void(node, slots)
        why = "the address is not that of an element of a memory object"
        return (Finding("out-of-bounds", "MEM-BOUNDS", why, site),)

    def _private(
        self, thread: int, node: Access, pointer: RegisterPointer, slots: list[Value], site: tuple[Site, ...]
    ) -> tuple[Finding, ...]:
        code: ThreadCode = self.threads[thread]
        name = self._register_at(thread, pointer)
        if name is None:
            self._void(node, slots)
            return (Finding("out-of-bounds", "MEM-BOUNDS", f"the address is beside '{pointer.register}'", site),)
        slot, defined = code.registers[name], code.defined.get(name)
        if isinstance(node, Store):
            slots[slot] = node.value(slots)
            if defined is not None:
                slots[defined] = 1
            return ()
        assert isinstance(node, Load)
        slots[node.target] = slots[slot]
        if defined is not None and not slots[defined]:
            return (
                Finding("uninitialised-read", "INIT-2", f"'{name}' is read before it has been given a value", site),
            )
        return ()

    @staticmethod
    def _void(node: Access, slots: list[Value]) -> None:
        """An access that does not happen gives 0."""
        if isinstance(node, (Load, Update)):
            slots[node.target] = 0
        elif isinstance(node, CompareExchange):
            slots[node.succeeded] = 0
            slots[node.found] = 0

    # --- meetings -----------------------------------------------------------------------------------------------------

    def _meet(self, now: Configuration[MemoryT], thread: int, node: Meeting) -> Step[MemoryT]:
        """Arrive; the last of the group lets everybody go on."""
        memory = now.memory
        if isinstance(node, Barrier):
            memory = self.memory.arrive(memory, thread, node.flags, node.scope)
        now = now._replace(waiting=now.waiting | 1 << thread, memory=memory)
        group, mask = group_of(self, thread, node.level)
        if mask & ~now.waiting:
            return Step(now)
        here = instance_of(self, now, thread)
        if any(instance_of(self, now, member) != here for member in group):
            return Step(now)
        findings: list[Finding] = []
        if isinstance(node, Barrier):
            findings += self._agree(now, group)
            now = now._replace(memory=self.memory.leave(now.memory, group))
        places, slots, finished = list(now.places), list(now.slots), now.finished
        for member, result in zip(group, combined(self, now, group), strict=True):
            own, meeting = list(slots[member]), self.instruction(now, member)
            if isinstance(meeting, Collective):
                own[meeting.target] = result
            place = self._advance(member, places[member] + 1, own, findings)
            places[member], slots[member] = place, tuple(own)
            finished |= _ends(self.threads[member], place) << member
        after = Configuration(tuple(places), tuple(slots), now.memory, now.waiting & ~mask, finished)
        return Step(after, tuple(findings))

    def _agree(self, now: Configuration[MemoryT], group: Sequence[int]) -> list[Finding]:
        """BAR-DIV: everybody calls a barrier with the same flags and scope."""
        first = self.instruction(now, group[0])
        for member in group[1:]:
            other = self.instruction(now, member)
            assert isinstance(first, Barrier)
            assert isinstance(other, Barrier)
            if (first.flags, first.scope) != (other.flags, other.scope):
                sites = (self.site(group[0], now.places[group[0]]), self.site(member, now.places[member]))
                why = f"barrier {first.site} is called with different flags or scopes"
                return [Finding("barrier-divergence", "BAR-DIV", why, sites)]
        return []


def _ends(code: ThreadCode, place: int) -> bool:
    """Whether a thread at this place has finished."""
    return isinstance(code.instructions[place], Stop)


def _order(site: Site) -> tuple[int, int]:
    return site.thread, site.instruction
