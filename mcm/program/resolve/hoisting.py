"""Calls of functions in expressions: each is moved before the expression that it stands in.

The body of a function consists of statements, so a call becomes statements that leave its value in a register. C lets a
call come before or after whatever else its expression does. Where that makes a difference the program is refused.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from mcm.base.diagnostic import Note
from mcm.program.instruction import (
    AddressOfRegister,
    Assign,
    AsyncCopy,
    AtomicInit,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
    AwaitCopies,
    Barrier,
    Collective,
    CompareExchange,
    Declare,
    ElementPlace,
    Fence,
    LegacyCompareExchange,
    MemoryPlace,
    Modify,
    PipeAction,
    Read,
    RegisterPlace,
)
from mcm.program.types import PointerType, Region
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.base.source import Span
    from mcm.program.instruction import Expression, Place, Statement, Written
    from mcm.program.resolve.complaints import Complaints

_OPERATIONS: Final = (
    AtomicLoad,
    AtomicStore,
    AtomicInit,
    AtomicUpdate,
    CompareExchange,
    LegacyCompareExchange,
    Collective,
    AsyncCopy,
    AwaitCopies,
    PipeAction,
    Fence,
    Barrier,
)


class Does(Struct, frozen=True):
    """What an evaluation does that others may notice, or that depends on others.

    `acts` tells whether it does anything with memory but plain reads, `loads` whether it reads memory at all; `read`
    and `written` are private variables.
    """

    acts: bool = False
    loads: bool = False
    read: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()

    def __or__(self, other: Does) -> Does:
        """Both evaluations."""
        return Does(
            self.acts or other.acts, self.loads or other.loads, self.read | other.read, self.written | other.written
        )

    def depends_on(self, other: Does) -> bool:
        """Whether it makes a difference which of two evaluations comes first."""
        if (self.acts and (other.acts or other.loads)) or (other.acts and self.loads):
            return True
        return bool(self.written & (other.read | other.written) or other.written & self.read)


class HoistedCall(Struct, frozen=True):
    """A call that has been moved before its expression; `result` is the register that has its value."""

    span: Span
    does: Does
    result: str | None


class Hoisted(Struct):
    """What stands before the full expression that is being resolved: statements, and the calls among them."""

    statements: list[Statement] = field(default_factory=list)
    calls: list[HoistedCall] = field(default_factory=list)

    def settle(self, rest: Iterable[Expression], complaints: Complaints) -> None:
        """Refuse an order that C leaves open, among the calls and what is left of the expression (E154)."""
        for one, other in combinations(self.calls, 2):
            if one.does.depends_on(other.does):
                _refuse(one, other.span, complaints)
        for number, call in enumerate(self.calls):
            results = self._results(number)
            for part in rest:
                if _besides(part, results).depends_on(call.does):
                    _refuse(call, part.span, complaints)

    def _results(self, number: int) -> frozenset[str]:
        """The registers with the value of a call, and with those of later calls that are computed from it."""
        first = self.calls[number].result
        found = set() if first is None else {first}
        for call in self.calls[number + 1 :]:
            if call.result is not None and not found.isdisjoint(call.does.read):
                found.add(call.result)
        return frozenset(found)


def does(nodes: Iterable[Written], *, passes: bool = False) -> Does:
    """What statements and expressions do, their own variables aside.

    What only `passes` an address to a call does nothing with the variable: the call comes after it.
    """
    found, declared = Does(), set()
    for node in nodes:
        for part in walk(node):
            if not (passes and isinstance(part, AddressOfRegister)):
                found |= _itself(part)
            if isinstance(part, Declare):
                declared.add(part.register)
    return Does(found.acts, found.loads, found.read - declared, found.written - declared)


def _itself(node: Written) -> Does:
    """What a node does, without its parts."""
    match node:
        case Read(place):
            return _reads(place)
        case Assign(place):
            return _writes(place)
        case Modify(_, place):
            return _reads(place) | _writes(place)
        case CompareExchange(_, place):
            return Does(acts=True) | _reads(place) | _writes(place)
        case PipeAction(place=place) if place is not None:
            return Does(acts=True) | _writes(place)
        case AddressOfRegister(place):
            # Somebody may use it.
            return _reads(place) | _writes(place)
        case _:
            return Does(acts=isinstance(node, _OPERATIONS))


def _reads(place: Place) -> Does:
    match place:
        case RegisterPlace(name) | ElementPlace(name):
            return Does(read=frozenset({name}))
        case MemoryPlace(address):
            # Nobody writes constant memory.
            is_constant = isinstance(address.type, PointerType) and address.type.region is Region.CONSTANT
            return Does(loads=not is_constant)


def _writes(place: Place) -> Does:
    match place:
        case RegisterPlace(name) | ElementPlace(name):
            return Does(written=frozenset({name}))
        case MemoryPlace():
            return Does(acts=True)


def _besides(node: Expression, results: frozenset[str]) -> Does:
    """What an expression does, but for what it does with the result of a call: that comes after the call."""
    found = Does()
    for part in walk(node):
        if not _contains(part, results):
            found |= _itself(part)
        elif isinstance(part, Modify) and not _contains(part.place, results):
            found |= _reads(part.place)
    return found


def _contains(node: Written, registers: frozenset[str]) -> bool:
    return bool(registers) and any(
        isinstance(part, RegisterPlace) and part.register in registers for part in walk(node)
    )


def _refuse(call: HoistedCall, other: Span, complaints: Complaints) -> None:
    message = "it is open in C whether this comes before or after a call in the same expression, and it matters"
    complaints.fail("E154", other, f"{message}; make it a statement of its own", Note("the call", call.span))
