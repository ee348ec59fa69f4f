"""Calls of functions in expressions: each is moved before the expression that it stands in.

The body of a function consists of statements, so a call becomes statements that leave its value in a register. C lets a
call come before or after whatever else its expression does. Where that makes a difference the program is refused.
"""

from __future__ import annotations

from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

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
    Binary,
    Collective,
    CompareExchange,
    Convert,
    Declare,
    ElementPlace,
    Fence,
    LegacyCompareExchange,
    Literal,
    MemoryPlace,
    Modify,
    PipeAction,
    Read,
    RegisterPlace,
)
from mcm.program.types import PointerType, Region
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from mcm.base.source import Span
    from mcm.program.instruction import Expression, Place, Statement, Written
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.context import ThreadContext

_NO_TARGETS: Final[Mapping[str, frozenset[str]]] = MappingProxyType({})
_UNKNOWN: Final = frozenset[str]()
# Where no private variable is.
_SHARED: Final = frozenset({Region.GLOBAL, Region.LOCAL, Region.CONSTANT})
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

    `acts` tells whether it does anything with memory but plain reads, `loads` whether it reads memory at all;
    `acts_through` and `loads_through` are the pointers by which it does so that may lead to private variables, `?` for
    what has no name. `read`, `written` and `pointed`, whose addresses it takes, are private variables.
    """

    acts: bool = False
    loads: bool = False
    acts_through: frozenset[str] = frozenset()
    loads_through: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    pointed: frozenset[str] = frozenset()

    def __or__(self, other: Does) -> Does:
        """Both evaluations."""
        return Does(
            self.acts or other.acts,
            self.loads or other.loads,
            self.acts_through | other.acts_through,
            self.loads_through | other.loads_through,
            self.read | other.read,
            self.written | other.written,
            self.pointed | other.pointed,
        )

    def without(self, declared: set[str]) -> Does:
        """The same, some variables aside."""
        return replace(
            self, read=self.read - declared, written=self.written - declared, pointed=self.pointed - declared
        )

    @property
    def changed(self) -> frozenset[str]:
        """The private variables that it may write: through an address too, where it writes through any."""
        return self.written | self.pointed if self.acts else self.written

    def depends_on(self, other: Does, pointers: Pointers) -> bool:
        """Whether it makes a difference which of two evaluations comes first."""
        if (self.acts and (other.acts or other.loads)) or (other.acts and self.loads):
            return True
        if self._may_meet(other, pointers) or other._may_meet(self, pointers):
            return True
        mine, others = self.changed, other.changed
        return bool(mine & (other.read | other.pointed | others) or others & (self.read | self.pointed))

    def _may_meet(self, other: Does, pointers: Pointers) -> bool:
        """Whether a pointer may lead to a private variable that the other one accesses, and one of both writes."""
        acts, loads = self.acts_through - pointers.shared, self.loads_through - pointers.shared
        met = (other.read | other.written) if acts else other.written if loads else frozenset[str]()
        return not met.isdisjoint(pointers.targets)


class Pointers(Struct, frozen=True):
    """What is known of pointers: the private variables whose address has been taken, and those that lead to none."""

    targets: Collection[str]
    shared: frozenset[str]


class HoistedCall(Struct, frozen=True):
    """A call that has been moved before its expression; `result` is the register that has its value."""

    span: Span
    does: Does
    result: str | None


class Hoisted(Struct):
    """What stands before the full expression that is being resolved: statements, and the calls among them."""

    statements: list[Statement] = field(default_factory=list)
    calls: list[HoistedCall] = field(default_factory=list)

    def settle(self, rest: Iterable[Expression], pointers: Pointers, complaints: Complaints) -> None:
        """Refuse an order that C leaves open, among the calls and what is left of the expression (E154)."""
        for one, other in combinations(self.calls, 2):
            if one.does.depends_on(other.does, pointers):
                _refuse(one, other.span, complaints)
        for number, call in enumerate(self.calls):
            results = self._results_of(number)
            for part in rest:
                if _besides(part, results).depends_on(call.does, pointers):
                    _refuse(call, part.span, complaints)

    def _results_of(self, number: int) -> frozenset[str]:
        """The registers that have the value of a call, or of one that is made with it: what uses them comes later."""
        first = self.calls[number].result
        found = set() if first is None else {first}
        for later in self.calls[number + 1 :]:
            if later.result is not None and not found.isdisjoint(later.does.read):
                found.add(later.result)
        return frozenset(found)


def does(nodes: Iterable[Written], *, passes: bool = False) -> Does:
    """What statements and expressions do, their own variables aside.

    What only `passes` an address to a call does nothing with the variable: the call comes after it.
    """
    found, declared = Does(), set()
    parts = [part for node in nodes for part in walk(node)]
    targets = _targets(parts)
    for part in parts:
        if not (passes and isinstance(part, AddressOfRegister)):
            found |= _itself(part, targets)
        if isinstance(part, Declare):
            declared.add(part.register)
    return found.without(declared)


def first_open_order(
    nodes: Sequence[Expression], pointers: Pointers, *, groups_act: bool = True
) -> tuple[Expression, Expression] | None:
    """The first two of some evaluations, not sequenced, that depend on which of them comes first; None if none do.

    Without `groups_act`, group functions order no memory, and may be called in any order that is the same for all.
    """
    done = [does([node], passes=True) for node in nodes]
    if not groups_act:
        done = [replace(d, acts=d.acts and _acts_alone(node)) for d, node in zip(done, nodes, strict=True)]
    for (one, does_one), (other, does_other) in combinations(zip(nodes, done, strict=True), 2):
        if does_one.depends_on(does_other, pointers):
            return one, other
    return None


def _acts_alone(node: Expression) -> bool:
    """Whether an evaluation does something with memory besides calling group functions."""
    return any(_itself(part).acts for part in walk(node) if not isinstance(part, Collective))


def settle_list(values: list[Expression], context: ThreadContext) -> None:
    """Refuse values of a list of which one changes what another one depends on; SYCL evaluates them in order."""
    found = None if context.dialect.orders_lists else first_open_order(values, context.pointers, groups_act=False)
    if found is not None:
        one, other = found
        message = "it is open in C which of these values is evaluated first, and it matters"
        note = Note("the other one", one.span)
        context.complaints.fail("E154", other.span, f"{message}; give one a variable of its own", note)


def _targets(parts: Iterable[Written]) -> dict[str, frozenset[str]]:
    """The private variables that pointers may point into which are declared so, and never changed: parameters, mostly.

    Several calls of a function have the same parameters.
    """
    declared: dict[str, list[Expression]] = {}
    changed: set[str] = set()
    for part in parts:
        match part:
            case Declare(register, PointerType(), None, (value,)):
                declared.setdefault(register, []).append(value)
            case Declare(name) | Assign(RegisterPlace(name)) | Modify(_, RegisterPlace(name)):
                changed.add(name)
            case AddressOfRegister(RegisterPlace(name)):
                # Whoever points to a pointer may change it.
                changed.add(name)
            case _:
                pass
    found: dict[str, frozenset[str]] = {}
    waiting = {register: values for register, values in declared.items() if register not in changed}
    # One that is made of another one follows it.
    while known := [register for register, values in waiting.items() if all(_target(one, found) for one in values)]:
        for register in known:
            found[register] = frozenset().union(*(_target(one, found) for one in waiting.pop(register)))
    return found


def _target(address: Expression, targets: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The private variables, or arrays, in one of which an address surely lies; none where that is not known."""
    *_, start = _made_of(address)
    match start:
        case AddressOfRegister(RegisterPlace(name) | ElementPlace(name)):
            return frozenset({name})
        case Read(RegisterPlace(name)):
            return targets.get(name, _UNKNOWN)
        case _:
            return _UNKNOWN


def _made_of(address: Expression) -> Iterator[Expression]:
    """An address, and what it is made of by conversions and steps, one by one."""
    while True:
        yield address
        match address:
            case Convert(operand, PointerType()) | Binary("+" | "-", operand, _, PointerType()):
                address = operand
            case _:
                return


def _itself(node: Written, targets: Mapping[str, frozenset[str]] = _NO_TARGETS) -> Does:
    """What a node does, without its parts; `targets` are what pointers point into."""
    match node:
        case Read(place):
            return _reads(place, targets)
        case Assign(place):
            return _writes(place, targets)
        case Modify(_, place):
            return _reads(place, targets) | _writes(place, targets)
        case CompareExchange(_, place):
            return Does(acts=True) | _reads(place, targets) | _writes(place, targets)
        case PipeAction(place=place) if place is not None:
            return Does(acts=True) | _writes(place, targets)
        case AddressOfRegister(RegisterPlace(name) | ElementPlace(name)):
            return Does(pointed=frozenset({name}))
        case _:
            return Does(acts=isinstance(node, _OPERATIONS))


def _reads(place: Place, targets: Mapping[str, frozenset[str]] = _NO_TARGETS) -> Does:
    match place:
        case RegisterPlace(name) | ElementPlace(name):
            return Does(read=frozenset({name}))
        case MemoryPlace(address):
            if found := _target(address, targets):
                return Does(read=found)
            # Nobody writes constant memory.
            is_constant = isinstance(address.type, PointerType) and address.type.region is Region.CONSTANT
            return Does(loads=not is_constant, loads_through=_pointer(address))


def _writes(place: Place, targets: Mapping[str, frozenset[str]]) -> Does:
    match place:
        case RegisterPlace(name) | ElementPlace(name):
            return Does(written=frozenset({name}))
        case MemoryPlace(address):
            found = _target(address, targets)
            return Does(written=found) if found else Does(acts=True, acts_through=_pointer(address))


def _pointer(address: Expression) -> frozenset[str]:
    """The pointer that an address is made of, where it may be that of a private variable."""
    parts = list(_made_of(address))
    if any(isinstance(part.type, PointerType) and part.type.region in _SHARED for part in parts):
        return frozenset()
    match parts[-1]:
        case Literal():
            return frozenset()
        case Read(RegisterPlace(name)):
            return frozenset({name})
        case _:
            return frozenset({"?"})


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
    return any(isinstance(part, RegisterPlace) and part.register in registers for part in walk(node))


def _refuse(call: HoistedCall, other: Span, complaints: Complaints) -> None:
    message = "it is open in C whether this comes before or after a call in the same expression, and it matters"
    complaints.fail("E154", other, f"{message}; make it a statement of its own", Note("the call", call.span))
