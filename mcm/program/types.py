"""Scalar types, address-space regions, allocation kinds, and the values that programs compute with."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import ClassVar, Final, NamedTuple

from msgspec import Struct


class Scalar(Enum):
    """The scalar types of the language: name in C, width in bits, signedness."""

    # Members are keys of many dictionaries; hashing them by identity is faster than the hash of Enum.
    __hash__ = object.__hash__

    BOOL = ("bool", 1, False)
    CHAR = ("char", 8, True)
    UCHAR = ("uchar", 8, False)
    SHORT = ("short", 16, True)
    USHORT = ("ushort", 16, False)
    INT = ("int", 32, True)
    UINT = ("uint", 32, False)
    LONG = ("long", 64, True)
    ULONG = ("ulong", 64, False)
    HALF = ("half", 16, True)
    FLOAT = ("float", 32, True)
    DOUBLE = ("double", 64, True)
    # The event of an asynchronous copy: a number that says which one, 0 for none.
    EVENT = ("event_t", 64, False)
    # A reservation of packets of a pipe: a number that says which, 0 where there was no room.
    RESERVATION = ("reserve_id_t", 64, False)

    def __init__(self, spelling: str, bits: int, signed: bool) -> None:  # noqa: FBT001 - the enum's own values
        self.spelling = spelling
        self.bits = bits
        self.signed = signed
        self.is_floating = spelling in {"half", "float", "double"}
        # The integers that a conversion to it keeps; none of a floating type, whose values are rounded.
        self.low = 1 if self.is_floating else -(1 << (bits - 1)) if signed else 0
        self.high = 0 if self.is_floating else self.low + (1 << bits) - 1


class Region(Enum):
    """Named address spaces (`model-rules` 1.2); NONE is a parameter whose address space was not written."""

    __hash__ = object.__hash__

    GLOBAL = "global"
    LOCAL = "local"
    CONSTANT = "constant"
    PRIVATE = "private"
    GENERIC = "generic"
    NONE = "none"


class AllocationKind(Enum):
    """How a global object was allocated (`model-rules` 1.4); decides how far device and ALL scope reach."""

    BUFFER = "buffer"
    IMAGE = "image"
    PIPE = "pipe"
    COARSE_SVM = "coarse_svm"
    PROGRAM_SCOPE = "program_scope"
    FINE_SVM = "fine_svm"
    FINE_SVM_ATOMICS = "fine_svm_atomics"
    SYSTEM_SVM = "system_svm"
    SYSTEM_SVM_ATOMICS = "system_svm_atomics"


class Order(Enum):
    """Memory orders; a plain access has none."""

    __hash__ = object.__hash__

    RELAXED = "memory_order_relaxed"
    ACQUIRE = "memory_order_acquire"
    RELEASE = "memory_order_release"
    ACQ_REL = "memory_order_acq_rel"
    SEQ_CST = "memory_order_seq_cst"

    @property
    def acquires(self) -> bool:
        """Whether an operation that reads, or a fence, acquires with this order."""
        return self is Order.ACQUIRE or self is Order.ACQ_REL or self is Order.SEQ_CST

    @property
    def releases(self) -> bool:
        """Whether an operation that writes, or a fence, releases with this order."""
        return self is Order.RELEASE or self is Order.ACQ_REL or self is Order.SEQ_CST


class Scope(IntEnum):
    """Memory scopes, ordered by inclusion."""

    WORK_ITEM = 0
    SUB_GROUP = 1
    WORK_GROUP = 2
    DEVICE = 3
    ALL_SVM_DEVICES = 4


class Flag(Enum):
    """Memory fence flags."""

    GLOBAL = "CLK_GLOBAL_MEM_FENCE"
    LOCAL = "CLK_LOCAL_MEM_FENCE"
    IMAGE = "CLK_IMAGE_MEM_FENCE"


class PointerType(Struct, frozen=True):
    """A pointer to `target` in `region`; `atomic` when the pointee has an atomic type."""

    is_floating: ClassVar[bool] = False

    target: Type
    region: Region
    atomic: bool = False


Type = Scalar | PointerType


def zero_of(type_: Type) -> int | float:
    """What is in elements without an initializer, and shown where there is no value at all: 0, and 0.0 of floats."""
    return 0.0 if type_.is_floating else 0


class Location(NamedTuple):
    """An element of a memory object: `object` indexes `Program.objects`, `offset` counts elements from 0.

    A tuple: locations are compared and looked up in the inner loops of the engines.
    """

    object: int
    offset: int = 0


class Part(Struct, frozen=True):
    """Elements of a memory object, from `first` on, under the name of the object or of a sub-buffer."""

    name: str
    object: int
    first: int
    length: int

    def has(self, place: Location) -> bool:
        """Whether a location is one of the elements."""
        return place.object == self.object and self.first <= place.offset < self.first + self.length

    def overlaps(self, other: Part) -> bool:
        """Whether two parts have an element in common."""
        is_apart = self.first + self.length <= other.first or other.first + other.length <= self.first
        return self.object == other.object and not is_apart


class RegisterPointer(Struct, frozen=True, order=True):
    """The address of a private variable; meaningful only inside the thread that owns it."""

    thread: int
    register: str
    offset: int = 0


# A null pointer is the integer 0. A Location is the address of that element.
Value = int | float | Location | RegisterPointer

# What a member of a structure in memory holds that has not been given a value, where structures are copied (ADR 70).
# No operation of a program makes it, and it is equal to nothing else.
NO_VALUE: Final = RegisterPointer(-1, "no value")
