"""What a thread computes between two operations on memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.machine.code import (
    AccessElement,
    Branch,
    CheckUnsequenced,
    Compute,
    Jump,
    RecordAccess,
    Require,
)
from mcm.machine.finding import Finding
from mcm.program.lacking_value import why_lacking
from mcm.program.types import Location, RegisterPointer
from mcm.program.value_arithmetic import is_true

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.machine.compiled import CompiledProgram
    from mcm.machine.finding import Site
    from mcm.machine.memory_layout import MemoryLayout
    from mcm.program.types import Value

# After so many instructions without an operation the values of the slots are watched for a repetition, and after so
# many the computation is given up.
_UNWATCHED: Final = 1_000
_LONGEST_COMPUTATION: Final = 100_000


class ComputationLimitError(Exception):
    """A thread executes too many instructions without an operation; whether it ever comes to one is not known."""

    def __init__(self, site: Site) -> None:
        super().__init__(f"{site.name} executes {_LONGEST_COMPUTATION:,} instructions without an operation on memory")
        self.site = site


class Computation:
    """Executes the instructions that concern only the private variables of a thread."""

    def __init__(self, compiled: CompiledProgram, layout: MemoryLayout) -> None:
        self._compiled = compiled
        self._layout = layout

    def advance(self, thread: int, counter: int, slots: list[Value], found: list[Finding]) -> int:
        """Execute up to the next operation of a thread; its program counter there.

        Changes `slots`, and adds to `found`. In a loop that repeats itself without operations, the program counter of a
        jump in the loop. ComputationLimitError where it is not known whether another operation comes.
        """
        instructions = self._compiled.threads[thread].instructions
        watched: tuple[int, list[Value]] | None = None
        next_watch = _UNWATCHED
        for number in range(_LONGEST_COMPUTATION):
            instruction = instructions[counter]
            if number >= _UNWATCHED and isinstance(instruction, Jump) and instruction.loop is not None:
                state = counter, self._repeatable(thread, slots)
                if state == watched:
                    return counter
                if number >= next_watch:
                    watched, next_watch = state, 2 * number
            match instruction:
                case Compute(target, value):
                    slots[target] = value(slots)
                case Branch(condition, otherwise):
                    if not is_true(condition(slots)):
                        counter = otherwise
                        continue
                case Jump(to):
                    counter = to
                    continue
                case Require(condition, kind, rule, why, _):
                    if not is_true(condition(slots)):
                        found.append(Finding(kind, rule, why, (self._compiled.site(thread, counter),)))
                case AccessElement():
                    self._access_element(thread, counter, instruction, slots, found)
                case RecordAccess(target, address):
                    slots[target] = address(slots)
                case CheckUnsequenced(pairs):
                    found += self._unsequenced(thread, pairs, slots)
                case _:
                    return counter
            counter += 1
        raise ComputationLimitError(self._compiled.site(thread, counter))

    def _repeatable(self, thread: int, slots: list[Value]) -> list[Value]:
        """The slots on which a loop without group functions depends: all but the counts of iterations."""
        repeatable = slots.copy()
        for slot in self._compiled.threads[thread].iterations:
            repeatable[slot] = 0
        return repeatable

    def _access_element(
        self, thread: int, counter: int, node: AccessElement, slots: list[Value], found: list[Finding]
    ) -> None:
        """Read or write an element of a private array; outside the array a read gives 0 and a write does nothing."""
        index = node.index(slots)
        if node.found is not None:
            slots[node.found] = 1
        if not isinstance(index, int) or not 0 <= index < node.length:
            why = f"the index is outside '{node.array}', which has {node.length} elements"
            found.append(Finding("out-of-bounds", "MEM-BOUNDS", why, (self._compiled.site(thread, counter),)))
            slots[node.target] = slots[node.target] if node.writes else 0
        elif node.writes:
            slots[node.base + index] = slots[node.target]
            if node.defined is not None:
                slots[node.defined + index] = 1 if node.is_value is None else node.is_value(slots)
        else:
            if node.found is not None:
                slots[node.found] = 1 if node.defined is None else slots[node.defined + index]
            elif node.defined is not None and not slots[node.defined + index]:
                why = why_lacking(node.array, index)
                found.append(Finding("uninitialised-read", "INIT-2", why, (self._compiled.site(thread, counter),)))
            slots[node.target] = slots[node.base + index]

    def _unsequenced(
        self, thread: int, pairs: tuple[tuple[int, int], ...], slots: Sequence[Value]
    ) -> Iterator[Finding]:
        """DR-3: unsequenced accesses of the same object; one finding for each object."""
        reported = set()
        for pair in pairs:
            one, other = (slots[self._recorded(thread, counter).target] for counter in pair)
            name = self._object_name(thread, one)
            if one == other and name is not None and name not in reported:
                reported.add(name)
                why = f"'{name}' is changed and accessed in one expression without a sequence point in between"
                sites = (self._compiled.site(thread, counter) for counter in pair)
                yield Finding("unsequenced-race", "DR-3", why, tuple(sorted(sites, key=lambda site: site.span.start)))

    def _recorded(self, thread: int, counter: int) -> RecordAccess:
        instruction = self._compiled.threads[thread].instructions[counter]
        assert isinstance(instruction, RecordAccess)
        return instruction

    def _object_name(self, thread: int, address: Value) -> str | None:
        """The object at an address, if there is one."""
        match address:
            case Location() if address in self._layout.numbers:
                return self._compiled.program.show_location(address)
            case RegisterPointer():
                return self._compiled.register_at(thread, address)
            case _:
                return None
