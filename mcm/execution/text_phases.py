"""Phases of a program's text: what may be executed from one barrier, or from the beginning, up to the next barriers.

All members of a group that leave an instance of a barrier are in one phase until they enter the next one.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from mcm.execution.constant_turns import constant_turns
from mcm.execution.text_commands import host_of, one_of_each_text
from mcm.program import instruction as hir
from mcm.program.operators import Level
from mcm.program.resolve.accessed import ATOMIC, Reach
from mcm.program.topology import WorkItem
from mcm.program.types import Flag, Region
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.program.instruction import Expression, Statement, Written
    from mcm.program.program import Program, Thread


class ReadKind(Enum):
    """How an object is read, by what does not write it atomically: plainly, or by atomic loads."""

    PLAIN = "plain"
    LOAD = "load"


# Where phases begin: at the beginning, and behind barriers, by their sites and the turns of loops around them.
Beginning = tuple[str, tuple[int, ...]]
Beginnings = frozenset[Beginning]

_START: Final = ""
_NOWHERE: Final[Beginnings] = frozenset()
# The flags with which barriers order accesses of a region.
FLAGS: Final = {Region.GLOBAL: Flag.GLOBAL, Region.LOCAL: Flag.LOCAL}


def written_in_other_phases(program: Program, objects: Iterable[int], kind: ReadKind) -> frozenset[int]:
    """Those of the objects that no phase both reads in this way and writes, whatever data decides.

    A phase is one of barriers that order accesses of the object's region. Each command has phases of its own; where
    several groups execute it, barriers do not part what it does in global memory. The host is not asked: it does one
    thing after the other. Nothing is said of programs with copies or pipes, and of barriers of sub-groups, which are
    none here.
    """
    if program.needs_whole_model and host_of(program) is None:
        return frozenset()
    several = commands_of_several_groups(program)
    numbers = frozenset(objects)
    found: set[int] = set()
    for region, flag in FLAGS.items():
        asked = {number for number in numbers if program.objects[number].region is region}
        if asked:
            read, written = set[tuple[Beginning, int]](), set[tuple[Beginning, int]]()
            for thread in one_of_each_text(program):
                if program.has_commands and thread.started_by is None:
                    continue
                is_parted = flag is Flag.LOCAL or thread.started_by not in several
                phases = _Phases(program, thread, flag if is_parted else None)
                read |= phases.read[kind]
                written |= phases.written
            found |= asked - {number for _, number in read & written}
    return frozenset(found)


def commands_of_several_groups(program: Program) -> frozenset[int]:
    """The commands that several work-groups execute."""
    groups: dict[int, set[object]] = {}
    for thread in program.threads:
        if thread.started_by is not None and isinstance(thread.placement, WorkItem):
            groups.setdefault(thread.started_by, set()).add(thread.placement.work_group)
    return frozenset(command for command, its in groups.items() if len(its) > 1)


class _Phases:
    """The objects that a thread may read, and write, in each phase of its text."""

    def __init__(self, program: Program, thread: Thread, flag: Flag | None) -> None:
        self._reach: Final = Reach(thread, walk(thread.body), program.objects)
        self._flag: Final = flag
        self.read: Final[dict[ReadKind, set[tuple[Beginning, int]]]] = {kind: set() for kind in ReadKind}
        self.written: Final[set[tuple[Beginning, int]]] = set()
        # In which phases control may be where it leaves the innermost loop, `switch` or function, or begins it anew.
        self._breaks = self._continues = self._returns = _NOWHERE
        # In which turns of the loops around that go round as often as constants say.
        # The command that the thread executes is one around all.
        self._turns: tuple[int, ...] = () if thread.started_by is None else (thread.started_by,)
        self._execute(thread.body, frozenset({(_START, self._turns)}))

    def _execute(self, node: Statement, now: Beginnings) -> Beginnings:
        """The phases behind a statement that begins in these."""
        match node:
            case hir.Block(statements):
                for before, statement in zip((None, *statements), statements, strict=False):
                    turns = constant_turns(before, statement) if isinstance(statement, hir.Loop) else None
                    if turns is None:
                        now = self._execute(statement, now)
                    elif isinstance(statement, hir.Loop):
                        now = self._counted_loop(statement, now, turns)
                return now
            case hir.Barrier(level=level, flags=flags, site=site):
                is_met = level is Level.WORK_GROUP and self._flag in flags
                return frozenset({(site, self._turns)}) if is_met and now else now
            case hir.If(condition, then, otherwise):
                self._note(condition, now)
                return self._execute(then, now) | self._execute(otherwise, now)
            case hir.Switch():
                return self._switch(node, now)
            case hir.Loop():
                return self._loop(node, now)
            case hir.Inlined(body):
                outer, self._returns = self._returns, _NOWHERE
                now = self._execute(body, now) | self._returns
                self._returns = outer
                return now
            case hir.Return():
                self._returns |= now
                return _NOWHERE
            case hir.Break():
                self._breaks |= now
                return _NOWHERE
            case hir.Continue():
                self._continues |= now
                return _NOWHERE
            case _:
                self._note(node, now)
                return now

    def _switch(self, node: hir.Switch, now: Beginnings) -> Beginnings:
        self._note(node.condition, now)
        outer, self._breaks = self._breaks, _NOWHERE
        end = _NOWHERE
        for arm in node.arms:
            end = self._execute(arm.body, now | end)
        end |= now | self._breaks
        self._breaks = outer
        return end

    def _loop(self, node: hir.Loop, now: Beginnings) -> Beginnings:
        outer = self._breaks, self._continues
        self._breaks = self._continues = end = _NOWHERE
        while True:
            self._note(node.condition, now)
            end = self._execute(node.body, now) | self._continues
            for part in (node.step, node.condition):
                if part is not None:
                    self._note(part, end)
            if end <= now:
                break
            now |= end
        end |= now | self._breaks
        self._breaks, self._continues = outer
        return end

    def _counted_loop(self, node: hir.Loop, now: Beginnings, turns: int) -> Beginnings:
        """A loop that goes round so often unless it is left: each turn has phases of its own."""
        outer = self._breaks, self._continues, self._turns
        self._breaks = _NOWHERE
        for turn in range(turns):
            self._turns = (*outer[2], turn)
            self._continues = _NOWHERE
            now = self._execute(node.body, now) | self._continues
        now |= self._breaks
        self._breaks, self._continues, self._turns = outer
        return now

    def _note(self, node: Written, now: Beginnings) -> None:
        """Note what an expression, or a statement without others in it, reads and writes in some phases."""
        for part in walk(node):
            for kind, address in _read(part):
                self.read[kind].update((phase, number) for phase in now for number in self._reach.of(address))
            for address in _written(part):
                self.written.update((phase, number) for phase in now for number in self._reach.of(address))


def _read(node: Written) -> Iterable[tuple[ReadKind, Expression]]:
    """The addresses of the reads of a node alone that do not write, and how it reads there."""
    match node:
        case hir.Read(hir.MemoryPlace(address)) | hir.Modify(place=hir.MemoryPlace(address)):
            return ((ReadKind.PLAIN, address),)
        case hir.CompareExchange(expected=hir.MemoryPlace(address)):
            return ((ReadKind.PLAIN, address),)
        case hir.AtomicLoad(address):
            return ((ReadKind.LOAD, address),)
        case _:
            return ()


def _written(node: Written) -> Iterable[Expression]:
    """The addresses of the writes of a node alone, atomic or not."""
    match node:
        case hir.Assign(hir.MemoryPlace(address)) | hir.Modify(place=hir.MemoryPlace(address)):
            return (address,)
        case hir.CompareExchange(address, hir.MemoryPlace(expected)):
            return address, expected
        case hir.AtomicLoad():
            return ()
        case hir.AtomicInit(address):
            return (address,)
        case _ if isinstance(node, ATOMIC):
            return (node.address,)
        case _:
            return ()
