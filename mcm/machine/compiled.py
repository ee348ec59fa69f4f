"""A compiled program: the code of its threads, their groups, and the source position of every instruction."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcm.base.source import Span
from mcm.machine.code import (
    Branch,
    CheckUnsequenced,
    ChooseOrder,
    Compute,
    Jump,
    Stop,
)
from mcm.machine.command_table import table_of
from mcm.machine.compile import compile_threads
from mcm.machine.distance import fewest_steps
from mcm.machine.finding import Finding, Site, place_of
from mcm.machine.groups import groups_of, performers

if TYPE_CHECKING:
    from mcm.machine.code import Instruction
    from mcm.machine.configuration import Configuration
    from mcm.machine.groups import Group
    from mcm.machine.memory import Misuse
    from mcm.program.condition import RegisterName
    from mcm.program.operators import Level
    from mcm.program.program import Program
    from mcm.program.types import RegisterPointer, Value


class CompiledProgram:
    """The code of every thread and its groups. Threads are numbered by their position in the program."""

    def __init__(self, program: Program, *, counts_loops: bool = False) -> None:
        self.program = program
        performing = performers(program)
        self.threads = compile_threads(
            program.threads, performing, program.objects, program.dialect, counts_loops=counts_loops
        )
        # The threads that perform asynchronous copies, by the numbers of those that the accesses are.
        self._performers = dict(enumerate(performing, start=len(program.threads)))
        self.groups = groups_of(self.threads)
        self.commands = table_of(program, self.threads, self.groups)
        self._positions = {code.index: number for number, code in enumerate(self.threads)}

    def instruction(self, now: Configuration[Any], thread: int) -> Instruction:
        """The instruction at which a thread is."""
        return self.threads[thread].instructions[now.counters[thread]]

    @cached_property
    def fewest_steps(self) -> list[tuple[float, ...]]:
        """For each thread and program counter, the fewest steps from there to the end of the thread."""
        return [fewest_steps(code.instructions) for code in self.threads]

    def is_endless(self, thread: int, counter: int) -> bool:
        """Whether a thread is in a loop without operations when its program counter has this value between steps."""
        return isinstance(self.threads[thread].instructions[counter], Jump)

    def is_end(self, thread: int, counter: int) -> bool:
        """Whether a thread has finished when its program counter has this value."""
        return isinstance(self.threads[thread].instructions[counter], Stop)

    def group(self, thread: int, level: Level) -> Group:
        """The work-group or sub-group of a thread."""
        return self.groups[thread][level]

    def site(self, thread: int, counter: int) -> Site:
        """An instruction with its source position, as findings name it; a copy is of the thread that performs it."""
        thread = self._performers.get(thread, thread)
        code = self.threads[thread]
        instruction = code.instructions[counter]
        span = self.program.threads[thread].span
        if isinstance(instruction, Stop):
            # The brace that ends the thread.
            span = Span(span.source, span.end - 1, span.end)
        elif isinstance(instruction, Jump):
            span = instruction.loop or span
        elif not isinstance(instruction, (Compute, Branch, ChooseOrder, CheckUnsequenced)):
            span = instruction.span
        return Site(thread, counter, code.name, span)

    def finding(self, misuse: Misuse) -> Finding:
        """A misuse of buffers, with its source positions."""
        sites = sorted((self.site(*access) for access in misuse.accesses), key=place_of)
        return Finding(misuse.kind, misuse.rule, misuse.why, tuple(sites))

    def register_value(self, now: Configuration[Any], name: RegisterName) -> Value:
        """The value of a private variable."""
        number = self._positions[name.thread]
        return now.slots[number][self.threads[number].registers[name.register]]

    def register_at(self, thread: int, pointer: RegisterPointer) -> str | None:
        """The private variable of a thread that a pointer points to, if there is one."""
        registers = self.threads[thread].registers
        name = f"{pointer.register}[{pointer.offset}]"
        if name not in registers and pointer.offset == 0:
            name = pointer.register
        return name if name in registers else None
