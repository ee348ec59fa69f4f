"""A program: threads placed in a topology, over memory objects, with the question that the test asks."""

from __future__ import annotations

from math import copysign, prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.compared import PartlyCompared
from mcm.program.topology import WorkItem
from mcm.program.types import NO_VALUE, AllocationKind, Location, Region, RegisterPointer, Scalar, zero_of

if TYPE_CHECKING:
    from typing import Literal

    from mcm.base.diagnostic import Diagnostic
    from mcm.base.dialect import Dialect
    from mcm.base.source import Source, Span
    from mcm.program.command import Command, Queue
    from mcm.program.condition import Condition, Observable, Proposition, RegisterName
    from mcm.program.instruction import Block
    from mcm.program.topology import Placement, SubGroup, WorkGroup
    from mcm.program.types import Part, Type, Value

    # What of models may speak about a program: all of it; all but what is about commands, copies and pipes; or only
    # what is about accesses of global memory.
    Extent = Literal["whole", "memory", "accesses"]

# Each smaller than the one before.
EXTENTS: Final[tuple[Extent, ...]] = ("whole", "memory", "accesses")

# Sizes in bits of unsigned types that indices have, and how far below zero a number may be that is told as such.
_UNSIGNED: Final = (32, 64)
_NEAR: Final = 2**20


_BYTE: Final = 8

# What is said of an address that is not known.
NO_ELEMENT: Final = "the address is not that of an element of a memory object"


class MemoryObject(PartlyCompared, frozen=True):
    """A named object in memory.

    `initial` has one value an element, None where it is indeterminate, `NO_VALUE` where it is and copies carry that.
    `atomic` says that the object was declared with an atomic type somewhere, or is accessed by an atomic operation
    somewhere: then it has a modification order.
    `is_array` tells `a[0]` from `a` when a location is shown. `group` is the work-group of a per-group local copy.
    `is_guessed`: nothing states how many elements it has.
    `needs_map`: it was declared as memory that the host may access only while it is mapped (MAP-4).
    `atomic_type`: it was declared with an atomic type somewhere. `shape` has the lengths of an array of several
    dimensions behind the first.
    `capacity` is how many packets a pipe has room for: element 0 of a pipe is its state, the others are its packets, in
    the order in which they come, each of which is written once. `writers` and `readers` are the threads at its ends.
    `whole` is the type that it was declared with, where memory holds it as unsigned numbers of the size of the smallest
    access, its units: several of them are one element, the lowest bits first (ADR 105).
    """

    name: str
    type: Type
    region: Region
    allocation: AllocationKind
    initial: tuple[Value | None, ...]
    atomic: bool
    is_array: bool
    span: Span
    declared: bool = True
    is_guessed: bool = False
    group: int | None = None
    needs_map: bool = False
    atomic_type: bool = False
    shape: tuple[int, ...] = ()
    capacity: int = 0
    writers: frozenset[int] = frozenset()
    readers: frozenset[int] = frozenset()
    whole: Scalar | None = None

    def begins_with(self, offset: int) -> Value:
        """What is in an element in the beginning: zero where that is indeterminate."""
        value = self.initial[offset]
        return zero_of(self.type) if value is None else value

    @property
    def units(self) -> int:
        """How many units are an element, as it was declared; 1 where memory holds it as declared."""
        return 1 if self.whole is None else self.whole.bits // self.unit_bits

    @property
    def unit_bits(self) -> int:
        """How many bits a unit has."""
        assert isinstance(self.type, Scalar), "only numbers have units"
        return self.type.bits

    def element(self, offset: int) -> str:
        """How an element is shown: `x`, `a[1]`, `t@wg0[1]`, `t@wg0[1][2]`, `packet 1 of p`, `byte 2 of a[1]`."""
        if self.whole is None or self.units == 1:
            return self.declared_element(offset)
        index, unit = divmod(offset, self.units)
        size = self.unit_bits // _BYTE
        which = f"byte {unit}" if size == 1 else f"bytes {unit * size} to {(unit + 1) * size - 1}"
        return f"{which} of {self.declared_element(index)}"

    def declared_element(self, offset: int) -> str:
        """How an element is shown that was declared, by its number among these."""
        name = self.name if self.group is None else f"{self.name}@wg{self.group}"
        if self.capacity:
            return f"packet {offset} of {name}" if offset else name
        indices = ""
        for size in reversed(self.shape):
            offset, index = divmod(offset, size)
            indices = f"[{index}]{indices}"
        return f"{name}[{offset}]{indices}" if self.is_array else name


class Register(Struct, frozen=True):
    """A private variable (or one element of a private array), under the name that conditions use.

    `initial` is a value given in the initial state or by a parameter. `is_parameter` registers are not listed in
    states unless they are asked for. `shape` is that of the array that it is an element of. One that `has_namesakes`
    is declared with other types in other blocks, too, which are other registers. `units` are the registers that hold
    what is in it, the lowest bits first, where parts of it are accessed (ADR 105); it has no value itself then.
    """

    name: str
    type: Type
    initial: Value | None = None
    is_parameter: bool = False
    is_hidden: bool = False
    shape: tuple[int, ...] = ()
    has_namesakes: bool = False
    units: tuple[str, ...] = ()

    @property
    def begins_with(self) -> Value:
        """What is in it in the beginning: zero where that is indeterminate."""
        return zero_of(self.type) if self.initial is None else self.initial


class Thread(PartlyCompared, frozen=True):
    """One unit of execution. `name` is how it is shown (`P0`, `K[1]`); `index` is its number in conditions.

    It runs from the beginning, or from the start of the command `started_by` on, or, as a callback, when the command
    `callback_of` is complete. `has_copies`: it calls functions that copy asynchronously.
    """

    index: int
    name: str
    placement: Placement
    registers: tuple[Register, ...]
    body: Block
    span: Span
    started_by: int | None = None
    callback_of: int | None = None
    has_copies: bool = False

    @property
    def group(self) -> WorkGroup | int:
        """The work-group of a work-item; a thread without one is a group of its own, by its number."""
        return self.placement.work_group if isinstance(self.placement, WorkItem) else self.index


class Program(Struct, frozen=True):
    """A resolved test. `diagnostics` holds its warnings; errors end in an InputError instead.

    `commands` are all that its threads may enqueue, each at most once, and its user events; `commands[i].number == i`.
    Where there are sub-buffers, `used_parts` has the buffers and sub-buffers that each thread is given.
    `numbered` are the threads that the test's condition names by their number alone. `has_fences`: threads may
    execute fences, barriers or group functions.
    """

    source: Source
    dialect: Dialect
    name: str
    threads: tuple[Thread, ...]
    objects: tuple[MemoryObject, ...]
    locations: tuple[Observable, ...]
    filter: Proposition | None
    condition: Condition | None
    diagnostics: tuple[Diagnostic, ...]
    queues: tuple[Queue, ...] = ()
    commands: tuple[Command, ...] = ()
    used_parts: tuple[tuple[int, Part], ...] = ()
    numbered: frozenset[int] = frozenset()
    has_fences: bool = True

    @property
    def has_commands(self) -> bool:
        """Whether threads may call what is about commands: they enqueue some, or have a queue to flush or finish."""
        return bool(self.commands or self.queues)

    @property
    def needs_whole_model(self) -> bool:
        """Whether threads do what models have parts for that few programs need: commands, copies, or pipes."""
        return self.has_commands or any(thread.has_copies for thread in self.threads) or self.has_pipes

    @property
    def extent(self) -> Extent:
        """What of models may speak about the program."""
        if self.needs_whole_model:
            return "whole"
        return "memory" if self.has_fences or not all(map(_is_plainly_global, self.objects)) else "accesses"

    @property
    def has_pipes(self) -> bool:
        """Whether the program has pipes."""
        return any(item.capacity for item in self.objects)

    def thread(self, index: int) -> Thread:
        """The thread with this number in conditions; numbers need not be consecutive."""
        return next(thread for thread in self.threads if thread.index == index)

    def members_of_groups(self) -> dict[WorkGroup | SubGroup, list[Thread]]:
        """The work-items of each work-group and sub-group, in their order."""
        members: dict[WorkGroup | SubGroup, list[Thread]] = {}
        for thread in self.threads:
            if isinstance(thread.placement, WorkItem):
                members.setdefault(thread.placement.work_group, []).append(thread)
                members.setdefault(thread.placement.sub_group, []).append(thread)
        return members

    def object_at(self, location: Location) -> MemoryObject:
        """The object that a location is an element of."""
        return self.objects[location.object]

    def show_location(self, location: Location) -> str:
        """`x` or `a[1]`, as states show it."""
        return self.objects[location.object].element(location.offset)

    def show_register(self, what: RegisterName) -> str:
        """`1:r0`, or `K[1]:r0` of a work-item, as the test itself names it: by its number only where the test does."""
        thread = self.thread(what.thread)
        name = what.register
        if "#" in name:
            # What stands for a part of a variable.
            owners = (one for one in thread.registers if name in one.units)
            name = next((f"{one.name} (part {one.units.index(name)})" for one in owners), name)
        return f"{self.show_unit(thread)}:{name}"

    def show_unit(self, thread: Thread) -> str:
        """A thread in the name of a register: `1`, or `K[1]`."""
        is_numbered = thread.index in self.numbered or thread.name == f"P{thread.index}"
        return str(thread.index) if is_numbered else thread.name

    def outside(self, value: Value | None) -> str:
        """Why an address is not that of an element: `a[4] is outside a, which has 4 elements`; None is not known."""
        if not isinstance(value, Location):
            return "the pointer is NULL" if value == 0 else NO_ELEMENT
        one = self.objects[value.object]
        name = one.declared_element(0).removesuffix("[0]" * (len(one.shape) + 1))
        size, offset = len(one.initial) // one.units, value.offset // one.units
        if size == 1 and not one.is_array:
            return f"{name}[{offset}] is outside {name}, which is a single object"
        if one.shape:
            rows = " x ".join(map(str, (size // prod(one.shape), *one.shape)))
            return f"{one.declared_element(_meant(offset))} is outside {name}, which has {rows} elements"
        element = one.declared_element(offset)
        counted = f"{size} element{'s' * (size != 1)}"
        if not one.is_guessed:
            return f"{element} is outside {name}, which has {counted}{_wrapped(offset)}"
        if below := _wrapped(offset):
            return f"{element} is outside {name}{below}"
        # A member is stated with the structures that have it, and all copies of local memory at once.
        example = "" if offset < 0 else f": state it with --init '{one.name.partition('.')[0]}[N]'"
        taken = f"is taken to have {counted}, since nothing states how many"
        return f"{element} is outside {name}, which {taken}{example}"

    def show_value(self, value: Value) -> str:
        """A value as text: a number, or `&x` for an address; a float without a fraction as an integer, but -0.0."""
        match value:
            case RegisterPointer(NO_VALUE.thread, NO_VALUE.register):
                # What is computed with it is no value either.
                return "no value"
            case Location(number, offset):
                one = self.objects[number]
                is_first = offset % one.units == 0
                return f"&{one.declared_element(offset // one.units) if is_first else one.element(offset)}"
            case RegisterPointer(_, register, offset):
                return f"&{register}" if offset == 0 else f"&{register}[{offset}]"
            case float() if value.is_integer() and (value or copysign(1.0, value) > 0):
                return str(int(value))
            case _:
                return str(value)


def _is_plainly_global(item: MemoryObject) -> bool:
    """Whether an object is neither in local or constant memory nor an image."""
    return item.region not in {Region.LOCAL, Region.CONSTANT} and item.allocation is not AllocationKind.IMAGE


def _wrapped(index: int) -> str:
    """What a number below zero has become in an unsigned type, where an index looks so.

    >>> _wrapped(2**64 - 1), _wrapped(2**32 - 4), _wrapped(7), _wrapped(2**32)
    ('; the index is -1 in an unsigned type', '; the index is -4 in an unsigned type', '', '')
    """
    meant = _meant(index)
    return "" if meant == index else f"; the index is {meant} in an unsigned type"


def _meant(index: int) -> int:
    """An index, or the number a little below zero that has become it in an unsigned type."""
    return next((index - 2**bits for bits in _UNSIGNED if -_NEAR <= index - 2**bits < 0), index)
