"""Static footprints: what a thread may still access, by abstract interpretation of its code.

A slot is known or unknown: values read from memory are unknown, and so is what is computed from them. A branch on an
unknown value is followed both ways, an unknown address may be any location. The footprint is never too small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, assert_never

from mcm.machine.code import (
    AccessElement,
    AwaitCopies,
    AwaitEvents,
    Barrier,
    BeginCopy,
    Branch,
    CheckUnsequenced,
    ChooseOrder,
    Collective,
    CompareExchange,
    Compute,
    EndCopy,
    EnqueueCommand,
    Fence,
    FinishQueue,
    FlushQueue,
    Jump,
    Load,
    QueryStatus,
    RecordAccess,
    Require,
    SetCallback,
    SetUserEvent,
    Stop,
    Store,
    Update,
)
from mcm.machine.footprint import NO_FOOTPRINT, Footprint
from mcm.program.types import Location, RegisterPointer
from mcm.program.value_arithmetic import are_same, is_true

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.machine.code import Access, Operand, ThreadCode
    from mcm.machine.configuration import Configuration
    from mcm.machine.machine import Machine
    from mcm.machine.memory import MemorySubsystem
    from mcm.program.operators import Level
    from mcm.program.types import Order, Value

# The values of the known slots. Slots that say whether a variable has a value influence nothing, and may be wrong here.
Known = dict[int, "Value"]

# After so many visits of a branch with different values, as in a loop that counts, the differing slots become unknown.
_MOST_PASSES: Final = 100


class Lookahead:
    """Footprints of the next operation of a thread, and of all that it may still do; each is computed once."""

    def __init__(self, machine: Machine[Any]) -> None:
        self._threads = machine.threads
        self._commands = machine.compiled.commands.commands
        self._memory: MemorySubsystem[Any] = machine.memory
        self._numbers = machine.layout.numbers
        self._next: dict[tuple[int, int, Sequence[Value]], Footprint] = {}
        self._rest: dict[tuple[int, int, Sequence[Value], frozenset[Level]], Footprint] = {}
        # Bits that memory does not use: one for each queue, one for each command that may be a user event, and one for
        # how far commands have come.
        first = len(self._numbers) + 1
        queues = len(machine.compiled.commands.queues)
        self._queues = tuple(1 << first + number for number in range(queues))
        is_asked = any(isinstance(node, QueryStatus) for code in self._threads for node in code.instructions)
        self._first_event = first + queues
        self._progress = is_asked << self._first_event + len(self._commands)
        self._performing = machine.host.held

    def of_next(self, now: Configuration[Any], thread: int) -> Footprint:
        """The footprint of the next operation of a thread."""
        place, slots = now.counters[thread], now.slots[thread]
        found = self._next.get((thread, place, slots))
        if found is None:
            found = self._touched(self._threads[thread], place, dict(enumerate(slots))).joined(self._progresses(thread))
            self._next[thread, place, slots] = found
        return found

    def of_rest(self, now: Configuration[Any], thread: int, until: frozenset[Level]) -> Footprint:
        """The footprint of all that a thread may do, up to the next group function of one of the levels `until`."""
        place, slots = now.counters[thread], now.slots[thread]
        found = self._rest.get((thread, place, slots, until))
        if found is None:
            found = self._followed(self._threads[thread], place, slots, until).joined(self._progresses(thread))
            self._rest[thread, place, slots, until] = found
        return found

    def _progresses(self, thread: int) -> Footprint:
        """The footprint of any step of a thread on its command, where somebody asks how far commands have come."""
        return Footprint(writes=self._progress) if self._performing >> thread & 1 else NO_FOOTPRINT

    def _followed(self, code: ThreadCode, place: int, slots: Sequence[Value], until: frozenset[Level]) -> Footprint:
        """The footprint of every path through the code from a program counter on."""
        found = NO_FOOTPRINT
        passed: dict[int, list[Known]] = {}
        ways = [(place, dict(enumerate(slots)))]
        while ways:
            place, known = ways.pop()
            here = code.instructions[place]
            match here:
                case Stop():
                    continue
                case Barrier() | Collective() | AwaitCopies() if here.level in until and not _passes_alone(here):
                    continue
                case Branch() | ChooseOrder():
                    if _was_passed(passed.setdefault(place, []), known):
                        continue
                    following = _following(here, place, known)
                    ways += [(other, dict(known)) for other in following[1:]]
                    place = following[0]
                case Jump(to):
                    place = to
                case _:
                    found = found.joined(self._touched(code, place, known))
                    _computed(code, place, known)
                    place += 1
            ways.append((place, known))
        return found

    def _touched(self, code: ThreadCode, place: int, known: Known) -> Footprint:
        """The footprint of one instruction."""
        here = code.instructions[place]
        match here:
            case Load(_, _, order):
                return self._accessed(here, known, order, writes=False)
            case Store(_, _, order) | Update(_, _, _, _, order):
                return self._accessed(here, known, order, writes=True)
            case CompareExchange(_, _, _, _, _, success, failure):
                fails = self._accessed(here, known, failure, writes=False)
                return fails.joined(self._accessed(here, known, success, writes=True))
            case Fence(_, order):
                return self._memory.fence_footprint(order)
            case EnqueueCommand(_, _, command):
                # The order of commands matters within a queue.
                queue = self._commands[command].queue
                return Footprint(writes=self._progress | (0 if queue is None else self._queues[queue]))
            case FinishQueue(queue):
                return Footprint(reads=self._queues[queue], writes=self._progress)
            case FlushQueue(queue):
                return Footprint(reads=self._queues[queue], writes=self._progress)
            case SetUserEvent(_, event):
                # The first call that sets an event does, the others change nothing.
                return Footprint(writes=self._progress | 1 << self._first_event + event)
            case AwaitEvents() | QueryStatus():
                return Footprint(writes=self._progress)
            case _:
                return NO_FOOTPRINT

    def _accessed(self, node: Access, known: Known, order: Order | None, *, writes: bool) -> Footprint:
        try:
            address = node.address(known)
        except KeyError:
            found = NO_FOOTPRINT
            for every in self._numbers.values():
                found = found.joined(self._memory.footprint(every, order, writes=writes))
            return found
        location = self._numbers.get(address) if isinstance(address, Location) else None
        return NO_FOOTPRINT if location is None else self._memory.footprint(location, order, writes=writes)


def _was_passed(passed: list[Known], known: Known) -> bool:
    """Whether this branch was visited with at most these known values before; if not, the visit is noted.

    Removes slots from `known` when there were too many visits.
    """
    if any(all(slot in known and are_same(known[slot], value) for slot, value in one.items()) for one in passed):
        return True
    if len(passed) >= _MOST_PASSES:
        kept = passed[-1].items()
        for slot in [slot for slot, value in known.items() if (slot, value) not in kept]:
            del known[slot]
    passed.append(dict(known))
    return False


def _passes_alone(call: Barrier | Collective | AwaitCopies) -> bool:
    """Whether a thread may pass a group function without the others."""
    return isinstance(call, Collective) and call.of_active


def _following(node: Branch | ChooseOrder, place: int, known: Known) -> list[int]:
    """The possible next program counters after a branch."""
    if isinstance(node, ChooseOrder):
        return [node.first, node.second]
    try:
        return [place + 1 if is_true(node.condition(known)) else node.otherwise]
    except KeyError:
        return [place + 1, node.otherwise]


def _computed(code: ThreadCode, place: int, known: Known) -> None:
    """Update the known values as an instruction changes the slots."""
    here = code.instructions[place]
    match here:
        case Compute(target, value) | RecordAccess(target, value):
            _assign(known, target, value)
        case AccessElement():
            _select(here, known)
        case Load(target, defined=int() as defined):
            known.pop(target, None)
            known.pop(defined, None)
        case Load(target) | Update(target) | Collective(target) | QueryStatus(target):
            known.pop(target, None)
        case EnqueueCommand(target, error, others=others):
            for slot in (target, error, *others):
                known.pop(slot, None)
        case AwaitEvents(target) | SetUserEvent(target):
            known.pop(target, None)
        case CompareExchange(succeeded, found):
            known.pop(succeeded, None)
            known.pop(found, None)
        case Store():
            if _may_be_private(here.address, known):
                for slot in code.registers.values():
                    known.pop(slot, None)
        case Require() | CheckUnsequenced() | Fence() | Barrier() | BeginCopy() | EndCopy() | AwaitCopies():
            pass
        case FinishQueue() | FlushQueue() | SetCallback():
            pass
        case Branch() | ChooseOrder() | Jump() | Stop():
            message = f"{here} computes nothing"
            raise AssertionError(message)
        case _:
            assert_never(here)


def _assign(known: Known, target: int, value: Operand) -> None:
    try:
        known[target] = value(known)
    except KeyError:
        known.pop(target, None)


def _select(node: AccessElement, known: Known) -> None:
    """Update the known values for an array access; with an unknown index every element may have changed."""
    if node.found is not None:
        known.pop(node.found, None)
    try:
        index = node.index(known)
    except KeyError:
        for slot in range(node.base, node.base + node.length) if node.writes else [node.target]:
            known.pop(slot, None)
        return
    inside = isinstance(index, int) and 0 <= index < node.length
    element = node.base + index if isinstance(index, int) and inside else None
    if not node.writes:
        _put(known, node.target, None if element is None else known.get(element))
    elif element is not None:
        _put(known, element, known.get(node.target))


def _put(known: Known, slot: int, value: Value | None) -> None:
    """Set a slot to a value, or make it unknown (None)."""
    if value is None:
        known.pop(slot, None)
    else:
        known[slot] = value


def _may_be_private(address: Operand, known: Known) -> bool:
    try:
        return isinstance(address(known), RegisterPointer)
    except KeyError:
        return True
