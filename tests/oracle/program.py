"""A small program: units of execution with straight-line, guarded instructions over locations."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from typing import TypeAlias

UNASSIGNED = -1
"""The value that every register has before anything is assigned to it."""


class Order(Enum):
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"


# Section 1.6: the orders that are valid for each operation.
LOAD_ORDERS = (Order.RELAXED, Order.ACQUIRE, Order.SEQ_CST)
STORE_ORDERS = (Order.RELAXED, Order.RELEASE, Order.SEQ_CST)
FAILURE_ORDERS = {
    Order.RELAXED: (Order.RELAXED,),
    Order.RELEASE: (Order.RELAXED,),
    Order.ACQUIRE: (Order.RELAXED, Order.ACQUIRE),
    Order.ACQ_REL: (Order.RELAXED, Order.ACQUIRE),
    Order.SEQ_CST: (Order.RELAXED, Order.ACQUIRE, Order.SEQ_CST),
}


class Scope(IntEnum):
    SUB_GROUP = 1
    WORK_GROUP = 2
    DEVICE = 3
    ALL = 4


class Region(Enum):
    GLOBAL = "global"
    LOCAL = "local"


class Allocation(Enum):
    BUFFER = "buffer"
    COARSE_SVM = "coarse_svm"
    FINE_SVM = "fine_svm"
    FINE_SVM_ATOMICS = "fine_svm_atomics"
    SYSTEM_SVM = "system_svm"
    SYSTEM_SVM_ATOMICS = "system_svm_atomics"
    PROGRAM_SCOPE = "program_scope"


SVM = frozenset(Allocation) - {Allocation.BUFFER}
SVM_WITH_ATOMICS = frozenset({Allocation.FINE_SVM_ATOMICS, Allocation.SYSTEM_SVM_ATOMICS})

G = frozenset({Region.GLOBAL})
L = frozenset({Region.LOCAL})
GL = G | L
NO_FLAGS: frozenset[Region] = frozenset()


@dataclass(frozen=True, slots=True)
class Location:
    name: str
    region: Region = Region.GLOBAL
    allocation: Allocation | None = Allocation.BUFFER
    atomic: bool = False
    initial: int | None = 0
    """None: indeterminate until something is written."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The instruction is executed only if the register has this value then."""

    register: str
    value: int


Operand: TypeAlias = int | str
"""A constant, or the name of a register of the same unit."""


@dataclass(frozen=True, slots=True)
class Store:
    location: str
    value: Operand
    order: Order | None = None
    scope: Scope | None = None
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class Load:
    register: str
    location: str
    order: Order | None = None
    scope: Scope | None = None
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    register: str
    location: str
    value: Operand
    order: Order
    scope: Scope
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class FetchAdd:
    register: str
    location: str
    addend: int
    order: Order
    scope: Scope
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class CompareExchange:
    """`register` gets 1 or 0, `seen` the value that was expected or, after a failure, the value that was found."""

    register: str
    seen: str
    location: str
    expected: int
    desired: int
    success: Order
    failure: Order
    scope: Scope
    weak: bool = False
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class Fence:
    flags: frozenset[Region]
    order: Order
    scope: Scope
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class Barrier:
    label: str
    flags: frozenset[Region]
    scope: Scope
    sub_group: bool = False
    guard: Guard | None = None


Instruction: TypeAlias = Store | Load | Exchange | FetchAdd | CompareExchange | Fence | Barrier


@dataclass(frozen=True, slots=True)
class Unit:
    """A work-item with its place, or a host thread."""

    body: tuple[Instruction, ...]
    wg: int = 0
    sg: int = 0
    ki: int = 0
    dev: int = 0
    host: bool = False

    def moved(self, part: str, value: int) -> "Unit":
        """Return the unit in another sub-group, work-group, kernel-instance or device."""
        assert part in ("sg", "wg", "ki", "dev")
        return replace(self, **{part: value})  # type: ignore[arg-type]

    def registers(self) -> tuple[str, ...]:
        """Return the registers in the order in which they are first assigned."""
        found: dict[str, None] = {}
        for instruction in self.body:
            match instruction:
                case Load(register) | Exchange(register) | FetchAdd(register):
                    found[register] = None
                case CompareExchange(register, seen):
                    found[register] = None
                    found[seen] = None
                case Store() | Fence() | Barrier():
                    pass
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Program:
    locations: tuple[Location, ...]
    units: tuple[Unit, ...]
    name: str = "random"
    free_values: frozenset[int] = frozenset()
    """Values that a read may also be tried with, for executions whose values justify themselves."""

    def location(self, name: str) -> Location:
        return next(location for location in self.locations if location.name == name)

    def instructions(self) -> Iterator[Instruction]:
        for unit in self.units:
            yield from unit.body


def accessed(instruction: Instruction) -> str | None:
    """Return the location that an instruction accesses."""
    match instruction:
        case Fence() | Barrier():
            return None
        case _:
            return instruction.location


def same_sub_group(a: Unit, b: Unit) -> bool:
    return same_work_group(a, b) and a.sg == b.sg


def same_work_group(a: Unit, b: Unit) -> bool:
    return same_kernel(a, b) and a.wg == b.wg


def same_kernel(a: Unit, b: Unit) -> bool:
    return same_device(a, b) and a.ki == b.ki


def same_device(a: Unit, b: Unit) -> bool:
    return not a.host and not b.host and a.dev == b.dev
